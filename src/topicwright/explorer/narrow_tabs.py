"""On a narrow screen one part of the page is shown at a time; this chooses which."""

from __future__ import annotations

from .panel import Panel


class NarrowTabs(Panel, component="narrow_tabs.js"):
    """Turns to the middle part when ``turned`` changes."""
