import errno
import io
import os
import stat
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicwright import Corpus, InputError
from topicwright.corpus import read_corpus, write_corpus
from topicwright.corpus.formats import counts as sidecars

AS_WRITTEN = {"token_pattern": r"\S+", "lowercase": False}
# A byte order mark at the start of a file is no text, so no word starts with one here.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufeff")
WORD = st.text(CHARACTERS, min_size=1, max_size=5)
NAME = WORD.filter(lambda name: name != "-")


@st.composite
def corpora(draw):
    documents = draw(st.lists(st.lists(WORD, max_size=6), min_size=1, max_size=5))
    n = len(documents) + 1
    return Corpus.from_tokens(
        [*documents, ["last"]],
        ids=draw(st.none() | st.lists(NAME, min_size=n, max_size=n)),
        labels=draw(st.none() | st.lists(st.lists(NAME, max_size=3, unique=True), min_size=n, max_size=n)),
        targets=draw(st.none() | st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=n, max_size=n)),
    )


def words(corpus):
    return [corpus.words(d) for d in range(corpus.n_docs)]


def check_known(again, corpus):
    assert again.ids == corpus.ids
    assert again.labels == corpus.labels
    if corpus.targets is not None and not np.isnan(corpus.targets).all():
        np.testing.assert_array_equal(again.targets, corpus.targets)


@given(corpora())
@settings(max_examples=40)
def test_jsonl_round_trip(tmp_path_factory, corpus):
    path = tmp_path_factory.mktemp("jsonl") / "c.jsonl"
    assert write_corpus(corpus, path) == [path]
    target = None if corpus.targets is None else "target"
    again = read_corpus(path, target=target, **AS_WRITTEN)
    normal = Corpus.from_texts([" ".join(document) for document in words(corpus)], **AS_WRITTEN)
    assert words(again) == words(normal)  # composed accents, where words had others
    check_known(again, corpus)


@given(corpora())
@settings(max_examples=40)
@pytest.mark.parametrize("name", ["c.docword.txt", "c.uci", "c.ldac", "c.ldac.gz"])
def test_counts_round_trip(tmp_path_factory, name, corpus):
    path = tmp_path_factory.mktemp("counts") / name
    write_corpus(corpus, path)
    again = read_corpus(path, target=None if corpus.targets is None else "target")
    assert again.vocabulary.tolist() == corpus.vocabulary.tolist()
    np.testing.assert_array_equal(again.to_matrix().toarray(), corpus.to_matrix().toarray())
    check_known(again, corpus)


@given(corpora())
@settings(max_examples=40)
def test_mallet_round_trip(tmp_path_factory, corpus):
    path = tmp_path_factory.mktemp("mallet") / "c.mallet"
    write_corpus(corpus, path)
    again = Corpus.from_mallet(path, **AS_WRITTEN)
    normal = Corpus.from_texts([" ".join(document) for document in words(corpus)], **AS_WRITTEN)
    assert words(again) == words(normal)
    assert again.ids == (corpus.ids or tuple(map(str, range(corpus.n_docs))))
    assert again.labels == (corpus.labels or ((),) * corpus.n_docs)


@pytest.mark.parametrize("suffix", ["gz", "xz", "bz2", "zst"])
def test_compressed_files(tmp_path, suffix):
    corpus = Corpus.from_texts(["red apple", "green pear"], ids=["a", "b"])
    path = tmp_path / f"c.jsonl.{suffix}"
    write_corpus(corpus, path)
    assert b"apple" not in path.read_bytes()[:6]
    again = read_corpus(path)
    assert words(again) == words(corpus)
    assert again.ids == corpus.ids


def test_ngrams_stay_one_word(tmp_path):
    corpus = Corpus.from_texts(["new york"], ngram_range=(1, 2))
    write_corpus(corpus, tmp_path / "c.jsonl")
    assert words(read_corpus(tmp_path / "c.jsonl", **AS_WRITTEN)) == [["new", "new_york", "york"]]


def test_several_targets_round_trip(tmp_path):
    corpus = Corpus.from_texts(["red", "green"], targets=[[1, 2], [np.nan, 4]])
    write_corpus(corpus, tmp_path / "c.jsonl")
    np.testing.assert_array_equal(read_corpus(tmp_path / "c.jsonl", target="target").targets, corpus.targets)


def test_standard_output(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert write_corpus(Corpus.from_texts(["red apple"]), "-", "jsonl") == []
    assert out.buffer.getvalue() == b'{"text": "red apple"}\n'
    with pytest.raises(InputError, match="format 'uci' needs several files"):
        write_corpus(Corpus.from_texts(["red apple"]), "-", "uci")


def test_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "c.mallet"
    write_corpus(Corpus.from_texts(["red apple"]), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="ids and labels must have no blanks in MALLET's format: got 'two words'"):
        write_corpus(Corpus.from_texts(["red", "pear"], labels=["x", "two words"]), path)
    with pytest.raises(InputError, match="text must be valid Unicode to be written"):
        write_corpus(Corpus.from_tokens([["red", "\ud800"]]), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c.mallet"]


def test_writes_to_pipes_and_through_symlinks(tmp_path):
    corpus = Corpus.from_texts(["red apple"])
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    write_corpus(corpus, tmp_path / "pipe", "jsonl")
    assert os.read(reader, 100) == b'{"text": "red apple"}\n'
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    write_corpus(corpus, tmp_path / "link.jsonl")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text() == '{"text": "red apple"}\n'


def test_companion_files_are_replaced_together(tmp_path, monkeypatch):
    write_corpus(Corpus.from_texts(["red apple"], ids=["a"]), tmp_path / "c.ldac")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def no_more_words(corpus):
        yield "green"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sidecars, "_vocabulary_lines", no_more_words)
    with pytest.raises(InputError, match=r"c\.vocab\.txt: cannot write the file: No space left on device"):
        write_corpus(Corpus.from_texts(["green pear", "blue"], ids=["b", "c"]), tmp_path / "c.ldac")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_files_have_default_permissions(tmp_path):
    write_corpus(Corpus.from_texts(["red apple"]), tmp_path / "c.jsonl")
    (tmp_path / "other").touch()
    assert stat.S_IMODE((tmp_path / "c.jsonl").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("c.csv", None, "format must be one of jsonl, mallet, .*: got 'csv'"),
        ("c", None, "does not tell the format"),
        ("c.jsonl", "xml", "format must be one of jsonl, mallet, .*: got 'xml'"),
        ("no/such/folder/c.jsonl", None, r"c\.jsonl: cannot write the file: the directory .* does not exist"),
    ],
)
def test_rejects_invalid_destinations(tmp_path, name, format, message):
    with pytest.raises(InputError, match=message):
        write_corpus(Corpus.from_texts(["red apple"]), tmp_path / name, format)


def test_rejects_words_that_cannot_be_stored(tmp_path):
    with pytest.raises(InputError, match="words must not be empty nor have line ends"):
        write_corpus(Corpus.from_tokens([["a\nb"]]), tmp_path / "c.ldac")
