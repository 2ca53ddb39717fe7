"""The bar at the top: what is looked at, search, branches, light and dark."""

from __future__ import annotations

from .panel import Panel


class HeadBar(Panel, component="head_bar.js"):
    """Says ``search`` with a text, and ``branch`` with a name."""
