"""What stands for a missing value."""

from __future__ import annotations

from typing import Any


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    number = hasattr(value, "__float__") and not getattr(value, "shape", ()) and not hasattr(value, "__len__")
    return number and bool(value != value)
