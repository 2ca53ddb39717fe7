import gzip
import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import topicwright
from tests.assertions import raises_input
from topicwright import Corpus, InputError
from topicwright.corpus import read_corpus, write_corpus

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])
WORDS = ["apple", "pear", "sky"]
COORDINATE = "%%MatrixMarket matrix coordinate integer general\n% a comment\n3 3 3\n1 1 2\n1 3 1\n3 2 3\n"
ARRAY = "%%MatrixMarket matrix array real general\n3 3\n2\n0\n0\n0\n0\n3.0\n1\n0\n0\n"


def read(text, words=None, **metadata):
    return Corpus.from_matrix_market(io.StringIO(text), words, **metadata)


@pytest.mark.parametrize("text", [COORDINATE, ARRAY, COORDINATE.replace("integer", "real")])
def test_sparse_and_dense_files(text):
    corpus = read(text, WORDS, labels=["a", "b", "c"])
    assert [corpus.words(d) for d in range(3)] == [["apple", "apple", "sky"], [], ["pear"] * 3]
    assert corpus.labels == (("a",), ("b",), ("c",))
    assert read(text).vocabulary.tolist() == ["x0", "x1", "x2"]


def test_patterns_count_once():
    text = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n"
    assert read(text, ["a", "b"]).words(0) == ["b"]


@pytest.mark.parametrize("name", ["counts.mtx", "counts.mtx.gz", "counts.mtx.xz"])
def test_files_round_trip(tmp_path, name):
    corpus = Corpus.from_matrix(COUNTS, WORDS, ids=["x", "y", "z"], labels=[["a"], [], ["a", "b"]])
    paths = write_corpus(corpus, tmp_path / name)
    assert [path.name.split(".")[1] for path in paths] == ["mtx", "vocab", "docs"]
    again = read_corpus(tmp_path / name)
    assert again.vocabulary.tolist() == WORDS
    assert (again.ids, again.labels) == (corpus.ids, corpus.labels)
    np.testing.assert_array_equal(again.to_matrix().toarray(), COUNTS)


def test_files_of_and_for_scipy(tmp_path):
    scipy.io.mmwrite(tmp_path / "s.mtx", sp.coo_array(COUNTS))
    (tmp_path / "s.vocab.txt").write_text("\n".join(WORDS))
    assert Corpus.from_matrix_market(tmp_path / "s.mtx").words(0) == ["apple", "apple", "sky"]
    write_corpus(Corpus.from_matrix(COUNTS), tmp_path / "t.mtx")
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "t.mtx").toarray(), COUNTS)


def test_format_is_detected_by_content(tmp_path):
    (tmp_path / "counts").write_bytes(gzip.compress(COORDINATE.encode()))
    assert read_corpus(tmp_path / "counts").n_tokens == 6


def test_counts_are_pruned():
    assert read_corpus(io.StringIO(COORDINATE), "mtx", vocab=WORDS, stop_words=["sky"]).n_words == 2
    with raises_input("ngram_range"):
        read_corpus(io.StringIO(COORDINATE), "mtx", ngram_range=(1, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a MatrixMarket file must start with"),
        ("1 1 1\n", "line 1: a MatrixMarket file must start with"),
        ("%%MatrixMarket matrix coordinate integer\n", "no MatrixMarket file"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "not complex"),
        ("%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 1\n", "must be 'general'"),
        (COORDINATE.replace("3 3 3\n", "3 3 4\n"), "damaged"),
        (COORDINATE.replace("3 3 3\n", "3 3 999999999999\n"), "damaged or cut short"),
        (COORDINATE.replace("3 3 3\n", "999999999999 3 3\n"), "the header must be wrong"),
        (COORDINATE.replace("3 3 3\n", "3 999999999999 3\n"), "the header must be wrong"),
        (COORDINATE.replace("3 3 3\n", "0 3 0\n"), "at least one document"),
        (COORDINATE.replace("3 2 3", "4 2 3"), "damaged"),
        (COORDINATE.replace("3 2 3", "3 2 -3"), "got -3 in row 2, column 1"),
        (COORDINATE.replace("integer", "real").replace("3 2 3", "3 2 0.5"), "got 0.5 in row 2, column 1"),
        (COORDINATE.replace("3 2 3", "3 2 x"), "damaged"),
        (COORDINATE.replace("3 2 3", "3 2 99999999999999999999"), "damaged"),
    ],
)
def test_wrong_files(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert caught.value.where.startswith("<StringIO>")


def test_rejects_invalid_vocabularies():
    with raises_input("vocab", got=2):
        read(COORDINATE, ["a", "b"])
    with raises_input("vocab", match="transpose"):
        read("%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 1\n", ["a", "b"])


def test_the_command_line_fits_it(tmp_path, monkeypatch):
    from typer.main import get_command

    from topicwright.cli._app import app

    monkeypatch.chdir(tmp_path)
    write_corpus(Corpus.from_texts(["red apple", "green pear"] * 5), "counts.mtx")
    command = ["fit", "counts.mtx", "-o", "m.tw", "-k", "2", "-n", "2", "-q"]
    assert not get_command(app).main(command, standalone_mode=False)
    assert sorted(topicwright.load("m.tw").vocabulary_) == ["apple", "green", "pear", "red"]
