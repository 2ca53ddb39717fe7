import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus

from tests.assertions import raises_input
from topicwright import Corpus, InputError


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


def test_rejects_inverted_dictionary():
    with raises_input("id2word", got="apple"):
        Corpus.from_gensim([[(0, 1)]], {"apple": 0})
