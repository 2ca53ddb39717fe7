"""Topics over time: the share of all tokens that each topic has in each period."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._utils.deprecation import deprecated_keywords
from .._utils.formatting import pluralize
from .._utils.table import Table
from .._utils.validation import check_choice, check_integer
from ..corpus.dates import Dates
from ..errors import InputError
from .format import check_topic, has_documents, require_documents, topic_name

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MIN_DOCS = 5  # of a period that is not thin
_FEWEST_PERIODS, _MOST_PERIODS = 8, 60  # of a chart, if the unit is chosen automatically
_MOST_PERIODS_IN_ALL = 10_000
_KERNEL = np.array([1.0, 2.0, 3.0, 2.0, 1.0])  # weights of the periods around one, for smoothing


class PeriodUnit(NamedTuple):
    """Length of periods: their numbers, the start of each, and its name."""

    name: str
    number: Callable[[Dates], Ints]
    start: Callable[[int], np.datetime64]
    title: Callable[[np.datetime64], str]


def _months(name: str, length: int, title: Callable[[np.datetime64], str]) -> PeriodUnit:
    return PeriodUnit(
        name,
        lambda dates: dates.astype("datetime64[M]").astype(np.int64) // length,
        lambda number: np.datetime64(number * length, "M").astype("datetime64[D]"),
        title,
    )


def _years(name: str, length: int) -> PeriodUnit:
    return PeriodUnit(
        name,
        lambda dates: (dates.astype("datetime64[Y]").astype(np.int64) + 1970) // length,
        lambda number: np.datetime64(number * length - 1970, "Y").astype("datetime64[D]"),
        lambda day: str(day)[:4] + ("s" if length > 1 else ""),
    )


def _days(name: str, length: int, before: int) -> PeriodUnit:
    """Periods of days, of which period 0 starts ``before`` days before 1970."""
    return PeriodUnit(
        name,
        lambda dates: (dates.astype("datetime64[D]").astype(np.int64) + before) // length,
        lambda number: np.datetime64(number * length - before, "D"),
        str,
    )


def _quarter(day: np.datetime64) -> str:
    year, month = str(day)[:4], int(str(day)[5:7])
    return f"{year} Q{(month + 2) // 3}"


UNITS = {
    unit.name: unit
    for unit in (
        _days("day", 1, 0),
        _days("week", 7, 3),  # weeks start on Monday: 1970 began on a Thursday
        _months("month", 1, lambda day: str(day)[:7]),
        _months("quarter", 3, _quarter),
        _years("year", 1),
        _years("decade", 10),
        _years("century", 100),
    )
}


def choose_unit(dates: Dates, min_docs: int) -> PeriodUnit:
    """The unit that gives 8 to 60 periods, of which as many as possible have ``min_docs`` documents.

    If the documents are in fewer than 8 periods of every unit, it is the unit with most periods. Of equal ones it is
    the longest, so that dates that are years are shown by year.
    """
    return max(UNITS.values(), key=lambda unit: _score(unit.number(dates), min_docs, list(UNITS).index(unit.name)))


def _score(numbers: Ints, min_docs: int, length: int) -> tuple[int, bool, int, int, int]:
    n_periods = int(numbers.max() - numbers.min()) + 1
    _, counts = np.unique(numbers, return_counts=True)
    has_enough = len(counts) >= _FEWEST_PERIODS
    n_full = int((counts >= min_docs).sum()) if has_enough else 0
    return -max(_MOST_PERIODS, n_periods), has_enough, n_full, len(counts), length


class Period(NamedTuple):
    """A period, with the number of documents and tokens in it."""

    start: str
    """First day: 2019-04-01."""
    name: str
    """2019, 2019 Q2, 2019-04 or, for days and weeks, 2019-04-01."""
    n_docs: int
    n_tokens: int
    is_thin: bool
    """Whether it has too few documents for reliable shares."""


class PeriodShare(NamedTuple):
    """Share of a topic in the tokens of a period; None if the period has none."""

    start: str
    period: str
    topic: int
    topic_name: str | None
    share: float | None
    n_docs: int
    n_tokens: int
    is_thin: bool


class TopicTrend(NamedTuple):
    """Share of a topic in the tokens of all periods, its standard deviation over periods, and its highest period."""

    topic: int
    name: str | None
    share: float
    deviation: float
    highest: str | None


class TopicsOverTime(NamedTuple):
    """Shares of topics by period: ``shares[p, i]`` is the share of ``topics[i]`` in the tokens of ``periods[p]``.

    Periods follow each other without gaps. A period without tokens has NaN, unless shares are smoothed.
    """

    unit: str
    periods: tuple[Period, ...]
    topics: NDArray[np.int64]
    shares: Floats
    n_undated: int
    """Number of documents without a date, which are not counted."""
    names: tuple[str | None, ...] = ()
    """Name of each of the topics, if topics have names."""

    def of_topic(self, topic: int) -> list[float | None]:
        """Share of a topic in each period; None for periods without tokens."""
        (column,) = np.flatnonzero(self.topics == topic)
        return [_none_if_nan(share) for share in self.shares[:, column].tolist()]

    def changes(self) -> Floats:
        """Standard deviation of the share of each topic over periods, weighted by tokens."""
        weights, mean = self._means()
        return np.asarray(np.sqrt(weights @ (np.nan_to_num(self.shares) - mean) ** 2))

    def _means(self) -> tuple[Floats, Floats]:
        """Share of each period in all tokens, and the mean share of each topic."""
        tokens = np.array([float(period.n_tokens) for period in self.periods])
        weights = tokens / max(tokens.sum(), 1.0)
        return weights, weights @ np.nan_to_num(self.shares)

    def table(self) -> Table[PeriodShare]:
        """One row for each period and topic."""
        rows = [
            PeriodShare(one.start, one.name, topic, name, share, one.n_docs, one.n_tokens, one.is_thin)
            for one, shares in zip(self.periods, self.shares.tolist())
            for topic, name, share in zip(self.topics.tolist(), self._names(), map(_none_if_nan, shares))
        ]
        return Table(rows, self._title(), PeriodShare._fields)

    def to_frame(self) -> Any:
        """A pandas data frame with one row for each period and topic. Needs the extra ``files``."""
        return self.table().to_frame()

    def __repr__(self) -> str:
        return repr(self._trends())

    def _repr_html_(self) -> str:
        return self._trends()._repr_html_()

    def _trends(self) -> Table[TopicTrend]:
        """One row for each topic."""
        _, means = self._means()
        columns = (self.topics.tolist(), self._names(), means.tolist(), self.changes().tolist(), self.shares.T)
        rows = [
            TopicTrend(topic, name, mean, change, self._highest(shares))
            for topic, name, mean, change, shares in zip(*columns)
        ]
        return Table(rows, self._title(), TopicTrend._fields)

    def _highest(self, shares: Floats) -> str | None:
        return None if np.isnan(shares).all() else self.periods[int(np.nanargmax(shares))].name

    def _names(self) -> tuple[str | None, ...]:
        return self.names or (None,) * len(self.topics)

    def _title(self) -> str:
        first, last = self.periods[0].name, self.periods[-1].name
        undated = f"; {pluralize(self.n_undated, 'document')} without a date" if self.n_undated else ""
        return f"topics over time: {pluralize(len(self.periods), self.unit)}, {first} to {last}{undated}"

    def to_dict(self) -> dict[str, Any]:
        """The shares as a dictionary that JSON can hold."""
        return {
            "unit": self.unit,
            "undated": self.n_undated,
            "periods": [
                {
                    "start": one.start,
                    "name": one.name,
                    "documents": one.n_docs,
                    "words": one.n_tokens,
                    "few": one.is_thin,
                }
                for one in self.periods
            ],
            "topics": [{"topic": topic, "shares": self.of_topic(topic)} for topic in self.topics.tolist()],
        }


def _none_if_nan(share: float) -> float | None:
    return None if np.isnan(share) else share


@deprecated_keywords(few="min_docs")
def topics_over_time(
    model: Any,
    topics: Iterable[int | str] | None = None,
    *,
    period: str | None = None,
    smooth: bool = False,
    min_docs: int = MIN_DOCS,
) -> TopicsOverTime:
    """Share of all tokens that topics have in each period.

    Parameters
    ----------
    model : fitted model
        Trained on a corpus with ``dates``.
    topics : list of int or str, optional
        Numbers or names of topics; by default all. Shares are of all tokens in either case.
    period : {"day", "week", "month", "quarter", "year", "decade", "century"}, optional
        Length of periods. By default the one that gives from 8 to 60 periods and leaves few of them thin.
    smooth : bool
        Whether each period is averaged with two on each side, with weights 1, 2, 3, 2, 1 times their tokens.
    min_docs : int
        Periods of fewer documents are marked as thin.

    Returns
    -------
    TopicsOverTime
        Displayed as a table of topics; ``to_frame()`` gives all shares as a data frame.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 5, dates=[2010, 2011] * 5)
    >>> found = topics_over_time(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus))
    >>> [period.name for period in found.periods], found.shares.tolist()
    (['2010', '2011'], [[1.0], [1.0]])
    """
    check_integer("min_docs", min_docs, 1)
    if isinstance(topics, (int, str)):
        raise InputError(parameter="topics", expected="a list", got=topics, hint=f"pass [{topics!r}]")
    dates = _dates(model)
    chosen = np.array([check_topic(model, k) for k in (range(len(model.alpha_)) if topics is None else topics)], int)
    dated = np.flatnonzero(~np.isnat(dates))
    unit = (
        choose_unit(dates[dated], min_docs) if period is None else UNITS[check_choice("period", period, tuple(UNITS))]
    )
    numbers = unit.number(dates[dated])
    first, n_periods = int(numbers.min()), int(np.ptp(numbers)) + 1
    if n_periods > _MOST_PERIODS_IN_ALL:
        raise InputError(
            f"`period={period!r}` gives {n_periods:,} periods, and {_MOST_PERIODS_IN_ALL:,} are possible: "
            "choose a longer one",
            parameter="period",
            got=period,
        )
    sums = csr_array((np.ones(len(dated)), (numbers - first, dated)), shape=(n_periods, len(dates)))
    n_docs, n_tokens = sums @ np.ones(len(dates)), sums @ model.corpus_.doc_lengths()
    periods = tuple(
        Period(str(start), unit.title(start), int(docs), int(tokens), bool(docs < min_docs))
        for start, docs, tokens in zip(map(unit.start, range(first, first + n_periods)), n_docs, n_tokens)
    )
    counts, totals = (sums @ model.doc_topic_counts_[:, chosen]).toarray(), n_tokens[:, None]
    shares = _shares(_smoothed(counts), _smoothed(totals)) if smooth else _shares(counts, totals)
    names = tuple(topic_name(model, topic) for topic in chosen.tolist())
    return TopicsOverTime(unit.name, periods, chosen, shares, len(dates) - len(dated), names)


def has_dates(model: Any) -> bool:
    """Whether the model has its training documents, and at least one of them has a date."""
    return has_documents(model) and model.corpus_.dates is not None and not np.isnat(model.corpus_.dates).all()


def _dates(model: Any) -> Any:
    check_topic(model, 0)
    require_documents(model, "topics_over_time")
    if not has_dates(model):
        raise InputError(
            "topics_over_time needs documents with dates, and these have none: train on a corpus with dates=… "
            "(date=… in from_frame, from_jsonl and so on), or with  topicwright fit … --date-field NAME"
        )
    return model.corpus_.dates


def _smoothed(values: Floats) -> Floats:
    """Weighted sums over neighboring periods. The ratio of two of them is a mean weighted by tokens."""
    reach = len(_KERNEL) // 2
    padded = np.pad(values, ((reach, reach), (0, 0)))
    return np.asarray(sum(weight * padded[i : i + len(values)] for i, weight in enumerate(_KERNEL)))


def _shares(counts: Floats, totals: Floats) -> Floats:
    return np.asarray(np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0))
