"""Random streams keyed by (seed, sweep, cell), so that results do not depend on threads.

A stream is SplitMix64 with its own step (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"): two 64-bit words, one addition and one mixing function a draw. Streams with different keys
have different steps, so they do not overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit_inline
from ..errors import InputError

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53
_WORDS_PER_STREAM = 32  # 256 bytes apart, so that threads do not share a cache line


def streams(seed: int, n: int, *key: int) -> NDArray[np.uint64]:
    """n random streams within (seed, key): rows (state, step, …) that a kernel advances."""
    numbers = np.random.SeedSequence(seed, spawn_key=key).generate_state(2 * n, np.uint64).reshape(n, 2)
    result = np.zeros((n, _WORDS_PER_STREAM), dtype=np.uint64)
    result[:, 0] = numbers[:, 0]
    result[:, 1] = [_mixing_step(step) for step in numbers[:, 1].tolist()]
    return result


def _mixing_step(step: int) -> int:
    """An odd step; one with long runs of equal bits mixes badly, and is broken up."""
    step |= 1
    return step ^ 0xAAAAAAAAAAAAAAAA if bin(step ^ (step >> 1)).count("1") < 24 else step


def seed_from(random_state: Any) -> int:
    """Integer seed from the ``random_state`` of scikit-learn."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise InputError(parameter="random_state", expected="an integer of at least 0", got=random_state)
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise InputError(
        parameter="random_state", expected="an integer, None, or a NumPy random generator", got=random_state
    )


def low_word(seed: int) -> np.uint64:
    """Lowest 64 bits of a seed, for kernels."""
    return np.uint64(seed % 2**64)


@jit_inline
def mix64(x: Any) -> Any:
    """A 64-bit word in which every bit depends on every bit of ``x``."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@jit_inline
def draw(random: Any) -> Any:
    """Next number of the stream, in [0, 1)."""
    random[0] += random[1]
    return np.float64(mix64(random[0]) >> _S11) * _UNIT
