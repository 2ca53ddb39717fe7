"""What a run found, as plain values; and whether the goals are met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..common.averages import median_or_none
from ..common.base import BenchmarkResult, Goal
from . import paper
from .batch import OURS, BatchSweeps
from .labels import SIZES, LabelMemory
from .million import Pass
from .options import POINTS
from .peers import TomotopyLLDA
from .points import CONVERGED, LONG, METHODS, Point
from .speed import LAST, SECOND, Pace
from .streams import STREAM
from .topics import LabelWords


@dataclass
class OnlineResult(BenchmarkResult):
    """A whole run; parts that were not asked for are empty."""

    topics: list[LabelWords] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)  # perplexity and time
    speed: list[Pace] = field(default_factory=list)
    million: list[Pass] = field(default_factory=list)
    labels: list[LabelMemory] = field(default_factory=list)
    batch: list[BatchSweeps] = field(default_factory=list)

    def has(self, part: str) -> bool:
        """Whether a part was asked for and found something."""
        return part in self.parameters["parts"] and bool(self.rows("points" if part in POINTS else part))

    @property
    def runs(self) -> str:
        """How many there were, in words."""
        return "one run" if self.parameters["repeats"] == 1 else f"{self.parameters['repeats']} runs"

    @property
    def size(self) -> str:
        """Of the stream, as titles have it."""
        own = self.corpora["stream"]
        return f" ({own['n_docs']:,} documents, {own['n_tokens']:,} tokens, {own['n_labels']:,} labels)"

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        return [goal for part, make in _MAKERS.items() if self.has(part) for goal in make(self)]

    def ends(self) -> list[int]:
        """Documents seen at each point."""
        return sorted({point.n_docs for point in self.points})

    def methods(self, *, streams: bool = True, batches: bool = True) -> list[str]:
        """What was measured at points."""
        is_batch = {point.method: point.n_sweeps is not None for point in self.points}
        return [method for method, is_one in is_batch.items() if (batches if is_one else streams)]

    def name_of(self, method: str) -> str:
        """As it stands in tables."""
        return f"batch, {self.parameters['sweeps']:,} sweeps" if method == LONG else method

    def at(self, method: str, n_docs: int) -> list[Point]:
        """A method at one point, run by run."""
        return [point for point in self.points if (point.method, point.n_docs) == (method, n_docs)]

    def seconds(self, method: str, n_docs: int) -> float | None:
        """CPU seconds, the median over runs: of a stream so far, of one training of a batch."""
        return median_or_none(point.seconds for point in self.at(method, n_docs))

    def perplexity(self, method: str, n_docs: int, by: str = METHODS[0]) -> float | None:
        """The median over runs."""
        return median_or_none(point.perplexity.get(by) for point in self.at(method, n_docs))

    def perplexity_ratio(self, method: str, n_docs: int, by: str = METHODS[0]) -> float | None:
        """To the converged batch of the same run; the median over runs."""
        return self._ratio(method, CONVERGED, n_docs, lambda point: point.perplexity.get(by))

    def speedup(self, batch: str, stream: str, n_docs: int) -> float | None:
        """Time of all batch trainings up to here relative to the stream; the median over runs."""
        totals: dict[int, float] = {}
        for point in self.points:
            if point.method == batch and point.n_docs <= n_docs:
                totals[point.seed] = totals.get(point.seed, 0.0) + point.seconds
        streams = {point.seed: point.seconds for point in self.at(stream, n_docs)}
        return median_or_none(total / max(streams[seed], 1e-9) for seed, total in totals.items() if seed in streams)

    def speedup_once(self, batch: str, stream: str, n_docs: int) -> float | None:
        """The same for the one training of a batch at this point."""
        return self._ratio(batch, stream, n_docs, lambda point: point.seconds)

    def _ratio(self, over: str, under: str, n_docs: int, value: Callable[[Point], float | None]) -> float | None:
        base = {point.seed: value(point) for point in self.at(under, n_docs)}
        pairs = [(value(point), base.get(point.seed)) for point in self.at(over, n_docs)]
        return median_or_none(a / max(b, 1e-9) for a, b in pairs if a is not None and b is not None)


# ---------------------------------------------------------------------- goals


def _perplexity(result: OnlineResult) -> list[Goal]:
    last = result.ends()[-1]
    goals = []
    for by in METHODS:
        value = result.perplexity_ratio(STREAM, last, by) if last >= paper.FEWEST_DOCUMENTS else None
        what = f"perplexity ({by}) relative to a converged batch, last point"
        goals.append(Goal("perplexity", what, paper.MOST_PERPLEXITY, True, value))
    return goals


def _time(result: OnlineResult) -> list[Goal]:
    last, n_points = result.ends()[-1], len(result.ends())
    batches = {
        LONG: (f"batches of {result.parameters['sweeps']:,} sweeps", paper.LEAST_SPEEDUP),
        CONVERGED: ("batches that stop when converged", paper.LEAST_CONVERGED),
    }
    goals = []
    for method, (name, aim) in batches.items():
        speaks = last >= paper.FEWEST_DOCUMENTS and n_points >= paper.FEWEST_POINTS
        value = result.speedup(method, STREAM, last) if speaks else None
        goals.append(Goal("time", f"times as fast as {name}, points: {n_points}", aim, False, value))
    return goals


def _speed(result: OnlineResult) -> list[Goal]:
    is_long = result.corpora["stream"]["n_docs"] >= paper.STREAM_DOCUMENTS
    goals = []
    for variant in dict.fromkeys(row.variant for row in result.speed):
        rows = [row for row in result.speed if row.variant == variant and is_long]
        rate = median_or_none(row.rate * row.n_particles for row in rows)
        what = f"{variant}: token-particles a second"
        goals.append(Goal("speed", what, paper.LEAST_RATE, False, rate))
        what = f"{variant}: cost of a token, tenth {LAST + 1} to tenth {SECOND + 1}"
        goals.append(Goal("speed", what, paper.MOST_GROWTH, True, median_or_none(row.growth for row in rows)))
    return goals


def _million(result: OnlineResult) -> list[Goal]:
    is_long = result.million[-1].n_docs >= paper.MILLION
    value = median_or_none(row.growth for row in result.million) if is_long else None
    return [Goal("million", "cost per token, last pass relative to the second", paper.MOST_GROWTH, True, value)]


def _labels(result: OnlineResult) -> list[Goal]:
    few, many = ([row for row in result.labels if row.n_labels == n] for n in (SIZES[0], SIZES[-1]))
    pairs = [(a, b) for a, b in zip(many, few) if a.n_used >= paper.ALL_LABELS * a.n_labels]
    value = median_or_none(a.bytes_of_a_pair / b.bytes_of_a_pair for a, b in pairs)
    return [Goal("labels", "bytes per pair, 100,000 labels relative to 1,000", paper.MOST_OF_A_PAIR, True, value)]


def _batch(result: OnlineResult) -> list[Goal]:
    rows = {row.program: row for row in result.batch}
    ours, theirs = rows[OURS], rows.get(TomotopyLLDA.name)
    value = theirs.ratio(ours) if theirs is not None and ours.n_labels >= paper.FEWEST_LABELS else None
    return [Goal("batch", "times as fast as tomotopy's LLDA, per sweep", paper.LEAST_BATCH, False, value)]


_MAKERS: dict[str, Callable[[OnlineResult], list[Goal]]] = {
    "perplexity": _perplexity,
    "time": _time,
    "speed": _speed,
    "million": _million,
    "labels": _labels,
    "batch": _batch,
}
