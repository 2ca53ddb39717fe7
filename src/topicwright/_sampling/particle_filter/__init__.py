"""Particle filter of Online Labeled LDA, whose resampling copies nothing.

``filter.py`` has the kernel, ``resampling.py`` the weights and the resampling of particles, ``ancestry.py`` the
bookkeeping that makes resampling cheap, ``token_updates.py`` the draws, and ``reservoir.py`` the documents for
rejuvenation.
"""

from __future__ import annotations

from .engine import StreamEngine

__all__ = ["StreamEngine"]
