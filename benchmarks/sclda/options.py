"""What a run is asked to do, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.base import check_numbers, check_parts, check_positive
from . import paper

PARTS = ("figure1", "table2", "table3", "figure2", "figure3", "labels")
WITH_LINKS = {"table2", "figure2", "figure3"}  # of words
ON_LINKS_CORPUS = {"figure1", *WITH_LINKS}
N_LINKS = 100  # of both figures


@dataclass(frozen=True)
class SCLDAOptions:
    """Parameters of all parts."""

    parts: tuple[str, ...] = PARTS
    n_topics: int = 100  # table 2, figures 1 and 2
    many_topics: int = 500  # figures 1 and 3
    sweeps: int = 200  # table 2 and figure 1
    rounds: int = 20  # table 3 and labels: sweeps that count …
    warm_up: int = 10  # … after this many that do not
    seconds: float = 60.0  # figures 2 and 3: CPU time of each method
    repeats: int = 1
    alpha: float = paper.ALPHA
    beta: float = paper.BETA
    seed: int = 0

    def __post_init__(self) -> None:
        check_parts(self.parts, PARTS)
        check_numbers(self, ("n_topics", "many_topics", "sweeps", "rounds", "repeats"), least=1)
        check_numbers(self, ("warm_up", "seed"), least=0)
        check_positive(self, ("seconds", "alpha", "beta"))

    @property
    def need_links_corpus(self) -> bool:
        """Whether a part is about the documents of the links."""
        return not ON_LINKS_CORPUS.isdisjoint(self.parts)

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
        return not set(self.parts) <= ON_LINKS_CORPUS
