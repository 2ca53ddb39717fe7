"""What a model of labels says of a document, as records: the label of each word, and passages about a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .model_types import some
from .predictions import prediction_record, predictions

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models.labeled.attribution import Attribution, LabelShare, Snippet


class AttributionRequest(NamedTuple):
    """What the options ask for."""

    labels: list[Any] | None  # to tell of; None for those that words have, or that are predicted
    top: int  # words of a label, or passages
    length: int | None  # of passages, where they are asked for
    candidates: list[Any] | None
    own: bool  # whether words are owed to the labels that a document has


class LabeledRecord(NamedTuple):
    """A document, and the labels that it is given; also those that it has, where they were asked for."""

    id: str | int
    given: dict[str, Any]
    own: list[Any] | None

    def record(self) -> dict[str, Any]:
        """For programs."""
        return {"id": self.id, **self.given, **({} if self.own is None else {"own_labels": self.own})}

    def told(self) -> str:
        """In a line."""
        labels, values = (entry if isinstance(entry, list) else [entry] for entry in self.given.values())
        given = some([f"{label} {value:.2f}" for label, value in zip(labels, values)])
        if self.own is None:
            return given
        return f"{given}; has {some(list(map(str, self.own))) or 'no label that the model knows'}"


class AttributionRecord(NamedTuple):
    """A document, and the label of each word."""

    document: LabeledRecord
    attribution: Attribution
    shares: list[LabelShare]
    are_asked: bool  # or else those that words have
    top: int

    def record(self) -> dict[str, Any]:
        """For programs."""
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
    """A document, and what in it is most about some labels."""

    document: LabeledRecord
    passages: list[tuple[Any, Snippet]]

    def record(self) -> dict[str, Any]:
        """For programs."""
        snippets = [{"label": label, **snippet._asdict()} for label, snippet in self.passages]
        return {**self.document.record(), "snippets": snippets}


def attribution_records(
    model: Any, name: str | int, text: str | None, corpus: Corpus, asked: AttributionRequest
) -> AttributionRecord | PassagesRecord:
    """The labels of the words of the one document in a corpus, or passages of its text."""
    among = {} if asked.candidates is None else {"candidates": asked.candidates}
    [pairs] = predictions(model, corpus, **among)
    own = _own_labels(model, corpus) if asked.own else None
    document = LabeledRecord(name, prediction_record(model, pairs), own)
    attribution = model.attribute(corpus if text is None else text, own or asked.candidates)
    labels = None if asked.labels is None else [label for label in asked.labels if label in attribution.labels]
    if asked.length is None:
        return AttributionRecord(document, attribution, attribution.shares(labels), labels is not None, asked.top)
    if labels is None:
        labels = own or [label for label, _ in pairs]
    found = ((label, attribution.snippets(label, asked.length, asked.top)) for label in labels)
    return PassagesRecord(document, [(label, snippet) for label, snippets in found for snippet in snippets])


def _own_labels(model: Any, corpus: Corpus) -> list[Any]:
    """The labels that a document has and the model knows."""
    [own] = corpus.labels or [()]
    return [label for label in model.classes_.tolist() if str(label) in own]
