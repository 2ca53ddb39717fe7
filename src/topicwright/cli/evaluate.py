"""The ``topicwright evaluate`` command: likelihood, coherence, diversity, perplexity and accuracy of a model."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.formatting import pluralize
from .._utils.warnings import warn
from ..errors import InputError, TopicwrightWarning
from ..records.predictions import (
    gives_probabilities,
    is_classifier,
    is_labeled,
    is_stream,
    is_supervised,
    some,
    topic_models,
)
from . import _options as options
from ._console import facts_table, print_message, show, spinner
from ._inputs import InputBatch, InputOptions, adjust, load_model, read_all, read_documents, top_words_of_topics
from ._options import Select, expand_groups
from ._outputs import print_json

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA

Figures = dict[str, Any]
Row = tuple[str, str, str]
_CUTOFFS = (1, 3, 5)  # of precision at k
_MEASURES = ("npmi", "c_v", "umass")
_DIVERSITY_WORDS = 25
_MIN_WORDS = 2  # of a document for perplexity by completion


@expand_groups
def evaluate(
    model_file: options.ModelFile,
    reading: Annotated[InputOptions, Select("format", "text_field", "on_error")],
    source: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="Held-out documents, or -.", show_default=False),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Documents to count words in for coherence.", show_default="the training corpus"
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=2, metavar="N", help="Top words of each topic for coherence.")] = 10,
    left_to_right: Annotated[
        bool, typer.Option("--left-to-right", help="Perplexity by the left-to-right method too; slower.")
    ] = False,
    predict: Annotated[
        str | None,
        typer.Option(
            "--predict",
            "--labels",
            metavar="FIELD",
            help="Field of the true classes, labels or numbers.",
            show_default="the one of the training",
        ),
    ] = None,
    threshold: options.Threshold = None,
    label_prior: options.LabelPriorOption = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure coherence, diversity, perplexity and predictions.

    Coherence measures how often the top words of a topic occur together.
    Perplexity needs held-out documents; predictions need their classes, labels
    or numbers too. If topics are labels, perplexity is that of documents given
    their labels.
    """
    with spinner(f"evaluating {model_file}", quiet=quiet):
        model = load_model(model_file, jobs, by_class=True)
        truth = _read_truth(model, reading, predict, source)
        adjust(model, label_prior, threshold)
        answer = {"model": str(model_file)} | _training(model)
        answer |= {"coherence": _coherence(model, reference, reading, top), "diversity": _diversity(model)}
        if source is not None:
            batch = read_all(model, source, truth)
            answer["held_out"] = _held_out(model, batch, left_to_right)
            if is_supervised(model) or is_labeled(model):
                answer["predictions"] = _score_predictions(model, batch, source, predict)
    if json:
        print_json(answer)
        return
    if answer["coherence"] is None and not quiet:
        print_message(_why_no_coherence(model, reference))
    if "predictions" in answer and answer["predictions"] is None and not quiet:
        print_message("to evaluate predictions, name the field of the true values with --predict")
    show(facts_table(_rows(answer, top)))


def _training(model: LDA) -> dict[str, Any]:
    n_topics = len(model.alpha_) * len(topic_models(model))
    answer = {"topics": n_topics, "empty_topics": n_topics - len(top_words_of_topics(model, 1))}
    return answer | (_stream(model) if is_stream(model) else _sweeps(model))


def _sweeps(model: LDA) -> dict[str, Any]:
    curve = model.log_likelihood_
    return {"sweeps": model.sweeps_, "log_likelihood": curve[-1][1] if curve else None}


def _stream(model: Any) -> dict[str, Any]:
    running = getattr(model, "running_perplexity_", math.nan)  # only of labels
    return {
        "documents": model.n_docs_seen_,
        "tokens": model.n_tokens_seen_,
        "running_perplexity": None if math.isnan(running) else running,
    }


