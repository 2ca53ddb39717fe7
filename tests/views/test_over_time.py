"""Topics over time, against plain counting; periods that fit the dates; the curves of a page and of a plot."""

from __future__ import annotations

import json
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import InputError
from topicwright.views import report_page, topics_over_time
from topicwright.views.over_time import _MOST_PERIODS, UNITS, choose_unit

from ..assertions import raises_input
from ..conftest import themed_texts
from .conftest import drawn, without_documents
from .report.test_page import data_of, read

DAYS = [date(2019, 1, 1) + timedelta(days=int(day)) for day in np.random.default_rng(0).integers(0, 700, 57)]


@pytest.fixture(scope="module")
def dated():
    """Two years of documents, three of which have no date."""
    corpus = tw.Corpus.from_texts(themed_texts(60), dates=[*DAYS, None, None, None])
    return tw.LDA(n_topics=5, n_sweeps=30).fit(corpus)


def counted(model, unit):
    """Tokens of each topic by the first letters of their documents' dates."""
    counts = {}
    for row, moment in enumerate(model.corpus_.dates):
        if not np.isnat(moment):
            start, end = model.corpus_.offsets[row : row + 2]
            name = str(moment)[: {"year": 4, "month": 7, "day": 10}[unit]]
            counts.setdefault(name, np.zeros(5))[:] += np.bincount(model.assignments_[start:end], minlength=5)
    return counts


@pytest.mark.parametrize("unit", ["year", "month", "day"])
def test_shares_are_token_fractions(dated, unit):
    found = topics_over_time(dated, period=unit)
    counts = counted(dated, unit)
    assert found.unit == unit
    assert found.n_undated == 3
    for period, shares in zip(found.periods, found.shares):
        own = counts.pop(period.name, np.zeros(5))
        assert period.n_tokens == own.sum()
        np.testing.assert_allclose(shares, own / own.sum() if own.sum() else np.full(5, np.nan))
    assert counts == {}
    assert sum(period.n_docs for period in found.periods) == 57


def test_periods_are_contiguous(dated):
    for unit in UNITS:
        found = topics_over_time(dated, period=unit)
        starts = np.array([period.start for period in found.periods], dtype="datetime64[s]")
        assert starts[0] <= min(dated.corpus_.dates[:57])
        numbers = UNITS[unit].number(starts)
        assert numbers.tolist() == list(range(numbers[0], numbers[0] + len(starts)))
        assert all(period.is_thin == (period.n_docs < 5) for period in found.periods)
    assert [
        str(day.weekday())
        for day in map(date.fromisoformat, [p.start for p in topics_over_time(dated, period="week").periods])
    ] == ["0"] * 100


def test_names_of_periods():
    corpus = tw.Corpus.from_texts(["red"] * 2, dates=["1999-12-31", "2000-04-01"])
    model = tw.LDA(n_topics=1, n_sweeps=1).fit(corpus)
    names = {unit: [period.name for period in topics_over_time(model, period=unit).periods] for unit in UNITS}
    assert names["quarter"] == ["1999 Q4", "2000 Q1", "2000 Q2"]
    assert names["month"][0] == "1999-12"
    assert names["week"][0] == "1999-12-27"
    assert (names["year"], names["decade"], names["century"]) == (
        ["1999", "2000"],
        ["1990s", "2000s"],
        ["1900s", "2000s"],
    )


def test_smoothing_weighs_periods_by_their_tokens(dated):
    plain, smooth = (topics_over_time(dated, period="month", smooth=smooth) for smooth in (False, True))
    tokens = np.array([period.n_tokens for period in plain.periods])
    weights = np.array([1, 2, 3, 2, 1])[:, None] * tokens[8:13, None]
    np.testing.assert_allclose(
        smooth.shares[10], (weights * np.nan_to_num(plain.shares[8:13])).sum(axis=0) / weights.sum()
    )
    np.testing.assert_allclose(smooth.shares.sum(axis=1), 1)


