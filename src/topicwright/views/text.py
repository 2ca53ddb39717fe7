"""Names and numbers as people read them."""

from __future__ import annotations

from typing import Any

from .._showing import shown as shown

MINUS = "\u2212"
WORD, NAME = 40, 80  # letters that are shown


def name_of(model: Any, topic: int) -> str | None:
    """What a topic is called, where it has more than a number."""
    names = model.topic_names_
    if names is None or str(names[topic]) == str(topic):
        return None
    return shown(names[topic], 60)


def name_of_document(row: int | None, name: str | None) -> str:
    """What a document is called: by its id, or else by its row."""
    return shown(f"row {row}" if name is None else name, NAME)


def percent(share: float) -> str:
    """A share as people write it: 12 %, 3.1 %, 0.04 %."""
    figure = 100 * share
    if figure >= 9.95 or figure == 0:
        return f"{figure:.0f} %"
    return f"{figure:.1f} %" if figure >= 0.095 else f"{figure:.1g} %"


def fixed(value: float) -> str:
    """Three digits after the point."""
    return f"{value:.3f}".replace("-", MINUS)
