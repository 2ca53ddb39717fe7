"""Factors: multipliers of the conditional distribution of a token's topic, compiled into the sampler.

The conditional is LDA's own times the multipliers of all factors (SC-LDA eq. 5):

    p(z = k | rest)  ∝  (n_dk + a_k) (n_kw + b_w) / (n_k + B)  ·  Π_m g_m(k)

A factor is a NamedTuple of numbers and arrays. It is sparse: for one token its multiplier differs from 1 for few topics
only. These functions belong to it, registered for its class with :func:`register_factor`:

``apply(factor, context, counts, multipliers)``
    calls ``scale_topic(multipliers, topic, ratio)`` for each of these topics. ``context`` is the
    :class:`TokenContext`; ``counts.words`` and ``counts.docs`` are the current counts, which ``row_bounds`` and
    ``entry_at`` read.
``on_move(factor, context, topic)``
    is called after the token has moved from ``context.topic`` to ``topic`` (optional).
``ratio_at(factor, context, counts, topic)``
    returns the multiplier of one topic, for a bounded factor: one that is at most 1 for every topic (optional). The
    sparse sampler then draws a topic without the factor and accepts it with this probability. Accepted topics have the
    same distribution as draws from scaled weights. It is faster if most draws are accepted.

The sampler is compiled for each combination of factors, so that factors that are not used cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from .._utils.count_rows import CountRows
from .._utils.deprecation import deprecated_keywords
from .._utils.numba import jit_inline, without_cache

_ONE = np.uint64(1)


class TokenContext(NamedTuple):
    """Token that the sampler draws a topic for.

    Attributes
    ----------
    token : int
        Position in the corpus.
    doc : int
        Row of the document.
    word : int
        Word id.
    topic : int
        Topic before the draw.
    """

    token: Any
    doc: Any
    word: Any
    topic: Any


class FactorCounts(NamedTuple):
    """Counts that factors read: topics of each word, and of each document except the current one."""

    words: CountRows
    docs: CountRows


class TopicMultipliers(NamedTuple):
    """Topics that factors scale for the current token, with the product of their ratios.

    Attributes
    ----------
    topics : array of shape (n_topics,)
        Scaled topics; only the first ``size[0]`` are valid.
    ratio : array of shape (n_topics,)
        Product of the ratios of each topic, 1 for every other topic.
    is_listed : array of shape (n_topics,)
        Whether a topic is in ``topics``.
    unscaled : array of shape (n_topics,)
        Weights before scaling.
    size : array of shape (1,)
        Number of scaled topics.
    """

    topics: NDArray[np.uint32]
    ratio: NDArray[np.float64]
    is_listed: NDArray[np.uint8]
    unscaled: NDArray[np.float64]
    size: NDArray[np.uint64]


def no_multipliers(n_topics: int) -> TopicMultipliers:
    """Workspace in which no topic is scaled."""
    return TopicMultipliers(
        topics=np.zeros(n_topics, np.uint32),
        ratio=np.ones(n_topics),
        is_listed=np.zeros(n_topics, np.uint8),
        unscaled=np.zeros(n_topics),
        size=np.zeros(1, np.uint64),
    )


@jit_inline
def scale_topic(multipliers: TopicMultipliers, topic: Any, ratio: Any) -> None:
    """Multiply the weight of a topic for the current token."""
    if multipliers.is_listed[topic] == 0:
        multipliers.is_listed[topic] = 1
        multipliers.topics[multipliers.size[0]] = topic
        multipliers.size[0] += _ONE
    multipliers.ratio[topic] *= ratio


# ---------------------------------------------------------------------- registry


class FactorFunctions(NamedTuple):
    """Functions that a factor class is registered with."""

    apply: Callable[..., None]
    on_move: Callable[..., None] | None
    of_words: bool
    ratio_at: Callable[..., Any] | None


_REGISTERED: dict[type, FactorFunctions] = {}
_COMPILED: dict[type, FactorFunctions] = {}


@deprecated_keywords(touch="apply", moved="on_move")
def register_factor(
    factor: type,
    apply: Callable[..., None],
    on_move: Callable[..., None] | None = None,
    *,
    of_words: bool = False,
    ratio_at: Callable[..., Any] | None = None,
) -> None:
    """Register the functions of a factor class.

    Parameters
    ----------
    factor : type
        NamedTuple class of the factor.
    apply : callable
        Function of (factor, context, counts, multipliers) that scales topics for a token.
    on_move : callable, optional
        Function of (factor, context, topic) that is called when a token changes its topic.
    of_words : bool
        Whether the factor says something about words wherever they occur. Then it shapes the topics, and the topic
        distributions of documents are inferred from these without the factor, as for new documents.
    ratio_at : callable, optional
        Function of (factor, context, counts, topic) that returns the multiplier of a topic, for factors whose
        multipliers are at most 1.

    See Also
    --------
    topicwright.CustomFactor : Knowledge that is a factor of your own.
    """
    _REGISTERED[factor] = FactorFunctions(apply, on_move, of_words, ratio_at)
    _COMPILED[factor] = FactorFunctions(
        jit_inline(apply), jit_inline(on_move or _ignore_move), of_words, ratio_at and jit_inline(ratio_at)
    )


def registered(kind: type) -> FactorFunctions | None:
    """Functions of a factor class, or None if it is not registered."""
    return _REGISTERED.get(kind)


def is_of_words(kind: type) -> bool:
    """Whether a factor class says something about words and nothing about documents."""
    functions = registered(kind)
    return functions is not None and functions.of_words


def is_builtin(kind: type) -> bool:
    """Whether all code of a factor class belongs to the library."""
    return kind is not ShardedFactor and kind.__module__.startswith("topicwright.")


def kernel_with(kernel: Callable[..., Any], factors: tuple[Any, ...]) -> Callable[..., Any]:
    """Kernel to run with some factors: a cached one if all their code belongs to the library."""
    return kernel if all(is_builtin(type(factor)) for factor in factors) else without_cache(kernel)


def _ignore_move(factor: Any, context: TokenContext, topic: Any) -> None:
    """``on_move`` of factors whose ratios depend on no count."""


# ---------------------------------------------------------------------- calls from compiled code


def apply_factors(factors: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """Call ``apply`` of every factor. Compiled code only: see the overload below."""


def apply_unbounded_factors(factors: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """Call ``apply`` of every factor without ``ratio_at``. Compiled code only: see the overload below."""


def bounded_ratio(factors: Any, context: Any, counts: Any, topic: Any) -> Any:
    """Product of ``ratio_at`` of every factor that has it. Compiled code only: see the overload below."""


def notify_factors(factors: Any, context: Any, topic: Any) -> None:
    """Call ``on_move`` of every factor. Compiled code only: see the overload below."""


@overload(apply_factors, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _apply_factors(factors: Any, context: Any, counts: Any, multipliers: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, context, counts, multipliers: None
    apply = _COMPILED[factors[0].instance_class].apply

    def first_then_rest(factors: Any, context: Any, counts: Any, multipliers: Any) -> None:
        apply(factors[0], context, counts, multipliers)
        apply_factors(factors[1:], context, counts, multipliers)

    return first_then_rest


@overload(apply_unbounded_factors, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _apply_unbounded_factors(factors: Any, context: Any, counts: Any, multipliers: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, context, counts, multipliers: None
    is_bounded = _COMPILED[factors[0].instance_class].ratio_at is not None

    def first_then_rest(factors: Any, context: Any, counts: Any, multipliers: Any) -> None:
        if not is_bounded:
            apply_factors(factors[:1], context, counts, multipliers)
        apply_unbounded_factors(factors[1:], context, counts, multipliers)

    return first_then_rest


@overload(bounded_ratio, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _bounded_ratio(factors: Any, context: Any, counts: Any, topic: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, context, counts, topic: 1.0
    ratio_at = _COMPILED[factors[0].instance_class].ratio_at
    if ratio_at is None:
        return lambda factors, context, counts, topic: bounded_ratio(factors[1:], context, counts, topic)

    def first_times_rest(factors: Any, context: Any, counts: Any, topic: Any) -> Any:
        return ratio_at(factors[0], context, counts, topic) * bounded_ratio(factors[1:], context, counts, topic)

    return first_times_rest


@overload(notify_factors, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _notify_factors(factors: Any, context: Any, topic: Any) -> Any:
    if len(factors) == 0:
        return lambda factors, context, topic: None
    on_move: Any = _COMPILED[factors[0].instance_class].on_move

    def first_then_rest(factors: Any, context: Any, topic: Any) -> None:
        on_move(factors[0], context, topic)
        notify_factors(factors[1:], context, topic)

    return first_then_rest


# ---------------------------------------------------------------------- seeds


class SeedFactor(NamedTuple):
    """Factor of seed words: the topics of each word, and their multipliers."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    ratio: NDArray[np.float64]


def apply_seeds(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """g(k) is 1 + weight for the topics that the word is a seed of, and 1 otherwise."""
    for j in range(factor.start[context.word], factor.start[context.word + _ONE]):
        scale_topic(multipliers, factor.topics[j], factor.ratio[j])


register_factor(SeedFactor, apply_seeds, of_words=True)


# ---------------------------------------------------------------------- shards


class ShardedFactor(NamedTuple):
    """Factor of a corpus in a sampler that has only a shard of it.

    Attributes
    ----------
    factor : NamedTuple
        Factor of the whole corpus.
    token, doc : int
        Position of the shard's first token and row of its first document in the corpus.
    """

    factor: Any
    token: np.uint64
    doc: np.uint64


def apply_sharded(shard: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """Apply the factor to the token's position in the whole corpus."""
    in_corpus = TokenContext(context.token + shard.token, context.doc + shard.doc, context.word, context.topic)
    apply_factors((shard.factor,), in_corpus, counts, multipliers)


register_factor(ShardedFactor, apply_sharded)
