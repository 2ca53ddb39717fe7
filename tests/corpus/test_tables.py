import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from topicwright import Corpus, InputError
from topicwright.corpus import iter_documents, read_corpus
from topicwright.errors import TopicwrightWarning

from .records import RECORDS, check_records

CSV = "id,text,labels,rating\na1,red apple,fruit|red,1.5\na2,,,\n\na3,green pear, fruit ,3\n"


def test_csv():
    check_records(Corpus.from_csv(io.StringIO(CSV), target="rating"))
    check_records(Corpus.from_csv(io.StringIO(CSV.replace(",", ";")), target="rating", delimiter=";"))
    check_records(read_corpus(io.StringIO(CSV.replace(",", "\t")), "tsv", target="rating"))


def test_an_empty_id_is_no_id():
    assert Corpus.from_csv(io.StringIO("id,text\n,red\nb,green\n")).ids == ("line-2", "b")
    assert Corpus.from_csv(io.StringIO("id,text\n,red\n,green\n")).ids is None


def test_csv_has_long_and_many_line_fields():
    text = '"' + "red apple\n" * 40_000 + '""pear"""'
    corpus = Corpus.from_csv(io.StringIO(f"text\n{text}\ngreen\n"))
    assert corpus.n_tokens == 80_002
    documents = list(iter_documents(io.StringIO(f"text\n{text}\ngreen\n"), "csv"))
    assert [d.line for d in documents] == [2, 40_003]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, r": there is no document in it$"),
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
def test_the_first_line_tells_the_delimiter(delimiter):
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
def test_bad_rows_are_named_or_skipped(row, message):
    lines = CSV.splitlines()
    content = "\n".join([*lines[:2], row, *lines[2:], row])
    with pytest.raises(InputError, match=f"line 3: .*{message}"):
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


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(pa.Table.from_pylist(RECORDS), path)
    check_records(Corpus.from_parquet(path, target="rating"))
    check_records(read_corpus(io.BytesIO(path.read_bytes()), "parquet", target="rating"))
    with pytest.raises(InputError, match="no column 'body'; its columns are: id, text, labels, rating"):
        Corpus.from_parquet(path, text="body")
    with pytest.raises(InputError, match=r"data.parquet, row 1: 'rating' must be a string: got float"):
        Corpus.from_parquet(path, text="rating")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"data.parquet is damaged or no Parquet file"):
        Corpus.from_parquet(path)


def test_parquet_reads_many_batches():
    file = io.BytesIO()
    pa.parquet.write_table(pa.table({"text": [f"red apple {i}" for i in range(2500)]}), file)
    documents = list(iter_documents(file, "parquet"))
    assert [d.line for d in documents] == list(range(1, 2501))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    table = frame(RECORDS)
    check_records(Corpus.from_frame(table, labels="labels", target="rating", id="id"))
    assert Corpus.from_frame(table).labels is None
    strings = frame({"text": ["red", "green"], "tags": ["a;b", None]})
    assert Corpus.from_frame(strings, labels="tags", label_separator=";").labels == (("a", "b"), ())


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"text": ["red", "green"], "y": [[1, 2], [3, 4]]}),
        pd.DataFrame({"text": ["red", "green"], "y": [np.array([1, 2]), np.array([3, 4])]}),
        pl.DataFrame({"text": ["red", "green"], "y": [[1, 2], [3, 4]]}),
    ],
    ids=["lists", "arrays", "polars"],
)
def test_frames_with_several_targets(frame):
    assert Corpus.from_frame(frame, target="y").targets.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="frame, row 0: an id must be a string or a number"):
        Corpus.from_frame(frame, id="y")


def test_bars_between_columns(tmp_path):
    (tmp_path / "t.csv").write_text("id|text\na|red, apple\n")
    corpus = read_corpus(tmp_path / "t.csv")
    assert (corpus.ids, corpus.n_tokens) == (("a",), 2)


