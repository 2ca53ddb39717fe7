"""OnlineLDA: a stream without labels, its files, and scikit-learn's contract."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwright as tw
from topicwright.errors import InputError, ModelFileError
from topicwright.io import read_model, write_model

from ..test_sklearn_contract import rounded

WORDS = [["ship", "sail", "sea", "port", "storm"], ["bread", "oven", "flour", "salt"], ["judge", "court", "law"]]


def stream_of(n_docs: int, seed: int = 0) -> list[str]:
    """Texts of one topic each; every text may have a word of its own, and an occasional one is empty."""
    random = np.random.default_rng(seed)
    texts = []
    for n in range(n_docs):
        words = [str(word) for word in random.choice(WORDS[random.integers(3)], random.integers(0, 12))]
        texts.append(" ".join([*words, *([f"new{chr(97 + n // 26)}{chr(97 + n % 26)}"] if n % 4 == 0 else [])]))
    return texts


TEXTS = stream_of(120)
KINDS: dict[str, dict[str, Any]] = {
    "default": {},
    "small batches": {"batch_tokens": 40},
    "small reservoir": {"batch_tokens": 40, "reservoir": 100},
    "no reservoir": {"batch_tokens": 40, "reservoir": 0},
    "forgetting": {"batch_tokens": 40, "forgetting": 0.98},
    "vocabulary": {"batch_tokens": 40, "vocabulary": ["unused", *itertools.chain.from_iterable(WORDS)]},
    "stop words": {"batch_tokens": 40, "stop_words": ["ship"]},
}
KIND = pytest.mark.parametrize("kind", KINDS)


def model(kind: str = "small batches") -> tw.OnlineLDA:
    return tw.OnlineLDA(3, **KINDS[kind])


def contents(model: tw.OnlineLDA, folder: Path) -> bytes:
    model.save(folder / "contents.tw")
    return (folder / "contents.tw").read_bytes()


# ---------------------------------------------------------------------- results


def test_topics_are_those_of_the_texts() -> None:
    lda = model().partial_fit(stream_of(300))
    tops = [set(words) for words in lda.top_words(3)]
    assert sorted(sum(top <= set(own) for top in tops) for own in WORDS) == [1, 1, 1]
    theta = lda.transform(["ship sail sea storm", "oven flour bread", "judge law court"])
    assert sorted(theta.argmax(axis=1)) == [0, 1, 2]
    np.testing.assert_allclose(lda.topic_word_.sum(axis=1), 1.0)
    assert lda.perplexity(stream_of(50, seed=1)) < 12
    assert lda.n_docs_seen_ == 300


@KIND
def test_the_cut_of_the_stream_does_not_matter(kind: str, tmp_path: Path) -> None:
    whole = model(kind).partial_fit(TEXTS)
    by_one, by_seven, half = model(kind), model(kind), model(kind)
    for text in TEXTS:
        by_one.partial_fit([text])
    for first in range(0, len(TEXTS), 7):
        by_seven.partial_fit(TEXTS[first : first + 7])
        if by_seven.__sklearn_is_fitted__():
            assert by_seven.topic_word_.shape[0] == 3  # reading results leaves no trace
    half.partial_fit(TEXTS[:61]).save(tmp_path / "half.tw")
    loaded = tw.load(tmp_path / "half.tw").partial_fit(TEXTS[61:])
    for other in (by_one, by_seven, loaded):
        assert contents(other, tmp_path) == contents(whole, tmp_path)
        np.testing.assert_array_equal(other.topic_word_, whole.topic_word_)


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(1, len(TEXTS) - 1), unique=True).map(sorted))
def test_any_cut(cuts: list[int]) -> None:
    whole, parts = model().partial_fit(TEXTS), model()
    for first, last in itertools.pairwise([0, *cuts, len(TEXTS)]):
        parts.partial_fit(TEXTS[first:last])
    np.testing.assert_array_equal(parts.topic_word_, whole.topic_word_)


@KIND
def test_a_corpus_is_the_same_as_its_words(kind: str) -> None:
    corpus = tw.Corpus.from_texts(TEXTS)
    lists = [corpus.words(row) for row in range(corpus.n_docs)]
    np.testing.assert_array_equal(model(kind).fit(corpus).topic_word_, model(kind).fit(lists).topic_word_)


def test_waiting_documents_count_in_results() -> None:
    lda = tw.OnlineLDA(2, batch_tokens=1000).partial_fit(["ship sea", "bread oven"])
    assert lda.topic_word_counts_.sum() == 4
    assert lda.partial_fit(["ship port"]).topic_word_counts_.sum() == 6
    assert lda.vocabulary_.tolist() == ["ship", "sea", "bread", "oven", "port"]


def test_seed_and_fit_start_again() -> None:
    first = model().fit(TEXTS)
    np.testing.assert_array_equal(first.topic_word_, first.fit(TEXTS).topic_word_)
    assert first.n_docs_seen_ == len(TEXTS)
    other = model().set_params(random_state=1).fit(TEXTS)
    assert (other.topic_word_counts_ != first.topic_word_counts_).nnz > 0


def test_memory_is_bounded() -> None:
    lda = model("small reservoir")
    for seed in range(20):
        lda.partial_fit(stream_of(100, seed))
        assert lda.stream_ is not None
        assert lda.stream_.sampler.n_reservoir_tokens <= 100
        assert len(lda.stream_.waiting) <= 40
    assert lda.topic_word_counts_.sum() == lda.n_tokens_seen_


def test_a_new_topic_replaces_forgotten_ones() -> None:
    lda = model("forgetting").partial_fit(stream_of(300))
    lda.partial_fit(["comet orbit moon planet"] * 400)
    assert lda.topic_word_counts_.sum() < 0.5 * lda.n_tokens_seen_
    counts = dict(zip(lda.vocabulary_.tolist(), lda.topic_word_counts_.sum(axis=0).tolist()))
    assert counts["ship"] == 0


@pytest.mark.parametrize("forgetting", [None, 0.999])
def test_counts_beyond_a_row_of_32_bits(forgetting: float | None) -> None:
    """With many topics the counts of a frequent word need wider entries."""
    lda = tw.OnlineLDA(10**6, batch_tokens=3000, forgetting=forgetting)
    for _ in range(4):
        lda.partial_fit(["ship " * 2000, "bread " * 2000])
    assert lda.topic_word_counts_.sum() <= lda.n_tokens_seen_
    assert lda.transform(["ship"]).shape == (1, 10**6)


# ---------------------------------------------------------------------- input


def test_invalid_input_teaches_nothing() -> None:
    lda = model().partial_fit(TEXTS)
    before = lda.topic_word_.copy()
    for wrong in (["ship", 3], "ship", [["ship"], "sea"], 3):
        with pytest.raises(InputError):
            lda.partial_fit(wrong)
    np.testing.assert_array_equal(lda.topic_word_, before)
    assert lda.n_docs_seen_ == len(TEXTS)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_topics": 0},
        {"alpha": 0},
        {"beta": -1},
        {"rejuvenate": -1},
        {"warm_up": -1},
        {"reservoir": -1},
        {"batch_tokens": 0},
        {"forgetting": 2},
        {"vocabulary": []},
    ],
)
def test_invalid_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(parameters))):
        tw.OnlineLDA(**parameters).fit(TEXTS)


def test_documents_without_words() -> None:
    with pytest.raises(InputError, match="empty"):
        model().fit(["", ""])
    lda = model().partial_fit(["", ""])
    assert not lda.__sklearn_is_fitted__()
    assert lda.partial_fit(["ship"]).n_docs_seen_ == 3


class RoundingOnlineLDA(tw.OnlineLDA):
    """scikit-learn's checks pass random fractions; topics are of whole counts, so here they are rounded first."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return super().fit(rounded(X), y)

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        return super().partial_fit(rounded(X), y)

    def transform(self, X: Any) -> Any:
        return super().transform(rounded(X))

    def score(self, X: Any, y: Any = None) -> float:
        return super().score(rounded(X), y)


