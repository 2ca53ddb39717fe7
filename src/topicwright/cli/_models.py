"""Model files on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from ..models import LDA

_LONGEST_HEADER = 100_000_000


def load_model(path: str | Path, jobs: int | None = None) -> LDA:
    """A model from its file, to run on so many threads."""
    from .. import load

    model: LDA = load(path)
    if jobs is not None:
        model.n_jobs = jobs
    return model


def is_model(path: str | Path) -> bool:
    """Whether a file is a model, by its name or else by its first bytes: the size of a header, and the header."""
    if Path(path).suffix == ".tw":
        return True
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and int.from_bytes(start[:8], "little") <= _LONGEST_HEADER


def topic_shares(model: LDA) -> list[float]:
    """Each topic's share of all tokens."""
    from ..io.export.protocol import topic_weights

    return topic_weights(model)


def checked_topics(model: LDA, chosen: list[int] | None) -> list[int]:
    """The topics asked for, in order; all if none is."""
    n_topics = len(model.alpha_)
    for topic in chosen or ():
        if not 0 <= topic < n_topics:
            raise InputError(f"a topic must be from 0 to {n_topics - 1}: got {topic}")
    return sorted(set(chosen or range(n_topics)))


def listed_topics(model: LDA, n_words: int, at_least: int = 1) -> list[list[str]]:
    """The top words of the topics that have some; an empty topic has nothing to measure."""
    topics: Any = model.top_words(n_words)
    return [words for words in topics if len(words) >= at_least]
