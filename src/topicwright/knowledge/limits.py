"""Sets of topics that tokens are limited to: what labels and hard seeds come down to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

EVERY_TOPIC = np.uint64(0)  # the number of the set that is no limit


class Limits(NamedTuple):
    """For each token the number of a set; set s is ``topics[start[s] : start[s + 1]]``, and set 0 is all topics."""

    sets: NDArray[np.uint32]
    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: NDArray[np.float64]  # room for a sampler to work in, zero between draws