@pytest.mark.parametrize(("name", "content"), [("t.csv", "text\n"), ("t.txt", ""), ("t.mallet", "\n")])
def test_a_file_without_a_document_is_named(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: there is no document in it$"):
        read_corpus(tmp_path / name)


def test_what_may_convert_a_file_is_told(tmp_path):
    (tmp_path / "t.csv").write_bytes("text\nred".encode("utf-16"))
    with pytest.raises(InputError, match="iconv -f utf-16 -t utf-8 may convert it"):
        read_corpus(tmp_path / "t.csv")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_wrong_frames(frame):
    with pytest.raises(
        InputError, match=r"frame: no column 'text' \(text='NAME' names another\); its columns are: body$"
    ):
        Corpus.from_frame(frame({"body": ["red"]}))
    with pytest.raises(InputError, match="frame: no column 'labels'"):
        Corpus.from_frame(frame({"text": ["red"]}), labels="labels")
    with pytest.raises(InputError, match="frame, row 1: 'text' must be a string: got nothing"):
        Corpus.from_frame(frame({"text": ["red", None]}))
    with pytest.warns(TopicwrightWarning, match="skipped 1 bad row of frame"):
        assert Corpus.from_frame(frame({"text": ["red", None]}), on_error="skip").n_docs == 1
    with pytest.raises(InputError, match="frame must be a pandas or polars frame: got list"):
        Corpus.from_frame(["red"])


def test_missing_texts_are_told_with_what_helps():
    frame = pd.DataFrame({"body": ["red", float("nan")]})
    told = r"frame, row 1: 'body' must be a string: got nothing; frame.fillna\({'body': ''}\) makes it an empty text "
    with pytest.raises(InputError, match=told + r"\(.*: on_error='skip', or frame.dropna\(subset=\['body'\]\)\)"):
        Corpus.from_frame(frame, "body")
    assert Corpus.from_frame(frame.fillna({"body": ""}), "body").n_docs == 2  # as it says
    assert Corpus.from_frame(frame.dropna(subset=["body"]), "body").n_docs == 1
    with pytest.raises(InputError, match=r"got nan at position 1 .*texts.fillna\(''\) or texts.dropna\(\)"):
        Corpus.from_texts(frame["body"])
    frame = pl.DataFrame({"body": ["red", None]})
    with pytest.raises(
        InputError, match=r"with_columns\(pl.col\('body'\).fill_null\(''\)\).* frame.drop_nulls\('body'\)\)"
    ):
        Corpus.from_frame(frame, "body")
    assert Corpus.from_frame(frame.with_columns(pl.col("body").fill_null("")), "body").n_docs == 2
    assert Corpus.from_frame(frame.drop_nulls("body"), "body").n_docs == 1


def test_an_index_with_names_gives_ids():
    frame = pd.DataFrame({"text": ["red", "green", "blue"], "key": ["x", "y", "z"]}, index=["a", "b", "c"])
    assert Corpus.from_frame(frame).ids == ("a", "b", "c")
    assert Corpus.from_frame(frame, id="key").ids == ("x", "y", "z")
    assert Corpus.from_frame(frame.set_index("key")).ids == ("x", "y", "z")
    counted = frame.reset_index(drop=True)
    assert Corpus.from_frame(counted).ids is None
    assert Corpus.from_frame(counted[counted["text"] != "green"]).ids == ("0", "2")  # where they stood before
    assert Corpus.from_frame(counted.set_index(pd.Index([0, 1, 2]))).ids is None
    assert Corpus.from_frame(pd.concat([counted, counted])).ids is None  # names twice are none
    assert Corpus.from_frame(frame.set_index(["key", frame.index])).ids is None


def test_ids_of_an_index_stay_beside_their_rows():
    frame = pd.DataFrame({"text": ["red", None, "blue"]}, index=["a", "b", "c"])
    with pytest.warns(TopicwrightWarning, match="skipped 1"):
        corpus = Corpus.from_frame(frame, on_error="skip")
    assert corpus.ids == ("a", "c")
