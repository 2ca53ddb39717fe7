"""What a shard knows: all that is said of words, and what is said of its own documents and tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..knowledge import CompiledKnowledge, TopicNumbers
from ..knowledge.allowed_topics import AllowedTopics
from ..knowledge.document_links import Neighbors
from ..knowledge.document_topics import DocumentPull
from ..knowledge.factors import ShardedFactor, is_builtin
from ..knowledge.priors import SeedPriors, SharedCounts
from .user_code import name_of

Arrays = dict[str, NDArray[Any]]
_PARTS: dict[str, tuple[str, Any]] = {  # as written in run folders, which keep their names
    "limits": ("allowed_topics", AllowedTopics),
    "seeds": ("seeds", SeedPriors),
    "loans": ("shared_word_counts", SharedCounts),
    "document_loans": ("shared_document_counts", SharedCounts),
}
_WRITTEN_FIELDS: dict[tuple[type, str], str] = {
    (SharedCounts, "sources"): "lenders",
    (Neighbors, "neighbors"): "neighbours",
}
_OF_DOCUMENTS = (DocumentPull, Neighbors)  # factors whose ``start`` has an entry for each document
_POINTERS = {Neighbors: "neighbors", SharedCounts: "sources"}  # where numbers of documents are
_ROOM = "limits.weight"  # which a sampler works in
_NUMBERS = "biuf"


def check(knowledge: CompiledKnowledge, n_shards: int) -> None:
    """An error where knowledge may read what another shard holds, and does not say what."""
    if "any" in knowledge.reads and n_shards > 1:
        raise InputError(
            f"a CustomFactor with `reads='any'` needs `n_shards=1`: got {n_shards} shards; "
            "if it reads no other document, pass `reads='words'` or `reads='own'`"
        )


# ---------------------------------------------------------------------- some documents


class ShardRange(NamedTuple):
    """What is known of a shard's documents, which are numbered from 0, and after them those of other shards."""

    knowledge: CompiledKnowledge
    others: NDArray[np.int64]  # documents of other shards that these are linked to, by their number in the corpus


def restrict_to_shard(knowledge: CompiledKnowledge, offsets: NDArray[np.int64], first: int, last: int) -> ShardRange:
    """The knowledge of the documents from ``first`` up to ``last``."""
    lent, factors = knowledge.shared_document_counts, list(knowledge.factors)
    numbers = [n for n, factor in enumerate(factors) if isinstance(factor, _OF_DOCUMENTS)]
    parts = [_of(part, first, last) for part in ([] if lent is None else [lent]) + [factors[n] for n in numbers]]
    pointed = np.concatenate([np.zeros(0, np.int64), *(_pointers(part) for part in parts)]).astype(np.int64)
    others = np.unique(pointed[(pointed < first) | (pointed >= last)])
    parts = [_renumbered(part, others, first, last) for part in parts]
    if lent is not None:
        lent = parts.pop(0)
    for n, part in zip(numbers, parts):
        factors[n] = part
    allowed = knowledge.allowed_topics
    if allowed is not None:
        allowed = allowed._replace(sets=allowed.sets[int(offsets[first]) : int(offsets[last])])
    return ShardRange(
        knowledge._replace(factors=tuple(factors), allowed_topics=allowed, shared_document_counts=lent), others
    )


def _of(part: Any, first: int, last: int) -> Any:
    begin, end = int(part.start[first]), int(part.start[last])
    fields = {
        name: value[begin:end]
        for name, value in part._asdict().items()
        if isinstance(value, np.ndarray) and name != "start"
    }
    return part._replace(start=part.start[first : last + 1] - part.start[first], **fields)


def _pointers(part: Any) -> NDArray[np.uint32]:
    field = _POINTERS.get(type(part))
    return np.zeros(0, np.uint32) if field is None else getattr(part, field)


def _renumbered(part: Any, others: NDArray[np.int64], first: int, last: int) -> Any:
    field = _POINTERS.get(type(part))
    if field is None:
        return part
    old = _pointers(part).astype(np.int64)
    is_own = (old >= first) & (old < last)
    new = np.where(is_own, old - first, last - first + np.searchsorted(others, old))
    return part._replace(**{field: new.astype(np.uint32)})


# ---------------------------------------------------------------------- arrays


def names_of(factors: Iterable[Any]) -> list[str]:
    """The classes of factors, by name."""
    return [name_of(type(factor)) for factor in factors]


def to_arrays(knowledge: CompiledKnowledge) -> Arrays:
    """Knowledge as arrays: whoever has these, the names of factors and what they read has all of it."""
    arrays: Arrays = {"linked": knowledge.linked}
    for written, (name, kind) in _PARTS.items():
        part = getattr(knowledge, name)
        if part is not None:
            arrays |= {_key(written, kind, field): value for field, value in part._asdict().items()}
    arrays.pop(_ROOM, None)
    for number, factor in enumerate(knowledge.factors):
        arrays |= {_key(f"factor{number}", type(factor), field): _as_array(factor, field) for field in factor._fields}
    return arrays


def _key(part: str, kind: type, field: str) -> str:
    """Name of an array in a run folder."""
    return f"{part}.{_WRITTEN_FIELDS.get((kind, field), field)}"


def _as_array(factor: Any, field: str) -> NDArray[Any]:
    value = getattr(factor, field)
    array = np.asarray(value)
    if isinstance(value, (tuple, list)) or array.dtype.kind not in _NUMBERS:
        raise InputError(
            f"with a backend, what a factor has must be numbers and arrays of them: got {value!r} in {field} of "
            f"{type(factor).__name__}"
        )
    return array


def from_arrays(arrays: Arrays, kinds: list[type], reads: Iterable[str], n_topics: int) -> CompiledKnowledge:
    """The same knowledge from arrays; ``kinds`` are the classes of its factors."""
    if "limits.sets" in arrays:
        arrays = {**arrays, _ROOM: np.zeros(n_topics + 1)}
    parts = {
        name: kind(*(arrays[_key(written, kind, field)] for field in kind._fields))
        for written, (name, kind) in _PARTS.items()
        if f"{written}.start" in arrays
    }
    factors = tuple(
        kind(**{field: arrays[_key(f"factor{number}", kind, field)][()] for field in kind._fields})  # type: ignore[attr-defined]
        for number, kind in enumerate(kinds)
    )
    return CompiledKnowledge(TopicNumbers(n_topics), factors, **parts, linked=arrays["linked"], reads=frozenset(reads))


def offset(knowledge: CompiledKnowledge, token: int, doc: int) -> CompiledKnowledge:
    """Factors of one's own speak of the corpus: they are told where in it a shard's documents begin."""
    factors = tuple(
        factor if is_builtin(type(factor)) else ShardedFactor(factor, np.uint64(token), np.uint64(doc))
        for factor in knowledge.factors
    )
    return knowledge._replace(factors=factors)
