"""A quick start, and streams that can print any word."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

from ._encoding import ESCAPED

# scikit-learn imports both with its base classes (over half of its start-up), and no verb here needs either.
_LATER = {"scipy.stats", "pandas"}


class _ImportLater:
    """Finds a few slow modules, and has them run only when one of their names is first used."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The import system's question: where is this module?"""
        spec = PathFinder.find_spec(name, path, target) if name in _LATER else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def prepare() -> None:
    """To be called once, before anything heavy is imported."""
    gc.set_threshold(100_000)  # what is imported stays: looking for garbage among it takes an eighth of the start
    sys.meta_path.insert(0, _ImportLater)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the end)
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)
