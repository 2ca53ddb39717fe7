"""What a piece of knowledge has to say to the sampler: an interface that fits on this screen.

The conditional of a token's topic is LDA's own times the ratios of all factors (SC-LDA eq. 5):

    p(z = k | rest)  ∝  (n_dk + a_k) (n_kw + b_w) / (n_k + B)  ·  Π_m g_m(k)

A factor is a NamedTuple of arrays. It is sparse: for one token its ratio differs from 1 on a few topics only.
Two functions tell the sampler about it, registered for the NamedTuple's class:

``touch(factor, place, counts, touched)``
    name those topics and their ratios, by calling ``multiply(touched, topic, ratio)`` for each; ``counts.words`` and
    ``counts.docs`` are the counts as they stand, to be read with ``row_bounds`` and ``entry_at``;
``moved(factor, place, topic)``
    hear that the token at ``place`` has left ``place.topic`` for ``topic`` (optional).

They are compiled into the sampler, which is made anew for each combination of factors, so that knowledge that
is not there costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from .._utils.count_rows import CountRows
from .._utils.numba import jit_inline, without_cache

_ONE = np.uint64(1)


class TokenContext(NamedTuple):
    """Where the sampler stands: the token's position in the corpus, its document, its word, its topic so far."""

    token: Any
    doc: Any
    word: Any
    topic: Any


class FactorCounts(NamedTuple):
    """What the sampler has counted: the topics of each word, and of each document but the current one."""

    words: CountRows
    docs: CountRows


class TopicMultipliers(NamedTuple):
    """The topics that factors have named for the current token, with the product of their ratios."""

    topics: NDArray[np.uint32]
    ratio: NDArray[np.float64]  # 1 on every other topic
    is_listed: NDArray[np.uint8]
    unscaled: NDArray[np.float64]  # weights before scaling
    size: NDArray[np.uint64]  # one number


def no_multipliers(n_topics: int) -> TopicMultipliers:
    """A scratch list with no topic in it."""
    return TopicMultipliers(
        topics=np.zeros(n_topics, np.uint32),
        ratio=np.ones(n_topics),
        is_listed=np.zeros(n_topics, np.uint8),
        unscaled=np.zeros(n_topics),
        size=np.zeros(1, np.uint64),
    )


@jit_inline
def scale_topic(touched: TopicMultipliers, topic: Any, ratio: Any) -> None:
    """Multiply the weight of a topic for the current token."""
    if touched.is_listed[topic] == 0:
        touched.is_listed[topic] = 1
        touched.topics[touched.size[0]] = topic
        touched.size[0] += _ONE
    touched.ratio[topic] *= ratio


class Functions(NamedTuple):
    """What a class of factors was registered with."""

    touch: Callable[..., None]
    moved: Callable[..., None] | None


_TOUCH: dict[type, Callable[..., None]] = {}
_MOVED: dict[type, Callable[..., None]] = {}
_GIVEN: dict[type, Functions] = {}


def register_factor(factor: type, touch: Callable[..., None], moved: Callable[..., None] | None = None) -> None:
    """Tell the sampler what a class of factors does."""
    _TOUCH[factor] = jit_inline(touch)
    _MOVED[factor] = jit_inline(moved or _hear_nothing)
    _GIVEN[factor] = Functions(touch, moved)


def registered(kind: type) -> Functions | None:
    """What a class of factors was registered with; None if it was not."""
    return _GIVEN.get(kind)


class ShardedFactor(NamedTuple):
    """A factor of a corpus, where the sampler has only some documents of it and counts from these."""

    factor: Any
    token: np.uint64  # the corpus's number of the first token
    doc: np.uint64  # and of the first document


def apply_sharded(offset: Any, place: Any, counts: Any, touched: Any) -> None:
    """Let the factor name its topics, told where in the corpus the token is."""
    there = TokenContext(place.token + offset.token, place.doc + offset.doc, place.word, place.topic)
    apply_factors((offset.factor,), there, counts, touched)


def kernel_with(kernel: Callable[..., Any], factors: tuple[Any, ...]) -> Callable[..., Any]:
    """The kernel to run with some factors: from the cache where all of their code is the library's own."""
    return kernel if all(is_builtin(type(factor)) for factor in factors) else without_cache(kernel)


def is_builtin(kind: type) -> bool:
    """Whether all code of a class of factors is the library's own."""
    return kind is not ShardedFactor and kind.__module__.startswith("topicwright.")


def _hear_nothing(factor: Any, place: TokenContext, topic: Any) -> None:
    """What a factor does about moves when its ratios depend on no count."""


def apply_factors(factors: Any, place: Any, counts: Any, touched: Any) -> None:
    """Let every factor name its topics. Compiled code only: see the overload below."""


def notify_factors(factors: Any, place: Any, topic: Any) -> None:
    """Let every factor hear of a move. Compiled code only: see the overload below."""


@overload(apply_factors, strict=False, jit_options={"_nrt": False})
def _touch_all(factors: Any, place: Any, counts: Any, touched: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, place, counts, touched: None
    touch = _TOUCH[factors[0].instance_class]

    def first_then_rest(factors: Any, place: Any, counts: Any, touched: Any) -> None:
        touch(factors[0], place, counts, touched)
        apply_factors(factors[1:], place, counts, touched)

    return first_then_rest


@overload(notify_factors, strict=False, jit_options={"_nrt": False})
def _moved_all(factors: Any, place: Any, topic: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, place, topic: None
    moved = _MOVED[factors[0].instance_class]

    def first_then_rest(factors: Any, place: Any, topic: Any) -> None:
        moved(factors[0], place, topic)
        notify_factors(factors[1:], place, topic)

    return first_then_rest


register_factor(ShardedFactor, apply_sharded)
