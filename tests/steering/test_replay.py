"""A knowledge file with steps: read as knowledge, and replayed to the very same model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.steering import (
    Apart,
    Forget,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    SplitTopic,
    Steering,
    Together,
    replay,
)

KNOWN = [tw.SeedWords({"sea": ["ship"], 4: ["1984"]}), tw.MustLinks([("wave", "no")]), tw.MustLinks([("law", "jury")])]


@pytest.fixture(scope="module")
def odd(corpus: tw.Corpus) -> tw.Corpus:
    """The themes, with ids and words that YAML parses as other types."""
    words = [{"salt": "1984", "pan": "no"}.get(word, word) for word in corpus.vocabulary]
    return tw.Corpus(corpus.tokens, corpus.offsets, words, ids=[f"d{n}" for n in range(corpus.n_docs)])


MODELS: dict[str, Callable[[tw.Corpus], tw.LDA]] = {
    "plain": lambda corpus: tw.LDA(5, n_sweeps=20).fit(corpus),
    "with knowledge of its own": lambda corpus: tw.LDA(5, n_sweeps=20, knowledge=KNOWN, random_state=7).fit(corpus),
    "priors that are learned": lambda corpus: tw.LDA(5, alpha="learn", beta="learn", n_sweeps=33).fit(corpus),
    "priors of its own": lambda corpus: tw.LDA(
        5, alpha=np.linspace(0.1, 0.3, 5), beta=np.linspace(0.01, 0.02, corpus.n_words), n_sweeps=20
    ).fit(corpus),
    "resumed": lambda corpus: tw.LDA(5, n_sweeps=13, evaluate_every=5).fit(corpus).resume(8).resume(4),
    "stopped": lambda corpus: tw.LDA(5, n_sweeps=100).fit(corpus, on_sweep=lambda sweep: sweep.number < 17),
    "no likelihoods": lambda corpus: tw.LDA(5, n_sweeps=12, evaluate_every=0, n_jobs=2).fit(corpus),
}


def steered(model: tw.LDA) -> Steering:
    """Every kind of step, with updates, one of them stopped, and steps that were taken back."""
    steering = Steering(model)
    steps: list[Any] = [Together(("ship", "no")), Apart(("ship", "1984")), InTopic(("judge",), 1), Pin(2)]
    steps += [NeverIn(("1984", "law"), 0), LabelDocument("d7", 1), Rename(3, "1984"), Hide(2)]
    for step in steps:
        steering.add(step)
    steering.update(4)
    steering.add(MergeTopics(1, (2,)))
    steering.update(50, lambda sweep: sweep.number < steering.model.sweeps_ + 3)
    steering.add(SplitTopic(0, ("bread",)))
    steering.add(SplitTopic(3))
    steering.update(2)
    steering.add(Forget(("ship",)))
    steering.update(2)
    steering.undo()
    steering.add(Rename(1, "no"))
    steering.add(Pin(1))
    return steering


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_replay_gives_the_same_file(odd: tw.Corpus, tmp_path: Path, kind: str, suffix: str) -> None:
    model = MODELS[kind](odd)
    steering = steered(model)
    steering.export(tmp_path / f"steps.{suffix}")
    again = replay(tmp_path / f"steps.{suffix}", odd)
    assert again.steps == steering.steps
    assert (again.names, again.hidden, again.free) == (steering.names, steering.hidden, steering.free)
    assert np.array_equal(again.model.assignments_, steering.model.assignments_)
    steering.save(tmp_path / "a.tw")
    again.save(tmp_path / "b.tw")
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()


def test_plain_reading_gives_the_final_knowledge(odd: tw.Corpus, tmp_path: Path) -> None:
    steering = steered(MODELS["with knowledge of its own"](odd))
    steering.export(tmp_path / "steps.yaml")
    steering.update(1)  # pending steps take effect
    known = tw.read_knowledge(tmp_path / "steps.yaml")
    tw.write_knowledge(known, tmp_path / "known.json")
    names = tw.TopicNames({3: "1984", 1: "no", 0: "sea"})
    tw.write_knowledge([*steering.model.knowledge[:-1], names], tmp_path / "expected.json")
    assert (tmp_path / "known.json").read_bytes() == (tmp_path / "expected.json").read_bytes()
    kinds = {type(item).__name__ for item in known}
    assert kinds == {"SeedWords", "MustLinks", "ForbiddenWords", "DocumentTopics", "KnownTopics", "TopicNames"}
    assert tw.LDA(6, n_sweeps=3, knowledge=known).fit(odd).topic_names_ == steering.model.topic_names_


def test_a_steered_model_can_be_steered_again(odd: tw.Corpus, tmp_path: Path) -> None:
    steered(MODELS["plain"](odd)).save(tmp_path / "steered.tw")
    with Steering.open(tmp_path / "steered.tw") as steering:
        assert steering.names == {1: "no", 3: "1984"}
        assert steering.add(Rename(0, "zero")) == []
        assert steering.add(Rename(1, "yes")) == []
        steering.add(Rename(3, ""))
        steering.update(2)
        assert steering.model.topic_names_ == ["zero", "yes", "2", "3", "4", "5"]
        steering.export(tmp_path / "steps.yaml")
    with pytest.raises(InputError, match="training gives another model"):
        replay(tmp_path / "steps.yaml", odd)


def test_rejects_exporting_custom_code(corpus: tw.Corpus, tmp_path: Path) -> None:
    from ..models.test_knowledge import FavoriteTopic

    steering = Steering(tw.LDA(3, n_sweeps=5, knowledge=[tw.CustomFactor(FavoriteTopic(0), reads="own")]).fit(corpus))
    steering.add(NeverIn(("ship",), 0))
    steering.update(2)
    with pytest.raises(InputError, match="CustomFactor knowledge can't be written to a file"):
        steering.export(tmp_path / "steps.yaml")
    assert not (tmp_path / "steps.yaml").exists()


def test_rejects_another_corpus(steering: Steering, corpus: tw.Corpus, tmp_path: Path) -> None:
    steering.export(tmp_path / "steps.yaml")
    with pytest.raises(InputError, match="belongs to another corpus, of 60 documents with 720 tokens and 24 words"):
        replay(tmp_path / "steps.yaml", corpus.select(range(59)))


def test_a_replay_can_be_stopped(odd: tw.Corpus, tmp_path: Path) -> None:
    steering = steered(MODELS["plain"](odd))
    steering.export(tmp_path / "steps.yaml")
    seen: list[Any] = []
    replay(tmp_path / "steps.yaml", odd, on_sweep=seen.append)
    total = steering.model.sweeps_
    assert [(sweep.number, sweep.last) for sweep in seen] == [(n, total) for n in range(1, total + 1)]
    for end in (10, 22, 25):
        part = replay(tmp_path / "steps.yaml", odd, on_sweep=lambda sweep, end=end: sweep.number < end)
        assert (part.model.sweeps_, part.model.interrupted_) == (end, True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.pop("steps"), "has no section steps"),
        (lambda data: data["steps"].pop("log"), "steps: the key 'log' is missing"),
        (lambda data: data["steps"].update(more=1), "steps: unknown key 'more'"),
        (lambda data: data["steps"]["base"].pop("seed"), "base of steps needs the keys seed"),
        (lambda data: data["steps"]["log"].insert(0, {"step": "explode"}), "step must be a mapping"),
        (lambda data: data["steps"]["log"].insert(0, {"step": "hide", "topic": 9}), "from 0 to 4: got 9"),
        (lambda data: data["steps"]["base"].update(sweeps=0), "sweeps must be an integer of at least 1: got 0"),
        (
            lambda data: data["steps"]["base"].update(evaluated=[21]),
            "evaluated must be a list of integers from 1 to 20",
        ),
        (lambda data: data["steps"]["base"].update(seed=-1), "random_state must be an integer"),
        (lambda data: data["steps"]["base"].update(corpus=3), "corpus must be a mapping with the keys documents"),
    ],
)
def test_edited_file(odd: tw.Corpus, tmp_path: Path, change: Any, reason: str) -> None:
    steered(MODELS["plain"](odd)).export(tmp_path / "steps.json")
    data = json.loads((tmp_path / "steps.json").read_text())
    change(data)
    (tmp_path / "steps.json").write_text(json.dumps(data))
    with pytest.raises(InputError) as error:
        replay(tmp_path / "steps.json", odd)
    assert reason in str(error.value)


# ---------------------------------------------------------------------- the command line


def test_fit_replays(tmp_path: Path, texts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from topicwright.cli._app import app

    def run(*arguments: Any) -> int:
        return app(list(map(str, arguments)), standalone_mode=False, prog_name="topicwright") or 0

    source, model, steps = tmp_path / "t.jsonl", tmp_path / "m.tw", tmp_path / "steps.yaml"
    source.write_text("".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    assert run("fit", source, "-o", model, "-k", 5, "-n", 20, "--seed", 3, "-q") == 0
    with Steering.open(model) as steering:
        steering.add(NeverIn(("ship",), 0))
        steering.add(Rename(1, "one"))
        steering.update(3)
        steering.export(steps)
        steering.save(tmp_path / "steered.tw")
    capsys.readouterr()
    assert run("fit", source, "-o", tmp_path / "again.tw", "--knowledge", steps) == 0
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "steered.tw").read_bytes()
    assert "5 topics, 60 documents, 23 sweeps" in capsys.readouterr().err
    command = [
        sys.executable,
        "-m",
        "topicwright",
        "fit",
        source,
        "-o",
        tmp_path / "piped.tw",
        "--knowledge",
        "-",
        "-q",
    ]
    subprocess.run(command, input=steps.read_bytes(), check=True, timeout=120)
    assert (tmp_path / "piped.tw").read_bytes() == (tmp_path / "steered.tw").read_bytes()
    for more, reason in (
        (["-k", 7], "leave --topics out"),
        (["--labels", "id"], "leave --labels out"),
        (["--knowledge", steps], "pass no other knowledge file"),
        (["--min-df", 20], "belongs to another corpus"),
    ):
        assert run("fit", source, "-o", tmp_path / "x.tw", "--knowledge", steps, *more) == 2
        assert reason in capsys.readouterr().err
