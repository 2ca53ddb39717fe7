"""Coherence against its definition over explicit windows, and against gensim where it is installed."""

from __future__ import annotations

import json
import lzma
from contextlib import nullcontext
from importlib import import_module
from itertools import combinations, islice
from math import inf, log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicwright import LDA
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


def windows_of(docs, size, forgets=False):
    """Every window as a set of words; a document of at most ``size`` words is one window."""
    if size == 0:
        return [set(doc) for doc in docs]
    return [window for doc in docs for window in (forgetful_windows if forgets else exact_windows)(doc, size)]


def exact_windows(doc, size):
    return [set(doc[i : i + size]) for i in range(max(len(doc) - size + 1, 1))]


def forgetful_windows(doc, size):
    """The word that leaves a window is forgotten, even if the window still holds another occurrence of it."""
    windows = [set(doc[:size])]
    for i in range(1, len(doc) - size + 1):
        windows.append((windows[-1] - {doc[i - 1]}) | {doc[i + size - 1]})
    return windows


def slow_coherence(topic, docs, measure, window, epsilon):
    """One topic's coherence, straight from the formulas."""
    windows = windows_of(docs, window, forgets=measure == "c_v")
    n = len(windows)
    if measure in ("umass", "c_v"):
        topic = [word for word in topic if any(word in doc for doc in docs)]
        if len(topic) < 2:
            return nan

    def count(*words):
        return sum(all(word in window for word in words) for window in windows)

    def mimno(earlier, later):
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
    if measure == "mimno":
        return sum(mimno(*pair) for pair in pairs)
    if measure == "umass":
        return sum(log((count(*pair) / n + epsilon) / (count(pair[0]) / n)) for pair in pairs) / len(pairs)
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
@given(docs=documents, window=st.integers(0, 16), forgets=st.booleans())
def test_window_counts_equal_those_of_explicit_windows(docs, window, forgets):
    corpus = corpus_of(docs, [f"w{i}" for i in range(N_WORDS)])
    pairs = np.array(list(combinations(range(N_WORDS), 2)))
    ids = np.arange(N_WORDS, dtype=np.int32)
    counts = MODULE.count_windows(corpus, ids, pairs, window, n_words=N_WORDS, forgets_repeats=forgets)
    windows = windows_of(docs, window, forgets)
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

    texts = [[word if isinstance(word, str) else f"w{word}" for word in doc] for doc in docs]
    dictionary = dictionary_module.Dictionary(texts)
    model = CoherenceModel(
        topics=topics,
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        coherence={"umass": "u_mass", "uci": "c_uci", "npmi": "c_npmi", "c_v": "c_v", "c_v_exact": "c_v"}[measure],
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


@pytest.mark.parametrize("measure", ["uci", "npmi", "c_v_exact"])
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


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(("measure", "window"), [("umass", None), ("c_v", None), ("c_v", 7)])
def test_umass_and_c_v_are_those_of_gensim(measure, window, unknown):
    rng = np.random.default_rng(6)
    docs = random_docs(rng, repeats=True)
    topics = topics_from(docs, rng)
    if unknown:
        topics[0][0], topics[1][4], topics[1][5] = "unicorn", "gryphon", "unicorn"
    options = {} if window is None else {"window_size": window}
    each, mean = gensim_coherence(topics, docs, measure, **options)
    with pytest.warns(UnknownWordsWarning) if unknown else nullcontext():
        got = coherence(topics, corpus_of(docs), measure, window=window, per_topic=True)
    np.testing.assert_allclose(got, each, rtol=1e-9)
    assert np.mean(got) == pytest.approx(mean, abs=1e-9)


def test_umass_and_c_v_are_those_of_gensim_for_a_model_of_texts(data_directory):
    with lzma.open(data_directory / "20newsgroups.jsonl.xz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in islice(file, 150)]
    corpus = Corpus.from_texts(texts, stop_words="english", min_df=3)
    topics = LDA(n_topics=5, n_sweeps=20, random_state=0).fit(corpus).top_words(10)
    docs = [corpus.words(row) for row in range(corpus.n_docs)]
    for measure in ("umass", "c_v"):
        each, _ = gensim_coherence(topics, docs, measure)
        np.testing.assert_allclose(coherence(topics, corpus, measure, per_topic=True), each, atol=1e-9)
    exact = coherence(topics, corpus, "c_v_exact")
    assert exact > coherence(topics, corpus, "c_v") + 0.01  # what repeated words are worth


# ---------------------------------------------------------------------- by hand

DOCS = [[0, 1, 2], [0, 1], [0, 3], [3, 3]]


def test_umass_by_hand():
    # document frequencies 3, 2, 1 and joint 2, 1, 1 for the words 0, 1, 2
    assert coherence([[0, 1, 2]], corpus_of(DOCS), "mimno") == pytest.approx(log(3 / 3) + log(2 / 3) + log(2 / 2))
    assert coherence([[0, 1, 2]], corpus_of(DOCS), "mimno", aggregate="mean") == pytest.approx(log(2 / 3) / 3)
    assert coherence([[1, 3]], corpus_of(DOCS), "mimno", epsilon=1e-12) == pytest.approx(log(1e-12 / 2))
    mean = (log(2 / 3) + log(1 / 3) + log(1 / 2)) / 3
    assert coherence([[0, 1, 2]], corpus_of(DOCS), "umass") == pytest.approx(mean)
    assert coherence([[1, 3]], corpus_of(DOCS), "umass") == pytest.approx(log(4e-12 / 2))


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
    [("mimno", log(1 / 4)), ("uci", log(1e-12)), ("npmi", -1.0), ("c_v_exact", 0.5), ("c_v", nan), ("umass", nan)],
)
def test_unknown_words_get_the_lowest_score_and_a_warning(measure, expected):
    with pytest.warns(UnknownWordsWarning, match="1 of 2 topic words never occur in the corpus: 'unicorn'"):
        assert coherence([["unicorn", "w0"]], corpus_of(DOCS), measure) == pytest.approx(expected, nan_ok=True)


def test_vocabulary_words_that_never_occur_are_unknown():
    corpus = corpus_of(DOCS, ["w0", "w1", "w2", "w3", "unused"])
    with pytest.warns(UnknownWordsWarning, match="'unused'"):
        assert coherence([["w0", "unused"]], corpus) == -1.0


def test_topics_of_unknown_words_only_are_finite_unless_they_are_left_out():
    for measure in MEASURES:
        with pytest.warns(UnknownWordsWarning, match="2 of 2"):
            value = coherence([["unicorn", "gryphon"]], corpus_of(DOCS), measure)
        assert np.isnan(value) == (measure in ("umass", "c_v"))


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
        ([[0, 1]], {"measure": "mimno", "epsilon": inf}, "epsilon .* got inf"),
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
