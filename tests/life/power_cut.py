"""The disk as a power cut leaves it: what the real program wrote and did not yet sync may be gone, or torn.

`record` runs the program under strace and keeps every system call that touches the store's files or the network.
`Disk` replays them: a write waits in memory until its file is synced, a name until its folder is. `after_cut` is what
the platter then holds: of what waits nothing, all of it, or any part down to single sectors.
"""

import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SECTOR = 512
CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,unlink,unlinkat,rename,sendto,sendmsg"

_LINE = re.compile(r"(?P<pid>\d+) +(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD = re.compile(r"(\d+)<((?:\\x[0-9a-f]{2})*)>")


@dataclass(frozen=True)
class Call:
    """One system call that succeeded. `path` is the file it was about; for what is sent or printed, `fd` says where."""

    name: str
    path: str
    fd: int
    data: bytes = b""
    number: int = 0  # an offset, or a length
    creates: bool = False


@cache
def can_trace() -> bool:
    """Whether strace is here and may trace."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run(("strace", "-o", "/dev/null", "true"), capture_output=True).returncode == 0


def record(command: Sequence[str], environment: Mapping[str, str], log: Path) -> tuple[int, list[Call]]:
    """Exit code and system calls of a command."""
    traced = ("strace", "-f", "-y", "-xx", "-s", "4000000", "-e", f"trace={CALLS}", "-o", str(log), *command)
    ran = subprocess.run(traced, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return ran.returncode, list(_read(log.read_text(encoding="ascii")))


def _read(text: str) -> Iterator[Call]:
    begun: dict[str, str] = {}
    for line in text.splitlines():
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        if "resumed>" in line:
            line = begun.pop(pid) + line.partition("resumed>")[2]
        found = _LINE.match(line)
        if found is not None and int(found["result"]) >= 0:
            yield from _call(found["name"], found["arguments"], line)


def _call(name: str, arguments: str, line: str) -> Iterator[Call]:
    texts = [_plain(each) for each in _TEXT.findall(arguments)]
    fd = _FD.match(arguments)
    path = _plain(fd[2]).decode() if fd else ""
    number = int(fd[1]) if fd else -1
    match name:
        case "pwrite64":
            yield Call(name, path, number, texts[0], int(arguments.rsplit(", ", 1)[1]))
        case "ftruncate":
            yield Call(name, path, number, number=int(arguments.rsplit(", ", 1)[1]))
        case "fsync" | "fdatasync":
            yield Call("sync", path, number)
        case "openat" if "O_CREAT" in arguments:
            opened = _FD.search(line, line.rindex(" = "))
            if opened is not None:
                yield Call("open", _plain(opened[2]).decode(), int(opened[1]), creates=True)
        case "unlink" | "unlinkat":
            yield Call("unlink", texts[0].decode(), -1)
        case "rename":
            raise NotImplementedError("the store renames no file")
        case "write" | "sendto" | "sendmsg":
            yield Call("send", path, number, b"".join(texts))


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


@dataclass
class File:
    """What of a file is on the platter, and what waits, in its order: (offset, data), or (length, None) for a cut."""

    synced: bytes = b""
    waiting: list[tuple[int, bytes | None]] = field(default_factory=list)

    def after(self, survive: Sequence[bool], chance: random.Random | None) -> bytes:
        content = bytearray(self.synced)
        for (at, data), survives in zip(self.waiting, survive, strict=True):
            if not survives:
                continue
            if data is None:
                del content[at:]
                content.extend(bytes(at - len(content)))
                continue
            for begin in range(0, len(data), SECTOR):
                if chance is None or chance.random() < 0.7:  # torn: some sectors of a write, and not the others
                    piece = data[begin : begin + SECTOR]
                    content.extend(bytes(max(0, at + begin + len(piece) - len(content))))
                    content[at + begin : at + begin + len(piece)] = piece
        return bytes(content)


class Disk:
    """One folder of files whose names begin alike."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = str(folder)
        self._prefix = f"{folder}/{prefix}"
        self._names = {each.name: File(each.read_bytes()) for each in folder.glob(f"{prefix}*") if each.is_file()}
        self._durable = dict(self._names)

    def take(self, call: Call) -> bool:
        """Whether the call was about this folder, and changed what a power cut would leave."""
        name = call.path.rpartition("/")[2]
        if call.path == self._folder and call.name == "sync":
            self._durable = dict(self._names)
            return True
        if not call.path.startswith(self._prefix) or name.endswith("-shm"):  # shared memory, rebuilt when it is opened
            return False
        match call.name:
            case "open":
                self._names.setdefault(name, File())
            case "unlink":
                self._names.pop(name, None)
            case "pwrite64":
                self._names[name].waiting.append((call.number, call.data))
            case "ftruncate":
                self._names[name].waiting.append((call.number, None))
            case "sync":
                file = self._names[name]
                file.synced = file.after([True] * len(file.waiting), None)
                file.waiting.clear()
            case _:
                return False
        return True

    def cuts(self, chance: random.Random, torn: int) -> Iterator[dict[str, bytes]]:
        """What may be there after a cut at this moment: nothing that waits, all of it, and so many parts of it, both
        the first writes and any writes."""
        yield {name: file.synced for name, file in self._durable.items()}
        yield {name: file.after([True] * len(file.waiting), None) for name, file in self._names.items()}
        for _ in range(torn):
            yield {name: file.after(_first_ones(len(file.waiting), chance), None) for name, file in self._names.items()}
            names = chance.choice((self._durable, self._names))
            yield {
                name: file.after([chance.random() < 0.5 for _ in file.waiting], chance) for name, file in names.items()
            }


def _first_ones(count: int, chance: random.Random) -> list[bool]:
    kept = chance.randint(0, count)
    return [at < kept for at in range(count)]


def lay_out(files: Mapping[str, bytes], folder: Path) -> Path:
    """A folder as it is found when the power is back."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(0o700)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
    return folder
