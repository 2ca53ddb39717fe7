"""What links of words and of documents have in common: strength λ, firmness, and partners in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_in_range, check_positive
from .io.nodes import Node, plain_number

DEFAULT_FIRMNESS = 0.25
"""Firmness of must-links by default: on NIPS and 20 Newsgroups, firmer links raised agreement but not NPMI."""
_MAX_RATIO = 1000.0


def check_strength(strength: Any, firmness: Any) -> float:
    """Strength λ as a float, if it is positive and the firmness is None or in [0, 1]."""
    if firmness is not None:
        check_in_range("firmness", firmness, 0, 1)
    return check_positive("strength", strength)


def share_ratio(strengths: Any, firmness: float) -> Any:
    """f / (1 − f) / λ: pseudo-counts that a link shares, in units of the target's own tokens; at most 1000 / λ."""
    return min(firmness / max(1.0 - firmness, 1e-9), _MAX_RATIO) / strengths


def soften(strengths: NDArray[np.float64], sizes: NDArray[np.int64], firmness: float) -> NDArray[np.float64]:
    """λ of both sides of each link, from the given one (firmness 1) to the partner's frequency (firmness 0).

    No count exceeds the frequency, so that at 0 the link has no effect. At 0.8 it has one only for topics with more
    than a fifth of the partner's tokens, and the multiplier is at most five.
    """
    strengths = strengths[:, None]
    return np.asarray(firmness * strengths + (1.0 - firmness) * np.maximum(sizes, strengths))


def both_directions(
    pairs: NDArray[np.int64], floors: NDArray[np.float64], n: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """Partners of each of n words or documents, in compressed form.

    Parameters
    ----------
    pairs : array of shape (n_links, 2)
        Linked words or documents.
    floors : array of shape (n_links, 2)
        λ that belongs to each of the two.
    n : int
        Number of words or documents.

    Returns
    -------
    start, partners, floors : arrays
        Partners of i are ``partners[start[i] : start[i + 1]]``, with their λ at the same positions of ``floors``.
    """
    owner, partner = pairs.ravel(order="F"), pairs[:, ::-1].ravel(order="F")
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n + 1)).astype(np.uint64)
    return start, partner[order].astype(np.uint32), floors[:, ::-1].ravel(order="F")[order]


def strength_to_dict(strength: Any, firmness: Any) -> dict[str, Any]:
    """Strength and firmness as plain data."""
    return {"strength": plain_number(strength), "firmness": plain_number(firmness)}


def strength_from_dict(fields: Mapping[str, Node]) -> dict[str, Any]:
    """Strength and firmness from the fields of a mapping, as far as they are given."""
    options: dict[str, Any] = {}
    if "strength" in fields:
        options["strength"] = fields["strength"].number("a positive number", lambda number: number > 0)
    if "firmness" in fields:
        node = fields["firmness"]
        in_range = "a number from 0 to 1, or null"
        options["firmness"] = None if node.is_empty else node.number(in_range, lambda number: 0 <= number <= 1)
    return options
