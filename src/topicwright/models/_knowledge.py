"""Knowledge of a model: compiled for its corpus before training, evaluated for the report afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils.warnings import CollectedWarnings, collect_warnings, warn
from ..corpus import Corpus
from ..errors import InputError, TopicwrightWarning
from ..evaluation import coherence
from ..knowledge import CompiledKnowledge, KnowledgeReport, SeedWords, compile_knowledge
from ..knowledge.advice import has_formed
from ..knowledge.evaluation import EvaluationContext, ModelCounts, evaluate_knowledge
from ..knowledge.report import APART, KnowledgeCost
from .fit_state import FitState

if TYPE_CHECKING:
    from ._training import OnSweep
    from .batch import BatchTopicModel

_MAX_LISTED = 5  # topics or words in a warning
_SCORED_DOCUMENTS = 5000  # of which the perplexity is computed for the report
_SEED_NOISE = 0.15  # of the perplexity with one topic; it falls with the square root of the number of topics
_A_LIST = "a list of MustLinks, SeedWords and so on"


def compile_for(
    model: BatchTopicModel, corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> FitState:
    """Compile the model's knowledge, with warnings about unknown words and contradictions.

    Parameters
    ----------
    model : BatchTopicModel
        Model with knowledge.
    corpus : Corpus
        Training corpus.
    n_topics : int
        Number of topics.
    numbered : mapping, optional
        Numbers of named topics, when training resumes: names keep their numbers, and warnings are not repeated.
    """
    issued = model.fit_state_.warnings if numbered is not None else {}
    return attach(as_list(model.knowledge), corpus, n_topics, numbered, issued)


def attach(
    items: list[Any],
    corpus: Corpus,
    n_topics: int,
    numbered: Mapping[str, int] | None,
    issued: Mapping[str, Any],
) -> FitState:
    """Compile knowledge for a model; warnings that were ``issued`` already are not repeated."""
    compiled, collected = compile_collecting_warnings(items, corpus, n_topics, numbered)
    for message, category in collected.items():
        if message not in issued:
            warn(message, category)
    return FitState(items, compiled, collected)


def compile_collecting_warnings(
    items: list[Any], corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> tuple[CompiledKnowledge, CollectedWarnings]:
    """Compiled knowledge, and its warnings, which are not shown."""
    if not items:
        return compile_knowledge(items, corpus, n_topics), {}
    with collect_warnings() as collected:
        compiled = compile_knowledge(items, corpus, n_topics, numbered)
        compiled.warn()
    return compiled, collected


def as_list(knowledge: Any) -> list[Any]:
    """Value of the parameter ``knowledge`` as a list."""
    if isinstance(knowledge, (str, bytes)):
        raise InputError(
            parameter="knowledge",
            expected=_A_LIST,
            got=knowledge,
            hint=f"to read a file, write knowledge=tw.read_knowledge({knowledge!r})",
        )
    if not isinstance(knowledge, Sequence):
        raise InputError(parameter="knowledge", expected=_A_LIST, got=knowledge, hint=suggest_list(knowledge))
    return list(knowledge)


def suggest_list(knowledge: Any) -> str | None:
    """Hint for a knowledge item that was passed without a list, or None for anything else."""
    is_item = callable(getattr(knowledge, "compile", None))
    return f"write knowledge=[{type(knowledge).__name__}(…)]" if is_item else None


# ---------------------------------------------------------------------- seeds


def warn_of_lost_seeds(model: BatchTopicModel) -> None:
    """Warn about seeded topics that contain hardly any of their seeds, or hardly anything else."""
    soft = [item for item in as_list(model.knowledge) if isinstance(item, SeedWords) and not item.hard]
    if not soft or model.fit_state_.compiled.allowed_topics is not None or hasattr(model, "estimators_"):
        return  # with labels, the topics of a document are given
    lost = _lost_seeds(model, soft)
    if lost:
        more = ", …" if len(lost) > _MAX_LISTED else ""
        warn(
            f"seeded topics did not form: {'; '.join(lost[:_MAX_LISTED])}{more}: "
            "add seeds that occur with other words of the topic, or increase their `weight`",
            TopicwrightWarning,
        )


def _lost_seeds(model: BatchTopicModel, items: Sequence[SeedWords]) -> list[str]:
    topics, lost = model.fit_state_.compiled.topics, []
    with collect_warnings():  # unknown words were reported before
        pairs = np.array([pair for item in items for pair in item.pairs(model.corpus_, topics)], int).reshape(-1, 2)
    counts = model.topic_word_counts_
    seeded = set(pairs[:, 1].tolist())
    for name, topic in topics.numbers.items():
        if topic not in seeded:
            continue
        seeds = pairs[pairs[:, 1] == topic, 0]
        by_topic = np.asarray(counts[:, seeds].sum(axis=1)).ravel()
        words = ", ".join(model.vocabulary_[seeds[:_MAX_LISTED]]) + (", …" if len(seeds) > _MAX_LISTED else "")
        if by_topic[topic] < APART * by_topic.sum():
            lost.append(f"{name!r} has {by_topic[topic] / by_topic.sum():.0%} of {words}")
        elif not has_formed(topic, seeds, counts.T):
            lost.append(f"{name!r} has hardly any other words than {words}")
    return lost


# ---------------------------------------------------------------------- report


def build_report(model: BatchTopicModel, before: BatchTopicModel | bool, on_sweep: OnSweep | None) -> KnowledgeReport:
    """Report of how far the knowledge holds that a model was trained with.

    Parameters
    ----------
    model : BatchTopicModel
        Fitted model.
    before : BatchTopicModel or bool
        Model without knowledge to compare with; True trains one, False compares with nothing.
    on_sweep : callable, optional
        Callback of that training.
    """
    if not model.fit_state_.knowledge:
        return KnowledgeReport([])
    counts, baseline = _model_counts(model), _baseline(model, before, on_sweep)
    context = EvaluationContext(
        model.corpus_, model.fit_state_.compiled, counts, None if baseline is None else _model_counts(baseline, model)
    )
    rows, notes = evaluate_knowledge(model.fit_state_.knowledge, context)
    if baseline is not None and baseline.interrupted_ and baseline.sweeps_ < model.sweeps_:
        notes.append(f"the model without knowledge was stopped after {baseline.sweeps_:,} of {model.sweeps_:,} sweeps")
    if before is True and _is_updated(model):
        notes.append("the model was updated, and its earlier documents are gone: it is compared with none")
    cost = None if baseline is None else _cost(model, baseline)
    return KnowledgeReport(rows, model.fit_state_.compiled.contradictions, (*notes, *model._diagnostics()), cost)


def _cost(model: BatchTopicModel, baseline: BatchTopicModel) -> KnowledgeCost | None:
    """Perplexity and coherence of both models in the training documents; None if they can't be compared."""
    corpus, n_topics = model.corpus_, len(model.alpha_)
    both = (baseline, model)
    if (
        model.assignments_ is None
        or baseline.sweeps_ < model.sweeps_
        or len(baseline.alpha_) != n_topics
        or corpus.doc_lengths().max(initial=0) < 2
        or any(all(len(words) < 2 for words in own.top_words(2)) for own in both)
    ):
        return None
    documents = corpus.select(np.arange(0, corpus.n_docs, -(-corpus.n_docs // _SCORED_DOCUMENTS)))
    perplexity = [own.perplexity(documents) for own in both]
    window = None if corpus.tokenizer is not None else 0  # counts have no word order
    coherences = [coherence(own, corpus, window=window, per_topic=True) for own in both]
    return KnowledgeCost(
        (perplexity[0], perplexity[1]),
        _SEED_NOISE / n_topics**0.5,
        (float(np.nanmean(coherences[0])), float(np.nanmean(coherences[1]))),
        float(np.nanstd(coherences[0]) / n_topics**0.5),
    )


def _baseline(model: BatchTopicModel, before: Any, on_sweep: OnSweep | None) -> BatchTopicModel | None:
    """Model to compare with, or None."""
    from .batch import BatchTopicModel

    if before is False:
        return None
    if before is True:
        return None if _is_updated(model) else _train_without_knowledge(model, on_sweep)
    if not isinstance(before, BatchTopicModel) or not before.__sklearn_is_fitted__():
        raise InputError(parameter="before", expected="True, False or a fitted LDA", got=before)
    if not np.array_equal(before.vocabulary_, model.vocabulary_):
        raise InputError(
            "`before` must be a model of the same corpus: its vocabulary is different", parameter="before", got=before
        )
    return before


def _is_updated(model: BatchTopicModel) -> bool:
    """Whether a model with documents was trained on others before."""
    return model.earlier_ is not None and model.assignments_ is not None


def _train_without_knowledge(model: BatchTopicModel, on_sweep: OnSweep | None) -> BatchTopicModel:
    """Model of the same training without knowledge, which is stored for the next report."""
    model._require_corpus("before=True")
    stored: BatchTopicModel | None = model.fit_state_.baseline
    if stored is not None:
        return stored
    with collect_warnings():  # the report says if training was stopped
        baseline = model._fit_baseline(on_sweep)
    if not baseline.interrupted_:
        model.fit_state_ = model.fit_state_._replace(baseline=baseline)
    return baseline


def _model_counts(model: BatchTopicModel, like: BatchTopicModel | None = None) -> ModelCounts:
    """Counts of a model; those of documents only if they are the documents of the other model."""
    if hasattr(model, "estimators_"):
        raise InputError(
            "a knowledge report needs topics that all classes share, but each class of this model has its own topics: "
            "use the reports of its `estimators_`"
        )
    word_topics = model.topic_word_counts_.T.tocsr()
    if model.assignments_ is None or (like is not None and model.corpus_.n_docs != like.corpus_.n_docs):
        return ModelCounts(word_topics)
    return ModelCounts(word_topics, model.doc_topic_counts_, model.assignments_)
