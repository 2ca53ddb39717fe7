"""MALLET's files, gensim's model and pyLDAvis's input have the contents of the model."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from topicwright import InputError, MissingExtraError
from topicwright.corpus.corpus import Corpus
from topicwright.io.export import (
    export,
    mallet_doc_topics,
    mallet_state,
    mallet_topic_keys,
    mallet_word_topic_counts,
    to_gensim,
    to_pyldavis,
)

from ..fake_lda import WORDS, FakeLDA, fake_lda

SOLID = ["apple", "new_york", "grass", 'say_"hi",_all', "naïve", "unseen"]


# ---------------------------------------------------------------------- MALLET


def test_topic_keys_list_only_the_words_of_a_topic(model: FakeLDA) -> None:
    keys = io.StringIO()
    mallet_topic_keys(model, keys, n_words=3)
    assert keys.getvalue().splitlines() == [
        "0\t0.1\tapple naïve ",
        '1\t0.11173\tsay_"hi",_all grass new_york ',
        "2\t0.12346\t",
    ]


def test_doc_topics_have_a_row_number_a_name_and_the_shares(model: FakeLDA) -> None:
    table = io.StringIO()
    mallet_doc_topics(model, table)
    rows = [line.split("\t") for line in table.getvalue().splitlines()]
    assert [row[:2] for row in rows] == [["0", "first_doc"], ["1", "_"], ["2", "third"], ["3", "ünï"]]
    np.testing.assert_array_equal(np.array([row[2:] for row in rows], dtype=float), model.doc_topic_)


def test_word_topic_counts_go_from_the_highest_down(model: FakeLDA) -> None:
    table = io.StringIO()
    mallet_word_topic_counts(model, table)
    assert table.getvalue().splitlines() == [
        "0 apple 0:2 1:1",
        "1 new_york 1:1",
        "2 grass 1:1",
        '3 say_"hi",_all 1:2',
        "4 naïve 0:1",
        "5 unseen",
    ]


def test_the_state_holds_every_token_and_its_topic(tmp_path: Path, model: FakeLDA, corpus: Corpus) -> None:
    mallet_state(model, tmp_path / "state.gz")
    with gzip.open(tmp_path / "state.gz", "rt", encoding="utf-8") as file:
        header, alpha, beta, *lines = file.read().split("\n")[:-1]
    assert header == "#doc source pos typeindex type topic"
    assert alpha.startswith("#alpha : ")
    assert [float(value) for value in alpha.split()[2:]] == model.alpha_.tolist()
    assert beta == "#beta : 0.1"
    fields = [line.split(" ") for line in lines]
    assert {len(row) for row in fields} == {6}
    docs, sources, positions, words, types, topics = zip(*fields)
    assert list(map(int, docs)) == np.repeat(np.arange(4), corpus.doc_lengths()).tolist()
    assert set(sources) == {"first_doc", "third", "ünï"}
    assert list(map(int, positions)) == [0, 1, 2, 0, 1, 2, 0, 1]
    assert list(map(int, words)) == corpus.tokens.tolist()
    assert list(types) == [SOLID[word] for word in corpus.tokens]
    assert model.assignments_ is not None
    assert list(map(int, topics)) == model.assignments_.tolist()


def test_state_is_gzip_for_bytes_and_plain_for_text(tmp_path: Path, model: FakeLDA) -> None:
    text, binary = io.StringIO(), io.BytesIO()
    for target in (text, binary, tmp_path / "state.gz"):
        export(model, target, "mallet-state")
    assert gzip.decompress(binary.getvalue()).decode() == text.getvalue()
    assert binary.getvalue() == (tmp_path / "state.gz").read_bytes()  # no time, no name: the same bytes again


def test_the_state_of_documents_without_names_and_with_a_beta_for_each_word(corpus: Corpus) -> None:
    nameless = Corpus(corpus.tokens, corpus.offsets, corpus.vocabulary)
    state = io.StringIO()
    mallet_state(fake_lda(nameless, [0] * 8, 1, beta_=np.array([0.1, 0.3] * 3)), state)
    assert state.getvalue().splitlines()[2:4] == ["#beta : 0.19999999999999998", "0 NA 0 0 apple 0"]


def test_the_state_needs_corpus_and_assignments(model: FakeLDA) -> None:
    model.assignments_ = np.zeros(3, dtype=np.uint32)
    with pytest.raises(InputError, match="one topic per token: got 3, expected 8"):
        mallet_state(model, io.StringIO())
    model.assignments_ = None
    with pytest.raises(InputError, match="needs the corpus that the model was fitted to"):
        mallet_state(model, io.StringIO())
    model.corpus_ = None
    with pytest.raises(InputError, match="needs the corpus that the model was fitted to"):
        mallet_state(model, io.StringIO())


# ---------------------------------------------------------------------- gensim


@pytest.mark.parametrize("beta", [0.1, np.linspace(0.05, 0.3, 6)])
def test_gensim_has_the_same_topics(model: FakeLDA, beta: float | np.ndarray) -> None:
    pytest.importorskip("gensim")
    model.beta_ = beta
    lda = to_gensim(model)
    np.testing.assert_allclose(lda.get_topics(), model.topic_word_, rtol=1e-12)
    np.testing.assert_allclose(lda.state.sstats, model.counts, atol=1e-12)
    np.testing.assert_array_equal(lda.alpha, model.alpha_)
    for topic, probabilities in enumerate(model.topic_word_):
        shown = dict(lda.show_topic(topic, topn=6))
        assert shown == pytest.approx(dict(zip(WORDS, probabilities)), rel=1e-12)


def test_gensim_infers_with_them(model: FakeLDA) -> None:
    pytest.importorskip("gensim")
    lda = to_gensim(model)
    shares = dict(lda.get_document_topics(lda.id2word.doc2bow(['say "hi", all'] * 5), minimum_probability=0))
    assert max(shares, key=shares.__getitem__) == 1


def test_gensim_s_dictionary_counts_as_gensim_would(model: FakeLDA, corpus: Corpus) -> None:
    corpora = pytest.importorskip("gensim.corpora")
    got = to_gensim(model).id2word
    wanted = corpora.Dictionary([corpus.words(d) for d in range(4)])
    assert {got[i]: count for i, count in got.dfs.items() if count} == {wanted[i]: c for i, c in wanted.dfs.items()}
    assert {got[i]: count for i, count in got.cfs.items() if count} == {wanted[i]: c for i, c in wanted.cfs.items()}
    assert (got.num_docs, got.num_pos, got.num_nnz) == (wanted.num_docs, wanted.num_pos, wanted.num_nnz)


def test_gensim_needs_no_corpus_and_leaves_the_global_random_state(model: FakeLDA) -> None:
    pytest.importorskip("gensim")
    model.corpus_ = None
    before = str(np.random.get_state())  # noqa: NPY002
    assert to_gensim(model).num_terms == 6
    assert str(np.random.get_state()) == before  # noqa: NPY002


def test_gensim_s_files_are_read_by_gensim(tmp_path: Path, model: FakeLDA) -> None:
    models = pytest.importorskip("gensim.models")
    export(model, tmp_path / "lda", "gensim")
    lda = models.LdaModel.load(str(tmp_path / "lda"))
    np.testing.assert_allclose(lda.get_topics(), model.topic_word_, rtol=1e-12)
    with pytest.raises(InputError, match="several files: expected a path"):
        export(model, io.BytesIO(), "gensim")


def test_gensim_rejects_duplicate_words(corpus: Corpus) -> None:
    pytest.importorskip("gensim")
    twice = Corpus(corpus.tokens, corpus.offsets, np.array(["a", "a", "b", "c", "d", "e"], dtype=object))
    with pytest.raises(InputError, match="every word once"):
        to_gensim(fake_lda(twice, [0] * 8, 1))


def test_missing_gensim_is_reported(model: FakeLDA, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'gensim'.*topicwright\[gensim\]"):
        to_gensim(model)


# ---------------------------------------------------------------------- pyLDAvis


def test_pyldavis_input_is_consistent(model: FakeLDA, corpus: Corpus) -> None:
    data = to_pyldavis(model)
    assert data["topic_term_dists"].shape == (3, 6)
    assert data["doc_topic_dists"].shape == (4, 3)
    np.testing.assert_allclose(data["topic_term_dists"].sum(axis=1), 1)
    np.testing.assert_allclose(data["doc_topic_dists"].sum(axis=1), 1)
    assert data["doc_lengths"].tolist() == [3, 0, 3, 2]
    assert data["vocab"] == WORDS
    assert data["term_frequency"].tolist() == [3, 1, 1, 2, 1, 0]


def test_pyldavis_json_equals_arrays(model: FakeLDA) -> None:
    file = io.StringIO()
    export(model, file, "pyldavis")
    read, wanted = json.loads(file.getvalue()), to_pyldavis(model)
    assert list(read) == list(wanted)
    for key, values in wanted.items():
        np.testing.assert_array_equal(read[key], values)


def test_pyldavis_needs_the_corpus(model: FakeLDA) -> None:
    model.corpus_ = None
    with pytest.raises(InputError, match="an export to pyLDAvis needs the corpus"):
        to_pyldavis(model)
