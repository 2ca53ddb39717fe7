"""Effect of steps on a model. Each function returns a new model and does not change the old one."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import joint_log_likelihood, topics_log_likelihood
from .._sampling.engine import EarlierCounts
from .._sampling.priors import with_word_priors
from .._utils.validation import SMALLEST_PRIOR
from .._utils.warnings import CollectedWarnings
from ..corpus import Corpus
from ..knowledge import CompiledKnowledge, SeedWords, TopicNames
from ..knowledge.allowed_topics import AllowedTopics
from ..knowledge.document_topics import DocumentPull
from ..knowledge.factors import SeedFactor
from ..knowledge.priors import DocumentPriors, SharedCounts, WordPriors
from ..knowledge.word_links import SeparatedWords
from ..models import LDA
from ..models._knowledge import compile_collecting_warnings
from ..models._training import OnSweep
from ..models.fit_state import continue_training, count_assignments, refresh_snapshot, set_knowledge, start_fit
from ..models.update.inputs import merge_earlier, split_earlier
from .constraints import Constraints, knowledge_of, topic_names
from .steps import MergeTopics, Pin, Rename, SplitTopic, Step, Unpin

_SPLIT_SWEEPS = 50


def pad_knowledge(compiled: CompiledKnowledge, corpus: Corpus) -> CompiledKnowledge:
    """Knowledge with an empty part of each missing kind, so that one compiled kernel serves all steps."""
    n_topics = compiled.topics.n_topics
    empty = (np.empty(0, np.uint32), np.empty(0, np.float64))
    word_offsets = np.zeros(corpus.n_words + 1, np.uint64)
    document_offsets = np.zeros(corpus.n_docs + 1, np.uint64)
    padding = (
        SeparatedWords(word_offsets, *empty),
        DocumentPull(document_offsets, empty[0], 1.0),
        SeedFactor(word_offsets, *empty),
    )
    missing = [factor for factor in padding if type(factor) not in map(type, compiled.factors)]
    order = [type(factor) for factor in padding]
    factors = tuple(
        sorted(
            (*compiled.factors, *missing),
            key=lambda factor: order.index(type(factor)) if type(factor) in order else len(order),
        )
    )
    all_topics = AllowedTopics(
        np.zeros(corpus.n_tokens, np.uint32), np.zeros(2, np.uint64), empty[0], np.zeros(n_topics + 1)
    )
    return compiled._replace(
        factors=factors,
        allowed_topics=compiled.allowed_topics or all_topics,
        word_priors=compiled.word_priors or WordPriors(word_offsets, *empty),
        document_priors=compiled.document_priors or DocumentPriors(document_offsets, *empty),
        shared_word_counts=compiled.shared_word_counts or SharedCounts(word_offsets, *empty),
    )


class SteeredState(NamedTuple):
    """A model, and the word counts of pinned topics when they were pinned."""

    model: LDA
    pins: dict[int, dict[str, int]]


def apply_step(state: SteeredState, step: Step, constraints: Constraints, base: LDA, number: int) -> SteeredState:
    """State after a step other than an update.

    Parameters
    ----------
    state : SteeredState
    step : Step
    constraints : Constraints
        Constraints including the step.
    base : LDA
        Model before all steps.
    number : int
        Index of the step, which seeds the random draws of a split.
    """
    if isinstance(step, MergeTopics):
        earlier = state.model.earlier_ and merge_earlier(state.model.earlier_, step.into, step.others)
        state = _rebuild_state(state, *_merged_assignments(state.model, step), earlier, constraints, base)
        return _refresh_pins(state, constraints, [step.into])
    if isinstance(step, SplitTopic):
        assignments, alpha = _split_assignments(state.model, step, constraints, number)
        earlier = _split_earlier(state.model, step, assignments)
        state = _rebuild_state(state, assignments, alpha, earlier, constraints, base)
        return _refresh_pins(state, constraints, [step.topic])
    if isinstance(step, Pin):
        return _refresh_pins(state, constraints, [step.topic])
    if isinstance(step, Unpin):
        return SteeredState(state.model, {topic: own for topic, own in state.pins.items() if topic != step.topic})
    if isinstance(step, Rename):
        return state._replace(model=_renamed_model(state.model, constraints, base))
    return state


def run_update(
    state: SteeredState,
    constraints: Constraints,
    base: LDA,
    n_sweeps: int,
    on_sweep: OnSweep | None,
    n_jobs: int | None,
) -> SteeredState:
    """State after sweeps with all constraints; ``sweeps_`` of its model says how many were done."""
    model = copy(state.model)
    compiled = _set_padded_knowledge(model, knowledge_of(constraints, state.pins, base), base)
    model.n_jobs = base.n_jobs if n_jobs is None else n_jobs
    continue_training(model, n_sweeps, on_sweep)
    model.n_jobs = base.n_jobs
    _remove_padding(model, compiled)
    if model.interrupted_:
        model.log_likelihood_ = [*model.log_likelihood_, (model.sweeps_, _likelihood(model))]
        model.log_likelihood_ = sorted(dict(model.log_likelihood_).items())
        model.interrupted_ = False  # an update that was stopped is a shorter update
    return state._replace(model=model)


def _compile(model: LDA, items: list[Any], base: LDA) -> tuple[CompiledKnowledge, CollectedWarnings]:
    numbered = base.fit_state_.compiled.topics.numbers
    return compile_collecting_warnings(items, model.corpus_, len(model.alpha_), numbered)


def _set_padded_knowledge(model: LDA, items: list[Any], base: LDA) -> Any:
    """Give a model padded knowledge; returns the compiled knowledge for :func:`_remove_padding`."""
    compiled, issued = _compile(model, items, base)
    if compiled.word_priors is not None:
        model.beta = model.beta_  # known topics add to β, which therefore cannot be learned any more
    set_knowledge(model, items, compiled, issued)
    model.knowledge = items
    model.fit_state_ = model.fit_state_._replace(compiled=pad_knowledge(compiled, model.corpus_))
    return compiled


def rebuild_model(
    model: LDA,
    assignments: NDArray[np.uint32],
    alpha: NDArray[np.float64],
    earlier: EarlierCounts | None,
    items: list[Any],
    base: LDA,
) -> LDA:
    """Model with other assignments, α, earlier counts and knowledge, and the counts that result from them."""
    model = copy(model)
    model.assignments_, model.alpha_, model.earlier_ = assignments, alpha, earlier
    model.n_topics = len(alpha)
    if not isinstance(model.alpha, str):
        model.alpha = alpha
    compiled = _set_padded_knowledge(model, items, base)
    count_assignments(model)
    _remove_padding(model, compiled)
    return model


def _remove_padding(model: LDA, compiled: Any) -> None:
    """Replace the padded knowledge of a model by the original."""
    model.fit_state_ = model.fit_state_._replace(compiled=compiled)
    refresh_snapshot(model)


def _likelihood(model: LDA) -> float:
    beta = with_word_priors(model.beta_, model.fit_state_.compiled.word_priors)
    total = joint_log_likelihood(model.doc_topic_counts_, model.topic_word_counts_, model.alpha_, beta)
    if model.earlier_ is not None:
        total -= topics_log_likelihood(model.earlier_.words, beta)
    return total / max(1, model.corpus_.n_tokens)


def _rebuild_state(
    state: SteeredState,
    assignments: NDArray[np.uint32],
    alpha: NDArray[np.float64],
    earlier: EarlierCounts | None,
    constraints: Constraints,
    base: LDA,
) -> SteeredState:
    pins = {topic: own for topic, own in state.pins.items() if topic in constraints.pinned}
    return SteeredState(
        rebuild_model(state.model, assignments, alpha, earlier, knowledge_of(constraints, pins, base), base), pins
    )


def _renamed_model(model: LDA, constraints: Constraints, base: LDA) -> LDA:
    """Model with the current names of topics; nothing else changes."""
    model = copy(model)
    state = model.fit_state_
    others = [item for item in state.knowledge if not isinstance(item, TopicNames)]
    model.knowledge = [*others, *topic_names(constraints, base)]
    compiled, issued = _compile(model, model.knowledge, base)
    set_knowledge(model, model.knowledge, state.compiled._replace(topics=compiled.topics), issued)
    return model


def _refresh_pins(state: SteeredState, constraints: Constraints, topics: list[int]) -> SteeredState:
    pins = dict(state.pins)
    counts, words = state.model.topic_word_counts_, state.model.vocabulary_
    for topic in set(topics) & constraints.pinned:
        row = slice(counts.indptr[topic], counts.indptr[topic + 1])
        pins[topic] = {str(words[w]): int(n) for w, n in zip(counts.indices[row], counts.data[row])}
    return state._replace(pins=dict(sorted(pins.items())))


# ---------------------------------------------------------------------- merge and split


def _merged_assignments(model: LDA, step: MergeTopics) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Assignments and α after a merge; α of the merged topics is tiny, so that no token is ever drawn into them."""
    assignments, alpha = np.array(model.assignments_), model.alpha_.copy()
    others = np.array(step.others)
    assignments[np.isin(assignments, others)] = step.into
    alpha[others] = SMALLEST_PRIOR
    return assignments, alpha


