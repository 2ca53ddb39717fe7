"""How hard knowledge holds: weights, λ of links, and the dial that goes from nothing to hard."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

# Of must-links, by experiment on NIPS: soft links raised coherence there, and firm ones lowered it (docs/knowledge.md).
DEFAULT_FIRMNESS = 0.25
HEAVIEST = 1e9
_HARD = 1000.0


def check_dial(strength: Any, firmness: Any) -> float:
    """The strength, if both are in range."""
    number = _positive("strength", strength, np.inf)
    if firmness is None:
        return number
    if not isinstance(firmness, Real) or isinstance(firmness, bool) or not 0 <= float(firmness) <= 1:
        raise InputError(f"firmness must be a number from 0 to 1, or None: got {firmness!r}")
    return number


def check_weight(weight: Any, name: str = "weight") -> float:
    """A weight, or a count that is weighed, if it is in range."""
    return _positive(name, weight, HEAVIEST)


def _positive(name: str, value: Any, below: float) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < below:
        raise InputError(f"{name} must be a positive number: got {value!r}")
    return float(value)


def both_ways(
    pairs: NDArray[np.int64], of_partners: NDArray[np.float64], n: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """Every pair in both directions: where those of each of n things start, the partners, and the partners' numbers."""
    owner, partner = pairs.ravel(order="F"), pairs[:, ::-1].ravel(order="F")
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n + 1)).astype(np.uint64)
    return start, partner[order].astype(np.uint32), of_partners[:, ::-1].ravel(order="F")[order]


def loan_ratio(strengths: Any, firmness: float) -> Any:
    """How much is borrowed over a link, in units of the borrower's own tokens: from nothing to a thousand times."""
    return min(firmness / max(1.0 - firmness, 1e-9), _HARD) / strengths


def soften(strengths: NDArray[np.float64], sizes: NDArray[np.int64], firmness: float) -> NDArray[np.float64]:
    """λ of both sides of each link: from the given one (firmness 1) to the partner's own size (firmness 0).

    No count is above the size, so that at 0 nothing pulls. At 0.8 a topic pulls that holds more than a fifth of the
    partner's tokens, and at most five times.
    """
    strengths = strengths[:, None]
    return np.asarray(firmness * strengths + (1.0 - firmness) * np.maximum(sizes, strengths))
