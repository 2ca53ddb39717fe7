"""Coherence against its definition over explicit windows, and against gensim where it is installed."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError, UnknownWordsWarning
from topicwright.evaluation.coherence import MEASURES as REGISTERED
from topicwright.evaluation.coherence import CoherenceMeasure, coherence, register_measure

MODULE = import_module("topicwright.evaluation.coherence")  # the package has a function of that name
MEASURES = tuple(REGISTERED)
N_WORDS = 7


def corpus_of(docs, vocabulary=None):
    """A corpus from lists of word ids; word 3 is called "w3"."""
    n_words = 1 + max((word for doc in docs for word in doc), default=0)
    return Corpus(
        tokens=np.array([word for doc in docs for word in doc], dtype=np.int32),
        offsets=np.cumsum([0] + [len(doc) for doc in docs]),
        vocabulary=vocabulary or [f"w{i}" for i in range(n_words)],
    )


# ---------------------------------------------------------------------- the definition, by brute force


def windows_of(docs, size):
    """Every window as a set of words; a document of at most ``size`` words is one window."""
    if size == 0:
        return [set(doc) for doc in docs]
    return [set(doc[i : i + size]) for doc in docs for i in range(max(len(doc) - size + 1, 1))]


def slow_coherence(topic, docs, measure, window, epsilon):
    """One topic's coherence, straight from the formulas."""
    windows = windows_of(docs, window)
    n = len(windows)

    def count(*words):
        return sum(all(word in window for word in words) for window in windows)

    def umass(earlier, later):
        return log((count(earlier, later) + epsilon) / count(earlier)) if count(earlier) else log(epsilon / n)

    def pmi(a, b):
        if not count(a) or not count(b):
            return log(epsilon)
        return log((count(a, b) / n + epsilon) / (count(a) / n * count(b) / n))

    def npmi(a, b):
        if not count(a) or not count(b):
            return -1.0
        return 1.0 if count(a, b) == n else pmi(a, b) / -log(count(a, b) / n + epsilon)

    def vector(word):
        return [npmi(word, other) if count(word) and count(other) else 0.0 for other in topic]

    def cosine(u, v):
        length = sqrt(sum(x * x for x in u)) * sqrt(sum(x * x for x in v))
        return sum(x * y for x, y in zip(u, v)) / length if length else 0.0

    pairs = list(combinations(topic, 2))
    if measure == "umass":
        return sum(umass(*pair) for pair in pairs)
    if measure in ("uci", "npmi"):
        return sum({"uci": pmi, "npmi": npmi}[measure](*pair) for pair in pairs) / len(pairs)
    vectors = [vector(word) for word in topic]
    whole = [sum(column) for column in zip(*vectors)]
    return sum(cosine(v, whole) for v in vectors) / len(topic)


documents = st.lists(st.lists(st.integers(0, N_WORDS - 1), max_size=14), min_size=1, max_size=8).filter(any)
topic_lists = st.lists(
    st.lists(st.integers(0, N_WORDS - 1), min_size=2, max_size=5, unique=True), min_size=1, max_size=3
)


