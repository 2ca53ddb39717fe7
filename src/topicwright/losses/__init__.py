"""What it costs to miss a target, in the one form that the sampler takes: A·m − Q/2·m², given auxiliary variables."""

from .base import Known, Loss, known_entries
from .epsilon_insensitive import EpsilonInsensitive
from .hinge import Hinge
from .logistic import Logistic

__all__ = ["EpsilonInsensitive", "Hinge", "Known", "Logistic", "Loss", "known_entries"]
