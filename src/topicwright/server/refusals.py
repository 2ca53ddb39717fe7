"""What is refused: a status of HTTP and one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class RefusedError(Exception):
    """A request that gets no answer, and why."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = dict(headers or {})


class Limits(NamedTuple):
    """How much one may ask, and how many may at a time."""

    bytes: int = 8 * 2**20  # of a request's body
    documents: int = 1000  # of a request
    length: int = 100_000  # of a document, in characters
    answer: int = 64 * 2**20  # characters of an answer
    requests: int = 32  # at a time
    seconds: float = 30.0  # that a body may take to come


def too_large(what: str, got: int, most: int, advice: str) -> RefusedError:
    """Something is beyond a limit."""
    return RefusedError(413, f"{what}: got {got:,}, at most {most:,} are taken; {advice}")
