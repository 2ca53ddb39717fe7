"""Dates of documents: accepted formats, and errors for invalid dates."""

import io
import json
import pickle
from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicwright import Corpus, InputError
from topicwright.corpus import align, as_corpus, read_corpus, write_corpus
from topicwright.corpus.dates import as_date
from topicwright.errors import TopicwrightWarning

TWO_HOURS = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2019", "2019-01-01"),
        (2019, "2019-01-01"),
        (2019.0, "2019-01-01"),
        (np.int32(2019), "2019-01-01"),
        ("2019-05", "2019-05-01"),
        ("2019-5", "2019-05-01"),
        ("2019-05-03", "2019-05-03"),
        ("2019/05/03", "2019-05-03"),
        ("20190503", "2019-05-03"),
        ("0987", "0987-01-01"),
        ("09870503", "0987-05-03"),
        (20190503, "2019-05-03"),
        (" 2019-05-03T10:00 ", "2019-05-03T10:00"),
        ("2019-05-03 10:00:59.999", "2019-05-03T10:00:59"),
        ("2019-05-03T10:00:00Z", "2019-05-03T10:00"),
        ("2019-05-03t10:00:00+02:00", "2019-05-03T08:00"),
        ("2019-05-03T10:00:00-0530", "2019-05-03T15:30"),
        ("2019-05-03T10:00:00+02", "2019-05-03T08:00"),
        ("Fri, 03 May 2019 10:00:00 +0200", "2019-05-03T08:00"),
        ("3 September 2019", "2019-09-03"),
        ("Fri,  3 May 2019   10:00:00 +0200 (CEST)", "2019-05-03T08:00"),
        ("2019-05-03\t10:00", "2019-05-03T10:00"),
        ("26-FEB-1987 15:01:01.79", "1987-02-26T15:01:01"),
        (1_556_877_600, "2019-05-03T10:00"),
        ("1556877600", "2019-05-03T10:00"),
        ("1556877600.75", "2019-05-03T10:00"),
        (-1_000_000_000.5, "1938-04-24T22:13:19"),
        (-10_000_000, "1969-09-07T06:13:20"),
        (date(2019, 5, 3), "2019-05-03"),
        (datetime(2019, 5, 3, 10), "2019-05-03T10:00"),
        (datetime(2019, 5, 3, 10, tzinfo=TWO_HOURS), "2019-05-03T08:00"),
        (pd.Timestamp("2019-05-03T10:00", tz="Europe/Berlin"), "2019-05-03T08:00"),
        (np.datetime64("2019-05"), "2019-05-01"),
        (np.datetime64(1_556_877_600_123, "ms"), "2019-05-03T10:00"),
        *((missing, "NaT") for missing in (None, "", "  ", float("nan"), pd.NaT, pd.NA, np.datetime64("NaT"))),
    ],
)
def test_date_formats(value, expected):
    moment = as_date(value)
    assert moment.dtype == np.dtype("datetime64[s]")
    assert str(moment) == str(np.datetime64(expected, "s"))


@pytest.mark.parametrize(
    "value",
    [
        *(
            "yesterday",
            "05/03/2019",
            "2019-13",
            "2019-02-30",
            "2019-05-03T25:00",
            "2019-05-03T",
            "31-FEB-1987",
            "3 Mayor 2019",
        ),
        *("0001-01-01T00:00+10:00", "٢٠١٩", "2019-05-03T10:00+99:00", "1e9", True, [2019], {}, b"2019", float("inf")),
        *(20191350, np.datetime64(10**15, "s"), 10**30),
    ],
)
def test_rejects_invalid_dates(value):
    with pytest.raises(InputError, match=r"a date must be like 2019-05-03, .* or Unix seconds: got "):
        as_date(value)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        *(
            (value, "a year has four digits; .* would be in 1970")
            for value in (87, "87", 87.5, 999, -5, 1987.5, 1234567)
        ),
        *((value, "use None for an unknown date") for value in (0, "0", 0.0)),
        *((value, r"a month\? write 2019-05\)") for value in (201905, "201905", 201905.0)),
        (43588, "days of a spreadsheet"),
        ("43588", "days of a spreadsheet"),
    ],
)
def test_rejects_small_numbers_as_timestamps(value, hint):
    with pytest.raises(InputError, match=rf"got '?{value}'? \({hint}"):
        as_date(value)


