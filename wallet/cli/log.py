"""The file of --log: one line for each exchange with the network, and the traceback of a defect; no secret."""

import logging
import os
from pathlib import Path

from wallet.core.errors import BadInput

_LOG = logging.getLogger("wallet")


def start_log(path: Path) -> None:
    """Append to the file, which is made for its owner only. Raises BadInput where it cannot be written."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise BadInput("log", f"the log file {path} cannot be written ({error.strerror})") from None
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logging.raiseExceptions = False  # a full disk costs lines of the log, and nothing else
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    _LOG.propagate = False


def note_defect(error: Exception) -> None:
    """Frames and message, without the values of variables."""
    if _LOG.handlers:
        _LOG.error("defect", exc_info=error)
