"""Command ``update``: replay of the same bytes, kill -9, and two processes on one file."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright._utils.filelock import file_lock
from topicwright.steering import Rename, Steering

from .conftest import COMMAND, Invoke

SEA, KITCHEN = ["ship", "sails", "sea", "boat"], ["bread", "oven", "flour", "loaf"]


def write(path: Path, n: int, seed: int, *more: str, labels: bool = False) -> Path:
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        words = rng.choice([*(SEA, KITCHEN)[i % 2], *(more if i % 3 == 0 else ())], 8)
        lines.append(
            {"text": " ".join(words), "id": f"d{i}", **({"tags": [("sea", "kitchen")[i % 2]]} if labels else {})}
        )
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


@pytest.fixture
def months(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "base.jsonl", 60, 0)
    for number, word in enumerate(("harbor", "yeast", "anchor")):
        write(tmp_path / f"{number}.jsonl", 30, number + 1, word)
    model = tw.LDA(2, n_sweeps=30).fit(tw.Corpus.from_jsonl(tmp_path / "base.jsonl"))
    model.save(tmp_path / "base.tw")
    return tmp_path


def test_replay_gives_the_same_bytes(months: Path, invoke: Invoke) -> None:
    """One process for each update, all of them in one process, and other numbers of threads."""
    shutil.copy("base.tw", "steps.tw")
    for number in range(3):
        done = subprocess.run([*COMMAND, "update", "steps.tw", f"{number}.jsonl", "--memory", "70", "-n", "5", "-q"])
        assert done.returncode == 0
    files = [f"{number}.jsonl" for number in range(3)]
    options = ["--memory", "70", "-n", "5", "-q"]
    assert invoke("update", "base.tw", *files, *options, "-o", "once.tw").code == 0
    assert Path("steps.tw").read_bytes() == Path("once.tw").read_bytes()
    log = tw.load("steps.tw").updates_
    assert [(entry["documents"], entry["memory"], entry["sweeps"]) for entry in log] == [(30, 70, 5)] * 3
    assert len({entry["digest"] for entry in log}) == 3
    invoke("update", "base.tw", *files, *options, "-o", "threads.tw", "-j", "3")
    one, other = tw.load("once.tw"), tw.load("threads.tw")
    np.testing.assert_array_equal(one.assignments_, other.assignments_)
    assert one.vocabulary_.tolist() == other.vocabulary_.tolist()


def test_report(months: Path, invoke: Invoke) -> None:
    done = invoke("update", "base.tw", "0.jsonl", "1.jsonl", "-o", "new.tw", "--max-topics", 2, "--json", "-q")
    assert done.json["documents"] == 30
    assert [update["new_words"] for update in done.json["updates"]] == [["harbor"], ["yeast"]]
    text = invoke("update", "base.tw", "0.jsonl", "-o", "new.tw", "--max-topics", 2)
    assert text.out.startswith("Update: 30 new documents with 240 tokens, 1 new word, 0 new topics, past weighted 1\n")
    assert "saved new.tw: 2 topics, 30 documents, 50 sweeps" in text.err


def test_labels(tmp_path: Path, invoke: Invoke) -> None:
    write(tmp_path / "a.jsonl", 40, 0, labels=True)
    write(tmp_path / "b.jsonl", 20, 1, "harbor", labels=True)
    assert invoke("fit", "a.jsonl", "-o", "m.tw", "--labels", "tags", "-n", 10, "-q").code == 0
    assert invoke("update", "m.tw", "b.jsonl", "-n", 5, "-q", "--no-corpus").code == 0  # the field is in the model
    model = tw.load("m.tw")
    assert model.label_counts_.tolist() == [30, 30]
    assert "harbor" in model.vocabulary_
    assert model.field_ == "tags"
    assert "--max-topics is for models without --labels" in invoke("update", "m.tw", "b.jsonl", "--max-topics", 9).err


def test_a_steered_model(months: Path, invoke: Invoke) -> None:
    steering = Steering.open("base.tw")
    steering.add(Rename(0, "first"))
    steering.close()
    assert "was steered" in invoke("update", "base.tw", "0.jsonl").refused()
    assert invoke("update", "base.tw", "0.jsonl", "-o", "new.tw", "-q", "--max-topics", 2).code == 0
    assert tw.load("new.tw").topic_names_ == ["first", "1"]


def running(*arguments: Any) -> subprocess.Popen[str]:
    """Endless update after its first sweeps."""
    code = "from topicwright.cli import _training, main; _training._SECONDS_BETWEEN_LINES = 0.1; main()"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
    process = subprocess.Popen(
        [sys.executable, "-c", code, "update", *map(str, arguments), "-n", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    assert any(line.startswith("sweep ") for line in process.stderr)
    return process


def test_kill_leaves_the_old_model_and_no_lock(months: Path, invoke: Invoke) -> None:
    before = Path("base.tw").read_bytes()
    process = running("base.tw", "0.jsonl")
    process.kill()
    process.communicate(timeout=30)
    assert Path("base.tw").read_bytes() == before
    assert invoke("update", "base.tw", "0.jsonl", "-n", 2, "-q").code == 0
    assert tw.load("base.tw").sweeps_ == 32


def test_two_processes_cannot_update_one_file(months: Path, invoke: Invoke) -> None:
    process = running("base.tw", "0.jsonl")
    try:
        assert "base.tw is in use by another process" in invoke("update", "base.tw", "1.jsonl").refused()
        assert invoke("update", "base.tw", "1.jsonl", "-o", "other.tw", "-n", 2, "-q").code == 0
    finally:
        process.kill()
        process.communicate(timeout=30)
    with file_lock("base.tw"):
        assert "in use" in invoke("update", "base.tw", "1.jsonl").refused()


def test_ctrl_c_keeps_the_old_model(months: Path) -> None:
    before = Path("base.tw").read_bytes()
    process = running("base.tw", "0.jsonl")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert Path("base.tw").read_bytes() == before
    model = tw.load("base.partial.tw")
    assert model.interrupted_
    assert "base.tw is unchanged" in err
    assert model.resume(1).corpus_.n_docs == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["base.tw", "0.jsonl", "--memory", "most"], "--memory must be a share from 0.0 to 1.0"),
        (["base.tw", "0.jsonl", "--memory", "1.5"], "--memory must be a share"),
        (["base.tw", "0.jsonl", "--max-topics", "1"], "--max-topics must be an integer from 2"),
        (["base.tw", "missing.jsonl"], "cannot read missing.jsonl"),
        (["base.tw", "-", "-", "-f", "jsonl"], "standard input can be read only once"),
        (["base.tw", "base.tw"], "the output must not be an input"),
        (["base.tw", "base.tw", "-o", "new.tw"], "is a model"),
    ],
)
def test_wrong_use(months: Path, invoke: Invoke, arguments: list[str], message: str) -> None:
    before = Path("base.tw").read_bytes()
    assert message in invoke("update", *arguments).refused()
    assert Path("base.tw").read_bytes() == before


def test_streams_are_not_updated(tmp_path: Path, invoke: Invoke) -> None:
    tw.OnlineLabeledLDA().partial_fit(["a ship"], [["sea"]]).save(tmp_path / "stream.tw")
    write(tmp_path / "a.jsonl", 4, 0)
    assert "topicwright stream continues it" in invoke("update", "stream.tw", "a.jsonl").refused()