def test_small_numbers_among_dates_are_reported_with_position():
    with pytest.raises(InputError, match=r"dates: .*got 87 \(a year .*\) at position 1"):
        Corpus.from_texts(["red", "green"], dates=[1986, 87])


def test_rejects_milliseconds():
    with pytest.raises(InputError, match=r"got 1556877600000 \(milliseconds\? divide by 1,000\)"):
        as_date(1_556_877_600_000)


@given(st.datetimes(datetime(1001, 1, 1), datetime(9999, 12, 30)), st.integers(-14 * 60, 14 * 60))
def test_equal_moments_in_different_formats_are_equal(moment, minutes):
    zoned = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=minutes)))
    in_utc = np.datetime64(zoned.astimezone(timezone.utc).replace(tzinfo=None), "s")
    seconds = int(in_utc.astype(np.int64))
    assert as_date(zoned) == as_date(zoned.isoformat()) == as_date(zoned.strftime("%d %b %Y %H:%M:%S %z")) == in_utc
    if abs(seconds) >= 10**8:  # shorter numbers may be years or days
        assert as_date(seconds) == as_date(str(seconds)) == in_utc


@given(st.text(max_size=30) | st.floats() | st.integers() | st.dates() | st.binary())
def test_any_value_is_a_date_or_an_input_error(value):
    try:
        moment = as_date(value)
    except InputError:
        return
    assert np.isnat(moment) or np.datetime64("0001") <= moment < np.datetime64("10000")


def test_dates_of_a_corpus():
    corpus = Corpus.from_texts(["red", "green", "blue"], dates=["2019-05-03", None, 2020])
    assert corpus.dates.astype(str).tolist() == ["2019-05-03T00:00:00", "NaT", "2020-01-01T00:00:00"]
    assert repr(corpus) == "<Corpus: 3 documents, 3 tokens, 3 words, dates (1 missing)>"
    assert corpus.select([2, 1]).dates.astype(str).tolist() == ["2020-01-01T00:00:00", "NaT"]
    assert align(corpus, ["red"]).corpus.dates[0] == corpus.prune(max_words=1).dates[0] == corpus.dates[0]
    assert pickle.loads(pickle.dumps(corpus)).dates[0] == corpus.dates[0]


