"""Sizes of real corpora, as documented by their authors. Skipped without the files."""

import pytest

from topicwright.corpus import read_corpus

pytestmark = pytest.mark.data


def test_movie_reviews_have_ratings(data_directory):
    corpus = read_corpus(data_directory / "movie_scale.jsonl.xz", target="rating")
    assert (corpus.n_docs, corpus.n_words, corpus.n_tokens) == (5_006, 41_309, 1_825_143)
    assert corpus.targets.mean() == pytest.approx(0.581, abs=5e-4)


def test_cora(data_directory):
    corpus = read_corpus(data_directory / "cora.docword.txt.gz")
    assert (corpus.n_docs, corpus.n_words, corpus.n_tokens) == (2_410, 2_961, 136_394)
    assert corpus.ids is not None
