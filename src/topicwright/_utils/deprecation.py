"""Deprecated names: they keep working for one release, with a warning that tells the new name."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def deprecation_warning(old: str, new: str, *, stacklevel: int = 3) -> None:
    """Warn that a name is deprecated."""
    warnings.warn(f"{old} is deprecated: use {new}", DeprecationWarning, stacklevel=stacklevel)


def deprecated_names(module_globals: Mapping[str, Any], names: Mapping[str, str]) -> Callable[[str], Any]:
    """Module ``__getattr__`` for names that were renamed.

    Parameters
    ----------
    module_globals : mapping
        ``globals()`` of the module.
    names : mapping
        The new name for each old one.

    Examples
    --------
    >>> __getattr__ = deprecated_names(globals(), {"TopicMap": "TopicLayout"})
    """
    module = module_globals["__name__"]

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        deprecation_warning(f"{module}.{name}", f"{module}.{names[name]}")
        return module_globals[names[name]]

    return get


def deprecated_keywords(**names: str) -> Callable[[F], F]:
    """Decorator for a function whose keyword arguments were renamed: ``@deprecated_keywords(old="new")``."""

    def decorate(function: F) -> F:
        shown = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            for old in names.keys() & keywords.keys():
                deprecation_warning(f"{shown}({old}=…)", f"{names[old]}=")
                keywords[names[old]] = keywords.pop(old)
            return function(*arguments, **keywords)

        return call  # type: ignore[return-value]

    return decorate