@pytest.mark.filterwarnings("ignore::topicwright.errors.UnknownWordsWarning")
@pytest.mark.parametrize("measure", MEASURES)
@settings(deadline=None, max_examples=80)
@given(docs=documents, topics=topic_lists, window=st.sampled_from([0, 2, 3, 5, 20]), block=st.integers(1, 40))
def test_equals_the_definition_over_explicit_windows(measure, docs, topics, window, block):
    corpus = corpus_of(docs, [f"w{i}" for i in range(N_WORDS)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "BLOCK_TOKENS", block)  # blocks must not show in the answer
        got = coherence(topics, corpus, measure, window=window, epsilon=1e-3, per_topic=True)
    expected = [slow_coherence(topic, docs, measure, window, 1e-3) for topic in topics]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@settings(deadline=None, max_examples=100)
@given(docs=documents, window=st.integers(0, 16))
def test_window_counts_are_exact(docs, window):
    corpus = corpus_of(docs, [f"w{i}" for i in range(N_WORDS)])
    pairs = np.array(list(combinations(range(N_WORDS), 2)))
    ids = np.arange(N_WORDS, dtype=np.int32)
    counts = MODULE.count_windows(corpus, ids, pairs, window, n_words=N_WORDS)
    windows = windows_of(docs, window)
    assert counts.n_windows == len(windows)
    assert counts.words.tolist() == [sum(word in w for w in windows) for word in range(N_WORDS)]
    assert counts.pairs.tolist() == [sum(a in w and b in w for w in windows) for a, b in pairs.tolist()]


# ---------------------------------------------------------------------- gensim


def random_docs(rng, repeats):
    """Documents with skewed word frequencies; without repeats each word is in a document at most once."""
    weights = 1.0 / np.arange(1, 301)
    weights /= weights.sum()
    lengths = rng.integers(1, 200, size=80)
    return [rng.choice(300, size=n, replace=repeats, p=weights).tolist() for n in lengths]


def gensim_coherence(topics, docs, measure, **options):
    dictionary_module = pytest.importorskip("gensim.corpora.dictionary")
    from gensim.models.coherencemodel import CoherenceModel

    texts = [[f"w{i}" for i in doc] for doc in docs]
    dictionary = dictionary_module.Dictionary(texts)
    model = CoherenceModel(
        topics=topics,
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        coherence={"umass": "u_mass", "uci": "c_uci", "npmi": "c_npmi", "c_v": "c_v"}[measure],
        topn=max(map(len, topics)),
        processes=1,
        **options,
    )
    return model.get_coherence_per_topic(), model.get_coherence()


def topics_from(docs, rng):
    words = np.unique(np.concatenate(docs))[:150]
    return [[f"w{i}" for i in rng.choice(words, 10, replace=False)] for _ in range(6)]


@pytest.mark.parametrize("window", [None, 5, 30])
@pytest.mark.parametrize("measure", ["uci", "npmi", "c_v"])
def test_windows_equal_gensim_where_no_word_is_repeated(measure, window):
    rng = np.random.default_rng(4)
    docs = random_docs(rng, repeats=False)
    topics = topics_from(docs, rng)
    options = {} if window is None else {"window_size": window}
    each, mean = gensim_coherence(topics, docs, measure, **options)
    corpus = corpus_of(docs)
    np.testing.assert_allclose(coherence(topics, corpus, measure, window=window, per_topic=True), each, rtol=1e-10)
    assert coherence(topics, corpus, measure, window=window) == pytest.approx(mean, rel=1e-10)


@pytest.mark.parametrize("measure", ["uci", "npmi", "c_v"])
def test_windows_equal_gensim_when_it_keeps_repeated_words(measure, monkeypatch):
    text_analysis = pytest.importorskip("gensim.topic_coherence.text_analysis")

    def exact_slide(self, window, doc_num):  # gensim's own forgets a word when the first of two has passed
        self._uniq_words[:] = False
        self._uniq_words[np.unique(window)] = True

    monkeypatch.setattr(text_analysis.WordOccurrenceAccumulator, "_slide_window", exact_slide)
    rng = np.random.default_rng(5)
    docs = random_docs(rng, repeats=True)
    topics = topics_from(docs, rng)
    each, _ = gensim_coherence(topics, docs, measure)
    np.testing.assert_allclose(coherence(topics, corpus_of(docs), measure, per_topic=True), each, rtol=1e-10)


def test_umass_equals_gensim_with_its_epsilon_and_mean():
    rng = np.random.default_rng(6)
    docs = random_docs(rng, repeats=True)
    topics = topics_from(docs, rng)
    each, _ = gensim_coherence(topics, docs, "umass")
    options = {"epsilon": 1e-12 * len(docs), "aggregate": "mean", "per_topic": True}
    np.testing.assert_allclose(coherence(topics, corpus_of(docs), "umass", **options), each, rtol=1e-10)


# ---------------------------------------------------------------------- by hand

DOCS = [[0, 1, 2], [0, 1], [0, 3], [3, 3]]


def test_umass_by_hand():
    # document frequencies 3, 2, 1 and joint 2, 1, 1 for the words 0, 1, 2
    assert coherence([[0, 1, 2]], corpus_of(DOCS), "umass") == pytest.approx(log(3 / 3) + log(2 / 3) + log(2 / 2))
    assert coherence([[0, 1, 2]], corpus_of(DOCS), "umass", aggregate="mean") == pytest.approx(log(2 / 3) / 3)
    assert coherence([[1, 3]], corpus_of(DOCS), "umass", epsilon=1e-12) == pytest.approx(log(1e-12 / 2))


def test_npmi_by_hand():
    assert coherence([[0, 1]], corpus_of(DOCS), window=0) == pytest.approx(log(0.5 / (0.75 * 0.5)) / -log(0.5))
    assert coherence([[1, 3]], corpus_of(DOCS), epsilon=0) == -1.0  # never together
    assert coherence([[0, 1]], corpus_of([[0, 1], [1, 0]])) == 1.0  # always together


def test_words_ids_arrays_and_models_agree():
    class Model:
        def top_words(self, n):
            return [["w0", "w1", "w2"][:n], ["w3", "w0", "w1"][:n]]

    corpus = corpus_of(DOCS)
    expected = coherence(Model(), corpus, top=2, per_topic=True)
    assert expected.shape == (2,)
    for topics in (Model().top_words(3), [[0, 1, 2], [3, 0, 1]], np.array([[0, 1, 2], [3, 0, 1]])):
        np.testing.assert_array_equal(coherence(topics, corpus, top=2, per_topic=True), expected)
    assert coherence(Model(), corpus, top=2) == pytest.approx(expected.mean())


class Sparse:
    """A model with a topic of one word, and one of none."""

    def top_words(self, n):
        return [["w0", "w1", "w2"], ["w3"], ["w0", "w3"], []]


def test_topics_with_too_few_words_have_no_coherence():
    corpus = corpus_of(DOCS)
    for measure in MEASURES:
        values = coherence(Sparse(), corpus, measure, per_topic=True)
        assert np.isnan(values).tolist() == [False, True, False, True]
        told = coherence([[0, 1, 2], [0, 3]], corpus, measure, per_topic=True)
        np.testing.assert_array_equal(values[[0, 2]], told)
        assert coherence(Sparse(), corpus, measure) == told.mean()


def test_a_model_without_any_topic_of_two_words():
    class Empty:
        def top_words(self, n):
            return [["w0"], []]

    with pytest.raises(InputError, match="a topic of the model must have at least 2 words: got none that does"):
        coherence(Empty(), corpus_of(DOCS))


def test_topics_may_differ_in_length():
    corpus = corpus_of(DOCS)
    together = coherence([[0, 1, 2], [0, 3]], corpus, per_topic=True)
    alone = [coherence([topic], corpus) for topic in ([0, 1, 2], [0, 3])]
    np.testing.assert_allclose(together, alone)


# ---------------------------------------------------------------------- unknown words and bad input


@pytest.mark.parametrize(
    ("measure", "expected"),
    [("umass", log(1 / 4)), ("uci", log(1e-12)), ("npmi", -1.0), ("c_v", 0.5)],
)
def test_unknown_words_get_the_lowest_score_and_a_warning(measure, expected):
    with pytest.warns(UnknownWordsWarning, match="1 of 2 topic words never occur in the corpus: 'unicorn'"):
        assert coherence([["unicorn", "w0"]], corpus_of(DOCS), measure) == pytest.approx(expected)


def test_vocabulary_words_that_never_occur_are_unknown():
    corpus = corpus_of(DOCS, ["w0", "w1", "w2", "w3", "unused"])
    with pytest.warns(UnknownWordsWarning, match="'unused'"):
        assert coherence([["w0", "unused"]], corpus) == -1.0


def test_topics_of_unknown_words_only_are_finite():
    for measure in MEASURES:
        with pytest.warns(UnknownWordsWarning, match="2 of 2"):
            assert np.isfinite(coherence([["unicorn", "gryphon"]], corpus_of(DOCS), measure))


@pytest.mark.parametrize(
    ("topics", "options", "message"),
    [
        ([[0, 1]], {"measure": "u_mass"}, "measure must be one of .*: got 'u_mass'"),
        ([[0, 1]], {"aggregate": "median"}, "aggregate must be one of .*: got 'median'"),
        ([[0, 1]], {"window": 1}, "window must be 0 .* or at least 2 words: got 1"),
        ([[0, 1]], {"window": -3}, "window must be 0 .* got -3"),
        ([[0, 1]], {"window": 2.5}, "window must be 0 .* got 2.5"),
        ([[0, 1]], {"top": 1}, "top must be an integer of at least 2: got 1"),
        (
            [[0, 1]],
            {"measure": "umass", "epsilon": 0},
            "epsilon must be a number more than 0 .* umass: got 0",
        ),
        (
            [[0, 1]],
            {"epsilon": -1e-12},
            "epsilon must be a number at least 0 and less than 1 for npmi: got -1e-12",
        ),
        ([[0, 1]], {"epsilon": 1.0}, "epsilon .* less than 1 for npmi: got 1.0"),
        ([[0, 1]], {"measure": "umass", "epsilon": inf}, "epsilon .* got inf"),
        ([[0, 1]], {"epsilon": float("nan")}, "epsilon .* got nan"),
        ([[0, 1], [2]], {}, "topic 1 must have at least 2 words: got 1"),
        ([[0, 1], []], {}, "topic 1 must have at least 2 words: got 0"),
        ([], {}, "topics must hold at least one topic: got none"),
        ([[0, 1], [2, 3, 2]], {}, "topic 1 must not repeat a word: got 2 twice"),
        ([["w0", "w1", "w0"]], {}, "topic 0 must not repeat a word: got 'w0' twice"),
        ([["w0", "w1"], [0, 1]], {}, "all words or all word ids: got both"),
        (["w0", "w1"], {}, "topic 0 must be a list of .*: got 'w0'; where there is one topic, write"),
        ("w0 w1", {}, "topics must be a fitted model, or lists .* got str"),
        (7, {}, "topics must be a fitted model, or lists .* got int"),
        ([[0.25, 0.75]], {}, "topic 0 must be a list of words or of word ids: got 0.25 among them"),
        ([[0, 4]], {}, "word ids must be from 0 to 3: got 0 to 4"),
        ([[-1, 2]], {}, "word ids must be from 0 to 3: got -1 to 2"),
    ],
)
def test_rejects_invalid_topics_and_options(topics, options, message):
    with pytest.raises(InputError, match=message):
        coherence(topics, corpus_of(DOCS), **options)


def test_rejects_invalid_corpora():
    with pytest.raises(InputError, match="corpus must have at least one word: got none in 2 documents"):
        coherence([["a", "b"]], Corpus(tokens=[], offsets=[0, 0, 0], vocabulary=["a", "b"]))
    with pytest.raises(InputError, match=r"corpus must be a Corpus: got list; Corpus.from_texts\(texts\) makes one"):
        coherence([["a", "b"]], [["a", "b"]])


def test_one_call_adds_a_measure():
    def joint_probability(joint, n_windows, epsilon):
        return (joint / n_windows + epsilon)[np.triu_indices(len(joint), 1)]

    register_measure(CoherenceMeasure("joint", joint_probability, 0, 0.0, "mean"))
    try:
        assert coherence([[0, 1]], corpus_of([[0, 1], [0], [2]]), "joint") == pytest.approx(1 / 3)
    finally:
        del REGISTERED["joint"]
    with pytest.raises(ValueError, match="new name"):
        register_measure(REGISTERED["npmi"])
