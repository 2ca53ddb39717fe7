import io

import pytest

from tests.assertions import raises_input
from topicwright import Corpus, InputError
from topicwright.corpus import iter_documents, read_corpus
from topicwright.errors import TopicwrightWarning

from .records import check_records

CSV = "id,text,labels,rating\na1,red apple,fruit|red,1.5\na2,,,\n\na3,green pear, fruit ,3\n"


def test_csv():
    check_records(Corpus.from_csv(io.StringIO(CSV), target="rating"))
    check_records(Corpus.from_csv(io.StringIO(CSV.replace(",", ";")), target="rating", delimiter=";"))
    check_records(read_corpus(io.StringIO(CSV.replace(",", "\t")), "tsv", target="rating"))


def test_empty_id_means_no_id():
    assert Corpus.from_csv(io.StringIO("id,text\n,red\nb,green\n")).ids == ("line-2", "b")
    assert Corpus.from_csv(io.StringIO("id,text\n,red\n,green\n")).ids is None


def test_csv_reads_long_and_multiline_fields():
    text = '"' + "red apple\n" * 40_000 + '""pear"""'
    corpus = Corpus.from_csv(io.StringIO(f"text\n{text}\ngreen\n"))
    assert corpus.n_tokens == 80_002
    documents = list(iter_documents(io.StringIO(f"text\n{text}\ngreen\n"), "csv"))
    assert [d.line for d in documents] == [2, 40_003]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, r": the file contains no documents$"),
        ("id,body\n1,red", {}, r"no column 'text' \(text='NAME' names another\); its columns are: id, body$"),
        ("text\nred", {"labels": "tag"}, "no column 'tag'; its columns are: text"),
        ("text,text\nred,green", {}, "column 'text' must occur once: got 2"),
        ("text\nred", {"delimiter": "||"}, "delimiter must be one character: got '||'"),
    ],
)
def test_wrong_columns(content, options, message):
    with pytest.raises(InputError, match=message.replace("|", r"\|")):
        Corpus.from_csv(io.StringIO(content), **options)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_is_detected_from_the_first_line(delimiter):
    content = CSV.splitlines()[0].replace(",", delimiter) + f'\n1{delimiter}"red, ripe; apple"{delimiter}x{delimiter}1'
    corpus = Corpus.from_csv(io.StringIO(content))
    assert (corpus.words(0), corpus.labels) == (["red", "ripe", "apple"], (("x",),))
    one = Corpus.from_csv(io.StringIO('"text; all"\nred'), text="text; all")
    assert one.words(0) == ["red"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a4,red", "a row must have 4 fields: got 2"),
        ("a4,red,x,1,more", "a row must have 4 fields: got 5"),
        ('a4,"red"dish,x,1', "malformed CSV"),
        ("a4,red,x,good", "a target must be a finite number: got 'good'"),
    ],
)
def test_invalid_rows_are_reported_or_skipped(row, message):
    lines = CSV.splitlines()
    content = "\n".join([*lines[:2], row, *lines[2:], row])
    with raises_input(where="<StringIO>, line 3", match=f"line 3: .*{message}"):
        Corpus.from_csv(io.StringIO(content), target="rating")
    with pytest.warns(TopicwrightWarning, match="skipped 2 bad lines"):
        check_records(Corpus.from_csv(io.StringIO(content), target="rating", on_error="skip"))


def test_csv_that_is_not_utf8_or_never_closes_a_quote():
    file = io.BytesIO(b"text\nred\ncaf\xe9\ngreen\n")
    with pytest.raises(InputError, match="line 3: text must be UTF-8"):
        Corpus.from_csv(file)
    with pytest.warns(TopicwrightWarning, match="skipped 1 bad line"):
        assert Corpus.from_csv(io.BytesIO(file.getvalue()), on_error="skip").n_docs == 2
    with pytest.raises(InputError, match="line 2: malformed CSV"):
        Corpus.from_csv(io.StringIO('text\n"red\ngreen\n'))


def test_pipe_delimiter(tmp_path):
    (tmp_path / "t.csv").write_text("id|text\na|red, apple\n")
    corpus = read_corpus(tmp_path / "t.csv")
    assert (corpus.ids, corpus.n_tokens) == (("a",), 2)


@pytest.mark.parametrize(("name", "content"), [("t.csv", "text\n"), ("t.txt", ""), ("t.mallet", "\n")])
def test_rejects_file_without_documents(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: the file contains no documents$"):
        read_corpus(tmp_path / name)


def test_error_suggests_a_conversion(tmp_path):
    (tmp_path / "t.csv").write_bytes("text\nred".encode("utf-16"))
    with pytest.raises(InputError, match="iconv -f utf-16 -t utf-8 may convert it"):
        read_corpus(tmp_path / "t.csv")
