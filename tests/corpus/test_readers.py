import io
import json

import numpy as np
import pytest

from topicwright import Corpus, InputError
from topicwright.corpus import Document, iter_documents, read_corpus
from topicwright.errors import TopicwrightWarning

from .records import RECORDS, check_records


def jsonl(*records):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return io.StringIO("\n".join(lines))


# ---------------------------------------------------------------------- JSONL


def test_jsonl():
    check_records(Corpus.from_jsonl(jsonl(*RECORDS), target="rating"))


def test_jsonl_cuts_as_asked():
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
def test_a_name_of_ones_own_must_occur(name):
    with pytest.raises(InputError, match="no record has a field 'tag'; its fields are: id, text, labels, rating"):
        Corpus.from_jsonl(jsonl(*RECORDS), **{name: "tag"})


def test_a_file_without_documents_is_called_so():
    for nothing in (jsonl(), jsonl("")):
        with pytest.raises(InputError, match=r"there is no document in it$"):
            Corpus.from_jsonl(nothing)


def test_what_is_optional_may_be_missing_under_any_name(tmp_path):
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
def test_bad_lines_are_named_or_skipped(line, message):
    lines = [RECORDS[0], line, *RECORDS[1:], line]
    with pytest.raises(InputError, match=f"<StringIO>, line 2: .*({message})"):
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


def test_on_error_is_checked_at_the_door():
    with pytest.raises(InputError, match="on_error must be 'raise' or 'skip': got 'ignore'"):
        iter_documents("nowhere.jsonl", on_error="ignore")


def test_only_newlines_end_lines_and_a_byte_order_mark_is_no_text(tmp_path):
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


def test_documents_are_a_stream():
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


# ---------------------------------------------------------------------- lines


def test_text_file():
    corpus = Corpus.from_text_file(io.StringIO("red apple\n\ngreen pear\n"))
    assert corpus.doc_lengths().tolist() == [2, 0, 2]
    assert corpus.ids is None
    with pytest.raises(InputError, match="line 1: text must be UTF-8: got byte 0xff"):
        Corpus.from_text_file(io.BytesIO(b"\xff\xfer\x00"))


def test_mallet():
    lines = "d1 news red apple\nd2\tnews\tgreen  pear\nd3\ta b\tpear\n\nd4\t-\tsky\nd5 news\nd6\t\tsky\n"
    corpus = Corpus.from_mallet(io.StringIO(lines))
    assert corpus.ids == ("d1", "d2", "d3", "d4", "d5", "d6")
    assert corpus.labels == (("news",), ("news",), ("a", "b"), (), ("news",), ())
    assert [corpus.words(d) for d in (0, 1, 4)] == [["red", "apple"], ["green", "pear"], []]
    with pytest.raises(InputError, match="line 2: a line must have an id, a label and a text: got 1 field"):
        Corpus.from_mallet(io.StringIO("d1 news red\nd2\n"))


# ---------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"text": "red"}'),
        ("a.NDJSON", '{"text": "red"}'),
        ("a.csv", "text\nred"),
        ("a.tsv", "text\tid\nred\t1"),
        ("a.txt", "red"),
        ("a.mallet", "d1 x red"),
    ],
)
def test_the_suffix_tells_the_format(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    assert read_corpus(path).words(0) == ["red"]
    assert [d.text for d in iter_documents(str(path))] == ["red"]
    with path.open() as file:
        assert read_corpus(file).words(0) == ["red"]


@pytest.mark.parametrize("source", ["data.xyz", "-", "data", io.BytesIO()])
def test_an_unknown_format_lists_the_known_ones(source):
    with pytest.raises(InputError, match=r"format must be one of jsonl, csv, .*ldac: got the name"):
        read_corpus(source)
    with pytest.raises(InputError, match=r"format must be one of jsonl, csv, .*ldac: got 'xml'"):
        read_corpus(source, "xml")


def test_options_that_do_not_fit_the_format():
    with pytest.raises(InputError, match="format 'text' has no named fields: got text, rating"):
        read_corpus(io.StringIO("red"), "text", target="rating")
    with pytest.raises(InputError, match="format 'uci' holds counts, not texts"):
        iter_documents("docword.txt")
    with pytest.raises(InputError, match="format 'ldac' holds counts, so it takes no option ngram_range"):
        read_corpus(io.StringIO("1 0:1"), "ldac", ngram_range=(1, 2))
    with pytest.raises(TypeError, match="unexpected keyword"):
        read_corpus(io.StringIO("red"), "text", unheard_of=1)
