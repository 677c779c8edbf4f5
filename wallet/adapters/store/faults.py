"""What a fault of SQLite or of the file system means to a person, and what to do about it (R32)."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wallet.core.errors import StoreFault


@contextmanager
def as_store_fault(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into a StoreFault with a sentence.

    A broken constraint stays an IntegrityError: it is a defect of ours, and the transaction is undone.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            if isinstance(error, sqlite3.OperationalError) and "decode" in str(error):
                raise damaged(path, "a text in it is no text") from error  # found by the module, not by SQLite
            raise  # misuse of the module, no fault of the file
        raise _fault(path, code & 0xFF, code, str(error)) from error
    except OSError as error:
        raise _about_system(path, error) from error


def damaged(path: Path, what: str) -> StoreFault:
    return StoreFault(
        f"The store {path} is damaged ({what}). Put a backup of it in its place.",
        "Only if no payment in it was open, move it away to begin an empty one: your keys are kept elsewhere.",
    )


def not_a_store(path: Path) -> StoreFault:
    return StoreFault(
        f"{path} is not a store of this wallet. If it was one, put a backup of it in its place.",
        "Else move that file away, or name another folder with --data-dir.",
    )


def newer(path: Path, found: int, known: int) -> StoreFault:
    return StoreFault(
        f"The store {path} was made by a newer version of this wallet (store version {found}; this one knows {known})."
        " Update the wallet."
    )


def read_only(path: Path) -> StoreFault:
    return StoreFault(
        f"The store {path} is read-only. Make the file and its folder writable for you.",
        "Or name another folder with --data-dir.",
    )


def locked(path: Path) -> StoreFault:
    return StoreFault(
        f"The store {path} is locked by another program. Close that program (a database browser,"
        " a backup), then try again."
    )


def full(path: Path) -> StoreFault:
    return StoreFault(f"The store {path} cannot grow: the disk or your quota is full. Make room, then try again.")


def _fault(path: Path, primary: int, code: int, message: str) -> StoreFault:
    match primary:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return locked(path)
        case sqlite3.SQLITE_FULL:
            return full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return read_only(path)
        case sqlite3.SQLITE_NOTADB:
            return not_a_store(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_SCHEMA | sqlite3.SQLITE_FORMAT:
            return damaged(path, message)
        case sqlite3.SQLITE_CANTOPEN:
            return StoreFault(
                f"The store {path} cannot be opened. See that it is a file which you may read and write, in a folder"
                " that you may write, and that the disk is not full."
            )
        case sqlite3.SQLITE_IOERR if code == sqlite3.SQLITE_IOERR_WRITE:
            # A limit on the size of files shows as a write that failed.
            return StoreFault(
                f"The store {path} could not be written: the disk may be full or failing. Make room, then try again."
            )
        case sqlite3.SQLITE_IOERR:
            return StoreFault(f"The disk under the store {path} fails ({message}). Check the disk and its free space.")
        case sqlite3.SQLITE_NOMEM:
            return StoreFault("There is not enough memory to read the store. Close other programs, then try again.")
        case _:
            return damaged(path, message)


def _about_system(path: Path, error: OSError) -> StoreFault:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return full(path)
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return read_only(path)
        case _:
            return StoreFault(
                f"The store {path} cannot be used ({error.strerror}).", "Name another folder with --data-dir."
            )