def _coherence(model: LDA, reference: str | None, reading: InputOptions, top: int) -> dict[str, float | None] | None:
    from ..evaluation import coherence

    corpus: Corpus = model.corpus_
    if reference is not None:
        words = {} if corpus.tokenizer is None else {"tokenizer": corpus.tokenizer}
        corpus = read_documents(reference, replace(reading, format=None), **words)
    topics = top_words_of_topics(model, top, min_words=2)
    if corpus.n_tokens == 0 or not topics:
        return None
    window = 0 if corpus.tokenizer is None else None  # counts have no word order
    values = {measure: coherence(topics, corpus, measure, top=top, window=window) for measure in _MEASURES}
    return {measure: None if math.isnan(value) else value for measure, value in values.items()}


def _why_no_coherence(model: LDA, reference: str | None) -> str:
    if reference is None and not model.corpus_.n_tokens:
        return "coherence needs a corpus, and this model was saved without it: pass one with --reference"
    return "coherence needs topics of two words or more, and this model has none"


def _diversity(model: LDA) -> float:
    from ..evaluation import diversity

    return diversity(top_words_of_topics(model, _DIVERSITY_WORDS), _DIVERSITY_WORDS)


def _held_out(model: Any, batch: InputBatch, left_to_right: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "documents": batch.corpus.n_docs,
        "tokens": batch.corpus.n_tokens,
        "unknown": int(batch.unknown.sum()),
    }
    if None not in topic_models(model):  # each class has its own topics
        return answer
    methods: dict[str, dict[str, str]] = {
        "perplexity": {},
        **({"perplexity_left_to_right": {"method": "left-to-right"}} if left_to_right else {}),
    }
    if is_labeled(model) and _labeled_rows(batch.corpus):
        return answer | _perplexity_given_labels(model, batch.corpus, methods)
    if is_labeled(model):
        methods["perplexity"] = {"method": "completion"}
    if is_supervised(model) and max(batch.corpus.doc_lengths(), default=0) < _MIN_WORDS:
        warn("perplexity needs documents of two known words or more, and there are none", TopicwrightWarning)
        return answer  # predictions can still be evaluated
    return answer | {name: model.perplexity(batch.corpus, **method) for name, method in methods.items()}


