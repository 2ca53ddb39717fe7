"""What a run is asked to do, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from topicwright.errors import InputError

from ..common.base import check_numbers, check_positive
from ._cpp import Cpp
from ._plain_lda import PlainLDA
from ._programs import Gensim, Program, ScikitLearn, Tomotopy, Topicwright

PROGRAMS: dict[str, type[Program]] = {
    "topicwright": Topicwright,
    "tomotopy": Tomotopy,
    "gensim": Gensim,
    "sklearn": ScikitLearn,
    "lda": PlainLDA,
    "cpp": Cpp,
}


@dataclass(frozen=True)
class LDAOptions:
    """Parameters of all programs."""

    n_topics: int = 100
    n_sweeps: int = 100
    programs: tuple[str, ...] = tuple(PROGRAMS)
    threads: int = 1  # with more, programs that can use them run on one thread and, as further contestants, on all
    every: int = 10  # sweeps in a turn; a variational program makes one pass in its turn
    repeats: int = 1
    alpha: float = 0.1
    beta: float = 0.01
    seed: int = 0
    memory: bool = True  # measured too, by a separate process for each program

    def __post_init__(self) -> None:
        unknown = [name for name in self.programs if name not in PROGRAMS]
        if unknown or not self.programs:
            got = ", ".join(unknown) or "none"
            raise InputError(parameter="programs", expected=f"some of {', '.join(PROGRAMS)}", got=got)
        check_numbers(self, ("n_topics", "n_sweeps", "threads", "every", "repeats"), least=1)
        check_numbers(self, ("seed",), least=0)
        check_positive(self, ("alpha", "beta"))
