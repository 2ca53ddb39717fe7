"""Summary of a corpus as a record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..corpus import Corpus

_QUANTILES = {"least": 0.0, "5%": 0.05, "25%": 0.25, "median": 0.5, "75%": 0.75, "95%": 0.95, "most": 1.0}
_FIRST_WORDS = 50
_EMPTY = 5  # documents that are named


def corpus_record(corpus: Corpus, n_words: int, n_documents: int) -> dict[str, Any]:
    """Record of a corpus: sizes, lengths, most frequent words, labels and first documents."""
    lengths = corpus.doc_lengths()
    empty = (lengths == 0).nonzero()[0].tolist()
    return {
        "documents": corpus.n_docs,
        "tokens": corpus.n_tokens,
        "words": corpus.n_words,
        "empty": {"documents": len(empty), "first": [_name(corpus, row) for row in empty[:_EMPTY]]},
        "lengths": _quantiles(lengths),
        "top_words": _top_words(corpus, n_words),
        **_metadata(corpus),
        "first": [_document(corpus, row) for row in range(min(n_documents, corpus.n_docs))],
    }


def _name(corpus: Corpus, row: int) -> str | int:
    return row + 1 if corpus.ids is None else corpus.ids[row]


def _quantiles(lengths: Any) -> dict[str, int]:
    import numpy as np

    found = np.quantile(lengths, list(_QUANTILES.values()), method="inverted_cdf")
    return dict(zip(_QUANTILES, found.astype(int).tolist()))


def _top_words(corpus: Corpus, n: int) -> list[dict[str, Any]]:
    from ..corpus.vocabulary import document_frequencies

    counts = corpus.word_counts()
    documents = document_frequencies(corpus.tokens, corpus.offsets, corpus.n_words)
    order = (-counts).argsort(kind="stable")[:n].tolist()
    return [{"word": corpus.vocabulary[w], "count": int(counts[w]), "documents": int(documents[w])} for w in order]


def _metadata(corpus: Corpus) -> dict[str, Any]:
    """Labels, dates and targets of documents, as far as there are any."""
    import numpy as np

    metadata: dict[str, Any] = {}
    if corpus.labels is not None:
        counted = Counter(label for labels in corpus.labels for label in labels)
        n_without = sum(not labels for labels in corpus.labels)
        ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        metadata["labels"] = {"without": n_without, "documents": dict(ranked)}
    if corpus.dates is not None:
        dates = corpus.dates[~np.isnat(corpus.dates)]
        metadata["dates"] = {
            "without": corpus.n_docs - len(dates),
            **_span(dates.astype("datetime64[D]").astype(str), "first", "last"),
        }
    if corpus.targets is not None:
        numbers = corpus.targets[~np.isnan(corpus.targets)]
        n_without = int(np.isnan(corpus.targets).reshape(corpus.n_docs, -1).all(axis=1).sum())
        metadata["targets"] = {"without": n_without, **_span(numbers, "least", "most")}
    return metadata


def _span(values: Any, low: str, high: str) -> dict[str, Any]:
    return {low: min(values.tolist()), high: max(values.tolist())}


def _document(corpus: Corpus, row: int) -> dict[str, Any]:
    tokens = corpus.doc(row)
    labels = {} if corpus.labels is None else {"labels": list(corpus.labels[row])}
    words = [str(word) for word in corpus.vocabulary[tokens[:_FIRST_WORDS]]]
    return {"id": _name(corpus, row), "length": len(tokens), **labels, "words": words}
