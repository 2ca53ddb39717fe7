"""The engine of labelled streams: particles whose resampling copies nothing."""

from __future__ import annotations

from .engine import StreamEngine

__all__ = ["StreamEngine"]
