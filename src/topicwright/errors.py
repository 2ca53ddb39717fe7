"""Exceptions and warnings of Topicwright.

    TopicwrightError
    ├── InputError                  (also a ValueError)      invalid data or an invalid parameter
    │   ├── UnknownKeywordError     (also a TypeError)       a function has no such keyword argument
    │   └── CorpusNotStoredError    (also an AttributeError) the training corpus is needed but was not stored
    ├── ModelFileError              (also a ValueError)      a model file is damaged, foreign or too new
    ├── MissingExtraError           (also an ImportError)    an optional dependency is not installed
    └── ClusterError                (also a RuntimeError)    a worker failed and cannot be replaced

    TopicwrightWarning              (a UserWarning)
    ├── UnknownWordsWarning                                  words outside the vocabulary were skipped
    ├── StoppedWarning                                       training was interrupted
    └── ContradictionWarning                                 knowledge items contradict each other

Messages quote the names of parameters in backticks, so that the command line can replace them by its own options.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_MISSING: Any = object()
_LONGEST_VALUE = 80  # characters of a value that a message shows
_QUOTED_PARAMETER = re.compile(r"`([A-Za-z_]\w*|--[a-z-]+)(?:=([^`]*))?`")  # or an option of the command line


class TopicwrightError(Exception):
    """Base class of all errors that this library raises on purpose."""

    def __init__(self, message: str = "") -> None:
        self._template = message
        super().__init__(_QUOTED_PARAMETER.sub(_as_python, message))

    def describe(self, rename: Callable[[str, str | None], str | None]) -> str:
        """Message with other names for the parameters.

        Parameters
        ----------
        rename : callable
            Called with the name of a parameter and with a value or None. Returns what to write instead, or None to keep
            the name.
        """
        return rename_parameters(self._template, rename)


class InputError(TopicwrightError, ValueError):
    """Invalid data or an invalid parameter.

    Give either a ``message`` or the fields that one is made from: "`parameter` must be `expected`: got `got`; `hint`".

    Parameters
    ----------
    message : str, optional
        The whole sentence, where it is not of that form. Names of parameters are in backticks.
    parameter : str, optional
        Name of the parameter that is wrong.
    expected : str, optional
        What the parameter must be: "a positive number".
    got : object, optional
        The value that was passed. A class is shown by its name, anything else by its ``repr``.
    hint : str, optional
        What to do about it.
    where : str, optional
        Where in the input the value stands: "news.csv, line 3".

    Examples
    --------
    >>> print(InputError(parameter="n_topics", expected="an integer of at least 1", got=0))
    n_topics must be an integer of at least 1: got 0
    """

    def __init__(
        self,
        message: str = "",
        *,
        parameter: str | None = None,
        expected: str | None = None,
        got: Any = _MISSING,
        hint: str | None = None,
        where: str | None = None,
    ) -> None:
        self.parameter = parameter
        self.expected = expected
        self.got = None if got is _MISSING else got
        self.hint = hint
        self.where = where
        super().__init__(message or _sentence(parameter, expected, got, hint, where))

    def extended(self, *, before: str = "", after: str = "", where: str | None = None) -> InputError:
        """Same error with text before or after its message.

        Parameters
        ----------
        before, after : str
            Text to add. Names of parameters are in backticks.
        where : str, optional
            Where in the input the value stands, instead of what this error says.
        """
        error = type(self)(f"{before}{self._template}{after}")
        error.parameter, error.expected, error.got, error.hint = self.parameter, self.expected, self.got, self.hint
        error.where = where or self.where
        return error


class UnknownKeywordError(InputError, TypeError):
    """A function or an estimator has no such keyword argument."""


class CorpusNotStoredError(InputError, AttributeError):
    """The training corpus is needed, but the model was saved without it."""


class ModelFileError(TopicwrightError, ValueError):
    """A model file is damaged, foreign, or written by a newer version."""


class MissingExtraError(TopicwrightError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}': install it with  pip install 'topicwright[{extra}]'"
        )
        self._given = package, extra, purpose

    def __reduce__(self) -> tuple[Any, ...]:  # from the process of a worker to that of the user
        return type(self), self._given


class ClusterError(TopicwrightError, RuntimeError):
    """Distributed training cannot continue: a worker is lost, late or out of step."""


class TopicwrightWarning(UserWarning):
    """Base class of all warnings of this library."""

    def __init__(self, message: str = "") -> None:
        self._template = message
        super().__init__(_QUOTED_PARAMETER.sub(_as_python, message))

    def describe(self, rename: Callable[[str, str | None], str | None]) -> str:
        """Message with other names for the parameters; see :meth:`TopicwrightError.describe`."""
        return rename_parameters(self._template, rename)


class UnknownWordsWarning(TopicwrightWarning):
    """Words of new documents or of knowledge are not in the vocabulary and were skipped.

    They are new, or training removed them as too rare or too frequent. Stop words of the model do not count.
    """


class StoppedWarning(TopicwrightWarning):
    """Training was interrupted; the model keeps its results, and the message says how to resume."""


class ContradictionWarning(TopicwrightWarning):
    """Knowledge items contradict each other; the message says which ones and what the model does."""


def rename_parameters(message: str, rename: Callable[[str, str | None], str | None]) -> str:
    """Message in which parameters that are quoted in backticks have other names.

    >>> rename_parameters("pass `resume=True` to continue", lambda name, value: f"--{name}")
    'pass --resume to continue'
    """

    def replaced(found: re.Match[str]) -> str:
        return rename(found[1], found[2]) or _as_python(found)

    return _QUOTED_PARAMETER.sub(replaced, message)


def _as_python(found: re.Match[str]) -> str:
    return found[0][1:-1]


def _sentence(parameter: str | None, expected: str | None, got: Any, hint: str | None, where: str | None) -> str:
    place = "" if where is None else f"{where}: "
    value = "" if got is _MISSING else f": got {_shown(got)}"
    advice = "" if hint is None else f"; {hint}"
    return f"{place}`{parameter}` must be {expected}{value}{advice}"


def _shown(value: Any) -> str:
    text = value.__name__ if isinstance(value, type) else repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
