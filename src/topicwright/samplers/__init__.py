"""The kernels, and the engines that drive them: counts, random streams, the one conditional, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Engine


def new_engine(*arguments: Any, knowledge: Any = None, **options: Any) -> Engine:
    """The engine that suits: where every document has labels, and nothing else is known, one made for that."""
    from .labelled_engine import LabelledEngine, suits
    from .sparse_engine import SparseEngine

    engine = LabelledEngine if suits(knowledge, arguments[1]) else SparseEngine
    return engine(*arguments, knowledge=knowledge, **options)
