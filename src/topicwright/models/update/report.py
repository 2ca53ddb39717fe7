"""Update report: how much each topic changed, what died down, and which documents no topic explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TokenBatch, TopicSnapshot, infer, log_probability, split_alternating
from ..._sampling.priors import base_prior
from ..._utils.count_rows import rows_to_csr
from ..._utils.formatting import align_columns, pluralize
from ...corpus import Corpus

if TYPE_CHECKING:
    from ..batch import BatchTopicModel

Floats = NDArray[np.float64]
_LISTED_WORDS, _SHOWN_WORDS, _SHOWN_DOCUMENTS, _SHOWN_TOPICS = 10, 4, 10, 30
_SIGN_DRAWS = 100
_LEAST_EXPECTED = 5.0  # tokens of a word that is compared
_LEAST_DOCUMENTS = 5  # with a topic, of which the change is compared with chance
_LEVEL = 0.01  # of false alarms in a report, over all topics
_NOTABLE_Z = 3.0  # of a word that a topic gained or lost
_DIED_DOWN, _LEAST_TOKENS = 0.1, 50.0  # share relative to before, and tokens expected in the new documents
_LEAST_SCORED, _LEAST_COMPARED, _BIN = 4, 20, 100  # words of a document; documents; documents of similar length
_DRAWN_WORDS = 32  # of each document
_UNEXPLAINED_Z = -3.5
_SIMILAR = 0.85  # overlap of the word distributions of two topics that could be merged


class TopicDrift(NamedTuple):
    """Change of one topic by an update.

    Attributes
    ----------
    topic : int
        Number of the topic.
    name : str or None
        Its name, if it has one.
    share_before, share : float
        Share of the tokens of the past, and of the new documents, that the topic has.
    drift : float
        Difference between the words of the topic in the new documents and in the past, in units of what chance alone
        makes. It is about 1 for a topic that did not change. NaN if there is too little to compare.
    p_value : float
        Probability that chance alone makes a difference as large.
    gained, lost : tuple of str
        Words that are clearly more or less frequent in the topic than in the past, the largest change first.
    status : {"", "changed", "died down", "new"}
        "changed" if chance hardly makes a difference as large in any topic of the report; "died down" if the share fell
        below a tenth; "new" if this update opened the topic.
    """

    topic: int
    name: str | None
    share_before: float
    share: float
    drift: float
    p_value: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    status: str


class UnexplainedDocument(NamedTuple):
    """Document that no topic explains.

    Attributes
    ----------
    row : int
        Row of the document.
    id : str or None
        Its id, if the documents have ids.
    score : float
        How well its words can be predicted, compared with what the model expects, in standard deviations from other
        new documents of about the same length.
    """

    row: int
    id: str | None
    score: float


class MergeSuggestion(NamedTuple):
    """Two topics with nearly the same words; ``overlap`` is Σ_w √(φ_aw φ_bw)."""

    into: int
    other: int
    overlap: float


class SplitSuggestion(NamedTuple):
    """Subject in a topic that a topic of its own would predict better; it is not new, so that none was opened."""

    topic: int
    words: tuple[str, ...]
    gain: float  # log-probability of held-out documents


@dataclass(frozen=True)
class UpdateReport:
    """What an update changed.

    Attributes
    ----------
    topics : list of TopicDrift
        One for each topic.
    new_topics : list of int
        Topics that the update opened. They are marked as new in the model until you accept them.
    unexplained : list of UnexplainedDocument
        New documents that no topic explains, the worst first.
    new_words : list of str
        Words that entered the vocabulary.
    merges, splits : list
        Suggestions; the update itself merges and splits nothing.
    n_documents, n_tokens : int
        Size of the new documents.
    weight : float
        Weight of the past in the counts of the model.
    """

    topics: list[TopicDrift]
    n_documents: int
    n_tokens: int
    weight: float
    new_words: list[str] = field(default_factory=list)
    new_topics: list[int] = field(default_factory=list)
    unexplained: list[UnexplainedDocument] = field(default_factory=list)
    merges: list[MergeSuggestion] = field(default_factory=list)
    splits: list[SplitSuggestion] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON; NaN becomes None."""
        return {
            "documents": self.n_documents,
            "tokens": self.n_tokens,
            "weight_of_past": self.weight,
            "new_words": list(self.new_words),
            "new_topics": list(self.new_topics),
            "topics": [_plain(change) for change in self.topics],
            "unexplained": [_plain(document) for document in self.unexplained],
            "merges": [_plain(merge) for merge in self.merges],
            "splits": [_plain(split) for split in self.splits],
        }

    def __repr__(self) -> str:
        return "\n".join([self._headline(), *self._table(), *self._notes()])

    def _headline(self) -> str:
        parts = [
            f"{pluralize(self.n_documents, 'new document')} with {pluralize(self.n_tokens, 'token')}",
            pluralize(len(self.new_words), "new word"),
            pluralize(len(self.new_topics), "new topic"),
            f"past weighted {self.weight:.3g}",
        ]
        return f"Update: {', '.join(parts)}"

    def _table(self) -> list[str]:
        notable = sorted(self.topics, key=lambda change: (not change.status, -change.share))[:_SHOWN_TOPICS]
        shown = sorted(notable, key=lambda change: change.topic)
        heads = ["topic", "share before", "share", "drift", "gained", "lost", ""]
        lines = align_columns([heads, *map(_row, shown)])
        more = len(self.topics) - len(shown)
        return [*lines, f"… and {pluralize(more, 'topic')} without a notable change"] if more else lines

    def _notes(self) -> list[str]:
        notes = []
        if self.unexplained:
            rows = ", ".join(doc.id or str(doc.row) for doc in self.unexplained[:_SHOWN_DOCUMENTS])
            more = ", …" if len(self.unexplained) > _SHOWN_DOCUMENTS else ""
            notes.append(f"{pluralize(len(self.unexplained), 'document')} that no topic explains: {rows}{more}")
        notes += [f"topics {a} and {b} have nearly the same words ({share:.0%})" for a, b, share in self.merges]
        for topic, words, _ in self.splits:
            notes.append(f"topic {topic} could be split: {' '.join(words[:_SHOWN_WORDS])}")
        return notes


