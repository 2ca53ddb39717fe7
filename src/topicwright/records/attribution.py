"""Records of models of labels: the label of each word of a document, and passages about a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .model_types import some
from .predictions import prediction_record, predictions

if TYPE_CHECKING:
    from ..corpus import Corpus
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

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"id": self.id, **self.predicted, **({} if self.own is None else {"own_labels": self.own})}

    def summary(self) -> str:
        """One line of text."""
        labels, values = (entry if isinstance(entry, list) else [entry] for entry in self.predicted.values())
        predicted = some([f"{label} {value:.2f}" for label, value in zip(labels, values)])
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
    model: Any, name: str | int, text: str | None, corpus: Corpus, request: AttributionRequest
) -> AttributionRecord | PassagesRecord:
    """Labels of the words of the only document of a corpus, or passages of its text."""
    parameters = {} if request.candidates is None else {"candidates": request.candidates}
    [pairs] = predictions(model, corpus, **parameters)
    own = _own_labels(model, corpus) if request.own else None
    document = LabeledRecord(name, prediction_record(model, pairs), own)
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
