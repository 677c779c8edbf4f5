"""Where a passphrase comes from: the file that WALLET_PASSPHRASE_FILE names, or the person."""

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wallet.core.errors import VaultFault
from wallet.core.secret import Secret

VARIABLE = "WALLET_PASSPHRASE_FILE"
_MOST_BYTES = 4096
_LINE_BREAK = re.compile(rb"\r?\n\Z")


class Ask(Protocol):
    """The front end's way to ask for a passphrase; with `confirm` it is a new one, and typed twice."""

    def __call__(self, prompt: str, confirm: bool) -> Secret: ...


def ignore(notice: str) -> None:
    """Where nobody listens to notices."""


@dataclass(frozen=True, slots=True)
class PassphraseSource:
    """The file where there is one, else the person; what is worth saying on the way goes to `notify`."""

    file: Path | None = None
    ask: Ask | None = None
    notify: Callable[[str], None] = ignore

    def passphrase(self, prompt: str, confirm: bool = False) -> Secret:
        """Never empty. Raises VaultFault with what to do where there is none."""
        if self.file is not None:
            return read_passphrase_file(self.file, self.notify)
        if self.ask is None:
            raise VaultFault(
                f"A passphrase is needed and there is no one to ask. Run this in a terminal, or put the passphrase into"
                f" a file and name it in {VARIABLE}."
            )
        answer = self.ask(prompt, confirm)
        if not answer:
            raise VaultFault("An empty passphrase protects nothing. Nothing was changed; try again with one.")
        return answer

    def wrong(self) -> str:
        """The sentence for a passphrase that does not open what it should."""
        if self.file is not None:
            return f"The passphrase in {self.file} ({VARIABLE}) does not open the wallet's keys. Name the right file."
        return "The passphrase is wrong. Try again."


def read_passphrase_file(file: Path, notify: Callable[[str], None] = ignore) -> Secret:
    """The content of `file` less ONE line break at its end. Raises VaultFault."""
    try:
        with file.open("rb") as opened:
            content = Secret(opened.read(_MOST_BYTES + 1))
            mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
    except OSError as error:
        raise VaultFault(
            f"The passphrase file {file} cannot be read ({error.strerror}). Correct {VARIABLE} or the file."
        ) from None
    if len(content.reveal()) > _MOST_BYTES:
        raise VaultFault(f"{file} is too long for a passphrase file. Correct {VARIABLE}.")
    if os.name == "posix" and mode & 0o077:
        notify(f"Others on this machine can read the passphrase file {file}. Close it to them: chmod 600 {file}")
    # One only: more of them, or blanks, may belong to the passphrase.
    content = Secret(_LINE_BREAK.sub(b"", content.reveal()))
    if not content:
        raise VaultFault(f"The passphrase file {file} is empty. Put the passphrase into it.")
    return content
