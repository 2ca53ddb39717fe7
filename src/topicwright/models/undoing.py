"""Training that fails leaves a model as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def all_or_nothing(method: F) -> F:
    """Have a method that fails leave its object as it was; a warning that is raised is no failure."""

    @wraps(method)
    def tried(self: Any, *arguments: Any, **options: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *arguments, **options)
        except Warning:
            raise
        except BaseException:
            for name in vars(self).keys() - before.keys():
                delattr(self, name)
            vars(self).update(before)
            raise

    return cast(F, tried)
