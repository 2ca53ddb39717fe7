"""What a watch has to say: a sentence for people, fields for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MISLABELLED, DRIFT, CANDIDATE = KINDS = ("mislabelled", "drift", "candidate")


@dataclass(frozen=True)
class Alert:
    """Something in a stream that a person should look at.

    >>> print(Alert("drift", None, "court", ("online", "data"), 4.2, fallen=("letter",)))
    label court has changed: more of online, data; less of letter
    """

    kind: str
    """"mislabelled", "drift" or "candidate"."""
    document: Any
    """The document that is likely mislabelled: its id, or its number from 0; else None."""
    label: Any
    """The label that would fit a document better, or that has changed; None for a candidate, which has no name yet."""
    words: tuple[str, ...]
    """Those that say so, the strongest first: of a label that has changed, those that there are more of."""
    score: float
    """How strong it is. For a document, the logarithm of the Bayes factor by the root of its length; for a label, by
    how many standard deviations chance is exceeded; for a candidate, the same in the mean of its words."""
    given: tuple[Any, ...] = ()
    """The labels that a document came with."""
    fallen: tuple[str, ...] = ()
    """Words of a label that there are fewer of."""
    documents: tuple[Any, ...] = ()
    """The documents of a candidate, the last ones."""
    n_documents: int = 0
    """How many of the window those are, of a candidate; that were compared, of a label."""

    def __str__(self) -> str:
        if self.kind == MISLABELLED:
            labels = _listed(self.given)
            return f"document {self.document}, labelled {labels}, would fit {self.label} better: {_listed(self.words)}"
        if self.kind == DRIFT:
            less = f"; less of {_listed(self.fallen)}" if self.fallen else ""
            return f"label {self.label} has changed: more of {_listed(self.words)}{less}"
        return f"{self.n_documents} documents may want a label of their own: {_listed(self.words)}"


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))
