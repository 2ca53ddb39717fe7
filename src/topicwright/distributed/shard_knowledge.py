"""Knowledge of a shard: everything about words, and what concerns its own documents and tokens."""

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
from ..knowledge.priors import DocumentPriors, SeedTopics, SharedCounts, WordPriors
from .protocol import qualified_name

Arrays = dict[str, NDArray[Any]]
_PARTS: dict[str, tuple[str, Any]] = {  # as written in run folders, which keep their names
    "limits": ("allowed_topics", AllowedTopics),
    "seeds": ("word_priors", WordPriors),
    "seed_topics": ("seeds", SeedTopics),
    "document_priors": ("document_priors", DocumentPriors),
    "loans": ("shared_word_counts", SharedCounts),
    "document_loans": ("shared_document_counts", SharedCounts),
}
_WRITTEN_FIELDS: dict[tuple[type, str], str] = {
    (SharedCounts, "sources"): "lenders",
    (Neighbors, "neighbors"): "neighbours",
}
_OF_DOCUMENTS = (DocumentPull, Neighbors)  # factors with an entry of ``start`` for each document
_POINTERS = {Neighbors: "neighbors", SharedCounts: "sources"}  # fields with document numbers
_WORKSPACE = "limits.weight"  # scratch memory of samplers, not stored
_NUMBERS = "biuf"


def check_reads(knowledge: CompiledKnowledge, n_shards: int) -> None:
    """Raise an error if a factor may read counts that are on another shard."""
    if "any" in knowledge.reads and n_shards > 1:
        raise InputError(
            f"a CustomFactor with `reads='any'` needs `n_shards=1`: got {n_shards} shards; "
            "if it reads no other document, pass `reads='words'` or `reads='own'`"
        )


# ---------------------------------------------------------------------- documents of a shard


class ShardKnowledge(NamedTuple):
    """Knowledge of a shard, whose documents are numbered from 0, followed by linked ones of other shards."""

    knowledge: CompiledKnowledge
    remote_documents: NDArray[np.int64]  # linked documents of other shards, by their number in the corpus


def restrict_to_shard(
    knowledge: CompiledKnowledge, offsets: NDArray[np.int64], first: int, last: int
) -> ShardKnowledge:
    """Knowledge of the documents from ``first`` up to ``last``."""
    remote_counts, factors = knowledge.shared_document_counts, list(knowledge.factors)
    numbers = [n for n, factor in enumerate(factors) if isinstance(factor, _OF_DOCUMENTS)]
    parts = [
        _slice_documents(part, first, last)
        for part in ([] if remote_counts is None else [remote_counts]) + [factors[n] for n in numbers]
    ]
    pointed = np.concatenate([np.zeros(0, np.int64), *(_pointers(part) for part in parts)]).astype(np.int64)
    remote_documents = np.unique(pointed[(pointed < first) | (pointed >= last)])
    parts = [_renumber(part, remote_documents, first, last) for part in parts]
    if remote_counts is not None:
        remote_counts = parts.pop(0)
    for n, part in zip(numbers, parts):
        factors[n] = part
    priors = knowledge.document_priors and _slice_documents(knowledge.document_priors, first, last)
    allowed = knowledge.allowed_topics
    if allowed is not None:
        allowed = allowed._replace(sets=allowed.sets[int(offsets[first]) : int(offsets[last])])
    return ShardKnowledge(
        knowledge._replace(
            factors=tuple(factors),
            allowed_topics=allowed,
            document_priors=priors,
            shared_document_counts=remote_counts,
        ),
        remote_documents,
    )


def _slice_documents(part: Any, first: int, last: int) -> Any:
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


def _renumber(part: Any, remote_documents: NDArray[np.int64], first: int, last: int) -> Any:
    field = _POINTERS.get(type(part))
    if field is None:
        return part
    old = _pointers(part).astype(np.int64)
    is_own = (old >= first) & (old < last)
    new = np.where(is_own, old - first, last - first + np.searchsorted(remote_documents, old))
    return part._replace(**{field: new.astype(np.uint32)})


# ---------------------------------------------------------------------- arrays


def factor_names(factors: Iterable[Any]) -> list[str]:
    """Names of the classes of factors."""
    return [qualified_name(type(factor)) for factor in factors]


def knowledge_to_arrays(knowledge: CompiledKnowledge) -> Arrays:
    """Knowledge as arrays by name; with the names of factors and what they read, it is complete."""
    arrays: Arrays = {"linked": knowledge.linked}
    for written, (name, kind) in _PARTS.items():
        part = getattr(knowledge, name)
        if part is not None:
            arrays |= {_key(written, kind, field): value for field, value in part._asdict().items()}
    arrays.pop(_WORKSPACE, None)
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


def knowledge_from_arrays(
    arrays: Arrays, factor_classes: list[type], reads: Iterable[str], n_topics: int
) -> CompiledKnowledge:
    """Knowledge from arrays; ``factor_classes`` are the classes of its factors."""
    if "limits.sets" in arrays:
        arrays = {**arrays, _WORKSPACE: np.zeros(n_topics + 1)}
    parts = {
        name: kind(*(arrays[_key(written, kind, field)] for field in kind._fields))
        for written, (name, kind) in _PARTS.items()
        if f"{written}.start" in arrays
    }
    factors = tuple(
        kind(**{field: arrays[_key(f"factor{number}", kind, field)][()] for field in kind._fields})  # type: ignore[attr-defined]
        for number, kind in enumerate(factor_classes)
    )
    return CompiledKnowledge(TopicNumbers(n_topics), factors, **parts, linked=arrays["linked"], reads=frozenset(reads))


def shift_factors(knowledge: CompiledKnowledge, token: int, doc: int) -> CompiledKnowledge:
    """Shift custom factors, which number tokens and documents of the whole corpus, to where a shard begins."""
    factors = tuple(
        factor if is_builtin(type(factor)) else ShardedFactor(factor, np.uint64(token), np.uint64(doc))
        for factor in knowledge.factors
    )
    return knowledge._replace(factors=factors)
