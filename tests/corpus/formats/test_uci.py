import gzip
import io

import numpy as np
import pytest

from topicwright import Corpus, InputError
from topicwright.corpus import read_corpus

UCI = "3\n2\n3\n1 1 2\n3 2 1\n1 2 1\n"
WORDS = ["apple", "pear"]


def uci(text, words=WORDS):
    return Corpus.from_uci(io.StringIO(text), words)


def test_uci_in_any_order_with_empty_documents():
    corpus = uci(UCI)
    assert [corpus.words(d) for d in range(3)] == [["apple", "apple", "pear"], [], ["pear"]]
    assert uci(UCI.rstrip()).n_docs == uci(f"\ufeff{UCI}").n_docs == 3
    assert uci("0\n0\n0\n", []).n_docs == 0


def test_uci_metadata():
    corpus = Corpus.from_uci(io.StringIO(UCI), WORDS, labels=["a", "b", "c"], targets=[1, 2, 3])
    assert corpus.labels == (("a",), ("b",), ("c",))


def test_uci_finds_companion_files(tmp_path):
    (tmp_path / "fruit.docword.txt.gz").write_bytes(gzip.compress(UCI.encode()))
    with pytest.raises(InputError, match="vocab must be given: there is no file of words next to"):
        Corpus.from_uci(tmp_path / "fruit.docword.txt.gz")
    (tmp_path / "fruit.vocab.txt").write_text("apple\npear\n")
    corpus = Corpus.from_uci(tmp_path / "fruit.docword.txt.gz")
    assert corpus.vocabulary.tolist() == WORDS
    (tmp_path / "fruit.docs.jsonl").write_text('{"id": "a"}\n{"id": "b", "labels": ["x"]}\n{"id": "c"}\n')
    corpus = read_corpus(tmp_path / "fruit.docword.txt.gz")
    assert corpus.ids == ("a", "b", "c")
    assert corpus.labels == ((), ("x",), ())
    (tmp_path / "fruit.docs.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(InputError, match=r"docs.jsonl must have one line per document: got 1, expected 3"):
        read_corpus(tmp_path / "fruit.docword.txt.gz")


def test_counts_are_pruned_and_aligned(tmp_path):
    (tmp_path / "docword.fruit.txt").write_text(UCI)
    (tmp_path / "vocab.fruit.txt").write_text("apple\npear\n")
    path = tmp_path / "docword.fruit.txt"
    assert read_corpus(path, min_df=2, lowercase=True).vocabulary.tolist() == ["pear"]
    assert read_corpus(path, vocabulary=np.array(["sky", "pear"])).tokens.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the number of documents must be a whole number: got b''"),
        ("3\nx\n3\n", "line 2: the number of words must be a whole number"),
        ("3\n2\n-3\n", "line 3: the number of entries must be a whole number"),
        ("99999999999\n2\n3\n", "line 1: the number of documents"),
        ("3\n2\n2\n1 1 1\n", "must have as many entries as its header says: got 1, expected 2"),
        ("3\n3\n1\n1 1 1\n", "vocab must have as many words as the header says: got 2, expected 3"),
        ("3\n2\n1\n4 1 1\n", "entry 1: document must be from 1 to 3: got 4"),
        ("3\n2\n1\n0 1 1\n", "entry 1: document must be from 1 to 3: got 0"),
        ("3\n2\n2\n1 1 1\n1 3 1\n", "entry 2: word must be from 1 to 2: got 3"),
        ("3\n2\n1\n1 1 0\n", "entry 1: count must be from 1 to 2147483647: got 0"),
        ("3\n2\n2\n1 1 1\n1 1\n", "line 5: must be a document, a word and a count: got b'1 1'"),
        ("3\n2\n2\n1 1 1 1\n1 1\n", "line 4: must be a document, a word and a count"),
        ("3\n2\n2\n1 1 1\n1 1 x\n", "line 5: must be whole numbers"),
        ("3\n2\n1\n1 1 99999999999999999999\n", "line 4: numbers must be at most"),
        ("2000000000\n2\n1\n1 1 1\n", "the header must be wrong: 2000000000 documents with 1 entries"),
    ],
)
def test_wrong_uci(text, message):
    with pytest.raises(InputError, match=message):
        uci(text)
