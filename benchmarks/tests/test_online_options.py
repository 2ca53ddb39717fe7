"""Corpora, options and the command of ``python -m benchmarks online``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.assertions import raises_input

from benchmarks.online import PARTS, OnlineOptions, run
from benchmarks.online.corpora import StreamSource, load, mixed, tagged
from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError

from .helpers import call, write_lines
from .tiny_stream import SHORT, documents


@pytest.fixture(scope="module")
def stream() -> Corpus:
    return documents(130)


def test_first_documents_are_read_in_order(stream: Corpus, tmp_path: Path) -> None:
    source = str(write_lines(stream, tmp_path / "tags.jsonl"))
    corpus = load(StreamSource(source, documents=40, min_df=3, stop_words="none"))
    assert corpus.n_docs == 40
    assert corpus.words(0) == [word for word in stream.words(0) if word in corpus.vocabulary]
    assert corpus.labels == (stream.labels or ())[:40]
    assert set(corpus.word_counts() >= 3) == {True}
    mixed_up = load(StreamSource(source, documents=40, shuffle=True, min_df=1, stop_words="goal, team"))
    assert mixed_up.n_docs == 40
    assert mixed_up.labels != corpus.labels
    assert not {"goal", "team"} & set(mixed_up.vocabulary)


def test_counts_are_read_unchanged_in_random_order(tmp_path: Path) -> None:
    (tmp_path / "x.docword.txt").write_text("2\n3\n3\n1 1 30\n1 2 30\n2 3 1\n")
    (tmp_path / "x.vocab.txt").write_text("the\nship\nlrb\n")
    (tmp_path / "x.docs.jsonl").write_text('{"labels": ["sea", "rare"]}\n{"labels": ["sea"]}\n')
    source = str(tmp_path / "x.docword.txt")
    corpus = load(StreamSource(source, label_min_df=2))
    assert corpus.vocabulary.tolist() == ["the", "ship", "lrb"]
    assert corpus.labels == (("sea",), ("sea",))
    assert corpus.words(0) != sorted(corpus.words(0), reverse=True)
    assert sorted(corpus.words(0)) == ["ship"] * 30 + ["the"] * 30
    assert np.array_equal(corpus.tokens, load(StreamSource(source)).tokens)
    assert not np.array_equal(mixed(corpus, 1).tokens, mixed(corpus, 2).tokens)
    assert load(StreamSource(source, stop_words="lrb")).vocabulary.tolist() == ["the", "ship"]


@pytest.mark.parametrize(
    ("options", "parameter", "got"),
    [
        ({"parts": ("table9",)}, "part", "table9"),
        ({"every": 0}, "every", 0),
        ({"passes": 1}, "passes", 1),
        ({"tol": 0.0}, "tol", 0.0),
        ({"warm_up": -1}, "warm_up", -1),
        ({"peers": ("gensim",)}, "peers", "gensim"),
    ],
)
def test_options_are_checked(options: dict[str, Any], parameter: str, got: Any) -> None:
    with raises_input(parameter, got=got):
        OnlineOptions(**options)


def test_a_stream_must_be_long_enough(stream: Corpus) -> None:
    with pytest.raises(InputError, match="documents with words and labels: got none"):
        run(SHORT, replace(stream, labels=None))
    with pytest.raises(InputError, match="125 documents are too few for a point every 100, with 50 held out"):
        run(replace(SHORT, parts=("time",), every=100, held_out=50), stream)
    with pytest.raises(InputError, match="need 10 documents or more: got 9"):
        run(replace(SHORT, parts=("speed",)), tagged(stream).select(np.arange(9)))


def test_the_command(stream: Corpus, tmp_path: Path) -> None:
    source, output = write_lines(stream, tmp_path / "tags.jsonl"), tmp_path / "out.json"
    options = ["--stop-words", "none", "--every", 40, "--held-out", 20, "--sweeps", 20, "--peers", "none"]
    done = call("online", "--part", "time", "--part", "batch", "--corpus", source, *options, "--json", output)
    assert done.exit_code == 0, done.output
    assert "Figure 3" in done.stdout
    assert "which are left out: 5" in done.stdout
    assert json.loads(output.read_text())["parameters"]["parts"] == ["time", "batch"]


def test_invalid_use_exits_with_2(tmp_path: Path) -> None:
    assert call("online", "--part", "table9").exit_code == 2
    assert call("online", "--corpus", tmp_path / "nowhere.jsonl").exit_code == 2
    assert call("online", "--documents", 0).exit_code == 2
    assert call("online", "--peers", "gensim").exit_code == 2


def test_help_has_an_example_and_names_the_parts() -> None:
    done = call("online", "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert all(part in done.stdout for part in PARTS)
