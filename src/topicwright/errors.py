"""What can go wrong, as one small tree.

    TopicwrightError
    ├── InputError         (also a ValueError)    data or a parameter is not what it must be
    │   ├── OptionError    (also a TypeError)     a method or a model has no such option
    │   └── NotKeptError   (also an AttributeError)  the training documents are needed, and were not kept
    ├── ModelFileError     (also a ValueError)    a model file is damaged, foreign or too new
    ├── MissingExtraError  (also an ImportError)  an optional dependency is not installed
    └── ClusterError       (also a RuntimeError)  a worker is lost, late or out of step, and can't be replaced

    TopicwrightWarning     (a UserWarning)
    ├── UnknownWordsWarning                       words that are not in the vocabulary were skipped
    ├── StoppedWarning                            Ctrl-C ended training before its time
    └── ContradictionWarning                      pieces of knowledge that can't all hold

Every message says what was got and what was expected, in one sentence.
"""

from __future__ import annotations

from typing import Any


class TopicwrightError(Exception):
    """Base of every error that this library raises on purpose."""


class InputError(TopicwrightError, ValueError):
    """Data or a parameter is not what it must be."""


class UnknownKeywordError(InputError, TypeError):
    """A method or a model has no such option; the message names the one that may be meant."""


class CorpusNotStoredError(InputError, AttributeError):
    """The training documents are needed, and were not kept: so the model has no such attribute."""


class ModelFileError(TopicwrightError, ValueError):
    """A model file is damaged, foreign, or written by a newer version."""


class MissingExtraError(TopicwrightError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}': install it with  pip install 'topicwright[{extra}]'"
        )
        self._given = package, extra, purpose

    def __reduce__(self) -> tuple[Any, ...]:  # from the process of a worker to that of the user
        return type(self), self._given


class ClusterError(TopicwrightError, RuntimeError):
    """Training on shards can't go on: a worker is lost, late or out of step."""


class TopicwrightWarning(UserWarning):
    """Base of every warning of this library."""


class UnknownWordsWarning(TopicwrightWarning):
    """Some words, of new documents or of knowledge, were not in the vocabulary and were skipped.

    They are new, or training left them out because they are rare or frequent; a model's own stop words do not count.
    """


class StoppedWarning(TopicwrightWarning):
    """Ctrl-C ended training before its time; what was learned is kept, and the message says how to go on."""


class ContradictionWarning(TopicwrightWarning):
    """Some pieces of knowledge can't all hold; the message says which, and what is done."""
