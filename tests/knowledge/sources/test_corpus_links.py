"""Word vectors from co-occurrence in a corpus, and links from them."""

import json
import lzma
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from topicwright import Corpus
from topicwright.knowledge.sources import corpus_links, links_from_corpus, vectors_from_corpus
from topicwright.knowledge.sources.corpus_links import occurrence_overlap

from ...assertions import raises_input
from ...conftest import THEMES, themed_texts

THEME_OF = {word: theme for theme, words in THEMES.items() for word in words.split()}


@pytest.fixture(scope="module")
def themed():
    return Corpus.from_texts(themed_texts(300))


def pmi_by_definition(corpus, weight):
    """Positive PMI with smoothed contexts, from the weight of each distance."""
    n = corpus.n_words
    counts = np.zeros((n, n))
    for doc in corpus:
        for p, a in enumerate(doc):
            for q, b in enumerate(doc):
                if p != q:
                    counts[a, b] += weight(abs(p - q))
    rows, contexts = counts.sum(axis=1), counts.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(counts / np.outer(rows, contexts / contexts.sum()))
    return np.where(counts > 0, np.maximum(pmi, 0), 0)


def pmi_of_documents(corpus):
    weights = np.sqrt(corpus.to_matrix().toarray())
    counts = weights.T @ weights
    contexts = counts.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(counts / np.outer(counts.sum(axis=1), contexts / contexts.sum())), 0)


class TestCounts:
    texts = ("a a b c", "b c b d a", "d e", "e", "c e e d a b")
    corpus = Corpus.from_tokens([text.split() for text in texts])
    ids = np.arange(corpus.n_words)

    @pytest.mark.parametrize("window", [1, 2, 4, 99])
    @pytest.mark.parametrize("block", [2, 1000])
    def test_window(self, monkeypatch, window, block):
        monkeypatch.setattr(corpus_links, "_BLOCK_TOKENS", block)
        table = corpus_links._positive_pmi(corpus_links._count_window(self.corpus, self.ids, self.ids, window))
        expected = pmi_by_definition(self.corpus, lambda d: max(window + 1 - d, 0) / window)
        np.testing.assert_allclose(table.toarray(), expected, atol=1e-5)

    @pytest.mark.parametrize("block", [1, 1000])
    def test_documents(self, monkeypatch, block):
        monkeypatch.setattr(corpus_links, "_BLOCK_CELLS", block)
        table = corpus_links._positive_pmi(corpus_links._count_documents(self.corpus, self.ids, self.ids))
        np.testing.assert_allclose(table.toarray(), pmi_of_documents(self.corpus), atol=1e-5)

    def test_some_rows_and_some_contexts(self):
        rows, contexts = np.array([1, 3]), np.array([0, 2, 4])
        whole = corpus_links._count_documents(self.corpus, self.ids, self.ids)
        part = corpus_links._count_documents(self.corpus, rows, contexts)
        counts = next(whole.blocks).toarray()[np.ix_(rows, contexts)]
        np.testing.assert_allclose(next(part.blocks).toarray(), counts, rtol=1e-6)
        np.testing.assert_allclose(part.row_totals, counts.sum(axis=1), rtol=1e-6)
        np.testing.assert_allclose(part.context_totals, counts.sum(axis=0), rtol=1e-6)


