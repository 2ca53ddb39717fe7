import io
import json

import numpy as np
import pytest

from tests.assertions import raises_input
from topicwright import Corpus, InputError
from topicwright.corpus import Document, iter_documents, read_corpus
from topicwright.errors import TopicwrightWarning

from .records import RECORDS, check_records


def jsonl(*records):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return io.StringIO("\n".join(lines))


def test_jsonl():
    check_records(Corpus.from_jsonl(jsonl(*RECORDS), target="rating"))


def test_jsonl_uses_tokenizer_options():
    corpus = Corpus.from_jsonl(jsonl(*RECORDS), stop_words=["red"], vocabulary=["pear", "apple"])
    assert corpus.tokens.tolist() == [1, 0]


def test_labels_and_ids_may_be_missing_under_their_default_names():
    corpus = Corpus.from_jsonl(jsonl({"text": "red"}, "", {"text": "green"}))
    assert corpus.n_docs == 2
    assert corpus.labels is None
    assert corpus.ids is None
    partly = Corpus.from_jsonl(jsonl({"text": "red", "id": 7, "labels": "x"}, {"text": "green"}))
    assert partly.ids == ("7", "line-2")
    assert partly.labels == (("x",), ())


def test_none_leaves_fields_unread():
    corpus = Corpus.from_jsonl(jsonl(*RECORDS), labels=None, id=None)
    assert corpus.labels is None
    assert corpus.ids is None


@pytest.mark.parametrize("name", ["labels", "target", "id"])
def test_rejects_custom_field_that_never_occurs(name):
    with pytest.raises(InputError, match="no record has a field 'tag'; its fields are: id, text, labels, rating"):
        Corpus.from_jsonl(jsonl(*RECORDS), **{name: "tag"})


def test_rejects_file_without_documents():
    for nothing in (jsonl(), jsonl("")):
        with pytest.raises(InputError, match=r"the file contains no documents$"):
            Corpus.from_jsonl(nothing)


def test_optional_fields_may_be_missing(tmp_path):
    names = {"labels": "tag", "target": "stars", "optional": ("labels", "target")}
    (tmp_path / "t.csv").write_text("text,tag\nred,x|y\n")
    (tmp_path / "t.txt").write_text("red\n")
    (tmp_path / "t.ldac").write_text("1 0:2\n")
    (tmp_path / "t.docs.jsonl").write_text('{"stars": 3}\n')
    assert read_corpus(jsonl({"text": "red"}), "jsonl", **names).labels is None
    assert read_corpus(tmp_path / "t.csv", **names).labels == (("x", "y"),)
    assert read_corpus(tmp_path / "t.txt", **names).n_docs == 1
    assert read_corpus(tmp_path / "t.ldac", **names).targets.tolist() == [3.0]
    with pytest.raises(InputError, match="no column 'stars'"):
        read_corpus(tmp_path / "t.csv", **{**names, "optional": ("labels",)})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "red"', "malformed JSON"),
        ("[" * 100_000, "malformed JSON"),
        ("1" * 5000, "malformed JSON|JSON object"),
        ("null", "a line must be a JSON object: got NoneType"),
        ('["red"]', "a line must be a JSON object: got list"),
        (
            {"body": "red"},
            r"no field 'text' \(text='NAME' names another\); its fields are: body "
            r"\(to leave such lines out: on_error='skip'\)",
        ),
        ("[", r"an array can't be read, only one object a line: jq -c '\.\[\]' makes such lines"),
        ({"text": None}, "'text' must be a string: got nothing"),
        ({"text": ["red", "apple"]}, "'text' must be a string: got list"),
        ({"text": {"a": "red"}}, "'text' must be a string: got dict"),
        ({"text": 3}, "'text' must be a string: got int"),
        ({"text": "red", "labels": {"a": 1}}, "labels must be a string or a list of strings: got dict"),
        ({"text": "red", "labels": [["a"]]}, "a label must be a string or a number: got list"),
        ({"text": "red", "id": ["a"]}, "an id must be a string or a number: got list"),
        ({"text": "red", "rating": "good"}, "a target must be a finite number: got 'good'"),
        ({"text": "red", "rating": float("inf")}, "a target must be a finite number: got inf"),
        ({"text": "red", "rating": {"a": 1}}, "a target must be a finite number"),
    ],
)
def test_invalid_lines_are_reported_or_skipped(line, message):
    lines = [RECORDS[0], line, *RECORDS[1:], line]
    with raises_input(where="<StringIO>, line 2", match=f"<StringIO>, line 2: .*({message})"):
        Corpus.from_jsonl(jsonl(*lines), target="rating")
    with pytest.warns(TopicwrightWarning, match=r"skipped 2 bad lines of <StringIO>; the first: .*line 2"):
        check_records(Corpus.from_jsonl(jsonl(*lines), target="rating", on_error="skip"))


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'{"text": "red"}\n{"text": "caf\xe9"}\n')
    with pytest.raises(InputError, match=r"data.jsonl, line 2: text must be UTF-8: got byte 0xe9"):
        Corpus.from_jsonl(path)
    with pytest.warns(TopicwrightWarning, match="skipped 1 bad line of"):
        assert Corpus.from_jsonl(path, on_error="skip").n_docs == 1


def test_on_error_is_validated_before_the_file_is_opened():
    with raises_input("on_error", got="ignore"):
        iter_documents("nowhere.jsonl", on_error="ignore")


def test_only_newlines_end_lines_and_byte_order_marks_are_dropped(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes('\ufeff{"text": "red\u2028apple\\nred"}\r\n{"text": "pear"}\r\n'.encode())
    corpus = Corpus.from_jsonl(path)
    assert corpus.n_docs == 2
    assert corpus.words(0) == ["red", "apple", "red"]


def test_several_targets():
    corpus = Corpus.from_jsonl(jsonl({"text": "red", "y": [1, 2]}, {"text": "pear", "y": [3, None]}), target="y")
    np.testing.assert_array_equal(corpus.targets, [[1, 2], [3, np.nan]])
    corpus = Corpus.from_jsonl(jsonl({"text": "red"}, {"text": "pear", "y": [3, 4]}), target="y")
    np.testing.assert_array_equal(corpus.targets, [[np.nan, np.nan], [3, 4]])
    with pytest.raises(InputError, match="targets must have as many numbers for each document: got 2 and 1"):
        Corpus.from_jsonl(jsonl({"text": "red", "y": [1, 2]}, {"text": "pear", "y": 3}), target="y")


def test_documents_are_read_lazily():
    def endless():
        yield from (b'{"text": "red"}\n' for _ in range(10**12))

    class File(io.RawIOBase):
        lines = endless()

        def readable(self):
            return True

        def readinto(self, buffer):
            line = next(self.lines)
            buffer[: len(line)] = line
            return len(line)

    documents = iter_documents(File(), "jsonl")
    assert next(documents) == Document("red", line=1)
    assert next(documents) == Document("red", line=2)
