"""Why a model says what it says of documents, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .credit import Asked, Credited, Passages, credited
from .kinds import is_labelled
from .reasons import Reasoned, reasoned

if TYPE_CHECKING:
    from ..corpus import Corpus

TOP, PASSAGES, LENGTH = 6, 1, 20  # topics and words to name, passages of a label, words of a passage
Explained = Reasoned | Credited | Passages


def explaining(
    model: Any,
    wanted: list[int] | None,
    *,
    top: int | None = None,
    snippets: bool = False,
    length: int | None = None,
    candidates: list[Any] | None = None,
    own: bool = False,
) -> Callable[[str | int, str | None, Corpus], Explained]:
    """What tells of a document by its name, its text where it has one, and its words; ``wanted`` are classes."""
    top = top or (PASSAGES if snippets else TOP)
    if not is_labelled(model):
        return lambda name, text, document: reasoned(model, name, document, wanted, top)
    names = model.classes_.tolist()
    labels = None if wanted is None else [names[number] for number in wanted]
    asked = Asked(labels, top, (length or LENGTH) if snippets else None, candidates, own)
    return lambda name, text, document: credited(model, name, text, document, asked)
