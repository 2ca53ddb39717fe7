"""AnnData objects: a matrix of counts with named rows and columns and a table about the rows.

The object is duck-typed, so that ``anndata`` itself need not be installed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...errors import InputError
from ..corpus import Corpus
from ..inputs import from_matrix


def from_anndata(
    adata: Any,
    layer: str | None = None,
    *,
    labels: str | None = None,
    target: str | None = None,
    date: str | None = None,
) -> Corpus:
    """See ``Corpus.from_anndata``."""
    for attribute in ("X", "layers", "obs", "obs_names", "var_names"):
        if not hasattr(adata, attribute):
            raise InputError(parameter="adata", expected="an AnnData object", got=type(adata))
    columns = {"labels": labels, "targets": target, "dates": date}
    metadata = {name: _column(adata, column) for name, column in columns.items() if column is not None}
    words = [str(word) for word in adata.var_names]
    if len(set(words)) < len(words):
        repeated = next(word for word in words if words.count(word) > 1)
        hint = "adata.var_names_make_unique() renames them"
        raise InputError(parameter="adata", expected="an AnnData object with unique var_names", got=repeated, hint=hint)
    return from_matrix(_counts(adata, layer), words, ids=[str(name) for name in adata.obs_names], **metadata)


def _counts(adata: Any, layer: str | None) -> Any:
    if layer is not None and layer not in adata.layers:
        raise InputError(parameter="layer", expected=_one_of("None or one of", adata.layers.keys()), got=layer)
    counts = adata.X if layer is None else adata.layers[layer]
    if counts is None:
        raise InputError(parameter="layer", expected=_one_of("one of", adata.layers.keys()), got=None, hint="X is None")
    if hasattr(counts, "to_memory"):  # a sparse matrix on disk
        return counts.to_memory()
    return counts if hasattr(counts, "tocsr") or hasattr(counts, "__array__") else counts[:]


def _column(adata: Any, name: str) -> Any:
    if name not in adata.obs:
        columns = ", ".join(map(str, adata.obs.columns))
        raise InputError(f"adata.obs: no column {name!r}; its columns are: {columns}", got=name, where="adata.obs")
    return adata.obs[name].to_list()


def _one_of(start: str, names: Collection[Any]) -> str:
    return f"{start} {', '.join(map(repr, names))}" if names else "None"
