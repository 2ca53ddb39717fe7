"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from topicwright._utils.atomic import atomic_write
from topicwright.io import read_model, write_model

NOBODY = 65534


@contextmanager
def umask(value: int) -> Iterator[None]:
    previous = os.umask(value)
    try:
        yield
    finally:
        os.umask(previous)


@contextmanager
def without_root() -> Iterator[None]:
    """Permissions do not bind root: be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that any user can reach (pytest's own are closed to others)."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize(("mask", "wanted"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path, mask: int, wanted: int) -> None:
    with umask(mask):
        write_model(tmp_path / "m", "lda", {}, {})
    assert mode(tmp_path / "m") == wanted


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.touch(mode=0o600)
    with umask(0o022):
        write_model(path, "lda", {}, {})
    assert mode(path) == 0o600


def test_a_link_keeps_pointing_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    with atomic_write("/dev/null") as file:
        file.write(b"gone")
    assert Path("/dev/null").is_char_device()


def test_longest_file_name(tmp_path: Path) -> None:
    write_model(tmp_path / ("m" * 255), "lda", {}, {})
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), MemoryError(), OSError(errno.EIO, "Input/output error")])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise failure

    (tmp_path / "m").write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(failure)):
        write_model(tmp_path / "m", "lda", {}, {})
    monkeypatch.undo()
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("m", b"old")]


FULL_DISK = """
import resource, sys
import numpy as np
from topicwright.io import write_model
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_model(sys.argv[1], "lda", {}, {"a": np.ones(1_000_000)})
except OSError as error:
    print(error.errno, error, sep="|")
"""


@pytest.mark.parametrize("existing", [True, False])
def test_full_disk_keeps_the_old_file(tmp_path: Path, existing: bool) -> None:
    path = tmp_path / "m"
    if existing:
        write_model(path, "lda", {"old": True}, {"a": np.ones(3)})
    run = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True)
    number, _, message = run.stdout.strip().partition("|")
    assert int(number) == errno.EFBIG
    assert message == f"[Errno {errno.EFBIG}] cannot write the file: File too large: '{path}'"
    assert [p.name for p in tmp_path.iterdir()] == ["m"] * existing
    if existing:
        assert read_model(path).meta == {"old": True}


def test_read_only_directory_is_named(open_directory: Path) -> None:
    (open_directory / "m").write_bytes(b"old")
    open_directory.chmod(0o555)
    with (
        without_root(),
        pytest.raises(PermissionError, match=r"cannot write the file: Permission denied: '.*/new'"),
    ):
        write_model(open_directory / "new", "lda", {}, {})
    assert [(p.name, p.read_bytes()) for p in open_directory.iterdir()] == [("m", b"old")]


def test_a_read_only_file_is_kept(open_directory: Path) -> None:
    (open_directory / "m").write_bytes(b"old")
    (open_directory / "m").chmod(0o444)
    open_directory.chmod(0o777)
    with (
        without_root(),
        pytest.raises(PermissionError, match=r"cannot write the file: Permission denied: '.*/m'"),
    ):
        write_model(open_directory / "m", "lda", {}, {})
    assert [(p.name, p.read_bytes()) for p in open_directory.iterdir()] == [("m", b"old")]


def test_an_unreadable_file_fails_as_it_does_with_open(open_directory: Path) -> None:
    write_model(open_directory / "m", "lda", {}, {})
    (open_directory / "m").chmod(0o000)
    with without_root(), pytest.raises(PermissionError):
        read_model(open_directory / "m")


def test_invalid_destinations_are_explained(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="cannot write the file: it is a directory, expected a file name"):
        write_model(tmp_path, "lda", {}, {})
    with pytest.raises(FileNotFoundError, match=r"the directory .*/absent does not exist"):
        write_model(tmp_path / "absent" / "m", "lda", {}, {})
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        write_model(tmp_path / "file" / "m", "lda", {}, {})
