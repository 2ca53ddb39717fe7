"""Topics as records: shares, words, and what else a model knows of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .kinds import documents_of_topics, is_labelled


def topic_records(model: Any, chosen: Sequence[int], n_words: int) -> Iterator[dict[str, Any]]:
    """The topics with their share of all words and their likeliest words.

    ``coef`` is the weight of the topic in each class or number, where a model predicts some; ``documents`` is how many
    have the label, where topics are labels.
    """
    from ..io.export.tables import topic_entries
    from ..views.weights import weights_of_topics

    weights = weights_of_topics(model)
    documents = documents_of_topics(model) if is_labelled(model) else []
    for number, entry in zip(chosen, topic_entries(model, n_words, chosen)):
        if weights:
            entry["coef"] = {name: row[number] for name, row in weights.items()}
        if documents:
            entry["documents"] = documents[number]
        yield entry
