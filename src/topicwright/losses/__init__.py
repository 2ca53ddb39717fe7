"""Losses of supervised topics: each is an auxiliary draw and two numbers, in one file."""

from .base import Loss
from .hinge import Hinge
from .insensitive import EpsilonInsensitive
from .logistic import Logistic

__all__ = ["EpsilonInsensitive", "Hinge", "Logistic", "Loss"]