@pytest.mark.parametrize(
    "dates",
    [
        np.array(["2019-05-03", "NaT"], dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime(["2019-05-03", None])),
        pd.to_datetime(["2019-05-03", None]).tz_localize("UTC"),
        pl.Series([date(2019, 5, 3), None]),
        (value for value in ("2019-05-03", "")),
    ],
    ids=["numpy", "pandas", "zoned", "polars", "generator"],
)
def test_columns_of_dates(dates):
    found = Corpus.from_tokens([["red"], ["green"]], dates=dates).dates
    assert found.astype(str).tolist() == ["2019-05-03T00:00:00", "NaT"]


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        (["2019"], "dates must have one entry per document: got 1, expected 2"),
        ("2019", "dates must be a list with one entry per document: got a single str"),
        (2019, "dates must be a list with one entry per document: got a single int"),
        (["2019", "soon"], "dates: a date must be like .*: got 'soon' at position 1"),
        (np.zeros((2, 2), "datetime64[s]"), r"dates must have one entry per document: got shape \(2, 2\)"),
        (np.array([0, 10**15], "datetime64[s]"), "dates must be of the years 1 to 9999: got 31690708"),
    ],
)
def test_rejects_invalid_dates_of_a_corpus(dates, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(["red", "green"], dates=dates)


RECORDS = [
    {"text": "red", "when": "2019-05-03"},
    {"text": "green", "when": None},
    {"text": "blue", "when": 2020},
    {"text": "grey"},
]
EXPECTED = ["2019-05-03T00:00:00", "NaT", "2020-01-01T00:00:00", "NaT"]


def lines_of(records):
    return io.StringIO("\n".join(map(json.dumps, records)))


def test_dates_in_files(tmp_path):
    assert Corpus.from_jsonl(lines_of(RECORDS), date="when").dates.astype(str).tolist() == EXPECTED
    assert Corpus.from_jsonl(lines_of(RECORDS)).dates is None
    table = "text,when\nred,2019-05-03\ngreen,\nblue,2020\ngrey,\n"
    assert Corpus.from_csv(io.StringIO(table), date="when").dates.astype(str).tolist() == EXPECTED
    file = io.BytesIO()
    moments = [datetime(2019, 5, 3), None, datetime(2020, 1, 1), None]
    pa.parquet.write_table(pa.table({"text": ["red", "green", "blue", "grey"], "when": moments}), file)
    assert Corpus.from_parquet(file, date="when").dates.astype(str).tolist() == EXPECTED
    for frame in (
        pd.DataFrame({"text": ["a1", "b1", "c1", "d1"], "when": moments}),
        pl.DataFrame({"text": ["a"] * 4, "when": moments}),
    ):
        kept = Corpus.from_frame(frame, date="when", token_pattern=".+")
        assert kept.dates.astype(str).tolist() == EXPECTED


def test_invalid_dates_are_reported_by_line_or_skipped():
    records = [RECORDS[0], {"text": "bad", "when": "soon"}, RECORDS[2]]
    with pytest.raises(InputError, match=r"line 2: a date must be like .*: got 'soon'"):
        Corpus.from_jsonl(lines_of(records), date="when")
    with pytest.warns(TopicwrightWarning, match="skipped 1 bad line .* line 2: .*'soon'"):
        assert Corpus.from_jsonl(lines_of(records), date="when", on_error="skip").n_docs == 2
    with pytest.raises(InputError, match=r"frame, row 1: a date must be like .*got 'soon'"):
        Corpus.from_frame(pd.DataFrame(records), date="when")
    with pytest.raises(InputError, match="no record has a field 'day'"):
        Corpus.from_jsonl(lines_of(records), date="day")
    assert read_corpus(lines_of(RECORDS), "jsonl", date="day", optional=["date"]).dates is None


@pytest.mark.parametrize("name", ["t.jsonl", "t.ldac", "docword.t.txt"])
def test_dates_round_trip(tmp_path, name):
    corpus = Corpus.from_texts(["red", "green"], dates=["2019-05-03T10:00", None])
    write_corpus(corpus, tmp_path / name)
    assert read_corpus(tmp_path / name, date="date").dates.astype(str).tolist() == ["2019-05-03T10:00:00", "NaT"]


# ---------------------------------------------------------------------- texts that are kept

TEXTS = ["The RED apple!", "", "Grün & blau"]


def test_texts_are_kept_on_request(tmp_path):
    assert Corpus.from_texts(TEXTS).texts is None
    kept = Corpus.from_texts(iter(TEXTS), keep_texts=True, stop_words="english")
    assert kept.texts == tuple(TEXTS)
    assert repr(kept).endswith("words, texts>")
    assert kept.select([2, 0]).texts == (TEXTS[2], TEXTS[0])
    assert kept.prune(max_words=1).texts == align(kept, ["red"]).corpus.texts == tuple(TEXTS)
    assert Corpus.from_texts(TEXTS, keep_texts=True, vocabulary=["red"]).texts == tuple(TEXTS)
    assert as_corpus(TEXTS, keep_texts=True).texts == tuple(TEXTS)
    assert as_corpus([["red"]], keep_texts=True).texts is None
    records = [{"text": text} for text in TEXTS]
    assert Corpus.from_jsonl(lines_of(records), keep_texts=True).texts == tuple(TEXTS)
    assert Corpus.from_frame(pd.DataFrame(records), keep_texts=True, ngram_range=(1, 2)).texts == tuple(TEXTS)


def test_rejects_invalid_texts():
    counts = io.StringIO("1 0:1")
    with pytest.raises(InputError, match="format 'ldac' holds counts, so it takes no option keep_texts"):
        read_corpus(counts, "ldac", keep_texts=True)
    with pytest.raises(InputError, match="texts must have one entry per document: got 2, expected 1"):
        Corpus(np.array([0]), np.array([0, 1]), ["red"], texts=("a", "b"))
    with pytest.raises(InputError, match="texts must be a list with one entry per document: got a single str"):
        Corpus(np.array([0]), np.array([0, 1]), ["red"], texts="a")
