"""The method ``update`` of models that can grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._sampling.engine import EarlierCounts
from ..._utils.validation import check_integer
from ...corpus.vocabulary import Pruning
from ...knowledge import TopicNames
from .inputs import check_memory, earlier_counts, grow_vocabulary

if TYPE_CHECKING:
    from ...corpus import Corpus
    from .._training import OnSweep
    from ..batch import BatchTopicModel


def extend_model(model: BatchTopicModel, corpus: Corpus, earlier: EarlierCounts, n_new_topics: int = 0) -> None:
    """Make a fitted model one of other documents, whose earlier counts stay fixed and whose topics keep their numbers.

    New topics, which have no earlier counts, follow the others; their α is the mean of the others.
    """
    n_topics = len(model.alpha_) + n_new_topics
    earlier.words.resize((n_topics, corpus.n_words))
    documents = np.concatenate([earlier.documents, np.zeros(n_new_topics, np.int64)])
    model.earlier_ = EarlierCounts(earlier.words, documents)
    model.alpha_ = np.concatenate([model.alpha_, np.full(n_new_topics, model.alpha_.mean())])
    if np.ndim(model.beta_):
        beta = np.asarray(model.beta_)
        model.beta_ = np.concatenate([beta, np.full(corpus.n_words - len(beta), beta.mean())])
    model.corpus_, model.vocabulary_, model.n_features_in_ = corpus, corpus.vocabulary, corpus.n_words
    model.__dict__.pop("feature_names_in_", None)
    model.assignments_ = None
    model.log_likelihood_ = []


def kept_knowledge(model: BatchTopicModel, corpus: Corpus) -> list[Any]:
    """Knowledge of a model that holds for new documents too, and the names of all its topics."""
    kept = [item.for_new_documents(corpus) for item in model.fit_state_.knowledge if not isinstance(item, TopicNames)]
    items: list[Any] = [item for item in kept if item is not None]
    numbers = model.fit_state_.compiled.topics.numbers
    return [*items, TopicNames({number: name for name, number in numbers.items()})] if numbers else items
