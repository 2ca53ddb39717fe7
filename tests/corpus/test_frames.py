from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from topicwright import Corpus, InputError
from topicwright.errors import TopicwrightWarning

from .formats.records import RECORDS, check_records


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


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rejects_invalid_frames(frame):
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


def test_missing_texts_error_suggests_a_fix():
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


def test_named_index_becomes_ids():
    frame = pd.DataFrame({"text": ["red", "green", "blue"], "key": ["x", "y", "z"]}, index=["a", "b", "c"])
    assert Corpus.from_frame(frame).ids == ("a", "b", "c")
    assert Corpus.from_frame(frame, id="key").ids == ("x", "y", "z")
    assert Corpus.from_frame(frame.set_index("key")).ids == ("x", "y", "z")
    counted = frame.reset_index(drop=True)
    assert Corpus.from_frame(counted).ids is None
    assert Corpus.from_frame(counted[counted["text"] != "green"]).ids == ("0", "2")  # where they stood before
    assert Corpus.from_frame(counted.set_index(pd.Index([0, 1, 2]))).ids is None
    assert Corpus.from_frame(pd.concat([counted, counted])).ids is None  # duplicate names are dropped
    assert Corpus.from_frame(frame.set_index(["key", frame.index])).ids is None


def test_ids_stay_aligned_with_rows():
    frame = pd.DataFrame({"text": ["red", None, "blue"]}, index=["a", "b", "c"])
    with pytest.warns(TopicwrightWarning, match="skipped 1"):
        corpus = Corpus.from_frame(frame, on_error="skip")
    assert corpus.ids == ("a", "c")


FURTHER = {
    "text": ["red apple", None, "green pear"],
    "party": ["left", "right", None],
    "age": [31, 40, 52],
    "score": [0.5, 1.0, None],
    "member": [True, False, True],
    "seen": [datetime(2020, 1, 2, 3), datetime(2021, 1, 1), None],
}
KEPT = {
    "party": ["left", None],
    "age": [31, 52],
    "score": [0.5, pytest.approx(np.nan, nan_ok=True)],
    "member": [True, True],
    "seen": [datetime(2020, 1, 2, 3), None],
}


def kept(corpus):
    return {name: column.tolist() for name, column in corpus.metadata.items()}


@pytest.mark.filterwarnings("ignore:skipped")
@pytest.mark.parametrize("is_stored", [False, True])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_further_columns_are_metadata(frame, is_stored, tmp_path):
    options = {"store": tmp_path / "c"} if is_stored else {}
    corpus = Corpus.from_frame(frame(FURTHER), on_error="skip", **options)
    assert kept(corpus) == KEPT
    assert [column.dtype.kind for column in corpus.metadata.values()] == list("Oifb" + "M")
    assert "metadata: party, age, score, member, seen" in repr(corpus)
    assert kept(corpus.select([1])) == {name: values[1:] for name, values in KEPT.items()}
    assert kept(corpus.prune(stop_words=["red"])) == KEPT
    corpus.store(tmp_path / "again")
    assert kept(Corpus.open(tmp_path / "again")) == KEPT


def test_metadata_may_be_chosen():
    table = pd.DataFrame(FURTHER).dropna(subset=["text"])
    assert list(Corpus.from_frame(table, metadata=["age"]).metadata) == ["age"]
    assert Corpus.from_frame(table, metadata=[]).metadata is None
    with pytest.raises(InputError, match=r"metadata must be names of columns \(text, party.*: got 'sex'"):
        Corpus.from_frame(table, metadata=["sex"])
    again = Corpus.from_texts(table["text"], metadata=table[["party", "age"]])
    assert kept(again) == {name: KEPT[name] for name in ("party", "age")}
    with pytest.raises(InputError, match="metadata must have one entry per document: 'age' has 1, expected 2"):
        Corpus.from_texts(["red", "green"], metadata={"age": [1]})
    with pytest.raises(InputError, match="metadata must be a mapping of names to columns, or a data frame: got list"):
        Corpus.from_texts(["red", "green"], metadata=[1, 2])
