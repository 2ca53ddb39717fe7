"""What steps do to a model: each function returns a new model and leaves the old one as it is."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import joint_log_likelihood
from .._sampling.priors import with_seeds
from .._utils.validation import SMALLEST_PRIOR
from .._utils.warnings import CollectedWarnings
from ..corpus import Corpus
from ..knowledge import CompiledKnowledge, SeedWords, TopicNames
from ..knowledge.base import AllowedTopics
from ..knowledge.document_topics import DocumentPull
from ..knowledge.priors import SeedPriors, SharedCounts
from ..knowledge.word_links import WordLinks
from ..models import LDA
from ..models._knowledge import compile_collecting_warnings
from ..models._training import OnSweep
from ..models.fit_state import continue_training, count_assignments, refresh_snapshot, set_knowledge, start_fit
from .constraints import Constraints, knowledge_of, names_of
from .steps import MergeTopics, Pin, Rename, SplitTopic, Step, Unpin


def pad_knowledge(known: CompiledKnowledge, corpus: Corpus) -> CompiledKnowledge:
    """The same knowledge, with an empty one of each kind that is not there."""
    n_topics = known.topics.n_topics
    none = (np.empty(0, np.uint32), np.empty(0, np.float64))
    of_words = np.zeros(corpus.n_words + 1, np.uint64)
    of_documents = np.zeros(corpus.n_docs + 1, np.uint64)
    factors = known.factors
    if not any(isinstance(factor, WordLinks) for factor in factors):
        factors = (WordLinks(of_words, *none, -1.0), *factors)
    if not any(isinstance(factor, DocumentPull) for factor in factors):
        factors = (*factors, DocumentPull(of_documents, none[0], 1.0))
    everywhere = AllowedTopics(
        np.zeros(corpus.n_tokens, np.uint32), np.zeros(2, np.uint64), none[0], np.zeros(n_topics + 1)
    )
    return known._replace(
        factors=factors,
        allowed_topics=known.allowed_topics or everywhere,
        seeds=known.seeds or SeedPriors(of_words, *none),
        shared_word_counts=known.shared_word_counts or SharedCounts(of_words, *none),
    )


_SPLIT_SWEEPS = 50


class SteeredState(NamedTuple):
    """A model, and how often pinned topics had their words when they were pinned."""

    model: LDA
    pins: dict[int, dict[str, int]]


def apply_step(state: SteeredState, step: Step, said: Constraints, base: LDA, number: int) -> SteeredState:
    """The state after a step that is no update; ``said`` includes it, ``number`` is its place among the steps."""
    if isinstance(step, MergeTopics):
        state = _rebuilt(state, *_merged(state.model, step), said, base)
        return _pinned_anew(state, said, [step.into])
    if isinstance(step, SplitTopic):
        state = _rebuilt(state, *_split(state.model, step, said, number), said, base)
        return _pinned_anew(state, said, [step.topic])
    if isinstance(step, Pin):
        return _pinned_anew(state, said, [step.topic])
    if isinstance(step, Unpin):
        return SteeredState(state.model, {topic: own for topic, own in state.pins.items() if topic != step.topic})
    if isinstance(step, Rename):
        return state._replace(model=_named(state.model, said, base))
    return state


def run_update(
    state: SteeredState, said: Constraints, base: LDA, n_sweeps: int, on_sweep: OnSweep | None, n_jobs: int | None
) -> SteeredState:
    """The state after sweeps with all that was said; its model tells by ``sweeps_`` how many were done."""
    model = copy(state.model)
    known = _ready(model, knowledge_of(said, state.pins, base), base)
    model.n_jobs = base.n_jobs if n_jobs is None else n_jobs
    continue_training(model, n_sweeps, on_sweep)
    model.n_jobs = base.n_jobs
    _settle(model, known)
    if model.interrupted_:
        model.log_likelihood_ = [*model.log_likelihood_, (model.sweeps_, _likelihood(model))]
        model.log_likelihood_ = sorted(dict(model.log_likelihood_).items())
        model.interrupted_ = False  # it is an update of so many sweeps, as any other
    return state._replace(model=model)


def _compile(model: LDA, items: list[Any], base: LDA) -> tuple[CompiledKnowledge, CollectedWarnings]:
    numbered = base.fit_state_.compiled.topics.numbers
    return compile_collecting_warnings(items, model.corpus_, len(model.alpha_), numbered)


def _ready(model: LDA, items: list[Any], base: LDA) -> Any:
    """Give a model knowledge, and its sampler all kinds of it; returns what :func:`_settle` puts back."""
    known, issued = _compile(model, items, base)
    if known.seeds is not None:
        model.beta = model.beta_  # seeds add to it, so that it can't be learned any more
    set_knowledge(model, items, known, issued)
    model.knowledge = items
    model.fit_state_ = model.fit_state_._replace(compiled=pad_knowledge(known, model.corpus_))
    return known


def rebuilt(
    model: LDA, assignments: NDArray[np.uint32], alpha: NDArray[np.float64], items: list[Any], base: LDA
) -> LDA:
    """A model with other assignments, α and knowledge, and the counts that belong to them."""
    model = copy(model)
    model.assignments_, model.alpha_ = assignments, alpha
    model.n_topics = len(alpha)
    if not isinstance(model.alpha, str):
        model.alpha = alpha
    known = _ready(model, items, base)
    count_assignments(model)
    _settle(model, known)
    return model


def _settle(model: LDA, known: Any) -> None:
    """Put what the model knows back, without the empty kinds."""
    model.fit_state_ = model.fit_state_._replace(compiled=known)
    refresh_snapshot(model)


def _likelihood(model: LDA) -> float:
    beta = with_seeds(model.beta_, model.fit_state_.compiled.seeds)
    total = joint_log_likelihood(model.doc_topic_counts_, model.topic_word_counts_, model.alpha_, beta)
    return total / max(1, model.corpus_.n_tokens)


def _rebuilt(
    state: SteeredState, assignments: NDArray[np.uint32], alpha: NDArray[np.float64], said: Constraints, base: LDA
) -> SteeredState:
    pins = {topic: own for topic, own in state.pins.items() if topic in said.pinned}
    return SteeredState(rebuilt(state.model, assignments, alpha, knowledge_of(said, pins, base), base), pins)


def _named(model: LDA, said: Constraints, base: LDA) -> LDA:
    """The model with the names that topics have now; nothing else changes."""
    model = copy(model)
    state = model.fit_state_
    others = [item for item in state.knowledge if not isinstance(item, TopicNames)]
    model.knowledge = [*others, *names_of(said, base)]
    known, issued = _compile(model, model.knowledge, base)
    set_knowledge(model, model.knowledge, state.compiled._replace(topics=known.topics), issued)
    return model


def _pinned_anew(state: SteeredState, said: Constraints, topics: list[int]) -> SteeredState:
    pins = dict(state.pins)
    counts, words = state.model.topic_word_counts_, state.model.vocabulary_
    for topic in set(topics) & said.pinned:
        row = slice(counts.indptr[topic], counts.indptr[topic + 1])
        pins[topic] = {str(words[w]): int(n) for w, n in zip(counts.indices[row], counts.data[row])}
    return state._replace(pins=dict(sorted(pins.items())))


# ---------------------------------------------------------------------- merging and splitting


def _merged(model: LDA, step: MergeTopics) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Assignments and α: a topic that was merged away has next to none, so that no token ever enters it."""
    assignments, alpha = np.array(model.assignments_), model.alpha_.copy()
    others = np.array(step.others)
    assignments[np.isin(assignments, others)] = step.into
    alpha[others] = SMALLEST_PRIOR
    return assignments, alpha


