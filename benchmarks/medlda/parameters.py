"""What a model is fitted with."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Parameters:
    """Parameters of our estimators; the defaults are those of the paper, in the terms of the authors' program.

    What the paper calls c = 102.4 is a cost of 1.6 and a margin of 64 there, with nu = 1.
    """

    loss: str = "hinge"
    alpha_sum: float = 6.4  # over all topics
    beta: float = 0.01
    cost: float = 1.6
    margin: float = 64.0  # of the hinge
    epsilon: float = 1e-3  # of the regression
    nu: float = 1.0
    mh_steps: int = 6
    weight_sweeps: int = 2
    more: tuple[tuple[str, Any], ...] = ()  # further parameters of our estimators, by their own names


OURS = {"alpha_sum": 32.0, "beta": 0.1, "mh_steps": 4}  # where our estimators differ from the paper
TUNABLE = tuple(field.name for field in fields(Parameters) if field.name not in ("loss", "more"))
WHOLE = ("mh_steps", "weight_sweeps")