def _plain(record: Any) -> dict[str, Any]:
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in record._asdict().items()}
    return {name: None if value != value else value for name, value in values.items()}


def _row(change: TopicDrift) -> list[str]:
    name = str(change.topic) if change.name is None else f"{change.topic} {change.name}"
    drift = "" if change.drift != change.drift else f"{change.drift:.1f}"
    words = (" ".join(own[:_SHOWN_WORDS]) for own in (change.gained, change.lost))
    return [name, f"{change.share_before:.1%}", f"{change.share:.1%}", drift, *words, change.status]


# ---------------------------------------------------------------------- report


class PastTopics(NamedTuple):
    """Topics of a model before an update."""

    counts: Any  # topic–word counts
    beta: float | Floats
    n_words: int
    top_words: list[list[str]]

    @classmethod
    def of(cls, model: BatchTopicModel) -> PastTopics:
        """Those of a fitted model."""
        return cls(model.topic_word_counts_, model.beta_, len(model.vocabulary_), model.top_words(_LISTED_WORDS))


def build_report(
    model: BatchTopicModel,
    past: PastTopics,
    old_numbers: NDArray[np.int64],
    weight: float,
    splits: Sequence[SplitSuggestion] = (),
) -> UpdateReport:
    """Report of an update.

    Parameters
    ----------
    model : BatchTopicModel
        The updated model.
    past : PastTopics
        Its topics before.
    old_numbers : array of int
        Number that each of these topics has now.
    weight : float
        Weight of the past.
    splits : sequence of SplitSuggestion
        Subjects that are not new and would be better off in a topic of their own.
    """
    n_topics, corpus = len(model.alpha_), model.corpus_
    is_old = np.isin(np.arange(n_topics), old_numbers)
    own = np.bincount(np.asarray(model.assignments_), minlength=n_topics)
    before = np.zeros(n_topics, np.int64)
    before[old_numbers] = np.asarray(past.counts.sum(axis=1)).ravel()
    shares, shares_before = own / max(1, own.sum()), before / max(1, before.sum())
    drifts = {int(new): _drift(model, past, old, int(new)) for old, new in enumerate(old_numbers)}
    n_compared = sum(drift.p_value == drift.p_value for drift in drifts.values())
    changes = []
    for topic in range(n_topics):
        drift = drifts.get(topic, _NO_DRIFT)
        status = "new" if not is_old[topic] else ""
        if drift.p_value < _LEVEL / max(1, n_compared):
            status = "changed"
        if is_old[topic] and shares_before[topic] * own.sum() >= _LEAST_TOKENS:
            status = "died down" if shares[topic] < _DIED_DOWN * shares_before[topic] else status
        name = (
            None if model.topic_names_ is None or model.topic_names_[topic] == str(topic) else model.topic_names_[topic]
        )
        words = tuple(model.top_words(_LISTED_WORDS)[topic]) if status == "new" else drift.gained
        figures = (float(shares_before[topic]), float(shares[topic]), drift.ratio, drift.p_value)
        changes.append(TopicDrift(topic, name, *figures, words, drift.lost, status))
    return UpdateReport(
        changes,
        corpus.n_docs,
        corpus.n_tokens,
        weight,
        model.vocabulary_[past.n_words :].tolist(),
        [change.topic for change in changes if change.status == "new"],
        _unexplained(model),
        _merges(model),
        list(splits),
    )


