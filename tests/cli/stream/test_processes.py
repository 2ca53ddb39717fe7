"""``topicwright stream`` in subprocesses: signals, pipes, kill -9 and growing files."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw

from ...models.online.test_model import state_of
from ...streaming.conftest import json_lines
from ..conftest import COMMAND


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a stream whose source is a pipe or a file."""
    started: list[subprocess.Popen[str]] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored

    def run(*arguments: Any) -> subprocess.Popen[str]:
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [*COMMAND, "stream", *map(str, arguments)]
        started.append(subprocess.Popen(command, **pipes, text=True, bufsize=1, cwd=tmp_path))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()
    signal.signal(signal.SIGINT, before)


def wait_for(process: subprocess.Popen[str], event: str, **figures: Any) -> dict[str, Any]:
    """Read standard output until this line appears."""
    assert process.stdout is not None
    for line in process.stdout:
        told: dict[str, Any] = json.loads(line)
        if {"event": event, **figures}.items() <= told.items():
            return told
    raise AssertionError(f"{event} was never told: {process.communicate()}")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_follows_a_growing_file_until_a_signal(
    start: Any, invoke: Any, source: Path, tmp_path: Path, whole: bytes, number: int, code: int
) -> None:
    content = source.read_text()
    source.write_text(content[:1500])
    process = start(source, "-m", "m.tw", "--follow", "--json", "--seconds", 0.01)
    n_lines = content[:1500].count("\n")
    wait_for(process, "saved", line=n_lines)
    with source.open("a") as file:
        file.write(content[1500:-7])
    wait_for(process, "saved", line=59)  # the last line has no end yet
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert f"stopped at line 59 of {source}" in err
    source.write_text(content)
    assert f"and continues after line 59 of {source}" in invoke("stream", source, "-m", "m.tw").err
    assert (tmp_path / "m.tw").read_bytes() == whole


def test_idle_standard_input(start: Any, shell: Any, source: Path, tmp_path: Path, whole: bytes) -> None:
    process = start("-m", "m.tw", "--json", "--seconds", 0.01)
    process.stdin.write("".join(source.read_text().splitlines(keepends=True)[:30]) + '{"text": "half')
    wait_for(process, "saved", line=30)
    process.send_signal(signal.SIGTERM)
    assert "stopped at line 30 of standard input" in process.communicate(timeout=30)[1]
    assert process.returncode == 143
    done = shell("stream", "-m", "m.tw", stdin=source.read_text())
    assert "continues after line 30 of standard input" in done.err
    assert "read standard input to its end, line 60" in done.err
    assert state_of(tw.load(tmp_path / "m.tw")) == state_of(tw.load(tmp_path / "whole.tw"))


def test_kill_9(start: Any, tmp_path: Path, invoke: Any) -> None:
    source = tmp_path / "s.jsonl.gz"
    source.write_bytes(gzip.compress("".join(json_lines(2000)).encode()))
    process = start(source, "-m", "m.tw", "--json", "--every", 40, "--particles", 2)
    wait_for(process, "saved", line=120)
    process.kill()
    process.communicate()
    place = tw.load(tmp_path / "m.tw").stream_.progress.places[-1]
    assert 120 <= place.lines < 2000
    assert f"continues after line {place.lines:,}" in invoke("stream", source, "-m", "m.tw", "--particles", 2).err
    invoke("stream", source, "-m", "whole.tw", "--particles", 2)
    assert Path("m.tw").read_bytes() == Path("whole.tw").read_bytes()


def test_second_process_is_locked_out(start: Any, invoke: Any, source: Path, tmp_path: Path, whole: bytes) -> None:
    process = start("-m", "m.tw", "--json", "--seconds", 0.01)
    process.stdin.write("".join(source.read_text().splitlines(keepends=True)[:30]))
    wait_for(process, "saved", line=30)
    refused = invoke("stream", source, "-m", "m.tw").refused()
    assert refused == "m.tw is in use by another process: wait for it to end, or choose another file"
    process.kill()  # a killed process holds no lock
    process.communicate()
    assert invoke("stream", source, "-m", "m.tw").code == 0
    assert state_of(tw.load("m.tw")) == state_of(tw.load("whole.tw"))
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_second_ctrl_c_keeps_the_last_checkpoint(
    start: Any, invoke: Any, source: Path, tmp_path: Path, whole: bytes
) -> None:
    process = start("-m", "m.tw", "--json", "--every", 7)
    process.stdin.write(source.read_text())
    wait_for(process, "saved", line=14)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    saved = tw.load(tmp_path / "m.tw")
    assert saved.n_docs_read_ == saved.stream_.progress.places[-1].lines >= 14
    invoke("stream", source, "-m", "m.tw")  # the same lines, in a file
    assert state_of(tw.load(tmp_path / "m.tw")) == state_of(tw.load(tmp_path / "whole.tw"))


def test_broken_pipe(source: Path, tmp_path: Path) -> None:
    script = f"{' '.join(COMMAND)} stream {source} -m m.tw --json --every 10 -q | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (141, "")
    assert "Traceback" not in done.stderr