def test_some_topics_have_the_same_shares(dated):
    some, all_ = topics_over_time(dated, [3, 1], period="year"), topics_over_time(dated, period="year")
    np.testing.assert_array_equal(some.shares, all_.shares[:, [3, 1]])
    assert some.of_topic(1) == all_.shares[:, 1].tolist()
    spread = np.sqrt(
        np.average(
            (all_.shares - np.average(all_.shares, axis=0, weights=[p.n_tokens for p in all_.periods])) ** 2,
            axis=0,
            weights=[p.n_tokens for p in all_.periods],
        )
    )
    np.testing.assert_allclose(all_.changes(), spread)


def test_json_contents(dated):
    found = topics_over_time(dated, [2], period="day")
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (record["unit"], record["undated"], len(record["periods"])) == ("day", 3, len(found.periods))
    assert record["topics"] == [{"topic": 2, "shares": found.of_topic(2)}]
    assert None in record["topics"][0]["shares"]


@pytest.mark.parametrize(
    ("days", "every", "expected"),
    [
        (40, 1, "day"),
        (365, 1, "week"),
        (3 * 365, 1, "month"),
        (12 * 365, 3, "quarter"),
        (50 * 365, 10, "year"),
        (400 * 365, 100, "decade"),
        (1500 * 365, 1000, "century"),
    ],
)
def test_the_period_fits_the_span(days, every, expected):
    dates = np.datetime64("1502-01-01", "s") + np.arange(0, days, every).astype("timedelta64[D]")
    assert choose_unit(np.repeat(dates, 5), 5).name == expected


def test_year_only_dates_use_yearly_periods():
    dates = np.array(["2014", "2015", "2016", "2018"] * 10, dtype="datetime64[Y]").astype("datetime64[s]")
    assert choose_unit(dates, 5).name == "year"


def test_few_documents_get_longer_periods():
    dates = np.datetime64("2019-01-01", "s") + np.arange(60).astype("timedelta64[D]")
    assert choose_unit(np.repeat(dates, 2), 5).name == "week"


@given(st.lists(st.integers(-62_135_596_800, 253_402_300_799), min_size=1, max_size=30), st.integers(1, 10))
def test_distant_dates(seconds, few):
    dates = np.array(seconds, dtype="datetime64[s]")
    unit = choose_unit(dates, few)
    numbers = unit.number(dates)
    assert np.ptp(numbers) < max(_MOST_PERIODS, 100)  # a hundred centuries
    for moment, number in zip(dates, numbers.tolist()):
        assert unit.start(number) <= moment < unit.start(number + 1)


@pytest.mark.parametrize(
    ("parameter", "value"), [("topics", "sea"), ("topics", 1), ("period", "hour"), ("min_docs", 0)]
)
def test_invalid_parameters(dated, parameter, value):
    with raises_input(parameter, got=value):
        topics_over_time(dated, **{parameter: value})


def test_an_unknown_topic(dated):
    with raises_input("topic", got=5):
        topics_over_time(dated, [5])


def test_deprecated_name_of_min_docs(dated):
    with pytest.warns(DeprecationWarning, match="min_docs="):
        assert topics_over_time(dated, few=3).periods == topics_over_time(dated, min_docs=3).periods


def test_topics_are_asked_for_by_name():
    corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 5, dates=[2010, 2011] * 5)
    seeds = tw.SeedWords({"sea": ["ship"], "kitchen": ["bread"]})
    model = tw.LDA(n_topics=3, knowledge=[seeds], n_sweeps=10).fit(corpus)
    found, same = topics_over_time(model, ["kitchen", "sea"]), topics_over_time(model, [1, 0])
    assert found.topics.tolist() == [1, 0]
    np.testing.assert_array_equal(found.shares, same.shares)
    assert len(model.plot_topics_over_time(["kitchen", 0]).axes) == 2


def test_rejects_models_without_dates(lda, dated, tmp_path):
    with pytest.raises(InputError, match=r"and these have none: .* dates=… \(date=… in from_frame.*--date-field"):
        topics_over_time(lda)
    with pytest.raises(InputError, match="needs the training documents"):
        topics_over_time(without_documents(dated, tmp_path))
    old = tw.LDA(n_topics=1, n_sweeps=1).fit(tw.Corpus.from_texts(["red"] * 2, dates=["0001", "9999"]))
    with raises_input("period", got="day", match="gives 3,65"):
        topics_over_time(old, period="day")


