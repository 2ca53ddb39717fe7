"""A sweep of batch Labeled LDA, ours beside tomotopy's."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from ..averages import TimedSweeps
from ..scheduling import Contestant, take_turns
from .batches import Batch
from .context import Setting
from .peers import peers_beside

OURS = "LabeledLDA"


@dataclass
class Sweeps(TimedSweeps):
    """CPU seconds of sweeps of one program."""

    program: str
    n_tokens: int
    n_labels: int
    seconds: list[list[float]] = field(default_factory=list)  # run by run


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