EXPECTED_FAILURES = {
    "check_dict_unchanged": "results with the documents that wait are computed when first asked for, and kept"
}


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
@parametrize_with_checks(
    [RoundingOnlineLDA(n_topics=3), RoundingOnlineLDA(n_topics=2, batch_tokens=10, reservoir=20)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# ---------------------------------------------------------------------- files


def test_other_saved_attributes(tmp_path: Path) -> None:
    lda = tw.OnlineLDA(3, alpha=0.2, rejuvenate=3, n_jobs=2, random_state=7, stop_words=["ship"]).fit(TEXTS)
    lda.save(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    assert isinstance(loaded, tw.OnlineLDA)
    parameters = {**lda.get_params(), "stop_words": None, "tokenizer": None}
    assert {**loaded.get_params(), "tokenizer": None} == parameters
    assert loaded.tokenizer("ship sea") == ["sea"]
    with pytest.raises(tw.errors.CorpusNotStoredError):
        loaded.document_topics()


def _first(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def changed(array: Any) -> Any:
        copy = array.copy()
        copy[0] = change(copy[0])
        return copy

    return changed


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("stream.tokens", _first(lambda token: 10**6)),
        ("stream.topics", _first(lambda topic: 3)),
        ("stream.topics", _first(lambda topic: (topic + 1) % 3)),
        ("stream.rows.entries", _first(lambda entry: entry & 3)),
        ("stream.rows.entries", lambda entries: entries * 0 + 4),
        ("stream.rows.lengths", _first(lambda length: length + 1)),
        ("stream.doc_lengths", _first(lambda length: length + 1)),
        ("stream.n_docs", _first(lambda n: n + 1)),
        ("stream.keys", _first(lambda key: 2.0)),
        ("stream.counters", lambda counters: counters - 10**6),
        ("waiting.tokens", _first(lambda token: 10**6)),
        ("waiting.lengths", _first(lambda length: length + 1)),
    ],
)
def test_damaged_files_are_refused(name: str, change: Callable[[Any], Any], tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    model().fit(TEXTS).save(path)
    file = read_model(path)
    write_model(path, file.kind, file.meta, {**file.arrays, name: change(file.arrays[name])})
    with pytest.raises(ModelFileError):
        tw.load(path)


# ---------------------------------------------------------------------- pruning, and labels that are missing


@pytest.mark.parametrize("kind", ["small batches", "small reservoir", "no reservoir", "vocabulary"])
def test_pruning_removes_rare_words_only(kind: str, tmp_path: Path) -> None:
    lda = model(kind).partial_fit(TEXTS)
    counts = dict(zip(lda.vocabulary_.tolist(), lda.topic_word_counts_.sum(axis=0).tolist()))
    pruned = lda.prune(2)
    left = dict(zip(lda.vocabulary_.tolist(), lda.topic_word_counts_.sum(axis=0).tolist()))
    assert pruned.words == len(counts) - len(left)
    assert (pruned.words > 0) == (kind in ("small reservoir", "no reservoir"))
    if kind == "no reservoir":
        assert {word for word in counts if counts[word] > 1} <= set(left)
        assert len(left) < 40
    lda.save(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw").partial_fit(TEXTS)
    assert contents(loaded, tmp_path) == contents(lda.partial_fit(TEXTS), tmp_path)
    assert lda.topic_word_counts_.sum() == lda.n_tokens_seen_ - sum(counts[word] for word in counts.keys() - left)


def test_a_labeled_stream_without_labels_names_this_class() -> None:
    with pytest.warns(tw.errors.TopicwrightWarning, match="no document has labels.*OnlineLDA"):
        labeled = tw.OnlineLabeledLDA().partial_fit(["ship sea"])
    labeled.partial_fit(["ship sea"], [["sea"]]).partial_fit(["ship port"])  # later on, labels are optional
    assert labeled.n_skipped_ == 2
