"""Changes of topics by an update, and comparison of two branches with the steps that one can merge from the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.export import topic_weights
from ..models import LDA
from .constraints import Constraints
from .steps import LabelDocument, SplitTopic, Step, Update
from .validation import StepValidator

if TYPE_CHECKING:
    from .state_cache import Snapshot

NOTABLE = 0.125
"""Distance of a notable change: 20 sweeps without steps moved none of 100 topics of 20 Newsgroups that far."""
_MIN_MOVED = 0.1, 10  # share and number of a word's tokens that a topic must gain or lose to be notable
_WORDS = 12
_HEAD = 20


@dataclass(frozen=True)
class TopicChange:
    """Change of one topic."""

    topic: int
    distance: float
    """Distance of its frequent words, from 0 (the same) to 1 (none in common)."""
    notable: bool
    words_before: tuple[str, ...]
    words_after: tuple[str, ...]
    share_before: float
    """Share of all tokens."""
    share_after: float


@dataclass(frozen=True)
class Changes:
    """Changes of all topics by an update."""

    n_sweeps: int
    moved: float
    """Share of all tokens whose topic changed."""
    topics: tuple[TopicChange, ...]
    """Changes in the order of the topics."""

    @property
    def notable(self) -> tuple[TopicChange, ...]:
        """Topics that changed more than by sweeps alone, or that gained or lost words of the steps.

        The most changed come first.
        """
        return tuple(sorted((t for t in self.topics if t.notable), key=lambda t: (-t.distance, t.topic)))

    def to_dict(self) -> dict[str, Any]:
        """The changes as JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Changes:
        """Changes from the data of :meth:`to_dict`."""
        words = ("words_before", "words_after")
        topics: list[dict[str, Any]] = [
            {name: tuple(value) if name in words else value for name, value in topic.items()}
            for topic in data["topics"]
        ]
        return cls(**{**data, "topics": tuple(TopicChange(**topic) for topic in topics)})


def changes_between(before: LDA, after: LDA, mentioned: Iterable[str] = ()) -> Changes:
    """Changes from one model to the next; ``mentioned`` are the words of the steps, whose topics are notable."""
    distances = distances_between(before, after)
    reached = _topics_reached(before, after, mentioned)
    words = [_top_words(model) for model in (before, after)]
    shares = [topic_weights(model) for model in (before, after)]
    topics = [
        TopicChange(
            k, distance, distance >= NOTABLE or k in reached, words[0][k], words[1][k], shares[0][k], shares[1][k]
        )
        for k, distance in enumerate(distances)
    ]
    moved = float(np.mean(before.assignments_ != after.assignments_)) if before.corpus_.n_tokens else 0.0
    return Changes(after.sweeps_ - before.sweeps_, moved, tuple(topics))


def distances_between(one: LDA, other: LDA) -> list[float]:
    """Jensen–Shannon distance between topics of the same number.

    It is computed on the 20 most frequent words of both topics and all other words as one, because rare words change
    in every sweep. The distance is 1 for a topic that only one model has, and 0 for one that is empty in both.
    """
    heads = [_shares_of_words(model) for model in (one, other)]
    n_topics = max(rows.shape[0] for rows in heads)
    return [round(_distance(*(_row(rows, k) for rows in heads)), 4) for k in range(n_topics)]


def _topics_reached(before: LDA, after: LDA, words: Iterable[str]) -> set[int]:
    """Topics that gained or lost a considerable part of the tokens of one of these words."""
    columns = np.flatnonzero(np.isin(before.vocabulary_, sorted(set(words))))
    counts = [model.topic_word_counts_[:, columns].toarray() for model in (before, after)]
    moved = np.abs(counts[1] - counts[0])
    share, number = _MIN_MOVED
    enough = np.maximum(share * counts[0].sum(axis=0), number)
    return set(np.flatnonzero((moved >= enough).any(axis=1)).tolist())


def _top_words(model: LDA) -> list[tuple[str, ...]]:
    return [tuple(map(str, words)) for words in model.top_words(_WORDS)]


def _shares_of_words(model: LDA) -> Any:
    """Word shares of each topic as in ``top_words``: counts plus the pseudo-counts of seeds."""
    counts = model.topic_word_counts_.astype(np.float64)
    if model.word_prior_ is not None:
        counts = (counts + model.word_prior_.multiply(counts > 0)).tocsr()
        counts.sort_indices()
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    counts.data /= np.repeat(np.maximum(sizes, 1e-300), np.diff(counts.indptr))
    return counts


def _row(rows: Any, topic: int) -> tuple[Any, Any]:
    if topic >= rows.shape[0]:
        return rows.indices[:0], rows.data[:0]
    where = slice(rows.indptr[topic], rows.indptr[topic + 1])
    return rows.indices[where], rows.data[where]


