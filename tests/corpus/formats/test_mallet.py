import io

import pytest

from topicwright import Corpus, InputError
from topicwright.corpus import write_corpus


def test_mallet():
    lines = "d1 news red apple\nd2\tnews\tgreen  pear\nd3\ta b\tpear\n\nd4\t-\tsky\nd5 news\nd6\t\tsky\n"
    corpus = Corpus.from_mallet(io.StringIO(lines))
    assert corpus.ids == ("d1", "d2", "d3", "d4", "d5", "d6")
    assert corpus.labels == (("news",), ("news",), ("a", "b"), (), ("news",), ())
    assert [corpus.words(d) for d in (0, 1, 4)] == [["red", "apple"], ["green", "pear"], []]
    with pytest.raises(InputError, match="line 2: a line must have an id, a label and a text: got 1 field"):
        Corpus.from_mallet(io.StringIO("d1 news red\nd2\n"))


def test_placeholder_label(tmp_path):
    with pytest.raises(InputError, match="a label can't be called '-' in MALLET's format, where it means no label"):
        write_corpus(Corpus.from_texts(["red"], labels=["-"]), tmp_path / "c.mallet")
    write_corpus(Corpus.from_texts(["red"], labels=[["-", "x"]]), tmp_path / "c.mallet")
    assert Corpus.from_mallet(tmp_path / "c.mallet").labels == (("-", "x"),)
