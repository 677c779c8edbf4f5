"""The data folder is found, private, and refused in a sentence when it cannot be used."""

import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from wallet.adapters.host import HostClock, data_folder, private_folder
from wallet.core.errors import StoreFault

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folder modes and owners are those of POSIX")


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_the_option_beats_the_variable_and_that_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    environment = {"WALLET_DATA_DIR": str(tmp_path / "variable")}
    assert data_folder(tmp_path / "option", environment) == tmp_path / "option"
    assert data_folder(None, environment) == tmp_path / "variable"
    assert data_folder(None, {"WALLET_DATA_DIR": ""}).name == "wallet"
    assert data_folder(Path("~/home"), {}) == tmp_path / "home"


def test_a_folder_is_made_private_with_its_parents(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    assert mode(folder) == 0o700


def test_a_folder_that_others_can_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    assert mode(private_folder(folder)) == 0o700


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreFault, match="is a file, not a folder"):
        private_folder(tmp_path / "file")
    with pytest.raises(StoreFault, match="cannot be made"):
        private_folder(tmp_path / "file" / "below")


def test_a_home_that_is_not_there_is_refused() -> None:
    with pytest.raises(StoreFault, match="Name it in full"):
        data_folder(Path("~no-such-user/wallet"), {})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_anothers_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, 12345, -1)
    with pytest.raises(StoreFault, match="belongs to another user"):
        private_folder(folder)


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    """In a process of its own, which stops being root where it was: root may write anywhere."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "read-only"
        folder.mkdir(mode=0o500)
        if os.geteuid() == 0:
            Path(parent).chmod(0o711)
            os.chown(folder, 12345, -1)
        found = subprocess.run([sys.executable, "-c", ATTEMPT, str(folder)], capture_output=True, text=True, timeout=20)
    assert "cannot be written. Make it writable" in found.stdout, found.stderr


ATTEMPT = """
import os, sys
from pathlib import Path
from wallet.adapters.host import private_folder
from wallet.core.errors import StoreFault
if os.geteuid() == 0:
    os.setuid(12345)
try:
    private_folder(Path(sys.argv[1]))
except StoreFault as fault:
    print(fault)
"""


async def test_the_clocks_run_and_sleep_waits() -> None:
    clock = HostClock()
    before = clock.now_s()
    await clock.sleep(0.001)
    assert clock.now_s() >= before + 0.001
    assert abs(clock.wall_ns() - time.time_ns()) < 1_000_000_000
