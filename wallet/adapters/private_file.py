"""Files that hold keys: readable by their owner only, whole or not there, and on the disk when the call returns."""

import os
import secrets
from pathlib import Path

from wallet.core.secret import Secret


def write_private(path: Path, content: Secret, *, replace: bool) -> None:
    """Write `content` to `path` with mode 0600, whole and fsynced, its folder too.

    Raises FileExistsError, leaving the file as it is, when `path` exists and `replace` is false; OSError otherwise.
    """
    draft = path.with_name(f".{path.name[:64]}.{secrets.token_hex(6)}.draft")
    claimed = False
    try:
        _write_new(draft, content)
        if not replace:
            # A hard link would claim the name and fill it in one step, but memory sticks (FAT) have no links.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            claimed = True
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        if claimed:
            path.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _write_new(path: Path, content: Secret) -> None:
    # O_EXCL also refuses a symbolic link that somebody laid there.
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    with open(descriptor, "wb") as file:
        file.write(content.reveal())
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make names that came or went in `folder` last through a power cut (Windows does so by itself)."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
