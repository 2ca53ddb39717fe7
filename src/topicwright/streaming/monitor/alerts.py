"""Alerts of a stream monitor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MISLABELED, DRIFT, CANDIDATE = KINDS = ("mislabelled", "drift", "candidate")


@dataclass(frozen=True)
class Alert:
    """Something in a stream that needs attention.

    >>> print(Alert("drift", None, "court", ("online", "data"), 4.2, fallen=("letter",)))
    label court has changed: more of online, data; less of letter
    """

    kind: str
    """"mislabelled", "drift" or "candidate"."""
    document: Any
    """Id of a mislabeled document, or its number from 0; None for other kinds."""
    label: Any
    """Label that fits a document better, or that has changed; None for a candidate."""
    words: tuple[str, ...]
    """Words that support the alert, the strongest first; for a label that has changed, the rising words."""
    score: float
    """Strength. For a document, the log Bayes factor divided by the root of its length; for a label, the number of
    standard deviations above chance; for a candidate, the mean of that number over its words."""
    given: tuple[Any, ...] = ()
    """Labels of the document."""
    fallen: tuple[str, ...] = ()
    """Falling words of a label that has changed."""
    documents: tuple[Any, ...] = ()
    """Last documents of a candidate."""
    n_documents: int = 0
    """Number of documents of a candidate in the window, or of documents compared for a label."""

    def __str__(self) -> str:
        if self.kind == MISLABELED:
            labels = _join(self.given)
            return f"document {self.document}, labeled {labels}, would fit {self.label} better: {_join(self.words)}"
        if self.kind == DRIFT:
            less = f"; less of {_join(self.fallen)}" if self.fallen else ""
            return f"label {self.label} has changed: more of {_join(self.words)}{less}"
        return f"{self.n_documents} documents may want a label of their own: {_join(self.words)}"


def _join(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))
