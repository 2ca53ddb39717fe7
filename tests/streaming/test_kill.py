"""kill -9 at any time: the resumed stream ends with an identical file."""

from __future__ import annotations

import gzip
import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.streaming import Runner, Source

from .conftest import json_lines

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


PRUNING: dict[str, Any] = {"prune_every": 50, "prune_below": 2.0}
OFTEN: dict[str, Any] = {"every": 9, "batch_size": 4, **PRUNING}


def run(source: Path, path: Path, **options: Any) -> None:
    """Resume the model file or create it."""
    model = tw.load(path) if path.exists() else tw.OnlineLabeledLDA(n_particles=3, reservoir=300, forgetting=0.999)
    with Source(source) as opened:
        Runner(model, opened, path, seconds=None, **options).run()


def start(work: Callable[[], None]) -> int:
    """Run it in a subprocess."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


@pytest.fixture(params=["s.jsonl", "s.jsonl.gz"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    data = "".join([*json_lines(250), "bad\n", "\n", *json_lines(250, seed=2)]).encode()
    path = tmp_path / request.param
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def whole(source: Path, tmp_path: Path) -> bytes:
    """Model file of an uninterrupted stream without checkpoints."""
    run(source, tmp_path / "whole.tw", **PRUNING)
    return (tmp_path / "whole.tw").read_bytes()


def test_killed_at_any_time(source: Path, whole: bytes, tmp_path: Path) -> None:
    pieces, rng = tmp_path / "pieces.tw", np.random.default_rng(0)
    for _ in range(12):
        child = start(lambda: run(source, pieces, **OFTEN))
        time.sleep(rng.uniform(0.0, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    run(source, pieces, **OFTEN)
    assert pieces.read_bytes() == whole


@pytest.mark.parametrize("source", ["s.jsonl"], indirect=True)
@pytest.mark.parametrize("moment", ["fsync", "replace", "after replace", "between lines"])
def test_killed_at_critical_moments(moment: str, source: Path, whole: bytes, tmp_path: Path) -> None:
    """Four processes kill themselves at the third such moment, or after thirty lines."""
    pieces, last = tmp_path / "pieces.tw", 30 if moment == "between lines" else 3

    def die_at_last(before: Callable[..., Any]) -> Callable[..., Any]:
        calls = itertools.count(1)

        def step(*arguments: Any) -> Any:
            is_last = next(calls) == last
            if is_last and moment != "after replace":
                os.kill(os.getpid(), signal.SIGKILL)
            result = before(*arguments)
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return step

    def run_until_killed() -> None:
        options = dict(OFTEN)
        if moment == "between lines":
            options["stop"] = die_at_last(lambda: False)
        else:
            name = moment.split()[-1]
            setattr(os, name, die_at_last(getattr(os, name)))
        run(source, pieces, **options)

    for _ in range(4):
        _, status = os.waitpid(start(run_until_killed), 0)
        assert os.WIFSIGNALED(status)
    run(source, pieces, **OFTEN)
    assert pieces.read_bytes() == whole


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    source.write_text("".join(json_lines(5)))
    names = [".topicwright-0123456789abcdef.tmp", ".topicwright-0123456789abcdee.tmp", ".topicwright-notes.tmp"]
    old, young, other = (tmp_path / name for name in names)
    for path in (old, young, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (time.time() - 3600,) * 2)
    run(source, tmp_path / "m.tw")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([young.name, other.name, "m.tw", "s.jsonl"])
