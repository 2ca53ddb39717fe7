"""``topicwright stream --topics``: topics of a stream without labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw


@pytest.fixture
def unlabeled(source: Path) -> Path:
    """Documents with a text only."""
    texts = [{"text": json.loads(line)["text"]} for line in source.read_text().splitlines()]
    path = source.with_name("unlabeled.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in texts))
    return path


def test_trains_a_model_without_labels(invoke: Any, unlabeled: Path) -> None:
    done = invoke("stream", unlabeled, "-m", "m.tw", "--topics", 4)
    model = tw.load("m.tw")
    assert done == (
        0,
        "",
        f"m.tw starts with the first line of {unlabeled}\n"
        f"read {unlabeled} to its end, line 60: 60 documents, 4 topics, {len(model.vocabulary_)} words in m.tw\n",
    )
    texts = [json.loads(line)["text"] for line in unlabeled.read_text().splitlines()]
    expected = tw.OnlineLDA(4, stop_words="english").partial_fit(texts)
    assert (model.topic_word_ == expected.topic_word_).all()
    assert "4" in invoke("evaluate", "m.tw").out
    assert len(json.loads(invoke("topics", "m.tw", "--json").out)) == 4


def test_labels_are_optional_and_not_read(invoke: Any, source: Path, unlabeled: Path) -> None:
    invoke("stream", source, "-m", "a.tw", "--topics", 3)
    invoke("stream", unlabeled, "-m", "b.tw", "--topics", 3)
    assert (tw.load("a.tw").topic_word_ == tw.load("b.tw").topic_word_).all()


@pytest.mark.parametrize("batch", ["--every", "--prune-every"])
def test_same_command_resumes_to_the_same_bytes(invoke: Any, unlabeled: Path, batch: str) -> None:
    command = ["stream", unlabeled, "--topics", 3, "--seed", 7, "--redraws", 2, "--reservoir", 100]
    command += ["--forgetting", 0.99, batch, 5]
    invoke(*command, "-m", "whole.tw")
    content = unlabeled.read_text().splitlines(keepends=True)
    for n in (20, 33, 60):
        unlabeled.write_text("".join(content[:n]))
        invoke(*command, "-m", "m.tw")
    assert Path("m.tw").read_bytes() == Path("whole.tw").read_bytes()
    model = tw.load("m.tw")
    given = {"n_topics": 3, "rejuvenate": 2, "reservoir": 100, "forgetting": 0.99, "random_state": 7}
    assert {name: getattr(model, name) for name in given} == given
    unlabeled.write_text("".join(content * 2))
    done = invoke("stream", unlabeled, "-m", "m.tw", "--json")  # a known model needs no --topics
    assert json.loads(done.out.splitlines()[-1])["topics"] == 3
    assert tw.load("m.tw").n_docs_seen_ == 120
    refused = invoke("stream", unlabeled, "-m", "m.tw", "--topics", 5).refused()
    assert refused.startswith("m.tw was created with --topics 3, not 5")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--particles", 3], "--particles is for labels"),
        (["--unlabeled", "likely"], "--unlabeled is for labels"),
        (["--paper"], "--paper is for labels"),
        (["--alerts", "a.jsonl"], "--alerts needs labels"),
    ],
)
def test_options_of_labels_are_refused(invoke: Any, unlabeled: Path, options: list[Any], message: str) -> None:
    refused = invoke("stream", unlabeled, "-m", "m.tw", "--topics", 3, *options).refused()
    assert refused.startswith(message)
    assert not Path("m.tw").exists()


def test_models_of_another_kind_are_refused(invoke: Any, source: Path, unlabeled: Path) -> None:
    invoke("stream", source, "-m", "labels.tw")
    refused = invoke("stream", source, "-m", "labels.tw", "--topics", 3).refused()
    assert refused.startswith("labels.tw is a OnlineLabeledLDA model, and topicwright stream needs an OnlineLDA model")
    unlabeled.write_text('{"text": "ship", "labels": []}\n')
    assert "--topics N learns topics without labels" in invoke("stream", unlabeled, "-m", "new.tw").err


def test_a_file_without_words(invoke: Any, unlabeled: Path) -> None:
    unlabeled.write_text('{"text": "the and"}\n')
    done = invoke("stream", unlabeled, "-m", "m.tw", "--topics", 3)
    assert done.code == 2
    assert "had a text with words, so there is no model: got 1 line" in done.err
