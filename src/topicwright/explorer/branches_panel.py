"""Branches: each person's own steps on one model."""

from __future__ import annotations

from .panel import Panel


class BranchesPanel(Panel, component="branches_panel.js"):
    """Says ``make`` with a name, ``compare`` and ``merge`` with that of another branch."""
