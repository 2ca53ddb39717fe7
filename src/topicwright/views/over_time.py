"""Topics over time: the share of tokens that each has in each period."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._utils.validation import check_choice, check_integer
from ..corpus.dates import Dates
from ..errors import InputError
from .validation import checked_topic, has_documents

Ints = NDArray[np.int64]
MOST, FEWEST = 60, 8  # periods that a chart is to have


class Unit(NamedTuple):
    """A length of periods: how they are numbered, where each begins, and what it is called."""

    name: str
    number: Callable[[Dates], Ints]
    start: Callable[[int], np.datetime64]
    title: Callable[[np.datetime64], str]


def _months(name: str, length: int, title: Callable[[np.datetime64], str]) -> Unit:
    return Unit(
        name,
        lambda dates: dates.astype("datetime64[M]").astype(np.int64) // length,
        lambda number: np.datetime64(number * length, "M").astype("datetime64[D]"),
        title,
    )


def _years(name: str, length: int) -> Unit:
    return Unit(
        name,
        lambda dates: (dates.astype("datetime64[Y]").astype(np.int64) + 1970) // length,
        lambda number: np.datetime64(number * length - 1970, "Y").astype("datetime64[D]"),
        lambda day: str(day)[:4] + ("s" if length > 1 else ""),
    )


def _days(name: str, length: int, before: int) -> Unit:
    """``before`` days lie between the start of the first period that is counted and 1970."""
    return Unit(
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
        _days("week", 7, 3),  # from Monday on: 1970 began on a Thursday
        _months("month", 1, lambda day: str(day)[:7]),
        _months("quarter", 3, _quarter),
        _years("year", 1),
        _years("decade", 10),
        _years("century", 100),
    )
}


def unit_for(dates: Dates, few: int) -> Unit:
    """The unit whose chart tells most: of 8 to 60 periods, as many as can be that hold ``few`` documents or more.

    Where documents lie in fewer than 8 periods of every unit, the one with the most of them; of equals the longest, so
    that dates of years alone are shown by the year.
    """
    return max(UNITS.values(), key=lambda unit: _worth(unit.number(dates), few, list(UNITS).index(unit.name)))


def _worth(numbers: Ints, few: int, length: int) -> tuple[int, bool, int, int, int]:
    n_periods = int(numbers.max() - numbers.min()) + 1
    _, counts = np.unique(numbers, return_counts=True)
    enough = int((counts >= few).sum()) if len(counts) >= FEWEST else 0
    return -max(MOST, n_periods), len(counts) >= FEWEST, enough, len(counts), length


Floats = NDArray[np.float64]
FEW = 5  # documents
_KERNEL = np.array([1.0, 2.0, 3.0, 2.0, 1.0])  # weights of the periods around one, when curves are smoothed
_MOST_PERIODS = 10_000


class Period(NamedTuple):
    """A stretch of time: its first day, what it is called, and what was written in it."""

    start: str
    """As in 2019-04-01."""
    name: str
    """As in 2019, 2019 Q2, 2019-04 or, of days and weeks, 2019-04-01."""
    n_docs: int
    n_tokens: int
    is_thin: bool
    """Whether there are so few documents that shares say little."""


class TopicsOverTime(NamedTuple):
    """Shares of topics by period: ``shares[p, i]`` is that of ``topics[i]`` in the tokens of ``periods[p]``.

    Periods follow each other without a gap; one without tokens has NaN, unless curves are smoothed over it.
    """

    unit: str
    periods: tuple[Period, ...]
    topics: NDArray[np.int64]
    shares: Floats
    n_undated: int
    """Documents that have no date, and are not in it."""

    def of_topic(self, topic: int) -> list[float | None]:
        """The shares of a topic, one for each period; None where there are no tokens."""
        (column,) = np.flatnonzero(self.topics == topic)
        return [None if np.isnan(share) else share for share in self.shares[:, column].tolist()]

    def changes(self) -> Floats:
        """How much each topic moves: the standard deviation of its share over periods, by their tokens."""
        weights = np.array([float(period.n_tokens) for period in self.periods])
        shares, total = np.nan_to_num(self.shares), max(weights.sum(), 1.0)
        mean = weights @ shares / total
        return np.asarray(np.sqrt(weights @ (shares - mean) ** 2 / total))

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold."""
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


