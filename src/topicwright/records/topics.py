"""Records of topics, and of the topics of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .predictions import documents_of_topics, is_labeled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..corpus import Corpus
    from ..models import LDA


def topic_records(model: Any, chosen: Sequence[int], n_words: int) -> Iterator[dict[str, Any]]:
    """Records of topics: share of all words, and most probable words.

    If the model predicts something, ``coef`` has the weight of the topic in each class or number. If topics are labels,
    ``documents`` is the number of documents of the label.
    """
    from ..io.export import topic_entries
    from ..views.words import weights_of_topics

    weights = weights_of_topics(model)
    documents = documents_of_topics(model) if is_labeled(model) else []
    for number, entry in zip(chosen, topic_entries(model, n_words, chosen)):
        if weights:
            entry["coef"] = {name: row[number] for name, row in weights.items()}
        if documents:
            entry["documents"] = documents[number]
        yield entry


_DIGITS = 6


class SharesRecord(NamedTuple):
    """Probabilities θ of topics or labels in documents: all of them in order, or the largest first."""

    model: LDA
    dense: bool
    min_weight: float
    top: int | None
    what: str
    """"topic" or "label"."""
    names: list[Any]

    def records(self, corpus: Corpus) -> Iterator[dict[str, Any]]:
        """Record of each document. Without a known word, θ is the prior, and no topic is among the largest."""
        for theta, length in zip(self.model.transform(corpus), corpus.doc_lengths().tolist()):
            yield {f"{self.what}s": _rounded(theta) if self.dense else self._largest(theta) if length else []}

    def _largest(self, shares: NDArray[np.float64]) -> list[list[Any]]:
        """Pairs of name and probability, the largest first, without small ones, and at most ``top``."""
        order = (-shares).argsort(kind="stable")[: self.top]
        order = order[shares[order] >= self.min_weight]
        return [[self.names[k], share] for k, share in zip(order.tolist(), _rounded(shares[order]))]


def shares_of(model: LDA, *, dense: bool = False, min_weight: float = 0.01, top: int | None = None) -> SharesRecord:
    """Probabilities of labels by name if topics are labels, otherwise of topics by number."""
    if is_labeled(model):
        return SharesRecord(model, dense, min_weight, top, "label", model.get_feature_names_out().tolist())
    return SharesRecord(model, dense, min_weight, top, "topic", list(range(len(model.alpha_))))


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    return [round(share, _DIGITS) for share in shares.tolist()]
