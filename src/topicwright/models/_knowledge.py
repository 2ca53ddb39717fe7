"""What a model knows, as its sampler takes it, and how far it holds in what was learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils.warnings import CollectedWarnings, collect_warnings, warn
from ..corpus import Corpus
from ..errors import InputError, TopicwrightWarning
from ..knowledge import CompiledKnowledge, KnowledgeReport, SeedWords, compile_knowledge
from ..knowledge.evaluation import EvaluationContext
from ..knowledge.forbidden_words import ForbiddenWords
from ..knowledge.known_topics import KnownTopics, TopicNames
from ..knowledge.report import APART, Row
from ..knowledge.unavailable import UnavailableKnowledge
from ..knowledge.word_links import CannotLinks, MustLinks
from .fit_state import FitState

if TYPE_CHECKING:
    from ._training import OnSweep
    from .batch import BatchTopicModel

_NAMED = 5  # topics or words in a warning


def compile_for(
    model: BatchTopicModel, corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> FitState:
    """The model's knowledge, compiled; unknown words and contradictions are warned of.

    With ``numbered``, topics that have a number keep it, and nothing is said a second time.
    """
    before = model.fit_state_.warnings if numbered is not None else {}
    return attach(as_list(model.knowledge), corpus, n_topics, numbered, before)


def attach(
    items: list[Any],
    corpus: Corpus,
    n_topics: int,
    numbered: Mapping[str, int] | None,
    before: Mapping[str, Any],
) -> FitState:
    """Compile knowledge for a model; warnings that were issued ``before`` are not repeated."""
    compiled, told = compile_collecting_warnings(items, corpus, n_topics, numbered)
    for message, category in told.items():
        if message not in before:
            warn(message, category)
    return FitState(items, compiled, told)


def compile_collecting_warnings(
    items: list[Any], corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> tuple[CompiledKnowledge, CollectedWarnings]:
    """Compiled knowledge, and the warnings that came with it instead of their being shown."""
    if not items:
        return compile_knowledge(items, corpus, n_topics), {}
    with collect_warnings() as warned:
        compiled = compile_knowledge(items, corpus, n_topics, numbered)
        compiled.warn()
    return compiled, warned


def as_list(knowledge: Any) -> list[Any]:
    """What a model was given as knowledge."""
    if isinstance(knowledge, (str, bytes)):
        raise InputError(f"knowledge of a file is read first: write knowledge=tw.read_knowledge({knowledge!r})")
    if not isinstance(knowledge, Sequence):
        raise InputError(f"knowledge must be a list of MustLinks, SeedWords and so on: got {suggest_list(knowledge)}")
    return list(knowledge)


def suggest_list(knowledge: Any) -> str:
    """Something that is no list; where it is one piece of knowledge, with how to write it."""
    is_piece = callable(getattr(knowledge, "compile", None))
    return f"{knowledge!r}; write knowledge=[{type(knowledge).__name__}(…)]" if is_piece else repr(knowledge)


# ---------------------------------------------------------------------- seeds


def warn_of_lost_seeds(model: BatchTopicModel) -> None:
    """Tell of topics that are named for seeds, and hold hardly any of these."""
    soft = [item for item in as_list(model.knowledge) if isinstance(item, SeedWords) and not item.hard]
    if not soft or model.fit_state_.compiled.allowed_topics is not None or hasattr(model, "estimators_"):
        return  # labels, where there are some, say which topics a document may use
    lost = _lost_seeds(model, soft)
    if lost:
        more = ", …" if len(lost) > _NAMED else ""
        warn(
            f"topics hold hardly any of their seeds, and are about something else: {'; '.join(lost[:_NAMED])}{more}: "
            "give seeds more weight, such as 3, or name more of them",
            TopicwrightWarning,
        )


def _lost_seeds(model: BatchTopicModel, items: Sequence[SeedWords]) -> list[str]:
    topics, lost = model.fit_state_.compiled.topics, []
    with collect_warnings():  # unknown words were told of before
        pairs = np.array([pair for item in items for pair in item.pairs(model.corpus_, topics)], int).reshape(-1, 2)
    counts = model.topic_word_counts_.tocsc()
    seeded = set(pairs[:, 1].tolist())
    for name, topic in topics.numbers.items():
        if topic not in seeded:
            continue
        seeds = pairs[pairs[:, 1] == topic, 0]
        by_topic = np.asarray(counts[:, seeds].sum(axis=1)).ravel()
        if by_topic[topic] < APART * by_topic.sum():
            words = ", ".join(model.vocabulary_[seeds[:_NAMED]]) + (", …" if len(seeds) > _NAMED else "")
            lost.append(f"{name!r} has {by_topic[topic] / by_topic.sum():.0%} of {words}")
    return lost


# ---------------------------------------------------------------------- report


def build_report(model: BatchTopicModel, before: BatchTopicModel | bool, on_sweep: OnSweep | None) -> KnowledgeReport:
    """How far the knowledge that a model was trained with holds."""
    from ..knowledge.evaluation import EvaluationContext

    if not model.fit_state_.knowledge:
        return KnowledgeReport([])
    trained, other = _trained(model), _other(model, before, on_sweep)
    case = EvaluationContext(
        model.corpus_, model.fit_state_.compiled, trained, None if other is None else _trained(other, model)
    )
    rows, notes = evaluate_knowledge(model.fit_state_.knowledge, case)
    if other is not None and other.interrupted_ and other.sweeps_ < model.sweeps_:
        notes.append(f"the model without knowledge was stopped after {other.sweeps_:,} of {model.sweeps_:,} sweeps")
    return KnowledgeReport(rows, model.fit_state_.compiled.contradictions, (*notes, *model._diagnostics()))


def _other(model: BatchTopicModel, before: Any, on_sweep: OnSweep | None) -> BatchTopicModel | None:
    """The model to compare with."""
    from .batch import BatchTopicModel

    if before is False:
        return None
    if before is True:
        return _without_knowledge(model, on_sweep)
    if not isinstance(before, BatchTopicModel) or not before.__sklearn_is_fitted__():
        raise InputError(f"before must be True, False or a fitted LDA: got {before!r}")
    if not np.array_equal(before.vocabulary_, model.vocabulary_):
        raise InputError("before must be a model of the same corpus: its vocabulary is another")
    return before


def _without_knowledge(model: BatchTopicModel, on_sweep: OnSweep | None) -> BatchTopicModel:
    """The same training without knowledge; it is kept for the next time."""
    model._require_corpus("before=True")
    kept: BatchTopicModel | None = model.fit_state_.baseline
    if kept is not None:
        return kept
    with collect_warnings():  # the report says it if this was stopped
        other = model._fit_baseline(on_sweep)
    if not other.interrupted_:
        model.fit_state_ = model.fit_state_._replace(baseline=other)
    return other


def _trained(model: BatchTopicModel, like: BatchTopicModel | None = None) -> Any:
    """What a report looks at; documents only if they are those of the other model."""
    from ..knowledge.evaluation import ModelCounts

    if hasattr(model, "estimators_"):
        raise InputError("a report is of topics that all classes share, and here each has its own: see estimators_")
    word_topics = model.topic_word_counts_.T.tocsr()
    if model.assignments_ is None or (like is not None and model.corpus_.n_docs != like.corpus_.n_docs):
        return ModelCounts(word_topics)
    return ModelCounts(word_topics, model.doc_topic_counts_, model.assignments_)


OF_WORDS = (MustLinks, CannotLinks, SeedWords, ForbiddenWords, KnownTopics, TopicNames)
"""Kinds that speak of no document."""


def evaluate_knowledge(items: Iterable[Any], case: EvaluationContext) -> tuple[list[Row], list[str]]:
    """What the method ``judge(case)`` of each kind gives, and notes on what could not be judged."""
    rows: list[Row] = []
    left_out: dict[str, str] = {}
    with collect_warnings() as warned:  # of words that are not in the vocabulary
        for item in items:
            if isinstance(item, UnavailableKnowledge):
                left_out[item.what] = "the model's file does not hold it"
            elif not hasattr(item, "judge"):
                left_out[type(item).__name__] = "no rule says when it holds"
            elif case.now.assignments is None and not isinstance(item, OF_WORDS):
                left_out[type(item).__name__] = "this model was saved without its documents"
            else:
                rows.extend(item.judge(case))
    notes = [f"{name} knowledge is not in this report: {reason}" for name, reason in left_out.items()]
    return rows, [*warned, *notes]