def _split_assignments(
    model: LDA, step: SplitTopic, constraints: Constraints, number: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Assignments and α after a split: a sampler with two topics divides the tokens of the topic."""
    assert step.new is not None
    assignments = np.array(model.assignments_)
    alpha = np.append(model.alpha_, np.ones(constraints.n_topics - len(model.alpha_)))
    alpha[step.new] = alpha[step.topic]
    own = np.flatnonzero(assignments == step.topic)
    if len(own):
        assignments[own[_second_half(model, own, step, number)]] = step.new
    return assignments, alpha


def _split_earlier(model: LDA, step: SplitTopic, assignments: NDArray[np.uint32]) -> EarlierCounts | None:
    """Earlier counts after a split: of each word the new topic gets the same share as of its present tokens.

    Of words without present tokens it gets its share of all tokens of the topic.
    """
    assert step.new is not None
    if model.earlier_ is None:
        return None
    tokens, n_words = model.corpus_.tokens, model.corpus_.n_words
    new, old = (np.bincount(tokens[assignments == k], minlength=n_words) for k in (step.new, step.topic))
    overall = new.sum() / max(1, (new + old).sum())
    shares = np.where(new + old > 0, new / np.maximum(1, new + old), overall)
    return split_earlier(model.earlier_, step.topic, step.new, shares)


def _second_half(model: LDA, own: NDArray[np.int64], step: SplitTopic, number: int) -> NDArray[np.bool_]:
    """Mask of the tokens of the new topic: the half with the given words, or else the smaller half."""
    corpus = _subcorpus(model.corpus_, own)
    seed = int(np.random.SeedSequence(model.seed_, spawn_key=(number,)).generate_state(1, np.uint64)[0])
    halves = LDA(2, alpha=float(model.alpha_[step.topic]), beta=model.beta_, n_jobs=model.n_jobs, evaluate_every=0)
    compiled = pad_knowledge(compile_collecting_warnings(_split_knowledge(step), corpus, 2)[0], corpus)
    start_fit(halves, corpus, np.repeat(model.alpha_[step.topic], 2), seed, compiled)
    continue_training(halves, _SPLIT_SWEEPS)
    second: NDArray[np.bool_] = np.equal(np.asarray(halves.assignments_), 1)
    return np.logical_not(second) if not step.words and second.mean() > 0.5 else second


def _split_knowledge(step: SplitTopic) -> list[Any]:
    return [SeedWords({1: step.words}, hard=True)] if step.words else []


def _subcorpus(corpus: Corpus, tokens: NDArray[np.int64]) -> Corpus:
    """Corpus of some tokens, in the documents that contain them."""
    document = np.searchsorted(corpus.offsets, tokens, side="right")
    _, lengths = np.unique(document, return_counts=True)
    return Corpus(corpus.tokens[tokens], np.concatenate([[0], np.cumsum(lengths)]), corpus.vocabulary)
