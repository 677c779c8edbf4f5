"""The machine under the wallet: its data folder and its clocks."""

import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from wallet.core.errors import StoreFault

PRIVATE_FOLDER = 0o700


def data_folder(option: Path | None, environment: Mapping[str, str]) -> Path:
    """The folder of the store and the key files, made and private: `option`, else WALLET_DATA_DIR, else the platform's.

    Raises StoreFault when it cannot be used (R32).
    """
    named = environment.get("WALLET_DATA_DIR")
    if option is not None:
        folder = option
    elif named:
        folder = Path(named)
    else:
        import platformdirs  # late: not needed where the folder is named

        folder = platformdirs.user_data_path("wallet", appauthor=False)
    try:
        folder = folder.expanduser().absolute()
    except RuntimeError:
        raise StoreFault(f"The folder {folder} cannot be found: there is no such home. Name it in full.") from None
    return private_folder(folder)


def private_folder(folder: Path) -> Path:
    """Make `folder` where it is missing, and close it to everyone but its owner. Raises StoreFault (R32)."""
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreFault(f"{folder} is a file, not a folder. Name another data folder with --data-dir.") from None
    except OSError as error:
        raise StoreFault(
            f"The folder {folder} cannot be made ({error.strerror}). Name another with --data-dir or WALLET_DATA_DIR."
        ) from None
    if os.name == "posix":
        _keep_private(folder)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise StoreFault(
            f"The folder {folder} cannot be written. Make it writable, or name another with --data-dir or"
            " WALLET_DATA_DIR."
        )
    return folder


def _keep_private(folder: Path) -> None:
    try:
        status = folder.stat()
        if status.st_uid != os.geteuid():
            # Files made here would be another's to read, or (under sudo) leave the owner locked out of their wallet.
            raise StoreFault(
                f"The folder {folder} belongs to another user. Run the wallet as that user, or name another folder with"
                " --data-dir or WALLET_DATA_DIR."
            )
        if stat.S_IMODE(status.st_mode) & 0o077:
            folder.chmod(PRIVATE_FOLDER)
    except OSError as error:
        raise StoreFault(
            f"The folder {folder} cannot be closed to other users ({error.strerror}). Name another with --data-dir or"
            " WALLET_DATA_DIR."
        ) from None


class HostClock:
    """The host's clocks: the monotonic one paces, the wall clock is only ever compared with certified time (R33)."""

    def now_s(self) -> float:
        """Monotonic seconds, for pauses and time-outs."""
        return time.monotonic()

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 as the host believes, to name its offset to the person."""
        return time.time_ns()

    async def sleep(self, seconds: float) -> None:
        import asyncio  # late: most commands never wait

        await asyncio.sleep(seconds)
