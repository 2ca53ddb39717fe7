import io

import pytest

from topicwright import Corpus, InputError

WORDS = ["apple", "pear"]


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