def _split(
    model: LDA, step: SplitTopic, said: Constraints, number: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Assignments and α: of the tokens of the topic, one half found by a sampler with two topics has the new number."""
    assert step.new is not None
    assignments = np.array(model.assignments_)
    alpha = np.append(model.alpha_, np.ones(said.n_topics - len(model.alpha_)))
    alpha[step.new] = alpha[step.topic]
    own = np.flatnonzero(assignments == step.topic)
    if len(own):
        assignments[own[_second_half(model, own, step, number)]] = step.new
    return assignments, alpha


def _second_half(model: LDA, own: NDArray[np.int64], step: SplitTopic, number: int) -> NDArray[np.bool_]:
    """Which of a topic's tokens are the second half: the one with the given words, or else the smaller one."""
    part = _part(model.corpus_, own)
    seed = int(np.random.SeedSequence(model.seed_, spawn_key=(number,)).generate_state(1, np.uint64)[0])
    halves = LDA(2, alpha=float(model.alpha_[step.topic]), beta=model.beta_, n_jobs=model.n_jobs, evaluate_every=0)
    compiled = pad_knowledge(compile_collecting_warnings(_apart(step), part, 2)[0], part)
    start_fit(halves, part, np.repeat(model.alpha_[step.topic], 2), seed, compiled)
    continue_training(halves, _SPLIT_SWEEPS)
    second: NDArray[np.bool_] = np.equal(np.asarray(halves.assignments_), 1)
    return np.logical_not(second) if not step.words and second.mean() > 0.5 else second


def _apart(step: SplitTopic) -> list[Any]:
    return [SeedWords({1: step.words}, hard=True)] if step.words else []


def _part(corpus: Corpus, tokens: NDArray[np.int64]) -> Corpus:
    """Some tokens of a corpus, in the documents that have them."""
    document = np.searchsorted(corpus.offsets, tokens, side="right")
    _, lengths = np.unique(document, return_counts=True)
    return Corpus(corpus.tokens[tokens], np.concatenate([[0], np.cumsum(lengths)]), corpus.vocabulary)
