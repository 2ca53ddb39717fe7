"""What a run is asked to do, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError
from . import paper

PARTS = ("table2", "table3", "figure2", "figure3", "labels")
WITH_LINKS = {"table2", "figure2", "figure3"}
N_LINKS = 100  # of both figures


@dataclass(frozen=True)
class Options:
    """Parameters of all parts."""

    parts: tuple[str, ...] = PARTS
    n_topics: int = 100  # table 2 and figure 2
    many_topics: int = 500  # figure 3
    sweeps: int = 200  # table 2
    rounds: int = 20  # table 3 and labels: sweeps that count …
    warm_up: int = 10  # … after so many that do not
    seconds: float = 60.0  # figures 2 and 3: CPU time of each method
    repeats: int = 1
    alpha: float = paper.ALPHA
    beta: float = paper.BETA
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = [part for part in self.parts if part not in PARTS]
        if unknown or not self.parts:
            raise InputError(f"part must be one of {', '.join(PARTS)}: got {', '.join(unknown) or 'none'}")
        for name in ("n_topics", "many_topics", "sweeps", "rounds", "repeats"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1: got {getattr(self, name)}")
        for name in ("warm_up", "seed"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must not be negative: got {getattr(self, name)}")
        for name in ("seconds", "alpha", "beta"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(f"{name} must be a positive number: got {getattr(self, name)}")

    @property
    def need_links(self) -> bool:
        """Whether a part is about links of words."""
        return not WITH_LINKS.isdisjoint(self.parts)

    @property
    def n_links(self) -> int:
        """How many links the parts would like to have."""
        return max(paper.LINKS) if "table2" in self.parts else N_LINKS

    @property
    def need_labels(self) -> bool:
        """Whether a part is about labels of documents."""
        return not set(self.parts) <= WITH_LINKS
