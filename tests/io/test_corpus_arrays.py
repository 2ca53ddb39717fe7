"""Corpora in model files: round trips, and errors for hostile files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicwright import ModelFileError
from topicwright.corpus.corpus import Corpus
from topicwright.corpus.metadata import LabelLists
from topicwright.io import corpus_from_fields, corpus_to_arrays, pack_strings, read_model, write_model
from topicwright.io.fields import _labels_to_arrays


def through_a_file(path: Path, arrays: dict[str, Any]) -> Corpus:
    write_model(path / "m", "lda", {}, arrays)
    return corpus_from_fields(read_model(path / "m").fields)


def test_corpus_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    got = through_a_file(tmp_path, corpus_to_arrays(corpus))
    for name in ("tokens", "offsets", "vocabulary", "targets", "links", "dates"):
        np.testing.assert_array_equal(getattr(got, name), getattr(corpus, name))
    assert (got.ids, got.labels, got.tokenizer) == (corpus.ids, corpus.labels, corpus.tokenizer)
    assert got.texts == corpus.texts


def test_missing_metadata_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    got = through_a_file(tmp_path, corpus_to_arrays(Corpus(corpus.tokens, corpus.offsets, corpus.vocabulary)))
    assert (got.ids, got.labels, got.targets, got.links, got.tokenizer, got.dates, got.texts) == (None,) * 7


def test_empty_corpora_and_labels_round_trip(tmp_path: Path) -> None:
    nothing = Corpus(np.array([]), np.array([0]), np.array([]), ids=(), labels=(), links=[])  # type: ignore[arg-type]
    got = through_a_file(tmp_path, corpus_to_arrays(nothing))
    assert (got.n_docs, got.n_words, got.ids, got.labels) == (0, 0, (), ())
    assert got.links is not None
    assert got.links.shape == (0, 2)


def test_several_targets_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    targets = np.arange(8.0).reshape(4, 2)
    wide = Corpus(corpus.tokens, corpus.offsets, corpus.vocabulary, targets=targets)
    got = through_a_file(tmp_path, corpus_to_arrays(wide))
    np.testing.assert_array_equal(got.targets, targets)


def test_further_columns_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    columns = {
        "party": ["a", None, "\u00e9\ud800", ""],
        "age": [1, 2**62, -3, 0],
        "score": [0.1, None, float("inf"), -1e300],
        "member": [True, False, True, True],
        "seen": np.array(["2020-01-02T03:04:05", "NaT", "1999-01-01", "2000-01-01"], "M8[s]"),
    }
    given = Corpus(corpus.tokens, corpus.offsets, corpus.vocabulary, metadata=columns)
    got = through_a_file(tmp_path, corpus_to_arrays(given))
    assert got.metadata is not None
    assert given.metadata is not None
    assert list(got.metadata) == list(columns)
    for name, column in given.metadata.items():
        np.testing.assert_array_equal(got.metadata[name], column)
        assert got.metadata[name].dtype == column.dtype


AROUND = [0, 2**62, 2**63 - 1, -(2**63), -(2**62), 0, 8]  # every difference is positive, since they wrap


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": np.array([0, 1, 0, 2, 3, 3, 4, 6], np.int32)}, "'tokens' must be at most 5: got 6"),
        ({"tokens": np.array([0, 1, 0, 2, 3, 3, 4, -1], np.int32)}, "'tokens' must be at least 0: got -1"),
        ({"tokens": np.zeros(8)}, "'tokens' must be an array of int32: got float64"),
        ({"tokens": np.zeros((2, 4), np.int32)}, "'tokens' must have 1 dimensions"),
        ({"offsets": np.array([0, 3, 2, 6, 8])}, "'offsets' must rise from 0 to 8"),
        ({"offsets": np.array([0, 3, 3, 6, 9])}, "'offsets' must rise from 0 to 8"),
        ({"offsets": np.array(AROUND)}, "'offsets' must rise from 0 to 8"),
        ({"offsets": np.array([], np.int64)}, "'offsets' must rise from 0 to 8"),
        (pack_strings(["a"], "vocabulary"), "'tokens' must be at most 0"),
        (pack_strings(["a"], "ids"), "'ids' must have 4 entries: got 1"),
        ({"labels.values": np.array([0, 1, 1, 3], np.int32)}, "'labels.values' must be at most 2: got 3"),
        ({"labels.offsets": np.array([0, 4])}, r"'labels.offsets' must have shape \(5,\)"),
        ({"labels.offsets": np.array([0, 4, 2, 4, 4])}, "'labels.offsets' must rise from 0 to 4"),
        (pack_strings(["a", "a", "b"], "labels.names"), "'labels.names' must have no entry twice"),
        ({"targets": np.ones(3)}, "'corpus' can't be rebuilt: targets must have one row per document"),
        ({"targets": np.full(4, np.inf)}, "'corpus' can't be rebuilt: targets must be finite"),
        ({"targets": np.ones(4, np.int64)}, "'targets' must be an array of float64"),
        ({"links": np.array([[0, 4]])}, "'links' must be at most 3: got 4"),
        ({"links": np.array([0, 4])}, "'links' must have shape"),
        ({"dates": np.zeros(3, np.int64)}, "'corpus' can't be rebuilt: dates must have one entry per document"),
        ({"dates": np.zeros((4, 1), np.int64)}, "'dates' must have 1 dimensions"),
        ({"dates": np.zeros(4)}, "'dates' must be an array of int64"),
        ({"dates": np.full(4, 2**62)}, "'corpus' can't be rebuilt: dates must be of the years 1 to 9999"),
        (pack_strings(["a"], "texts"), "'texts' must have 4 entries: got 1"),
        (pack_strings(["{}"], "metadata"), "'corpus' can't be rebuilt: a column of metadata can't be read"),
        (
            pack_strings(['{"name": "a", "kind": "bool", "values": [true]}'], "metadata"),
            "'corpus' can't be rebuilt: metadata must have one entry per document: 'a' has 1",
        ),
        (
            pack_strings(['{"name": "a", "kind": "bool", "values": [true]}'] * 2, "metadata"),
            "columns of metadata must have different names",
        ),
        (pack_strings(["{}"], "tokenizer"), "'tokenizer' can't be rebuilt"),
        (pack_strings(["["], "tokenizer"), "'tokenizer' must be valid JSON"),
        (pack_strings([], "tokenizer"), "'tokenizer' must have 1 entries: got 0"),
    ],
)
def test_rejects_hostile_corpora(tmp_path: Path, corpus: Corpus, changes: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        through_a_file(tmp_path, corpus_to_arrays(corpus) | changes)


@pytest.mark.parametrize("missing", ["tokens", "offsets", "vocabulary.bytes", "labels.values", "ids.bytes"])
def test_missing_array_is_named(tmp_path: Path, corpus: Corpus, missing: str) -> None:
    arrays = corpus_to_arrays(corpus)
    del arrays[missing]
    with pytest.raises(ModelFileError, match=missing.partition(".")[0]):
        through_a_file(tmp_path, arrays)


def test_labels_are_stored_as_numbers() -> None:
    arrays = _labels_to_arrays(LabelLists.of((("b", "a"), (), ("a",))))
    assert arrays["labels.values"].tolist() == [1, 0, 0]
    assert arrays["labels.offsets"].tolist() == [0, 2, 2, 3]
