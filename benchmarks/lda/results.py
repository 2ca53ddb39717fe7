"""What a benchmark found: every turn of every program as it was measured, and the figures drawn from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..common.averages import median_or_none
from ..common.base import Goal, write_json


@dataclass(frozen=True)
class Turn:
    """Some sweeps of one program: what they took, and where they led."""

    n_sweeps: int
    cpu: float
    wall: float
    log_likelihood: float | None  # log p(w, z) per token after them; None for a variational program
    perplexity: float | None  # of held-out documents


@dataclass
class Track:
    """One run of one program: its turns in order."""

    program: str
    threads: int
    seed: int
    setup_seconds: float
    turns: list[Turn] = field(default_factory=list)
    transform_rate: float | None = None  # tokens of new documents inferred per CPU second

    def after(self, quantity: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The running total of a quantity of the turns ("n_sweeps", "cpu" or "wall")."""
        return np.cumsum([getattr(turn, quantity) for turn in self.turns])

    def value_at(self, measure: str, quantity: str, x: float) -> float | None:
        """A measure where a running total is x, interpolated between turns; None outside of what was run."""
        totals, values = self.after(quantity), [getattr(turn, measure) for turn in self.turns]
        if not values or None in values or not totals[0] <= x <= totals[-1] * (1 + 1e-9):
            return None
        return float(np.interp(x, totals, values))


@dataclass
class ProgramRecord:
    """A program at a number of threads, over all repeats."""

    program: str
    threads: int
    variational: bool
    n_tokens: int
    tracks: list[Track] = field(default_factory=list)
    peak_memory: int | None = None  # bytes, beyond the process with the corpus loaded

    @property
    def name(self) -> str:
        """As it stands in the table."""
        return self.program if self.threads == 1 else f"{self.program} × {self.threads}"

    def rate(self, quantity: str = "cpu", late: bool = False) -> float:
        """Tokens per second, the median over turns; late: over the last half of each run only."""
        return median(self.rates(quantity, late))

    def rates(self, quantity: str = "cpu", late: bool = False) -> list[float]:
        """Tokens per second of each turn."""
        turns = [t for track in self.tracks for t in track.turns[len(track.turns) // 2 if late else 0 :]]
        return [self.n_tokens * t.n_sweeps / max(float(getattr(t, quantity)), 1e-9) for t in turns]

    def value_at(self, measure: str, quantity: str, x: float) -> float | None:
        """The median over repeats of a measure where a running total is x."""
        return median_or_none(track.value_at(measure, quantity, x) for track in self.tracks)

    def final(self, measure: str) -> float | None:
        """The median over repeats of a measure at the end."""
        return median_or_none(getattr(track.turns[-1], measure) for track in self.tracks if track.turns)

    @property
    def setup_seconds(self) -> float:
        """The median over repeats of the CPU seconds that the program took before its first sweep."""
        return median(track.setup_seconds for track in self.tracks)

    @property
    def transform_rate(self) -> float | None:
        """Tokens of new documents inferred per CPU second, the median over repeats."""
        return median_or_none(track.transform_rate for track in self.tracks)


@dataclass
class LDAResult:
    """A whole benchmark."""

    corpus: dict[str, int]
    parameters: dict[str, Any]
    machine: dict[str, Any]
    contestants: list[ProgramRecord]
    missing: dict[str, str]  # programs that could not run here, and why

    @property
    def notes(self) -> list[str]:
        """Programs that could not run here."""
        return [f"{program} is left out: {reason}" for program, reason in self.missing.items()]

    def goals(self) -> list[Goal]:
        """There are none: this is a comparison."""
        return []

    def find(self, program: str, threads: int = 1) -> ProgramRecord | None:
        """A contestant by name."""
        return next((c for c in self.contestants if (c.program, c.threads) == (program, threads)), None)

    def ratio(self, contestant: ProgramRecord, to: str = "tomotopy") -> float | None:
        """Speed late in the run relative to a program on one thread: the median of ``ratios``."""
        return median_or_none(self.ratios(contestant, to))

    def ratios(self, contestant: ProgramRecord, to: str = "tomotopy") -> list[float]:
        """The ratio in each late round: what disturbed a round disturbed both.

        By CPU time where both have one thread, by wall clock otherwise.
        """
        other = self.find(to)
        if other is None:
            return []
        quantity = "cpu" if contestant.threads == 1 else "wall"
        return [a / b for a, b in zip(contestant.rates(quantity, late=True), other.rates(quantity, late=True))]

    def sweep_marks(self) -> list[int]:
        """Sweeps at which likelihoods are shown: a fifth, two fifths and all, where a turn ended."""
        every, n_sweeps = self.parameters["every"], self.parameters["n_sweeps"]
        early = {max(every, round(n_sweeps * part / every) * every) for part in (0.2, 0.4)}
        return sorted({n for n in early if n < n_sweeps} | {n_sweeps})

    def second_marks(self) -> list[float]:
        """CPU seconds at which likelihoods are shown: half and all of what the quickest sampler took."""
        totals = [t.after("cpu")[-1] for c in self.contestants if not c.variational for t in c.tracks]
        return [min(totals) / 2, min(totals)] if totals else []

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values, with the figures of the table as ``summary``."""
        return {**asdict(self), "summary": [self.summary(c) for c in self.contestants]}

    def summary(self, c: ProgramRecord) -> dict[str, Any]:
        """The figures of one contestant."""
        at = partial(c.value_at, "log_likelihood")
        return {
            "name": c.name,
            "tokens_per_second": c.rate(),
            "tokens_per_second_late": c.rate(late=True),
            "tokens_per_second_late_wall": c.rate("wall", late=True),
            "ratio_to_tomotopy": self.ratio(c),
            "ratio_to_tomotopy_quartiles": _quartiles(self.ratios(c)),
            "ratio_to_one_thread": self.ratio(c, to=c.program) if c.threads > 1 else None,
            "log_likelihood_at_sweeps": {str(n): at("n_sweeps", n) for n in self.sweep_marks()},
            "log_likelihood_at_seconds": {f"{s:.3f}": at("cpu", s) for s in self.second_marks()},
            "perplexity": c.final("perplexity"),
            "setup_seconds": c.setup_seconds,
            "transform_tokens_per_second": c.transform_rate,
            "peak_memory": c.peak_memory,
        }

    def save(self, path: str | Path) -> None:
        """Write everything as JSON."""
        write_json(path, self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LDAResult:
        """The inverse of ``to_dict``."""
        return cls(
            data["corpus"],
            data["parameters"],
            data["machine"],
            [_contestant(one) for one in data["contestants"]],
            data["missing"],
        )


def _contestant(data: Mapping[str, Any]) -> ProgramRecord:
    tracks = [Track(**{**one, "turns": [Turn(**turn) for turn in one["turns"]]}) for one in data["tracks"]]
    return ProgramRecord(**{**data, "tracks": tracks})


def _quartiles(values: list[float]) -> list[float] | None:
    return [float(q) for q in np.quantile(values, [0.25, 0.75])] if values else None
