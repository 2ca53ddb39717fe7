"""Dates and texts on the command line: read by fit, stored in the model file, shown by topics."""

import json

import pytest

import topicwright as tw
from topicwright.views import topics_over_time

from ..conftest import themed_texts


@pytest.fixture
def dated(invoke, tmp_path):
    records = [{"text": text.upper(), "when": 2000 + n % 12} for n, text in enumerate(themed_texts(60))]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    done = invoke("fit", "t.jsonl", "-o", "m.tw", "-k", 3, "-n", 10, "--date-field", "when", "--keep-texts", "-q")
    assert done == (0, "", "")
    return tw.load(tmp_path / "m.tw")


def test_model_file_keeps_dates_and_texts(dated):
    assert dated.corpus_.texts == tuple(text.upper() for text in themed_texts(60))
    assert dated.corpus_.dates.astype("datetime64[Y]").astype(str).tolist() == [str(2000 + n % 12) for n in range(60)]


def test_topics_over_time_as_json(invoke, dated):
    assert invoke("topics", "m.tw", "--over-time", "--json").json == topics_over_time(dated).to_dict()
    answer = invoke("topics", "m.tw", "--over-time", "--json", "-t", 2).json
    assert [topic["topic"] for topic in answer["topics"]] == [2]
    assert [period["name"] for period in answer["periods"]] == [str(2000 + n) for n in range(12)]


def test_topics_over_time_in_the_table(invoke, dated):
    plain, timed = (invoke("topics", "m.tw", *more).out.splitlines() for more in ([], ["--over-time"]))
    assert timed[0].split() == ["topic", "2000", "to", "2011", *plain[0].split()[1:]]
    for before, after in zip(plain[1:], timed[1:]):
        curve = set(after) - set(before)
        assert curve
        assert all("\u2800" < dot <= "\u28ff" for dot in curve)


def test_rejects_over_time_without_dates(invoke, model):
    assert "needs documents with dates" in invoke("topics", model, "--over-time").refused()
    expected = "--over-time needs the format table or json: got --format csv"
    assert invoke("topics", model, "--over-time", "-f", "csv").refused() == expected


def test_invalid_date_names_its_line(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "red", "when": 2000}\n{"text": "red", "when": "soon"}\n')
    told = invoke("fit", "t.jsonl", "-o", "m.tw", "--date-field", "when").refused()
    assert told.startswith("t.jsonl, line 2: a date must be like 2019-05-03, ")
    assert told.endswith("got 'soon' (to leave such lines out: --on-error skip)")
    assert "no record has a field 'day'" in invoke("fit", "t.jsonl", "-o", "m.tw", "--date-field", "day").refused()


def test_rejects_texts_without_documents(invoke, documents):
    told = invoke("fit", documents, "-o", "m.tw", "--keep-texts", "--no-corpus").refused()
    assert told == "--keep-texts and --no-corpus contradict each other: pass one of them"


def test_conversion_keeps_dates(invoke, tmp_path):
    (tmp_path / "t.csv").write_text("text,day\nred apple,3 May 2019\ngreen apple,\n")
    out = invoke("convert", "t.csv", "-", "--to", "jsonl", "--date-field", "day").out
    assert [json.loads(line)["date"] for line in out.splitlines()] == ["2019-05-03T00:00:00", None]