def _perplexity_given_labels(model: Any, corpus: Corpus, methods: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Perplexity of the documents with labels, given their labels."""
    rows = _labeled_rows(corpus)
    labeled, classes = corpus.select(rows), {str(name): name for name in model.classes_.tolist()}
    labels = [[classes.get(label, label) for label in own] for own in labeled.labels or ()]
    figures = {name: model.perplexity(labeled, labels, **method) for name, method in methods.items()}
    return {"labelled_documents": len(rows), **figures}


def _rows(answer: dict[str, Any], top: int) -> list[tuple[str, str, str]]:
    empty = f", {answer['empty_topics']:,} of them empty" if answer["empty_topics"] else ""
    is_of_stream = "sweeps" not in answer
    after = (
        f"{pluralize(answer['documents'], 'document')} of a stream"
        if is_of_stream
        else pluralize(answer["sweeps"], "sweep")
    )
    rows = [("topics", f"{answer['topics']:,}", f"after {after}{empty}")]
    if answer.get("log_likelihood") is not None:
        rows.append(("log-likelihood", f"{answer['log_likelihood']:.4f}", "per token of the training corpus"))
    if answer.get("running_perplexity") is not None:
        rows.append(
            (
                "running perplexity",
                f"{answer['running_perplexity']:,.1f}",
                "of the last documents, each before it was learned",
            )
        )
    for measure, value in (answer["coherence"] or {}).items():
        figure = "–" if value is None else f"{value:.4f}"
        rows.append((f"coherence {measure}", figure, f"of the top {top} words"))
    rows.append(("diversity", f"{answer['diversity']:.4f}", f"of the top {_DIVERSITY_WORDS} words"))
    held_out = answer.get("held_out", {})
    if "perplexity" in held_out:
        known = held_out.get("labelled_documents")
        how = "by completion" if known is None else f"given their labels, which {known:,} documents have"
        counted = f"{pluralize(held_out['documents'], 'document')}, {pluralize(held_out['tokens'], 'word')}"
        note = f"{counted}, {held_out['unknown']:,} unknown"
        rows.append(("perplexity", f"{held_out['perplexity']:,.1f}", f"held out, {how}: {note}"))
        if "perplexity_left_to_right" in held_out:
            rows.append(("perplexity", f"{held_out['perplexity_left_to_right']:,.1f}", "held out, left to right"))
    return rows + (_score_rows(answer["predictions"]) if answer.get("predictions") else [])


# ---------------------------------------------------------------------- predictions


def _read_truth(model: Any, reading: InputOptions, field: str | None, source: str | None) -> InputOptions:
    """Input options that read the true values: from this field, or from the field of the training."""
    can_predict = is_supervised(model) or is_labeled(model)
    if field is not None and not can_predict:
        raise InputError("--predict needs a model that predicts something, and this one does not")
    if field is not None and source is None:
        raise InputError("--predict needs a file of documents as INPUT")
    truth = field or (model.field_ if can_predict else None)
    if truth is None:
        return reading
    if is_classifier(model):
        return replace(reading, label_field=truth, optional=() if field else ("labels",))
    return replace(reading, target_field=truth, optional=() if field else ("target",))


def _score_predictions(model: Any, batch: InputBatch, source: str, field: str | None) -> Figures | None:
    """Scores of the predictions of a model; None if no field was named and the documents have no true values."""
    truth = field or model.field_ or "labels"
    figures = (_score_labels if is_classifier(model) else _score_numbers)(model, batch, f"{source}, field {truth!r}")
    if figures is None and field is not None:
        raise InputError(f"{source}: no document has a value in the field {field!r}")
    return figures


def _score_rows(figures: Figures) -> list[Row]:
    """Scores as rows of a table."""

    def row(name: str, key: str, remark: str) -> Row:
        return name, "–" if figures[key] is None else f"{figures[key]:.4f}", remark

    of_all = f"of {pluralize(figures['documents'], 'document')}"
    if "r2" in figures:
        baseline = f"absolute; to predict the mean gives {figures['baseline_error']:.4f}"
        return [row("R²", "r2", of_all), row("mean error", "mean_absolute_error", baseline)]
    error = []
    if "calibration_error" in figures:
        pairs = "all pairs of documents and labels" if "micro_f1" in figures else "the predicted classes"
        error = [row("calibration error", "calibration_error", f"mean distance of probability and truth, {pairs}")]
    if "micro_f1" in figures:
        accuracy = row("accuracy", "accuracy", f"{of_all}, with all labels correct")
        both = [row("F1, micro", "micro_f1", "all labels"), row("F1, macro", "macro_f1", "mean over labels")]
        best = [
            (f"precision at {k}", f"{value:.4f}", "correct ones among the best labels")
            for k, value in figures["precision_at"].items()
        ]
        return [accuracy, *both, *best, *error]
    baseline = f"{of_all}; always predicting the most frequent class gives {figures['baseline_accuracy']:.4f}"
    return [row("accuracy", "accuracy", baseline), row("F1, macro", "macro_f1", "mean over classes"), *error]


def _score_labels(model: Any, batch: InputBatch, where: str) -> Figures | None:
    rows = _labeled_rows(batch.corpus)
    if not rows:
        return None
    labeled = batch.corpus.select(rows)
    truth = [set(labels) for labels in labeled.labels or ()]
    _check_labels(model, truth, where)
    decisions, names = model.decide(labeled), [str(name) for name in model.classes_.tolist()]
    predicted = [{names[number] for number in best} for best in decisions.best_first()]
    n_correct = sum(one == other for one, other in zip(truth, predicted))
    figures = {"documents": len(rows), "accuracy": n_correct / len(rows), **f1_scores(truth, predicted)}
    if gives_probabilities(model):
        figures["calibration_error"] = _calibration_error(model, truth, decisions, names)
    if model.multilabel_:
        return {**figures, "precision_at": _precision_at(truth, decisions.values, names)}
    [(_, most)] = Counter(label for labels in truth for label in labels).most_common(1)
    del figures["micro_f1"]  # the same as accuracy
    return {**figures, "baseline_accuracy": most / len(rows)}


def _calibration_error(model: Any, truth: list[set[str]], decisions: Any, names: list[str]) -> float | None:
    """Expected calibration error of the predicted classes, or of all labels; None without a known word."""
    import numpy as np

    from ..evaluation import reliability

    has = np.array([[name in labels for name in names] for labels in truth])
    chosen = ~np.isnan(decisions.values) & (model.multilabel_ | decisions.given)
    return reliability(decisions.values[chosen], has[chosen]).expected_error if chosen.any() else None


def _labeled_rows(corpus: Corpus) -> list[int]:
    """Rows of the documents with labels."""
    return [row for row, labels in enumerate(corpus.labels or ()) if labels]


def _precision_at(truth: list[set[str]], values: Any, names: list[str]) -> dict[str, float]:
    """Share of correct labels among the k best, over all documents; without a known word none is correct."""
    order = (-values).argsort(axis=1, kind="stable")[:, : max(_CUTOFFS)].tolist()
    order = [best if row[0] == row[0] else [] for best, row in zip(order, values)]  # NaN
    is_correct = [[names[number] in labels for number in best] for labels, best in zip(truth, order)]
    return {str(k): sum(sum(row[:k]) for row in is_correct) / (k * len(truth)) for k in _CUTOFFS if k <= len(names)}


def _check_labels(model: Any, truth: list[set[str]], where: str) -> None:
    known = [str(name) for name in model.classes_.tolist()]
    found = set().union(*truth)
    unknown = sorted(found.difference(known))
    if len(unknown) == len(found):
        raise InputError(f"{where}: the model knows none of the labels: got {some(unknown)}, expected {some(known)}")
    if not model.multilabel_ and max(map(len, truth)) > 1:
        raise InputError(f"{where}: the model predicts one class per document: got several labels in some")
    if unknown:
        n_docs = sum(not labels.isdisjoint(unknown) for labels in truth)
        wrong = f"{n_docs:,} of {pluralize(len(truth), 'document')}"
        warn(f"the model does not know {some(unknown)}: it is wrong about {wrong}", TopicwrightWarning)


def f1_scores(truth: list[set[str]], predicted: list[set[str]]) -> Figures:
    """F1 of all labels together, and its mean over the labels that occur or are predicted.

    >>> f1_scores([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    {'micro_f1': 0.8, 'macro_f1': 0.8333333333333333}
    """
    both = Counter(label for one, other in zip(truth, predicted) for label in one & other)
    either = Counter(label for labels in (*truth, *predicted) for label in labels)  # those in both count twice
    each = [2 * both[label] / count for label, count in either.items()]
    micro = 2 * sum(both.values()) / sum(either.values())
    return {"micro_f1": micro, "macro_f1": sum(each) / len(each)}


def _score_numbers(model: Any, batch: InputBatch, where: str) -> Figures | None:
    import numpy as np

    targets, n_targets = batch.corpus.targets, len(np.atleast_2d(model.coef_))
    if targets is None or np.isnan(targets).all():
        return None
    truth = targets.reshape(len(targets), -1)
    if truth.shape[1] != n_targets:
        raise InputError(f"{where}: the model predicts {n_targets} numbers per document: got {truth.shape[1]}")
    known = ~np.isnan(truth)
    has_truth = known.any(axis=0)
    truth, predicted = truth[:, has_truth], model.predict(batch.corpus).reshape(truth.shape)[:, has_truth]
    errors = truth - predicted
    spread = truth - np.nanmean(truth, axis=0)
    squares = np.nansum(spread**2, axis=0)
    return {
        "documents": int(known.any(axis=1).sum()),
        "r2": float((1 - np.nansum(errors**2, axis=0) / squares).mean()) if squares.all() else None,
        "mean_absolute_error": float(np.nanmean(np.abs(errors))),
        "baseline_error": float(np.nanmean(np.abs(spread))),
    }
