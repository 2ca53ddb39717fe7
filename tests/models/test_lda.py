"""LDA: training, inference, files and errors."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright.errors import InputError, StoppedWarning, TopicwrightWarning, UnknownWordsWarning
from topicwright.models import Sweep

from ..assertions import raises_input
from ..conftest import THEMES, themed_texts


@pytest.fixture(scope="module")
def lda(texts: list[str]) -> tw.LDA:
    return tw.LDA(n_topics=3, n_sweeps=60).fit(texts)


def test_recovers_the_themes(lda: tw.LDA) -> None:
    assert {frozenset(words) for words in lda.top_words(8)} == {frozenset(w.split()) for w in THEMES.values()}


def test_distributions_sum_to_one_and_follow_the_counts(lda: tw.LDA) -> None:
    counts = lda.topic_word_counts_.toarray()
    np.testing.assert_allclose(lda.components_, counts + 0.01)
    np.testing.assert_allclose(lda.topic_word_.sum(axis=1), 1)
    np.testing.assert_allclose(lda.doc_topic_.sum(axis=1), 1)
    assert counts.sum() == lda.doc_topic_counts_.sum() == lda.corpus_.n_tokens


def test_training_documents_have_the_topics_that_transform_infers(lda: tw.LDA) -> None:
    np.testing.assert_array_equal(lda.doc_topic_, lda.transform(lda.corpus_))
    np.testing.assert_array_equal(lda.document_topics([4, 1]), lda.doc_topic_[[4, 1]])
    with pytest.raises(InputError, match="row numbers from 0 to"):
        lda.document_topics([lda.corpus_.n_docs])


def test_topics_of_training_documents_honor_labels(texts: list[str]) -> None:
    labels = [["a"], ["a", "b"]] + [None] * (len(texts) - 2)
    lda = tw.LDA(4, knowledge=[tw.DocumentLabels(labels), tw.DocumentTopics({2: "c"}, 1e6)], n_sweeps=5).fit(texts)
    np.testing.assert_array_equal(lda.doc_topic_[0], [1, 0, 0, 0])
    np.testing.assert_array_equal(lda.doc_topic_[1] > 0, [True, True, False, False])
    assert lda.doc_topic_[2].argmax() == 2
    assert (lda.doc_topic_[3:] > 0).all()


def test_transforms_new_documents(lda: tw.LDA) -> None:
    theta = lda.transform(["judge jury trial law", "bread butter oven", "ship anchor tide sail"])
    sea, kitchen, court = (lda.doc_topic_[i].argmax() for i in range(3))
    assert theta.argmax(axis=1).tolist() == [court, kitchen, sea]
    np.testing.assert_allclose(theta.sum(axis=1), 1)


def test_unknown_words_are_skipped_and_counted(lda: tw.LDA) -> None:
    with pytest.warns(UnknownWordsWarning, match=r"2 of 4 words are not in the model's vocabulary.*: zebra, lion|lion"):
        theta = lda.transform(["judge zebra jury lion"])
    np.testing.assert_array_equal(theta, lda.transform(["judge jury"]))


def test_stop_words_are_not_unknown_and_pruned_words_are_reported() -> None:
    texts = ["the ship and the sea", "the bread and the oven", "the ship at sea", "bread of the oven"]
    lda = tw.LDA(n_topics=2, n_sweeps=5).fit(tw.Corpus.from_texts([*texts, "rare"], stop_words="english", min_df=2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for same in (["the ship"], [["the", "ship"]], tw.Corpus.from_texts(["the ship"])):
            np.testing.assert_array_equal(lda.transform(same), lda.transform(["ship"]))
    told = r"1 of 2 words are not .* \(1 distinct, such as: rare\): they are new, or were left out .* by min_df"
    with pytest.warns(UnknownWordsWarning, match=told):
        lda.transform([["the", "rare", "ship"]])


def test_a_document_of_unknown_words_only_has_the_prior(lda: tw.LDA) -> None:
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(lda.transform(["zebra lion"]), 1 / 3)


def test_all_input_types_agree(lda: tw.LDA, texts: list[str]) -> None:
    words = [text.split() for text in texts]
    from_words = tw.LDA(n_topics=3, n_sweeps=60).fit(words)
    np.testing.assert_array_equal(from_words.topic_word_, lda.topic_word_)
    np.testing.assert_array_equal(lda.transform(words), lda.transform(texts))
    np.testing.assert_array_equal(lda.transform(tw.Corpus.from_texts(texts)), lda.transform(texts))
    counts = lda.corpus_.to_matrix()
    np.testing.assert_array_equal(lda.transform(counts), lda.transform(counts.toarray()))


def test_a_corpus_with_another_vocabulary_is_matched_by_words(lda: tw.LDA) -> None:
    other = tw.Corpus.from_texts(["verdict of the jury"])
    with pytest.warns(UnknownWordsWarning, match="2 of 4"):
        theta = lda.transform(other)
    np.testing.assert_array_equal(theta, lda.transform(["verdict jury"]))


def test_likelihood_rises_and_is_reported(lda: tw.LDA) -> None:
    sweeps = [sweep for sweep, _ in lda.log_likelihood_]
    assert sweeps == [10, 20, 30, 40, 50, 60]
    many = tw.LDA(n_topics=60, n_sweeps=30, evaluate_every=1).fit(lda.corpus_).log_likelihood_
    assert many[0][1] < many[-1][1]


def test_perplexity_is_near_that_of_the_theme_and_below_that_of_no_model(lda: tw.LDA) -> None:
    new = themed_texts(90, seed=1)
    completion, in_order = lda.perplexity(new), lda.perplexity(new, method="left-to-right")
    assert 8 <= completion < 10  # 8 words a theme, drawn evenly
    assert 8 <= in_order < 11  # the first words do not yet know the theme
    assert lda.score(new) == pytest.approx(-np.log(completion))
    assert tw.LDA(n_topics=1, n_sweeps=1).fit(lda.corpus_).perplexity(new) == pytest.approx(24, rel=0.05)


def test_resumed_training_equals_uninterrupted_training(texts: list[str]) -> None:
    whole = tw.LDA(n_topics=4, alpha="learn", beta="learn", n_sweeps=50, random_state=5).fit(texts)
    parts = tw.LDA(n_topics=4, alpha="learn", beta="learn", n_sweeps=25, random_state=5).fit(texts).resume(25)
    np.testing.assert_array_equal(parts.assignments_, whole.assignments_)
    np.testing.assert_array_equal(parts.alpha_, whole.alpha_)
    assert parts.beta_ == whole.beta_
    assert parts.sweeps_ == whole.sweeps_ == 50
    assert parts.doc_topic_.tobytes() == whole.doc_topic_.tobytes()


def test_result_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topicwright._sampling.grid.TOKENS_PER_BLOCK", 500)  # so that even this corpus is a grid
    texts = themed_texts(300)
    models = [tw.LDA(n_topics=8, n_sweeps=20, n_jobs=n).fit(texts) for n in (1, 2, 4)]
    assert len({model.assignments_.tobytes() for model in models}) == 1
    assert len({model.transform(texts).tobytes() for model in models}) == 1


def test_learned_alpha_is_larger_for_common_topics() -> None:
    rare = ["violin cello flute drum opera violin cello flute"] * 8
    corpus = tw.Corpus.from_texts([*themed_texts(200), *rare])
    models = [tw.LDA(n_topics=4, alpha="learn", n_sweeps=150, random_state=seed).fit(corpus) for seed in range(6)]
    lda = max(models, key=lambda model: model.log_likelihood_[-1][1])  # one that has found the four themes
    music = ["violin" in words for words in lda.top_words(4)].index(True)
    assert lda.alpha_[music] == lda.alpha_.min()
    assert lda.alpha_[music] < np.delete(lda.alpha_, music).min() / 4  # 8 documents against 66 or 67


# ---------------------------------------------------------------------- the callback, and stopping


def test_on_sweep_is_called_each_sweep_and_can_stop(texts: list[str]) -> None:
    heard: list[Sweep] = []

    def stop_at_seven(sweep: Sweep) -> bool:
        heard.append(sweep)
        return sweep.number < 7

    lda = tw.LDA(n_topics=3, n_sweeps=20, evaluate_every=5).fit(texts, on_sweep=stop_at_seven)
    assert [sweep.number for sweep in heard] == [1, 2, 3, 4, 5, 6, 7]
    assert [sweep.number for sweep in heard if sweep.log_likelihood is not None] == [5]
    assert all(sweep.last == 20 and 0 <= sweep.moved <= 1 and sweep.seconds >= 0 for sweep in heard)
    assert lda.sweeps_ == 7
    assert lda.interrupted_
    assert not lda.resume(3).interrupted_


def test_ctrl_c_keeps_the_fitted_state(texts: list[str]) -> None:
    def press_ctrl_c(sweep: Sweep) -> None:
        if sweep.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(StoppedWarning, match=r"stopped after 4 of 5,000 sweeps, .* resume\(4996\)") as warned:
        lda = tw.LDA(n_topics=3, n_sweeps=5000).fit(texts, on_sweep=press_ctrl_c)
    assert warned[0].filename == __file__
    assert lda.interrupted_
    assert lda.sweeps_ == 4
    assert lda.transform(texts).shape == (60, 3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_second_ctrl_c_raises_keyboard_interrupt(texts: list[str]) -> None:
    def press_twice(sweep: Sweep) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tw.LDA(n_topics=3, n_sweeps=50).fit(texts, on_sweep=press_twice)


def test_fit_works_in_a_thread(texts: list[str]) -> None:
    results: list[tw.LDA] = []
    thread = threading.Thread(target=lambda: results.append(tw.LDA(n_topics=3, n_sweeps=5).fit(texts)))
    thread.start()
    thread.join()
    assert results[0].sweeps_ == 5


def test_the_library_is_silent(texts: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    tw.LDA(n_topics=3, n_sweeps=5).fit(texts)
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------------- files


def test_model_file_round_trip(lda: tw.LDA, tmp_path: Path, texts: list[str]) -> None:
    lda.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    for name in ("topic_word_", "doc_topic_", "assignments_", "alpha_", "components_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(lda, name))
    assert again.log_likelihood_ == lda.log_likelihood_
    assert again.top_words(5) == lda.top_words(5)
    np.testing.assert_array_equal(again.transform(texts), lda.transform(texts))
    fresh = tw.LDA(n_topics=3, n_sweeps=60).fit(texts)
    np.testing.assert_array_equal(again.resume(5).assignments_, fresh.resume(5).assignments_)


@pytest.mark.parametrize("beta", [0.05, "learn", "by word"])
def test_parameters_round_trip(texts: list[str], tmp_path: Path, beta: Any) -> None:
    beta = np.linspace(0.01, 0.1, 24) if isinstance(beta, str) and beta == "by word" else beta
    lda = tw.LDA(n_topics=3, alpha="learn", beta=beta, n_sweeps=40, random_state=8, n_jobs=2).fit(texts)
    lda.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert again.alpha == "learn"
    np.testing.assert_array_equal(again.beta_, lda.beta_)
    np.testing.assert_array_equal(again.alpha_, lda.alpha_)
    assert (again.n_sweeps, again.n_jobs, again.random_state, again.sweeps_) == (40, 2, 8, 40)
    np.testing.assert_array_equal(again.resume(20).assignments_, lda.resume(20).assignments_)


def test_symmetric_alpha_is_stored_as_one_number(texts: list[str], tmp_path: Path) -> None:
    tw.LDA(n_topics=3, alpha=0.2, n_sweeps=2).fit(texts).save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert again.alpha == 0.2
    assert again.set_params(n_topics=5).fit(texts).alpha_.tolist() == [0.2] * 5
    tw.LDA(n_topics=3, alpha=[0.1, 0.2, 0.3], n_sweeps=2).fit(texts).save(tmp_path / "model.tw")
    assert tw.load(tmp_path / "model.tw").alpha.tolist() == [0.1, 0.2, 0.3]


def test_compact_model_is_small_and_names_missing_data(tmp_path: Path) -> None:
    texts = themed_texts(2000)
    lda = tw.LDA(n_topics=3, n_sweeps=5).fit(texts)
    lda.save(tmp_path / "all.tw")
    lda.save(tmp_path / "small.tw", include_corpus=False)
    assert (tmp_path / "small.tw").stat().st_size < (tmp_path / "all.tw").stat().st_size / 10
    small = tw.load(tmp_path / "small.tw")
    np.testing.assert_array_equal(small.transform(texts[:9]), lda.transform(texts[:9]))
    np.testing.assert_array_equal(small.topic_word_, lda.topic_word_)
    for needs_corpus in (lambda: small.resume(1), lambda: small.doc_topic_):
        with pytest.raises(InputError, match="saved without it"):
            needs_corpus()
    small.save(tmp_path / "again.tw")
    assert tw.load(tmp_path / "again.tw").top_words() == lda.top_words()


def test_model_with_custom_tokenizer_loads_without_it(tmp_path: Path) -> None:
    corpus = tw.Corpus.from_texts(["a-b a-c", "c-b a-b"], tokenizer=lambda text: text.split())
    lda = tw.LDA(n_topics=2, n_sweeps=2).fit(corpus)
    lda.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    np.testing.assert_array_equal(again.transform([["a-b"]]), lda.transform(["a-b"]))
    with pytest.raises(InputError, match="custom analyzer"):
        again.transform(["a-b"])


# ---------------------------------------------------------------------- wrong input


COUNTS = [[1, 2], [0, 3]]


@pytest.mark.parametrize(
    ("parameter", "value", "got"),
    [
        ("n_topics", 2_000_000, 2_000_000),
        ("n_sweeps", 0, 0),
        ("alpha", "auto", "auto"),
        ("alpha", [0.1, 0.2, 0.3], (3,)),
        ("beta", [0.1], (1,)),
        ("n_jobs", 0, 0),
        ("random_state", -1, -1),
        ("evaluate_every", -1, -1),
    ],
)
def test_rejects_invalid_parameters(parameter: str, value: Any, got: Any) -> None:
    with raises_input(parameter, got=got):
        tw.LDA(**{"n_topics": 2, parameter: value}).fit(COUNTS)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "must have at least one document: got none"),
        (["", "  "], "no word"),
        ("one text", "list of texts: got a single str"),
        ([[1, -1]], "Negative values in data"),
        ([[0.5, 1]], "got 0.5 in row 0, column 0"),
        ([[np.nan, 1]], "NaN"),
        ([[0, 0], [0, 0]], "corpus is empty: got 2 documents with 0 words"),
        (["fine", None], "None"),
        (csr_array((0, 3)), r"0 sample\(s\)"),
    ],
)
def test_rejects_invalid_data(X: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.LDA(n_topics=2, n_sweeps=1).fit(X)


def test_more_topics_than_tokens_gives_a_warning() -> None:
    with pytest.warns(TopicwrightWarning, match="n_topics is 50, but there are only 6 tokens"):
        lda = tw.LDA(n_topics=50, n_sweeps=2).fit(COUNTS)
    assert sum(not words for words in lda.top_words()) >= 44


def test_rejects_other_columns_than_in_training(lda: tw.LDA) -> None:
    with pytest.raises(InputError, match="X has 2 features, but LDA is expecting 24 features as input"):
        lda.transform(COUNTS)


def test_count_model_rejects_texts() -> None:
    with pytest.raises(InputError, match="trained on counts or lists of words, not on texts"):
        tw.LDA(n_topics=2, n_sweeps=1).fit(COUNTS).transform(["some text"])


def test_unknown_method_error_lists_known_methods(lda: tw.LDA) -> None:
    with pytest.raises(InputError, match="method must be one of"):
        lda.perplexity(["ship"], method="magic")


def test_rejects_scoring_without_words(lda: tw.LDA) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownWordsWarning)
        with pytest.raises(InputError, match="two or more words"):
            lda.perplexity(["zebra"])


def test_unknown_package_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'LSA'; it has: LDA"):
        tw.LSA  # noqa: B018
    assert all(hasattr(tw, name) for name in tw.__all__)
