"""A sweep of batch Labeled LDA, ours beside tomotopy's."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from statistics import median

from ..averages import median_or_none, ratios
from ..turns import Contestant, take_turns
from .batches import Batch
from .peers import peers_beside
from .setting import Setting

OURS = "LabeledLDA"


@dataclass
class Sweeps:
    """CPU seconds of sweeps of one program."""

    program: str
    n_tokens: int
    n_labels: int
    seconds: list[list[float]] = field(default_factory=list)  # run by run

    @property
    def median(self) -> float:
        """Of all sweeps of all runs."""
        return median(second for run in self.seconds for second in run)

    def ratio(self, base: Sweeps) -> float | None:
        """How many times as long as the base: the median of ratios, round by round."""
        return median_or_none(ratios(self.seconds, base.seconds))


def run(setting: Setting) -> list[Sweeps]:
    """Both in turn; the first sweeps do not count."""
    options, corpus = setting.options, setting.corpus
    n_labels, n_sweeps = len(corpus.label_names()), options.warm_up + options.rounds
    rows: dict[str, Sweeps] = {}
    for seed in setting.seeds():
        setting.tell("setting up")
        ours = Contestant(OURS, partial(Batch, corpus, seed, most=n_sweeps, **setting.prior))
        contestants = [ours, *peers_beside(setting, ours.model, seed)]
        for one, seconds in zip(contestants, take_turns(contestants, n_sweeps, setting.tell)):
            row = rows.setdefault(one.name, Sweeps(one.name, corpus.n_tokens, n_labels))
            row.seconds.append(seconds[options.warm_up :])
    return list(rows.values())
