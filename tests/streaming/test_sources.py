"""Sources of lines: restoring positions, following files, and rejecting other sources."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topicwright.errors import InputError
from topicwright.models.online.state import SourcePosition
from topicwright.streaming import Line, Source

from ..assertions import raises_input

TEXT = b"one\ntwo\r\n\nthree and more\nfour\n"
LINES = [b"one", b"two", b"", b"three and more", b"four"]


def lines_of(path: Path, places: list[SourcePosition] | None = None, **options: Any) -> list[Line]:
    with Source(path, **options) as source:
        source.find_position(places or [])
        return [item for item in source if isinstance(item, Line)]


@pytest.fixture(params=["plain", "gz", "xz", "bz2"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    pack: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
    path = tmp_path / f"lines.{request.param}"
    path.write_bytes(pack.get(request.param, bytes)(TEXT))
    return path


def test_lines_and_their_offsets(file: Path) -> None:
    lines = lines_of(file)
    assert [line.data for line in lines] == LINES
    assert [line.position.offset for line in lines] == [4, 9, 10, 25, 30]
    assert [line.position.lines for line in lines] == [1, 2, 3, 4, 5]
    assert all(line.is_whole and line.is_ended for line in lines)


def test_source_without_position_is_read_from_the_start(file: Path) -> None:
    with Source(file) as source:
        assert list(source) == lines_of(file)


@pytest.mark.parametrize("n", range(1, 6))
def test_position_is_restored(file: Path, n: int) -> None:
    before = lines_of(file)
    after = lines_of(file, [before[n - 1].position])
    assert after == before[n:]


def test_sources_are_identified_by_content(file: Path, tmp_path: Path) -> None:
    position = lines_of(file)[1].position
    moved = file.rename(tmp_path / f"moved{file.suffix}")
    assert [line.data for line in lines_of(moved, [position])] == LINES[2:]
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"a\nb\n")
    assert [line.data for line in lines_of(other, [position])] == [b"a", b"b"]
    read = lines_of(other)[0].position
    assert [line.data for line in lines_of(moved, [position, read])] == LINES[2:]  # the last but one


def test_a_new_source_is_read_from_its_start(file: Path) -> None:
    position = lines_of(file)[3].position
    assert [line.data for line in lines_of(file, [position], new=True)] == LINES


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\ntwo\r\n", "is shorter than the file of this name that was read up to line 4"),
        (b"", "is shorter than the file of this name that was read up to line 4"),
        (b"one\ntwo\r\n\nthree and less\nfour\n", "line 4, the last one that was read, has changed"),
        (TEXT.replace(b"one", b"eins"), "is not the file of this name that was read up to line 4"),
    ],
)
@pytest.mark.parametrize("follow", [False, True])
def test_rejects_another_file_of_the_same_name(content: bytes, message: str, follow: bool, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(TEXT)
    position = lines_of(path)[3].position
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"lines .*{message}.*new=True"):
        lines_of(path, [position], follow=follow)


def test_last_line_without_newline(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo")
    last = lines_of(path)[-1]
    assert (last.data, last.is_ended, last.position.offset) == (b"two", False, 7)
    path.write_bytes(b"one\ntwo\nthree\n")
    rest, three = lines_of(path, [last.position])
    assert (rest.data, rest.position.lines) == (b"", 2)
    assert (three.data, three.position.lines, three.position.offset) == (b"three", 3, 14)
    path.write_bytes(b"one")
    only = lines_of(path)[0].position
    path.write_bytes(b"one\ntwo\n")
    assert [line.data for line in lines_of(path, [only])][-1] == b"two"


def test_overlong_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"1234\n12345\n" + b"x" * 1000 + b"\n123\n" + b"y" * 17)
    lines = lines_of(path, max_line_bytes=4)
    assert [line.is_whole for line in lines] == [True, False, False, True, False]
    assert [line.position.length for line in lines] == [5, 6, 1001, 4, 17]
    assert lines[2].data == b"xxxxx"
    for n in range(1, 5):
        assert lines_of(path, [lines[n - 1].position], max_line_bytes=4) == lines[n:]


def test_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo\n")
    assert [line.data for line in lines_of(path)] == [b"one", b"two"]


def test_rejects_unreadable_sources(tmp_path: Path) -> None:
    (tmp_path / "damaged.gz").write_bytes(gzip.compress(os.urandom(1000))[:500])
    for name, message in {
        "absent": "cannot read .*absent: No such file",
        ".": "cannot read .*: Is a directory",
        "a\0b": "cannot read",
        "damaged.gz": "is damaged or cut short",
    }.items():
        with pytest.raises(InputError, match=message):
            lines_of(tmp_path / name)
    with raises_input("max_line_bytes", got=0):
        Source("x", max_line_bytes=0)


def test_the_former_name_of_the_length_of_a_line() -> None:
    with (
        pytest.warns(DeprecationWarning, match=r"Source\(longest=…\) is deprecated: use max_line_bytes="),
        raises_input("max_line_bytes", got=0),
    ):
        Source("x", longest=0)


# ---------------------------------------------------------------------- what is waited for


@pytest.fixture
def following(tmp_path: Path) -> Callable[..., list[Any]]:
    """Follows a file; the test defines the steps that it takes while waiting."""

    def follow(*steps: Callable[[], object], places: tuple[SourcePosition, ...] = ()) -> list[Any]:
        left = list(steps)
        seen: list[Any] = []

        def idle() -> bool:
            if left:
                left.pop(0)()
                return True
            return False

        with Source(tmp_path / "log", follow=True) as source:
            source.find_position(places, idle)
            seen += [item.data if isinstance(item, Line) else item.was_truncated for item in source]
        return seen

    return follow


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_growing_file(following: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"one\nhalf")
    assert following(lambda: append(log, b" a line"), lambda: append(log, b"\ntwo\nthr")) == [
        b"one",
        b"half a line",
        b"two",
    ]


def test_initially_empty_file(following: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    assert following(lambda: append(log, b"o"), lambda: append(log, b"ne\n")) == [b"one"]
    assert following() == [b"one"]


def test_rotated_file(following: Any, tmp_path: Path) -> None:
    log, old = tmp_path / "log", tmp_path / "log.1"
    log.write_bytes(b"one\n")
    assert following(
        lambda: log.rename(old),
        lambda: append(old, b"two\n"),  # the writer has not switched yet
        lambda: log.write_bytes(b"new\n"),
        lambda: append(old, b"three"),
        lambda: None,
        lambda: append(log, b"newer\n"),
    ) == [b"one", b"two", b"three", False, b"new", b"newer"]


def test_rotated_file_with_a_slow_writer(following: Any, tmp_path: Path) -> None:
    log, old = tmp_path / "log", tmp_path / "log.1"
    log.write_bytes(b"one\n")
    assert following(
        lambda: (log.rename(old), log.write_bytes(b"new\n")),
        lambda: append(old, b"two\n"),
        lambda: append(old, b"three\n"),
        lambda: None,
    ) == [b"one", b"two", b"three", False, b"new"]


def test_truncated_file(following: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"one\ntwo\nhalf a li")
    assert following(lambda: log.write_bytes(b""), lambda: append(log, b"new\n")) == [b"one", b"two", True, b"new"]


def test_rejects_following_unsuitable_files() -> None:
    for name, message in {"-": "standard input cannot be", "a.gz": "compressed file cannot be"}.items():
        with raises_input("follow", match=message):
            Source(name, follow=True).find_position([])
    with raises_input("follow", match="pipe or a device"):
        Source("/dev/null", follow=True).find_position([])


def test_idle_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer: list[Any] = []
    thread = threading.Thread(target=lambda: writer.append(pipe.open("wb", buffering=0)))
    thread.start()
    n_idle = 0

    def idle() -> bool:
        nonlocal n_idle
        n_idle += 1
        if n_idle == 1:
            writer[0].write(b"one\nha")
        elif n_idle == 2:
            writer[0].write(b"lf\n")
        else:
            writer[0].close()
        return True

    with Source(pipe) as source:
        source.find_position([], idle)
        thread.join()
        assert [item.data for item in source if isinstance(item, Line)] == [b"one", b"half"]
    assert n_idle == 3


def test_waiting_can_be_stopped(tmp_path: Path) -> None:
    here, there = os.pipe()
    with Source(f"/dev/fd/{here}") as source:
        assert source.find_position([], lambda: False) is None
        assert list(source) == []
    os.write(there, b"one\nhalf")
    with Source(f"/dev/fd/{here}") as source:
        source.find_position([], lambda: False)
        assert [item.data for item in source if isinstance(item, Line)] == [b"one"]
    os.close(here)
    os.close(there)


def test_errors_of_the_caller_are_not_source_damage(tmp_path: Path) -> None:
    def idle() -> bool:
        raise OSError(28, "No space left on device")

    (tmp_path / "log").touch()
    with Source(tmp_path / "log", follow=True) as source, pytest.raises(OSError, match="No space left"):
        source.find_position([], idle)


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Line]]:
    """Lines of standard input, which is a pipe with these bytes."""

    def read(data: bytes, *places: SourcePosition) -> list[Line]:
        here, there = os.pipe()
        os.write(there, data)
        os.close(there)
        with os.fdopen(here) as file:
            monkeypatch.setattr(sys, "stdin", file)
            return lines_of(Path("-"), list(places))

    return read


def test_restarted_standard_input(piped: Callable[..., list[Line]]) -> None:
    lines = piped(gzip.compress(TEXT))
    assert [line.data for line in lines] == LINES
    for n in range(1, 6):
        assert piped(TEXT, lines[n - 1].position) == lines[n:]
    assert [line.data for line in piped(b"five\nsix\n", lines[2].position)] == [b"five", b"six"]
    with pytest.raises(InputError, match="standard input starts as before, but ends before line 3"):
        piped(TEXT[:8], lines[2].position)


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        lines_of(Path("-"))
