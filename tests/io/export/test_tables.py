"""CSV and JSON exports, read with the standard library, and their destinations."""

from __future__ import annotations

import bz2
import csv
import errno
import gzip
import io
import json
import lzma
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.assertions import raises_input
from topicwright.corpus.corpus import Corpus
from topicwright.io.export import FORMATS, doc_topics_to_csv, export, top_word_ids, topics_to_csv, topics_to_json

from ..fake_lda import FakeLDA, fake_lda


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_topics_as_csv_hold_every_word_and_probability(tmp_path: Path, model: FakeLDA) -> None:
    topics_to_csv(model, tmp_path / "t.csv", n_words=None)
    rows = rows_of(tmp_path / "t.csv")
    assert list(rows[0]) == ["topic", "weight", "rank", "word", "probability"]
    got = np.zeros((3, 6))
    for row in rows:
        got[int(row["topic"]), list(model.vocabulary_).index(row["word"])] = float(row["probability"])
    np.testing.assert_array_equal(got, model.topic_word_)  # to the last bit
    assert [float(row["weight"]) for row in rows[::6]] == [3 / 8, 5 / 8, 0]


def test_topics_as_csv_come_in_order_with_their_names(tmp_path: Path, model: FakeLDA) -> None:
    model.topic_names_ = ["fruit, fresh", "city", "rest"]
    topics_to_csv(model, tmp_path / "t.csv", n_words=2)
    rows = rows_of(tmp_path / "t.csv")
    assert [(row["name"], row["rank"], row["word"]) for row in rows[:4]] == [
        ("fruit, fresh", "1", "apple"),
        ("fruit, fresh", "2", "naïve"),
        ("city", "1", 'say "hi", all'),
        ("city", "2", "apple"),
    ]


@pytest.mark.parametrize("opened", [gzip.open, lzma.open, bz2.open], ids=["gz", "xz", "bz2"])
def test_suffix_selects_compression(
    opened: Any, request: pytest.FixtureRequest, tmp_path: Path, model: FakeLDA
) -> None:
    topics_to_csv(model, tmp_path / "t.csv")
    packed = tmp_path / f"t.csv.{request.node.callspec.id}"
    topics_to_csv(model, packed)
    with opened(packed) as file:
        assert file.read() == (tmp_path / "t.csv").read_bytes()


def test_topics_as_json(tmp_path: Path, model: FakeLDA) -> None:
    topics_to_json(model, tmp_path / "t.json", n_words=1)
    topics = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    probability = model.topic_word_[0, 0]
    assert topics[0] == {
        "topic": 0,
        "weight": 3 / 8,
        "words": [{"word": "apple", "probability": probability}],
    }
    assert [topic["topic"] for topic in topics] == [0, 1, 2]


def test_documents_as_csv(tmp_path: Path, model: FakeLDA) -> None:
    doc_topics_to_csv(model, tmp_path / "d.csv")
    rows = rows_of(tmp_path / "d.csv")
    assert [row["document"] for row in rows] == ["first doc", "", "third", "ünï"]
    got = np.array([[float(row[f"topic_{topic}"]) for topic in range(3)] for row in rows])
    np.testing.assert_array_equal(got, model.doc_topic_)


def test_documents_without_ids_are_numbered_and_named_topics_are_columns(model: FakeLDA) -> None:
    model.corpus_, model.topic_names_ = None, ["a", "b", "c"]
    table = io.StringIO()
    doc_topics_to_csv(model, table)
    lines = table.getvalue().splitlines()
    assert lines[0] == "document,a,b,c"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1", "2", "3"]


def test_a_model_without_tokens_has_weights_of_zero(corpus: Corpus) -> None:
    model = fake_lda(corpus.select([1]), [], 2)
    table = io.StringIO()
    topics_to_json(model, table, n_words=0)
    assert json.loads(table.getvalue()) == [{"topic": k, "weight": 0.0, "words": []} for k in range(2)]


def test_equal_words_come_in_the_order_of_the_vocabulary() -> None:
    probabilities = np.array([0.1, 0.3, 0.1, 0.3, 0.1, 0.1])
    assert top_word_ids(probabilities, 4).tolist() == [1, 3, 0, 2]
    assert top_word_ids(probabilities, 99).tolist() == [1, 3, 0, 2, 4, 5]


# ---------------------------------------------------------------------- where exports go


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"gensim", "mallet-state"}))
def test_a_path_a_text_file_and_a_binary_file_get_the_same(tmp_path: Path, model: FakeLDA, name: str) -> None:
    text, binary = io.StringIO(), io.BytesIO()
    for target in (str(tmp_path / "x"), text, binary):
        export(model, target, name)
    assert not binary.closed
    assert text.getvalue().encode() == binary.getvalue() == (tmp_path / "x").read_bytes()


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"gensim"}))
def test_failed_export_keeps_the_old_file(
    tmp_path: Path, model: FakeLDA, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "x").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot write the file: No space left on device: '.*/x'"):
        export(model, tmp_path / "x", name)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("x", "old")]


def test_unknown_format_error_lists_known_formats(model: FakeLDA) -> None:
    with raises_input("format", got="xml", match="'topics-csv', .*, 'pyldavis'"):
        export(model, io.StringIO(), "xml")


def test_half_a_surrogate_pair_is_escaped(tmp_path: Path, corpus: Corpus) -> None:
    broken = Corpus(corpus.tokens, corpus.offsets, [*corpus.vocabulary[:-1], "\ud800"])  # type: ignore[arg-type]
    model = fake_lda(broken, [0] * 8, 1)
    topics_to_json(model, tmp_path / "t.json")
    (topic,) = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert topic["words"][-1]["word"] == "\ud800"
