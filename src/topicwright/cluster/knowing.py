"""Knowledge as arrays that all shards read: what is said of words. What is said of tokens goes with their shard."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..knowledge.compiling import Compiled, TopicNumbers
from ..knowledge.limits import Limits
from ..knowledge.priors import Loans, Seeds
from ..knowledge.words import WordLinks

Arrays = dict[str, NDArray[Any]]
_PARTS: dict[str, Any] = {"limits": Limits, "seeds": Seeds, "loans": Loans}
_OF_SHARDS = ("limits.sets", "limits.weight")


def check(knowledge: Compiled) -> None:
    """An error where knowledge reads what other shards hold."""
    if knowledge.document_loans is not None or any(not isinstance(factor, WordLinks) for factor in knowledge.factors):
        raise InputError(
            "DocumentLinks, DocumentTopics and Custom are of documents that another shard may hold: with a backend, "
            "knowledge may be MustLinks, CannotLinks, SeedWords, ForbiddenWords, DocumentLabels and SentenceLabels"
        )


def to_arrays(knowledge: Compiled) -> Arrays:
    """What is known of words."""
    check(knowledge)
    arrays: Arrays = {"linked": knowledge.linked}
    for name in _PARTS:
        part = getattr(knowledge, name)
        if part is not None:
            arrays |= {f"{name}.{field}": value for field, value in part._asdict().items()}
    for number, factor in enumerate(knowledge.factors):
        arrays |= {f"factor{number}.{field}": np.asarray(value) for field, value in factor._asdict().items()}
    return {name: array for name, array in arrays.items() if name not in _OF_SHARDS}


def from_arrays(arrays: Arrays, n_topics: int, sets: NDArray[np.uint32] | None) -> Compiled:
    """The knowledge of a shard; ``sets`` are those that its tokens are limited to."""
    own: Arrays = {} if sets is None else {"limits.sets": sets, "limits.weight": np.zeros(n_topics + 1)}
    arrays = {**arrays, **own}
    parts = {
        name: kind(**{field: arrays[f"{name}.{field}"] for field in kind._fields})
        for name, kind in _PARTS.items()
        if f"{name}.start" in arrays
    }
    factors: list[WordLinks] = []
    while f"factor{len(factors)}.start" in arrays:
        fields: dict[str, Any] = {field: arrays[f"factor{len(factors)}.{field}"] for field in WordLinks._fields}
        factors.append(WordLinks(**{**fields, "sign": float(fields["sign"])}))
    return Compiled(TopicNumbers(n_topics), tuple(factors), **parts, linked=arrays["linked"])