def topics_over_time(
    model: Any,
    topics: Iterable[int | str] | None = None,
    *,
    period: str | None = None,
    smooth: bool = False,
    few: int = FEW,
) -> TopicsOverTime:
    """The share of tokens that topics have in each period, where the training documents have dates.

    Parameters
    ----------
    model : fitted model
        Trained on a corpus with ``dates``.
    topics : list of int or str, optional
        Which, by number or name; by default all. Shares are of all tokens in either case.
    period : {"day", "week", "month", "quarter", "year", "decade", "century"}, optional
        By default the one that gives from 8 to 60 periods and leaves few of them thin.
    smooth : bool
        Whether each period takes in two on each side, with weights 1, 2, 3, 2, 1 and by their tokens.
    few : int
        Periods of fewer documents are marked as thin.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 5, dates=[2010, 2011] * 5)
    >>> found = topics_over_time(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus))
    >>> [period.name for period in found.periods], found.shares.tolist()
    (['2010', '2011'], [[1.0], [1.0]])
    """
    check_integer("few", few, 1)
    if isinstance(topics, (int, str)):
        raise InputError(f"topics must be a list: got {topics!r}; write [{topics!r}]")
    dates = _dates(model)
    chosen = np.array([checked_topic(model, k) for k in (range(len(model.alpha_)) if topics is None else topics)], int)
    dated = np.flatnonzero(~np.isnat(dates))
    unit = unit_for(dates[dated], few) if period is None else UNITS[check_choice("period", period, tuple(UNITS))]
    numbers = unit.number(dates[dated])
    first, n_periods = int(numbers.min()), int(np.ptp(numbers)) + 1
    if n_periods > _MOST_PERIODS:
        raise InputError(f"period must give {_MOST_PERIODS:,} periods at most: {period!r} gives {n_periods:,}")
    numbers = numbers - first
    sums = csr_array((np.ones(len(dated)), (numbers, dated)), shape=(n_periods, len(dates)))
    n_docs, n_tokens = sums @ np.ones(len(dates)), sums @ model.corpus_.doc_lengths()
    starts = [unit.start(first + place) for place in range(n_periods)]
    periods = tuple(
        Period(str(start), unit.title(start), int(docs), int(tokens), bool(docs < few))
        for start, docs, tokens in zip(starts, n_docs, n_tokens)
    )
    counts, totals = (sums @ model.doc_topic_counts_[:, chosen]).toarray(), n_tokens[:, None]
    shares = _shares(_smoothed(counts), _smoothed(totals)) if smooth else _shares(counts, totals)
    return TopicsOverTime(unit.name, periods, chosen, shares, len(dates) - len(dated))


def has_dates(model: Any) -> bool:
    """Whether the training documents are there, and one of them at least has a date."""
    return has_documents(model) and model.corpus_.dates is not None and not np.isnat(model.corpus_.dates).all()


def _dates(model: Any) -> Any:
    checked_topic(model, 0)
    if not has_documents(model):
        raise InputError("topics_over_time needs the training documents, and this model does not keep them")
    if not has_dates(model):
        raise InputError(
            "topics_over_time needs documents with dates, and these have none: train on a corpus with dates=… "
            "(date=… in from_frame, from_jsonl and so on), or with  topicwright fit … --date-field NAME"
        )
    return model.corpus_.dates


def _smoothed(values: Floats) -> Floats:
    """Weighted sums over periods; their ratio is a mean in which periods with many tokens count for more."""
    reach = len(_KERNEL) // 2
    padded = np.pad(values, ((reach, reach), (0, 0)))
    return np.asarray(sum(weight * padded[i : i + len(values)] for i, weight in enumerate(_KERNEL)))


def _shares(counts: Floats, totals: Floats) -> Floats:
    return np.asarray(np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0))