class TestVectors:
    @pytest.mark.parametrize("window", ["auto", None, 3])
    @pytest.mark.parametrize("n_dimensions", [3, 8, 100])
    def test_words_of_a_theme_are_nearest(self, themed, window, n_dimensions):
        vectors = vectors_from_corpus(themed, window=window, n_dimensions=n_dimensions)
        for word, theme in THEME_OF.items():
            assert {THEME_OF[other] for other, _ in vectors.most_similar(word, 7)} == {theme}

    def test_result_is_reproducible(self, themed):
        first, second = (vectors_from_corpus(themed, n_dimensions=5) for _ in range(2))
        np.testing.assert_array_equal(first.matrix, second.matrix)

    def test_the_product_of_the_factors_is_the_table(self):
        """With all dimensions nothing is lost: rows have the scalar products of the matrix root of M M'."""
        corpus = TestCounts.corpus
        matrix = vectors_from_corpus(corpus, window=None, min_count=1).matrix.astype(float)
        table = pmi_of_documents(corpus)
        np.testing.assert_allclose((matrix @ matrix.T) @ (matrix @ matrix.T), table @ table.T, atol=1e-4)

    def test_a_count_matrix_has_no_word_order(self):
        texts = themed_texts(30)
        text = Corpus.from_texts(texts)
        bags = Corpus.from_matrix(text.to_matrix(), text.vocabulary)
        assert not corpus_links._is_unordered(text)
        assert corpus_links._is_unordered(bags)
        np.testing.assert_array_equal(vectors_from_corpus(bags).matrix, vectors_from_corpus(text, window=None).matrix)

    def test_words_can_be_chosen(self, themed):
        vectors = vectors_from_corpus(themed, vocabulary=["wave", "ship", "oven", "absent"])
        assert vectors.words == ("oven", "ship", "wave")
        assert vectors.similarity("ship", "wave") > 0.5 > vectors.similarity("ship", "oven")

    def test_rare_words_have_no_vectors(self):
        corpus = Corpus.from_texts(["red red red green", "red green blue"])
        assert vectors_from_corpus(corpus, min_count=2).words == ("green", "red")

    @pytest.mark.parametrize("documents", [[], [[]], [[0]], [[0, 0]], [[0], [1]], [[0, 1]], [[], [0, 1, 0], []]])
    @pytest.mark.parametrize("window", ["auto", None, 2])
    def test_tiny_corpora(self, documents, window):
        tokens = np.array([word for document in documents for word in document], dtype=np.int32)
        offsets = np.cumsum([0, *map(len, documents)])
        corpus = Corpus(tokens, offsets, ["a", "b"][: tokens.max(initial=-1) + 1])
        vectors = vectors_from_corpus(corpus, min_count=1, window=window)
        assert len(vectors) == corpus.n_words
        assert np.isfinite(vectors.matrix).all()
        assert isinstance(links_from_corpus(corpus, min_count=1, window=window), list)

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [("n_dimensions", 0), ("window", 0), ("window", "wide"), ("min_count", None), ("random_state", -1)],
    )
    def test_invalid_parameters_are_named(self, themed, parameter, value):
        for function in (vectors_from_corpus, links_from_corpus):
            with raises_input(parameter, got=value):
                function(themed, **{parameter: value})
            with raises_input("corpus", got=list):
                function(["a b"])


class TestLinks:
    def test_words_of_one_theme(self, themed):
        links = links_from_corpus(themed, share=1)
        assert len(links) > 10
        assert all(THEME_OF[a] == THEME_OF[b] and a < b for a, b in links)
        assert len(set(links)) == len(links)
        assert max(Counter(word for link in links for word in link).values()) <= 3
        assert links_from_corpus(themed, share=1, most=4) == links[:4]

    def test_words_that_are_spread_evenly_are_left_out(self):
        rng = np.random.default_rng(1)
        texts = [f"{text} {' '.join(rng.choice(['thus', 'also', 'hence', 'see'], 4))}" for text in themed_texts(300)]
        linked = {
            word for link in links_from_corpus(Corpus.from_texts(texts), 0, share=0.8, most=None) for word in link
        }
        assert linked
        assert linked <= set(THEME_OF)

    def test_rare_words_are_left_out(self, themed):
        texts = [*themed_texts(300), *["yacht marina yacht quay marina yacht"] * 5]
        corpus = Corpus.from_texts(texts)
        rare = {"yacht", "marina", "quay"}
        assert not rare & {word for link in links_from_corpus(corpus, 0, share=1, most=None) for word in link}
        found = links_from_corpus(corpus, 0, share=1, most=None, min_docs=5)
        assert ("quay", "yacht") in found

    def test_the_parts_of_a_name_are_left_out(self):
        texts = [text.replace("ship", "monte carlo") for text in themed_texts(300)]
        corpus = Corpus.from_texts(texts)
        counts = corpus.to_matrix().tocsc()
        monte, carlo = (corpus.vocabulary.tolist().index(word) for word in ("monte", "carlo"))
        assert occurrence_overlap(counts, monte, carlo) == 1
        links = links_from_corpus(corpus, 0, share=1, most=None, per_word=None)
        assert ("carlo", "monte") not in links
        assert ("carlo", "wave") in links

    @pytest.mark.parametrize("share", [0, 1.5, "half", float("nan")])
    def test_share(self, themed, share):
        with raises_input("share"):
            links_from_corpus(themed, share=share)


@pytest.mark.data
class TestRealCorpora:
    def test_nips(self, data_directory):
        corpus = Corpus.from_uci(data_directory / "nips_uci.docword.txt.gz")
        links = links_from_corpus(corpus)
        assert len(links) == 100
        assert {("spike", "spikes"), ("excitatory", "inhibitory"), ("descent", "gradient")} <= set(links)
        assert ("carlo", "monte") not in links

    def test_20_newsgroups_in_little_memory(self, data_directory):
        with lzma.open(data_directory / "20newsgroups.jsonl.xz", "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"].split("\n\n", 1)[-1] for line in lines]
        corpus = Corpus.from_texts(texts, stop_words="english", min_df=5)
        tracemalloc.start()
        links = links_from_corpus(corpus)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert {("drive", "drives"), ("christ", "jesus"), ("gun", "guns")} <= set(links)
        assert peak < 1e9