# ---------------------------------------------------------------------- drift


class _Change(NamedTuple):
    ratio: float
    p_value: float
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


_NO_DRIFT = _Change(float("nan"), float("nan"))


def _drift(model: BatchTopicModel, past: PastTopics, old: int, new: int) -> _Change:
    """Difference of a topic's words between the new documents and the past, compared with chance.

    With the count x_w of a word in the new documents and n of all words, c_w and N in the past, p_w = c_w / N,
    q_w = (x_w + c_w) / (n + N), and e_dw = x_dw − n_d x_w / n,

        T  =  Σ_w (x_w − n p_w)² / (n q_w (1 + n / N)).

    Words come in bursts, so that chance is that of documents: T is Σ_w (Σ_d s_d e_dw)² / (n q_w) with random signs s_d
    of the documents. A gamma distribution with the mean and variance of such draws gives the p-value.
    """
    from scipy.stats import gamma

    table = _documents_of(model, new)
    counts = np.zeros(table.shape[1])
    counts[: past.n_words] = past.counts[[old], :].toarray().ravel()
    x, size = np.asarray(table.sum(axis=0), np.float64).ravel(), counts.sum()
    n = x.sum()
    if table.shape[0] < _LEAST_DOCUMENTS or size == 0 or n == 0:
        return _NO_DRIFT
    p, share, expected = counts / size, x / n, n * (x + counts) / (n + size)
    is_frequent, is_old = expected >= _LEAST_EXPECTED, np.arange(len(x)) < past.n_words
    is_compared = is_frequent & is_old
    if not is_compared.any():
        return _NO_DRIFT
    lengths = np.asarray(table.sum(axis=1), np.float64).ravel()
    signs = np.random.default_rng(new).choice([-1.0, 1.0], (_SIGN_DRAWS, table.shape[0]))
    sums = signs @ table.tocsc()[:, np.flatnonzero(is_compared)] - np.outer(signs @ lengths, share[is_compared])
    chance = (sums**2 / expected[is_compared]).sum(axis=1)
    observed = ((x - n * p)[is_compared] ** 2 / expected[is_compared]).sum() / (1 + n / size)
    mean, spread = chance.mean(), chance.var(ddof=1)
    if mean == 0 or spread == 0:
        return _NO_DRIFT
    p_value = float(gamma.sf(observed, mean**2 / spread, scale=spread / mean))
    squares = np.asarray((table * table).sum(axis=0)).ravel() - 2 * share * np.asarray(lengths @ table).ravel()
    variance = np.maximum(squares + share**2 * (lengths**2).sum(), expected * mean / is_compared.sum())
    z = (x - n * p) / np.sqrt(np.maximum(variance, 1e-12) * (1 + n / size))
    z[~is_old] = _NOTABLE_Z + 1  # new words are more frequent than they were
    order = np.lexsort((np.arange(len(z)), -np.abs(share - p)))
    notable = order[(is_frequent & (np.abs(z) > _NOTABLE_Z))[order]]
    gained, lost = (
        tuple(str(word) for word in model.vocabulary_[own[:_LISTED_WORDS]])
        for own in (notable[z[notable] > 0], notable[z[notable] < 0])
    )
    return _Change(float(observed / mean), p_value, gained, lost)


