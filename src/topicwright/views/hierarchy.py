"""Relations between topics: correlation in documents, and a hierarchy of topics with similar words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import pluralize
from .._utils.table import Table
from .._utils.validation import check_integer
from ..errors import InputError
from .format import require_documents
from .topic_map import topic_distances
from .words import topic_sizes

Floats = NDArray[np.float64]
_ROWS = 4096  # of dense topic shares in memory at a time
_LAMBDA = 0.6  # relevance of the words of a group


def topic_correlations(model: Any) -> Floats:
    """Correlation of the shares θ of topics over the training documents.

    Topics with a positive correlation occur in the same documents. Shares of a document sum to 1, so most correlations
    are slightly negative.

    Parameters
    ----------
    model : fitted model
        With its training documents.

    Returns
    -------
    array of shape (n_topics, n_topics)
        Pearson correlations. Those of a topic with the same share everywhere are 0.

    Examples
    --------
    >>> import topicwright as tw
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea", "bread oven"] * 5, [["sea"], ["kitchen"]] * 5)
    >>> topic_correlations(model).round(2)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    check_is_fitted(model)
    require_documents(model, "topic_correlations")
    n_topics, n_docs = len(model.alpha_), model.corpus_.n_docs
    center = model.document_topics([0])[0]  # close to the mean: squares lose no digits
    sums, products = np.zeros(n_topics), np.zeros((n_topics, n_topics))
    for start in range(0, n_docs, _ROWS):
        theta = model.document_topics(np.arange(start, min(start + _ROWS, n_docs))) - center
        sums += theta.sum(axis=0)
        products += theta.T @ theta
    covariance = products / n_docs - np.outer(sums, sums) / n_docs**2
    deviation = np.sqrt(np.clip(np.diag(covariance), 0, None))
    scale = np.where(deviation > 1e-9, 1 / np.maximum(deviation, 1e-9), 0.0)
    correlations = np.clip(covariance * np.outer(scale, scale), -1, 1)
    np.fill_diagonal(correlations, 1.0)
    return np.asarray(correlations)


class TopicHierarchy(NamedTuple):
    """Topics, merged step by step into larger groups with similar words."""

    topics: NDArray[np.int64]
    """Numbers of the topics, without empty ones."""
    linkage: Floats
    """Merges as in :func:`scipy.cluster.hierarchy.linkage`; row ``i`` of its topics is ``topics[i]``."""

    def cut(self, n_groups: int) -> list[list[int]]:
        """Topics in this number of groups, in the order of their first topics."""
        n_topics = len(self.topics)
        n_groups = check_integer("n_groups", n_groups, 1, n_topics)
        groups = {number: [topic] for number, topic in enumerate(self.topics.tolist())}
        for step, (a, b) in enumerate(self.linkage[: n_topics - n_groups, :2].astype(np.int64).tolist()):
            groups[n_topics + step] = sorted(groups.pop(a) + groups.pop(b))
        return sorted(groups.values())


class TopicGroup(NamedTuple):
    """A group of topics: its share of all tokens, and its most relevant words."""

    topics: tuple[int, ...]
    share: float
    words: tuple[str, ...]


def topic_hierarchy(model: Any) -> TopicHierarchy:
    """Hierarchy of the topics of a model by the similarity of their words.

    Topics are merged by average linkage of their Jensen–Shannon distances.

    Parameters
    ----------
    model : fitted model
        Any model.

    Returns
    -------
    TopicHierarchy
        ``plot_hierarchy`` of the model draws it.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sea", "ship harbor", "bread oven"] * 5
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(texts, [["sea"], ["port"], ["kitchen"]] * 5)
    >>> model.topic_names_, topic_hierarchy(model).cut(2)
    (['kitchen', 'port', 'sea'], [[0], [1, 2]])
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    check_is_fitted(model)
    topics = np.flatnonzero(topic_sizes(model) > 0)
    if not len(topics):
        raise InputError("topic_hierarchy needs a topic with words: all are empty")
    distances = topic_distances(model, topics.tolist())
    merges = linkage(squareform(distances, checks=False), "average") if len(topics) > 1 else np.empty((0, 4))
    return TopicHierarchy(topics, merges)


def topic_groups(model: Any, n_groups: int, n_words: int = 10) -> Table[TopicGroup]:
    """Topics of a model in fewer groups, with the words of each group: a level of :func:`topic_hierarchy`.

    Parameters
    ----------
    model : fitted model
        Any model.
    n_groups : int
        Number of groups.
    n_words : int
        Number of words of each group, the most relevant ones (λ = 0.6) in the tokens of its topics together.

    Returns
    -------
    Table of TopicGroup
        The group with the largest share first.
    """
    n_words = check_integer("n_words", n_words, 1)
    sizes, counts = topic_sizes(model), model.topic_word_counts_.tocsr()
    overall = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    rows = [
        TopicGroup(tuple(topics), float(sizes[topics].sum()), _words(model, counts, overall, topics, n_words))
        for topics in topic_hierarchy(model).cut(n_groups)
    ]
    rows.sort(key=lambda group: -group.share)
    return Table(rows, f"{pluralize(len(rows), 'group')} of topics", TopicGroup._fields)


def _words(model: Any, counts: Any, overall: Floats, topics: list[int], n: int) -> tuple[str, ...]:
    own = np.asarray(counts[topics, :].sum(axis=0), dtype=np.float64).ravel()
    ids = np.flatnonzero(own > 0)
    p, q = own[ids] / own.sum(), overall[ids] / overall.sum()
    relevance = np.log(p) - (1 - _LAMBDA) * np.log(q)
    return tuple(str(word) for word in model.vocabulary_[ids[np.argsort(-relevance, kind="stable")[:n]]])
