"""The words that were selected, and what can be said of them."""

from __future__ import annotations

from .panel import Panel


class SelectionBar(Panel, component="selection_bar.js"):
    """Says ``say`` with together, apart, here, never, split or forget; ``drop`` with a word, ``clear`` for all."""
