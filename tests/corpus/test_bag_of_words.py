import gzip
import io

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus

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


def test_uci_known_things():
    corpus = Corpus.from_uci(io.StringIO(UCI), WORDS, labels=["a", "b", "c"], targets=[1, 2, 3])
    assert corpus.labels == (("a",), ("b",), ("c",))


def test_uci_finds_its_companions(tmp_path):
    (tmp_path / "fruit.docword.txt.gz").write_bytes(gzip.compress(UCI.encode()))
    with pytest.raises(InputError, match="vocab must be given: there is no file of words beside"):
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


def test_bags_are_pruned_and_aligned(tmp_path):
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


def test_ldac():
    text = "2 0:2 1:1\n0\n1 1:1\n"
    corpus = Corpus.from_ldac(io.StringIO(text), WORDS, labels=["a", "b", "c"])
    assert [corpus.words(d) for d in range(3)] == [["apple", "apple", "pear"], [], ["pear"]]
    assert Corpus.from_ldac(io.StringIO(text)).vocabulary.tolist() == ["x0", "x1"]
    assert Corpus.from_ldac(io.StringIO(text), io.StringIO("apple\npear\nfig\n")).n_words == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 0:1", "line 1: must be a number of pairs and as many word:count"),
        ("1 0:1\n\n", "line 2: must be a number of pairs"),
        ("1 0 1", "line 1: must be a number of pairs"),
        ("1 a:1", "line 1: must be whole numbers"),
        ("1 0:0", "line 1: ids must be from 0 and counts from 1 to 2147483647: got 0:0"),
        ("1 -1:1", "line 1: ids must be from 0"),
        ("1 5:1", r"word ids must be below the size of the vocabulary \(2\): got 5"),
        ("", "a corpus must have at least one document"),
    ],
)
def test_wrong_ldac(text, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_ldac(io.StringIO(text), WORDS)


def test_gensim():
    texts = [["red", "apple", "red"], [], ["pear"]]
    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(words) for words in texts]
    corpus = Corpus.from_gensim(bags, dictionary, labels=["a", "b", "c"])
    assert [sorted(corpus.words(d)) for d in range(3)] == [sorted(words) for words in texts]
    assert corpus.n_words == 3
    matrix = corpus.to_matrix()
    again = Corpus.from_gensim(Sparse2Corpus(matrix.T.tocsc()), dictionary)
    np.testing.assert_array_equal(again.to_matrix().toarray(), matrix.toarray())


def test_gensim_with_plain_words():
    assert Corpus.from_gensim([[(0, 1.0), (2, 2)]]).words(0) == ["x0", "x2", "x2"]
    assert Corpus.from_gensim([[(5, 1)]], {5: "pear", 2: "fig"}).words(0) == ["pear"]
    assert Corpus.from_gensim(iter([[(1, 1)]]), ["fig", "pear"]).words(0) == ["pear"]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("abc", "documents must be lists of"),
        (["abc"], r"document 0 must be a list of \(id, count\): got 'abc'"),
        ([[(0, 1)], [3]], r"document 1 must be a list of \(id, count\)"),
        ([[(0, 0.5)]], "document 0: ids and counts must be whole numbers"),
        ([[(0, -1)]], "document 0: ids must be from 0 and counts from 1"),
        ([[(0, float("nan"))]], r"document 0 must be a list of \(id, count\)"),
        ([[(7, 1)]], "every id must have a word in id2word: got 7"),
        ([], "at least one document"),
    ],
)
def test_wrong_gensim(documents, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_gensim(documents, {0: "apple"})


def test_words_to_ids_are_the_wrong_way_round():
    with pytest.raises(InputError, match="id2word must have a word for each id: got the key 'apple'"):
        Corpus.from_gensim([[(0, 1)]], {"apple": 0})