def _distance(one: tuple[Any, Any], other: tuple[Any, Any]) -> float:
    if not len(one[0]) or not len(other[0]):
        return float(len(one[0]) != len(other[0]))
    heads = [words[np.lexsort((words, -shares))[:_HEAD]] for words, shares in (one, other)]
    p, q = (_shares_at(words, shares, np.union1d(*heads)) for words, shares in (one, other))
    both = p + q
    terms = [x[x > 0] * np.log2(2 * x[x > 0] / both[x > 0]) for x in (p, q)]
    return float(np.sqrt(np.clip(sum(term.sum() for term in terms) / 2, 0, 1)))


def _shares_at(words: NDArray[Any], shares: NDArray[np.float64], wanted: NDArray[Any]) -> NDArray[np.float64]:
    """Shares of some words, and of all others at the end."""
    index = np.minimum(np.searchsorted(words, wanted), len(words) - 1)
    found = np.where(words[index] == wanted, shares[index], 0.0)
    return np.append(found, max(0.0, 1.0 - found.sum()))


# ---------------------------------------------------------------------- branches

_TOPIC_FIELDS = ("topic", "into", "others")


@dataclass(frozen=True)
class TopicDifference:
    """Difference of one topic between two branches."""

    topic: int
    distance: float
    """Distance of the words, as in :class:`TopicChange`."""
    words: tuple[str, ...]
    """First words in this branch."""
    other_words: tuple[str, ...]
    share: float
    other_share: float


@dataclass(frozen=True)
class Comparison:
    """Common and different steps and topics of two branches."""

    common: tuple[Step, ...]
    """Steps of both branches, up to the first difference."""
    own: tuple[Step, ...]
    other: tuple[Step, ...]
    contradictions: tuple[str, ...]
    """Steps of the other branch that cannot be merged, and why."""
    topics: tuple[TopicDifference, ...]
    """Differences of all topics, the largest first."""


def compare(one: Snapshot, other: Snapshot, validator: StepValidator) -> Comparison:
    """Compare two branches."""
    n = n_common(one.steps, other.steps)
    _, problems = mergeable_steps(other.steps[n:], one.constraints, validator)
    return Comparison(one.steps[:n], one.steps[n:], other.steps[n:], tuple(problems), _differences(one, other))


def n_common(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    """Number of common steps at the start of two branches."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def mergeable_steps(
    steps: Iterable[Step], constraints: Constraints, validator: StepValidator
) -> tuple[list[Step], list[str]]:
    """Steps of another branch that can be added here, without updates, and why others cannot.

    Topics that were created by splits in the other branch get new numbers.
    """
    accepted: list[Step] = []
    problems: list[str] = []
    numbers: dict[int, int | None] = {}
    for step in steps:
        if isinstance(step, Update):
            continue
        try:
            step_here, _ = validator.validate(_renumber_topics(step, numbers), constraints)
        except InputError as error:
            problems.append(f"{step.sentence(validator.names(constraints))}: {error}")
            step_here = None
        if isinstance(step, SplitTopic) and step.new is not None:
            numbers[step.new] = step_here.new if isinstance(step_here, SplitTopic) else None
        if step_here is not None:
            accepted.append(step_here)
            constraints = constraints.after(step_here)
    return accepted, problems


def _renumber_topics(step: Step, numbers: dict[int, int | None]) -> Step:
    def renumber(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(renumber, value))
        number = numbers.get(value, value)
        if number is None:
            raise InputError(f"topic {value} of the other branch does not exist here", parameter="topic", got=value)
        return number

    if isinstance(step, LabelDocument) and isinstance(step.topic, str):
        return step
    if isinstance(step, SplitTopic):
        step = replace(step, new=None)
    return replace(step, **{name: renumber(getattr(step, name)) for name in _TOPIC_FIELDS if hasattr(step, name)})


def _differences(one: Snapshot, other: Snapshot) -> tuple[TopicDifference, ...]:
    models = [snapshot.state.model for snapshot in (one, other)]
    distances = distances_between(models[0], models[1])
    none = [()] * len(distances)
    words: list[Any] = [[*map(tuple, model.top_words(_WORDS)), *none] for model in models]
    shares = [[*topic_weights(model), *[0.0] * len(distances)] for model in models]
    differences = [
        TopicDifference(k, distance, words[0][k], words[1][k], shares[0][k], shares[1][k])
        for k, distance in enumerate(distances)
        if shares[0][k] or shares[1][k]
    ]
    return tuple(sorted(differences, key=lambda difference: (-difference.distance, difference.topic)))
