"""What a run is asked to do, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.base import check_numbers, check_parts, check_peers, check_positive
from . import paper

POINTS = ("perplexity", "time")  # measured in one run
PARTS = ("topics", *POINTS, "speed", "million", "labels", "batch")
PEERS = ("tomotopy",)


@dataclass(frozen=True)
class OnlineOptions:
    """Parameters of all parts."""

    parts: tuple[str, ...] = PARTS
    label: tuple[str, ...] = ()  # topics: labels to show; none: the most frequent ones
    every: int | None = None  # perplexity and time: documents between two points; None: a tenth of all …
    held_out: int = 500  # … and documents after each that are held out
    sweeps: int = paper.SWEEPS  # of a batch that is trained the paper's way …
    full: bool = False  # … all of them, not only until it has converged
    tol: float = 0.01  # a batch has converged when log p(w, z) per token rises by less than this …
    check_every: int = 10  # … over this many sweeps
    particles: int = 10  # speed
    passes: int = 10  # million: how often all documents come
    rounds: int = 10  # batch: sweeps that count …
    warm_up: int = 5  # … after this many that do not
    peers: tuple[str, ...] = PEERS
    repeats: int = 1
    alpha: float = paper.ALPHA
    beta: float = paper.BETA
    seed: int = 0

    def __post_init__(self) -> None:
        check_parts(self.parts, PARTS)
        positive = ("every", "held_out", "sweeps", "check_every", "particles", "rounds", "repeats")
        check_numbers(self, positive, least=1)
        check_numbers(self, ("passes",), least=2)
        check_numbers(self, ("warm_up", "seed"), least=0)
        check_positive(self, ("tol", "alpha", "beta"))
        check_peers(self.peers, PEERS)

    @property
    def needs_points(self) -> bool:
        """Whether perplexity or time is wanted."""
        return not set(POINTS).isdisjoint(self.parts)
