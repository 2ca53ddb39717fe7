"""Explanations of predictions as records, for models of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .attribution import AttributionRecord, AttributionRequest, PassagesRecord, attribution_records
from .model_types import is_labeled
from .predictions import figure, is_classifier

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models._explanations import TaskExplanation


class ExplanationRecord(NamedTuple):
    """A document with its prediction, and the contributions of topics and words to it."""

    id: str | int
    prediction: Any
    reasons: list[TaskExplanation]
    of_classes: bool

    def record(self) -> dict[str, Any]:
        """As JSON."""
        from ..models._explanations import Explanation

        return {"id": self.id, "prediction": self.prediction, **Explanation(self.reasons).to_dict()}


def explanation_records(
    model: Any, name: str | int, document: Corpus, chosen: list[int] | None, top: int
) -> ExplanationRecord:
    """Explanation of the predicted classes, or of the chosen ones."""
    reasons = model.explain(document, top).reasons
    if not is_classifier(model):
        numbers = [figure(one.score) for one in reasons]
        return ExplanationRecord(name, numbers if model.coef_.ndim > 1 else numbers[0], reasons, False)
    names = model.classes_.tolist()
    if len(reasons) < len(names):
        reasons = [_negated(names[0], reasons[0]), *reasons]
    [best] = model.decide(document).best_first()
    labels = [names[number] for number in best]
    shown = [reasons[number] for number in (best if chosen is None else chosen)]
    return ExplanationRecord(name, labels if model.multilabel_ else labels[0], shown, True)


def _negated(what: Any, other: TaskExplanation) -> TaskExplanation:
    """Explanation of the first of two classes: a model has one score for both, that of the second."""
    return other._replace(
        what=what,
        score=0.0 - other.score,
        topics=tuple(topic._replace(weight=-topic.weight, contribution=-topic.contribution) for topic in other.topics),
        words=tuple(word._replace(contribution=-word.contribution) for word in other.words),
    )


TOP, PASSAGES, LENGTH = 6, 1, 20  # number of topics and words, of passages of a label, of words of a passage
ExplainedDocument = ExplanationRecord | AttributionRecord | PassagesRecord


def explainer(
    model: Any,
    chosen: list[int] | None,
    *,
    top: int | None = None,
    snippets: bool = False,
    length: int | None = None,
    candidates: list[Any] | None = None,
    own: bool = False,
) -> Callable[[str | int, str | None, Corpus], ExplainedDocument]:
    """Function that explains a document.

    Parameters
    ----------
    model : classifier, regressor or model of labels
    chosen : list of int, optional
        Numbers of the classes to explain; by default the predicted ones.
    top : int, optional
        Number of topics and words, or of passages of a label.
    snippets : bool
        Whether to return passages instead of the label of each word.
    length : int, optional
        Number of words of a passage.
    candidates : list, optional
        Labels that words may have.
    own : bool
        Whether words may have only the labels of the document.

    Returns
    -------
    callable
        Takes the name of a document, its text or None, and a corpus of the document.
    """
    top = top or (PASSAGES if snippets else TOP)
    if not is_labeled(model):
        return lambda name, text, document: explanation_records(model, name, document, chosen, top)
    names = model.classes_.tolist()
    labels = None if chosen is None else [names[number] for number in chosen]
    request = AttributionRequest(labels, top, (length or LENGTH) if snippets else None, candidates, own)
    return lambda name, text, document: attribution_records(model, name, text, document, request)