def _documents_of(model: BatchTopicModel, topic: int) -> Any:
    """Counts of the words of a topic in the documents that have it, as CSR."""
    from scipy.sparse import coo_array

    corpus = model.corpus_
    own = np.flatnonzero(np.asarray(model.assignments_) == topic)
    documents, rows = np.unique(np.searchsorted(corpus.offsets, own, side="right"), return_inverse=True)
    ones = np.ones(len(own), np.int64)
    return coo_array((ones, (rows, corpus.tokens[own])), shape=(len(documents), corpus.n_words)).tocsr()


# ---------------------------------------------------------------------- documents that no topic explains


def document_scores(topics: TopicSnapshot, corpus: Corpus, n_jobs: int = 1) -> Floats:
    """How well topics explain documents: in standard deviations from documents of about the same length.

    The score of a document is the mean log-probability of every other word given the remaining ones, less what the
    model expects of words that it draws itself from the topics of the document. The median and the spread of documents
    with about as many words standardize it. It is NaN for documents of fewer than eight words, and if there are few.
    """
    seen, scored = split_alternating(TokenBatch(corpus.tokens, corpus.offsets))
    theta, lengths = infer(topics, seen, n_jobs=n_jobs), np.diff(scored.offsets)
    expected = log_probability(topics, _drawn_documents(topics, theta), theta, n_jobs).reshape(-1, _DRAWN_WORDS)
    total = np.concatenate([[0.0], np.cumsum(log_probability(topics, scored, theta, n_jobs))])
    scores = np.full(corpus.n_docs, np.nan)
    chosen = np.flatnonzero(lengths >= _LEAST_SCORED)
    if len(chosen) < _LEAST_COMPARED:
        return scores
    mean = np.diff(total[scored.offsets])[chosen] / lengths[chosen] - expected[chosen].mean(axis=1)
    order = np.argsort(lengths[chosen], kind="stable")
    for part in np.array_split(order, max(1, len(order) // _BIN)):
        center = np.median(mean[part])
        spread = 1.4826 * np.median(np.abs(mean[part] - center))
        scores[chosen[part]] = (mean[part] - center) / max(spread, 1e-9)
    return scores


def _drawn_documents(topics: TopicSnapshot, theta: Floats) -> TokenBatch:
    """Documents of words that are drawn from the topics, in these proportions."""
    rng, (n_docs, n_topics) = np.random.default_rng(0), theta.shape
    cumulative = np.cumsum(theta, axis=1)
    drawn = rng.random((n_docs, _DRAWN_WORDS)) * cumulative[:, -1:]
    topic = np.concatenate([np.searchsorted(own, u, side="right") for own, u in zip(cumulative, drawn)] or [[]])
    topic = np.minimum(topic, n_topics - 1).astype(np.int64)
    tokens = np.zeros(len(topic), np.int32)
    counts, prior = rows_to_csr(topics.words, n_topics).T.tocsr(), base_prior(topics.beta)
    order = np.argsort(topic, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(topic[order])) + 1) if len(order) else []:
        words = np.cumsum(counts[[topic[own[0]]], :].toarray().ravel() + prior)
        tokens[own] = np.searchsorted(words, rng.random(len(own)) * words[-1], side="right").clip(max=len(words) - 1)
    return TokenBatch(tokens, np.arange(n_docs + 1) * _DRAWN_WORDS)


def _unexplained(model: BatchTopicModel) -> list[UnexplainedDocument]:
    scores = document_scores(model._snapshot, model.corpus_)
    rows = np.flatnonzero(scores < _UNEXPLAINED_Z)
    ids = model.corpus_.ids
    ranked = rows[np.argsort(scores[rows], kind="stable")].tolist()
    return [UnexplainedDocument(row, None if ids is None else ids[row], float(scores[row])) for row in ranked]


# ---------------------------------------------------------------------- merges


def _merges(model: BatchTopicModel) -> list[MergeSuggestion]:
    """Pairs of topics with nearly the same words; the overlap is computed from the counts alone."""
    from scipy.sparse import csr_array

    counts = model.topic_word_counts_.astype(np.float64)
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    roots = csr_array((np.sqrt(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    overlap = (roots @ roots.T).tocoo()
    pairs = zip(overlap.row.tolist(), overlap.col.tolist(), overlap.data.tolist())
    similar = [(a, b, value / np.sqrt(sizes[a] * sizes[b])) for a, b, value in pairs if a < b]
    found = [MergeSuggestion(a, b, float(value)) for a, b, value in similar if value > _SIMILAR]
    return sorted(found, key=lambda merge: -merge.overlap)
