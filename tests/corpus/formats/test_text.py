import io

import pytest

from topicwright import Corpus, InputError


def test_text_file():
    corpus = Corpus.from_text_file(io.StringIO("red apple\n\ngreen pear\n"))
    assert corpus.doc_lengths().tolist() == [2, 0, 2]
    assert corpus.ids is None
    with pytest.raises(InputError, match="line 1: text must be UTF-8: got byte 0xff"):
        Corpus.from_text_file(io.BytesIO(b"\xff\xfer\x00"))
