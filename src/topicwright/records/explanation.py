"""Why a model says what it says of documents, whichever kind it is."""

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
    """A document, what is predicted for it, and the reasons that were asked for."""

    id: str | int
    prediction: Any
    reasons: list[TaskExplanation]
    of_classes: bool

    def record(self) -> dict[str, Any]:
        """For programs."""
        from ..models._explanations import Explanation

        return {"id": self.id, "prediction": self.prediction, **Explanation(self.reasons).to_dict()}


def explanation_records(
    model: Any, name: str | int, document: Corpus, wanted: list[int] | None, top: int
) -> ExplanationRecord:
    """The reasons for what is predicted, or for the classes that are wanted."""
    reasons = model.explain(document, top).reasons
    if not is_classifier(model):
        numbers = [figure(one.score) for one in reasons]
        return ExplanationRecord(name, numbers if model.coef_.ndim > 1 else numbers[0], reasons, False)
    names = model.classes_.tolist()
    if len(reasons) < len(names):
        reasons = [_turned(names[0], reasons[0]), *reasons]
    [best] = model.judge(document).best_first()
    labels = [names[number] for number in best]
    shown = [reasons[number] for number in (best if wanted is None else wanted)]
    return ExplanationRecord(name, labels if model.multilabel_ else labels[0], shown, True)


def _turned(what: Any, other: TaskExplanation) -> TaskExplanation:
    """Two classes have one score, that of the second: this is the same from the side of the first."""
    return other._replace(
        what=what,
        score=0.0 - other.score,
        topics=tuple(topic._replace(weight=-topic.weight, contribution=-topic.contribution) for topic in other.topics),
        words=tuple(word._replace(contribution=-word.contribution) for word in other.words),
    )


TOP, PASSAGES, LENGTH = 6, 1, 20  # topics and words to name, passages of a label, words of a passage
Explained = ExplanationRecord | AttributionRecord | PassagesRecord


def explaining(
    model: Any,
    wanted: list[int] | None,
    *,
    top: int | None = None,
    snippets: bool = False,
    length: int | None = None,
    candidates: list[Any] | None = None,
    own: bool = False,
) -> Callable[[str | int, str | None, Corpus], Explained]:
    """What tells of a document by its name, its text where it has one, and its words; ``wanted`` are classes."""
    top = top or (PASSAGES if snippets else TOP)
    if not is_labeled(model):
        return lambda name, text, document: explanation_records(model, name, document, wanted, top)
    names = model.classes_.tolist()
    labels = None if wanted is None else [names[number] for number in wanted]
    asked = AttributionRequest(labels, top, (length or LENGTH) if snippets else None, candidates, own)
    return lambda name, text, document: attribution_records(model, name, text, document, asked)
