"""Corpora as arrays of model files, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpus.columns import LabelLists
from ..corpus.corpus import Corpus
from ..corpus.metadata import Labels
from ..corpus.tokenizer import Tokenizer
from ..errors import InputError
from .fields import ModelFields, pack_strings
from .strict_json import to_json


def corpus_to_arrays(corpus: Corpus) -> dict[str, NDArray[Any]]:
    """Corpus with its metadata and its tokenizer as arrays for ``write_model``."""
    arrays: dict[str, NDArray[Any]] = {"tokens": corpus.tokens, "offsets": corpus.offsets}
    arrays |= pack_strings(corpus.vocabulary, "vocabulary")
    if corpus.ids is not None:
        arrays |= pack_strings(corpus.ids, "ids")
    if corpus.labels is not None:
        arrays |= _labels_to_arrays(LabelLists.of(corpus.labels))
    if corpus.targets is not None:
        arrays["targets"] = corpus.targets
    if corpus.links is not None:
        arrays["links"] = corpus.links
    if corpus.dates is not None:
        arrays["dates"] = corpus.dates.view(np.int64)  # seconds since 1970; NaT is the least integer
    if corpus.texts is not None:
        arrays |= pack_strings(corpus.texts, "texts")
    if corpus.tokenizer is not None:
        arrays |= tokenizer_to_arrays(corpus.tokenizer)
    return arrays


def corpus_from_fields(fields: ModelFields) -> Corpus:
    """Corpus that ``corpus_to_arrays`` stored; ``ModelFileError`` if the arrays are not valid."""
    vocabulary = fields.strings("vocabulary")
    tokens = fields.array("tokens", np.int32, ndim=1, minimum=0, maximum=len(vocabulary) - 1)
    offsets = fields.offsets("offsets", len(tokens))
    n_docs = len(offsets) - 1
    try:
        return Corpus(
            tokens=tokens,
            offsets=offsets,
            vocabulary=np.array(vocabulary, dtype=object),
            ids=tuple(fields.strings("ids", count=n_docs)) if "ids" in fields else None,
            labels=_labels_from_fields(fields, n_docs) if "labels" in fields else None,
            targets=fields.array("targets", np.float64, finite=False) if "targets" in fields else None,
            links=_links_from_fields(fields, n_docs) if "links" in fields else None,
            tokenizer=tokenizer_from_fields(fields) if "tokenizer" in fields else None,
            dates=fields.array("dates", np.int64, ndim=1).view("datetime64[s]") if "dates" in fields else None,
            texts=tuple(fields.strings("texts", count=n_docs)) if "texts" in fields else None,
        )
    except InputError as error:
        fields.fail("corpus", f"can't be rebuilt: {error}")


def _labels_to_arrays(labels: LabelLists) -> dict[str, NDArray[Any]]:
    return {
        **pack_strings(labels.names, "labels.names"),
        "labels.values": labels.values,
        "labels.offsets": labels.offsets,
    }


def _labels_from_fields(fields: ModelFields, n_docs: int) -> Labels:
    names = fields.strings("labels.names", unique=True)
    values = fields.array("labels.values", np.int32, ndim=1, minimum=0, maximum=len(names) - 1)
    offsets = fields.offsets("labels.offsets", len(values), count=n_docs)
    return tuple(LabelLists(names, values, offsets))


def _links_from_fields(fields: ModelFields, n_docs: int) -> NDArray[np.int64]:
    return fields.array("links", np.int64, shape=(None, 2), minimum=0, maximum=n_docs - 1)


def tokenizer_to_arrays(tokenizer: Tokenizer) -> dict[str, NDArray[Any]]:
    """Settings of a tokenizer as an array, since a list of stop words may be long."""
    return pack_strings([to_json(tokenizer.to_dict(), "tokenizer")], "tokenizer")


def tokenizer_from_fields(fields: ModelFields) -> Tokenizer:
    """Tokenizer that ``tokenizer_to_arrays`` stored; ``ModelFileError`` if its settings are not valid."""
    settings = fields.json("tokenizer")
    try:
        return Tokenizer.from_dict(settings)
    except Exception as error:  # hostile settings may fail anywhere
        fields.fail("tokenizer", f"can't be rebuilt: {error}")
