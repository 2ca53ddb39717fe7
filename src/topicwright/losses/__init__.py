"""What it costs to miss a target, in the one form that the sampler takes: A·m − Q/2·m², given auxiliary variables."""

from .base import Loss, ObservedTargets, known_entries
from .epsilon_insensitive import EpsilonInsensitive
from .hinge import Hinge
from .logistic import Logistic

__all__ = ["EpsilonInsensitive", "Hinge", "Logistic", "Loss", "ObservedTargets", "known_entries"]