# ---------------------------------------------------------------------- page and plot


def test_the_page_has_curves_where_there_are_dates(dated, lda):
    page = report_page(dated)
    assert "3 documents have no date." in page
    curves = [
        dict(attributes)
        for tag, attributes in read(page).tags
        if tag == "a" and dict(attributes).get("class") == "time"
    ]
    order = np.argsort(-topics_over_time(dated, smooth=True).changes(), kind="stable").tolist()
    assert [int(curve["data-topic"]) for curve in curves] == order
    found = topics_over_time(dated, smooth=True)
    for topic in data_of(page)["topics"]:
        line = [tuple(map(float, point.split())) for point in topic["time"]["line"].replace("M", "L").split("L")[1:]]
        shares = found.of_topic(topic["topic"])
        assert [x for x, _ in line] == pytest.approx(np.linspace(0, 200, len(shares)), abs=0.06)
        assert [y for _, y in line] == pytest.approx([48 - 44 * share / max(shares) for share in shares], abs=0.06)
    assert 'id="time"' not in report_page(lda)
    assert "Topics over time" not in report_page(lda)


def test_peak_ignores_sparse_periods():
    corpus = tw.Corpus.from_texts(["sea"] + ["sea oven"] * 90, dates=[2000, *[2000 + n % 9 + 1 for n in range(90)]])
    model = tw.LDA(n_topics=1, n_sweeps=1).fit(corpus)
    [topic] = data_of(report_page(model))["topics"]
    assert topic["time"]["peak"] == "highest in 2001: 100 %"
    assert topic["time"]["line"].count("L") == 9
    assert topic["time"]["solid"].startswith("M22.2 ")


def test_periods_of_documents_without_words_have_no_curve():
    """All words of 2000 were left out, and of other years there are few documents."""
    dates = [*[2000] * 10, *range(2010, 2021)]
    corpus = tw.Corpus.from_texts([""] * 10 + ["sea oven"] * 11, dates=dates)
    [topic] = data_of(report_page(tw.LDA(n_topics=1, n_sweeps=1).fit(corpus)))["topics"]
    assert topic["time"]["peak"] == "highest in 2008: 100 %"
    assert topic["time"]["solid"] == ""
    assert "nan" not in topic["time"]["line"]


def test_no_curves_without_dated_words():
    corpus = tw.Corpus.from_texts(["", "", "sea oven"], dates=[2000, 2020, None])
    model = tw.LDA(n_topics=1, n_sweeps=1).fit(corpus)
    assert "Topics over time" not in report_page(model)
    assert topics_over_time(model).changes().tolist() == [0.0]


def test_one_period_makes_no_curve():
    model = tw.LDA(n_topics=1, n_sweeps=1).fit(tw.Corpus.from_texts(["red"] * 9, dates=[2019] * 9))
    assert "Topics over time" not in report_page(model)


def test_the_plot(dated):
    pytest.importorskip("matplotlib")
    figure = dated.plot_topics_over_time(n=4, period="month")
    png, svg = drawn(figure)
    assert png.startswith(b"\x89PNG")
    assert "<svg" in svg
    found = topics_over_time(dated, period="month", smooth=True)
    best = np.argsort(-found.changes(), kind="stable")[:4]
    assert [axes.get_title(loc="left").split()[0] for axes in figure.axes] == list(map(str, best))
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), found.shares[:, best[0]])
    assert len(dated.plot_topics_over_time([1]).axes) == 1


@pytest.mark.parametrize("dates", [["2019"] * 5, ["0001", "9999"] * 5, ["0001-01-01", "0001-03-01"] * 5])
def test_dates_at_the_ends_of_time_can_be_drawn(dates):
    pytest.importorskip("matplotlib")
    corpus = tw.Corpus.from_texts(["red"] * len(dates), dates=dates)
    model = tw.LDA(n_topics=1, n_sweeps=1).fit(corpus)
    drawn(model.plot_topics_over_time())
    with raises_input("topics", got=[]):
        model.plot_topics_over_time([])
