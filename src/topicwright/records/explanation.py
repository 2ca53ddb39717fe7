"""Explanations of predictions and label attributions as records, for models of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .predictions import figure, is_classifier, is_labeled, prediction_record, predictions, some

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models._explanations import TaskExplanation
    from ..models.labeled.attribution import Attribution, LabelShare, Snippet


class AttributionRequest(NamedTuple):
    """Options of an attribution."""

    labels: list[Any] | None
    """Labels to report; None for those of the words, or for the predicted ones."""
    top: int
    """Number of words of a label, or of passages."""
    length: int | None
    """Number of words of a passage; None for no passages."""
    candidates: list[Any] | None
    own: bool
    """Whether words are attributed only to the labels that the document has."""


class LabeledRecord(NamedTuple):
    """A document with its predicted labels, and with its own labels if they were requested."""

    id: str | int
    predicted: dict[str, Any]
    own: list[Any] | None
    n_unknown: int

    def record(self) -> dict[str, Any]:
        """As JSON."""
        own = {} if self.own is None else {"own_labels": self.own}
        return {"id": self.id, **self.predicted, **own, "n_unknown": self.n_unknown}

    def summary(self) -> str:
        """One line of text."""
        labels, values = (entry if isinstance(entry, list) else [entry] for entry in self.predicted.values())
        predicted = some([f"{label} (p = {value:.2f})" for label, value in zip(labels, values) if value is not None])
        predicted = predicted or "no prediction"
        if self.own is None:
            return predicted
        return f"{predicted}; has {some(list(map(str, self.own))) or 'no label that the model knows'}"


class AttributionRecord(NamedTuple):
    """A document with the label of each word."""

    document: LabeledRecord
    attribution: Attribution
    shares: list[LabelShare]
    are_chosen: bool
    """Whether the labels of ``shares`` were requested; otherwise they are those of the words."""
    top: int

    def record(self) -> dict[str, Any]:
        """As JSON."""
        labels = [
            {
                "label": label,
                "share": share,
                "background": label in self.attribution.background(),
                "words": [word._asdict() for word in self.attribution.words_of(label, self.top)],
            }
            for label, share in self.shares
        ]
        return {**self.document.record(), **self.attribution.to_dict(), "labels": labels}


class PassagesRecord(NamedTuple):
    """A document with the passages that are most about some labels."""

    document: LabeledRecord
    passages: list[tuple[Any, Snippet]]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        snippets = [{"label": label, **snippet._asdict()} for label, snippet in self.passages]
        return {**self.document.record(), "snippets": snippets}


def attribution_records(
    model: Any, name: str | int, text: str | None, corpus: Corpus, n_unknown: int, request: AttributionRequest
) -> AttributionRecord | PassagesRecord:
    """Labels of the words of the only document of a corpus, or passages of its text."""
    parameters = {} if request.candidates is None else {"candidates": request.candidates}
    [pairs] = predictions(model, corpus, **parameters)
    own = _own_labels(model, corpus) if request.own else None
    document = LabeledRecord(name, prediction_record(model, pairs), own, n_unknown)
    attribution = model.attribute(corpus if text is None else text, own or request.candidates)
    labels = None if request.labels is None else [label for label in request.labels if label in attribution.labels]
    if request.length is None:
        return AttributionRecord(document, attribution, attribution.shares(labels), labels is not None, request.top)
    if labels is None:
        labels = own or [label for label, _ in pairs]
    found = ((label, attribution.snippets(label, request.length, request.top)) for label in labels)
    return PassagesRecord(document, [(label, snippet) for label, snippets in found for snippet in snippets])


def _own_labels(model: Any, corpus: Corpus) -> list[Any]:
    """Labels of a document that the model knows."""
    [own] = corpus.labels or [()]
    return [label for label in model.classes_.tolist() if str(label) in own]


class ExplanationRecord(NamedTuple):
    """A document with its prediction, and the contributions of topics and words to it."""

    id: str | int
    prediction: Any
    reasons: list[TaskExplanation]
    of_classes: bool
    n_unknown: int

    def record(self) -> dict[str, Any]:
        """As JSON."""
        from ..models._explanations import Explanation

        document = {"id": self.id, "prediction": self.prediction, "n_unknown": self.n_unknown}
        return {**document, **Explanation(self.reasons).to_dict()}


def explanation_records(
    model: Any, name: str | int, document: Corpus, n_unknown: int, chosen: list[int] | None, top: int
) -> ExplanationRecord:
    """Explanation of the predicted classes and their strongest rival, or of the chosen ones."""
    if not is_classifier(model):
        reasons = model.explain(document, top).reasons if document.n_tokens else []
        numbers = [figure(one.score) for one in reasons] or None
        prediction = numbers[0] if numbers and model.coef_.ndim == 1 else numbers
        return ExplanationRecord(name, prediction, reasons, False, n_unknown)
    names = model.classes_.tolist()
    [best] = model.decide(document).best_first()
    labels = [names[number] for number in best]
    reasons = model.explain(document, top, n_labels=None if chosen is None else len(names)).reasons
    if chosen is not None:
        of_class = {one.what: one for one in reasons}
        reasons = [of_class[names[number]] for number in chosen if names[number] in of_class]
    prediction = labels if model.multilabel_ else labels[0] if labels else None
    return ExplanationRecord(name, prediction, reasons, True, n_unknown)


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
) -> Callable[[str | int, str | None, Corpus, int], ExplainedDocument]:
    """Function that explains a document.

    Parameters
    ----------
    model : classifier, regressor or model of labels
    chosen : list of int, optional
        Numbers of the classes to explain; by default the predicted ones, and the strongest rival of a classifier.
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
        Takes the name of a document, its text or None, a corpus of the document, and its number of unknown words.
    """
    top = top or (PASSAGES if snippets else TOP)
    if not is_labeled(model):
        return lambda name, text, document, unknown: explanation_records(model, name, document, unknown, chosen, top)
    names = model.classes_.tolist()
    labels = None if chosen is None else [names[number] for number in chosen]
    request = AttributionRequest(labels, top, (length or LENGTH) if snippets else None, candidates, own)
    return lambda name, text, document, unknown: attribution_records(model, name, text, document, unknown, request)
