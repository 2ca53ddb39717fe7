"""What is asked of the model: checked as a whole, before any of it is done, and told as the shell tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import __version__
from ..corpus import Corpus, WordIndex, encode
from ..errors import InputError
from ..records.explanation import Explained, explaining
from ..records.model_types import check_labeled, checked_topics, is_labeled, is_supervised
from ..records.predictions import checked_classes, is_classifier, prediction_records, what_it_predicts
from ..records.topics import shares_of, topic_records
from . import schemas
from .responses import RequestError, RequestLimits, too_large
from .schemas import TextDocument, WordsDocument

if TYPE_CHECKING:
    from .schemas import Document

_PIECE_DOCUMENTS, _PIECE_LENGTH, _PIECE_SHARES = 64, 100_000, 1_000_000


class RequestDocument(NamedTuple):
    """A document as it was sent: what to call it, its text or else its words, and its own labels."""

    name: str | int
    text: str | None
    words: list[str]
    labels: tuple[str, ...]

    @property
    def length(self) -> int:
        """In characters."""
        return len(self.text) if self.text is not None else sum(map(len, self.words)) + len(self.words)


class DocumentBatchRequest(NamedTuple):
    """Some documents of a request in the words of the model, and how many words it did not know."""

    given: Sequence[RequestDocument]
    corpus: Corpus
    n_unknown: int


def given_documents(documents: Sequence[Document], limits: RequestLimits) -> list[RequestDocument]:
    """The documents of a request, none of them too long."""
    if len(documents) > limits.documents:
        advice = "send them in several requests"
        raise too_large("there are too many documents in a request", len(documents), limits.documents, advice)
    given = [_given(document, number) for number, document in enumerate(documents, start=1)]
    for number, document in enumerate(given, start=1):
        if document.length > limits.length:
            what = f"document {number} is too long, in characters"
            raise too_large(what, document.length, limits.length, "cut it into parts")
    return given


def _given(document: Document, number: int) -> RequestDocument:
    if isinstance(document, str):
        return RequestDocument(number, document, [], ())
    name, labels = number if document.id is None else document.id, tuple(document.labels or ())
    if isinstance(document, WordsDocument):
        return RequestDocument(name, None, document.words, labels)
    assert isinstance(document, TextDocument)
    return RequestDocument(name, document.text, [], labels)


def cut(documents: Sequence[RequestDocument], n_topics: int) -> Iterator[list[RequestDocument]]:
    """Documents in pieces, each of which is a short piece of work: they are turns between requests."""
    most = max(1, min(_PIECE_DOCUMENTS, _PIECE_SHARES // max(1, n_topics)))
    piece: list[RequestDocument] = []
    length = 0
    for document in documents:
        if piece and (len(piece) == most or length + document.length > _PIECE_LENGTH):
            yield piece
            piece, length = [], 0
        piece.append(document)
        length += document.length
    if piece:
        yield piece


class Encoder:
    """Cuts texts as the model did in training, and finds its words."""

    def __init__(self, model: Any) -> None:
        self._vocabulary = model.vocabulary_
        self._index = WordIndex(model.vocabulary_)
        self.tokenizer = model.corpus_.tokenizer

    def check(self, documents: Sequence[RequestDocument]) -> None:
        """A refusal of texts where the model never saw any."""
        if self.tokenizer is None and any(document.text is not None for document in documents):
            raise RequestError(
                409, 'this model was trained on counts, not on texts: send documents as {"words": [...]}'
            )

    def encode(self, documents: Sequence[RequestDocument]) -> DocumentBatchRequest:
        """The documents with what they have of the model's words, and their labels."""
        words = [document.words if document.text is None else self.tokenizer(document.text) for document in documents]
        encoded = encode(words, None, self._index)
        labels = tuple(document.labels for document in documents)
        corpus = replace(encoded.corpus, vocabulary=self._vocabulary, labels=labels)  # the model's very own array
        return DocumentBatchRequest(documents, corpus, encoded.n_unknown)


_MOST_CELLS = 20_000_000  # of the largest table that an explanation needs
Record = dict[str, Any]


class RequestTask(NamedTuple):
    """A request that can be done: its documents in pieces, and what is to be told of each piece."""

    pieces: Iterator[list[RequestDocument]]
    tell: Callable[[DocumentBatchRequest], Iterator[Record]]


class Service:
    """A model that answers. One of its methods looks at what is asked; what that returns may run on any thread."""

    def __init__(self, model: Any, limits: RequestLimits) -> None:
        model.n_jobs = 1  # requests run side by side; a piece of one has a thread
        self.model = model
        self.limits = limits
        self.encoder = Encoder(model)
        self.by_class = hasattr(model, "estimators_")
        self.predicts = is_supervised(model) or is_labeled(model)
        self.n_topics = 1 if self.by_class else len(model.alpha_)

    def warm_up(self) -> None:
        """Compile what requests will run, and have the model work out what it does once."""
        asked = {"documents": [{"words": [str(self.model.vocabulary_[0])]}]}
        methods: dict[type[schemas.RequestBody], Callable[[Any], RequestTask]] = {
            schemas.Transform: self.transform,
            schemas.Predict: self.predict,
            schemas.Explain: self.explain,
        }
        for schema, method in methods.items():
            with suppress(RequestError, InputError):  # what a model can't do is told to those who ask
                task = method(schema.model_validate(asked))
                for piece in task.pieces:
                    list(task.tell(self.encoder.encode(piece)))

    # ------------------------------------------------------------------ of the model

    def about(self) -> Record:
        """What the model is, and what may be asked of it."""
        model, limits = self.model, self.limits
        can = [
            *([] if self.by_class else ["/topics", "/transform"]),
            *(["/predict", "/explain"] if self.predicts else []),
        ]
        return {
            "kind": type(model).__name__,
            "topicwright": __version__,
            "topics": None if self.by_class else self.n_topics,
            "vocabulary": len(model.vocabulary_),
            "takes": "words" if self.encoder.tokenizer is None else "texts or words",
            "predicts": what_it_predicts(model) if self.predicts else None,
            "classes": model.classes_.tolist() if is_classifier(model) else None,
            "can": can,
            "limits": {"bytes": limits.bytes, "documents": limits.documents, "length": limits.length},
        }

    def topics(self, words: int, numbers: list[int], labels: list[str], start: int, count: int) -> Iterator[Record]:
        """The topics that were asked for."""
        self._check_shared()
        chosen = checked_topics(self.model, numbers, labels)[start : start + count]
        return topic_records(self.model, chosen, words)

    # ------------------------------------------------------------------ of documents

    def transform(self, asked: schemas.Transform) -> RequestTask:
        """Shares of topics."""
        self._check_shared()
        shares = shares_of(self.model, dense=asked.dense, min_weight=asked.min_weight, top=asked.top)
        return self._task(asked.documents, lambda piece: _named(piece, shares.records(piece.corpus)))

    def predict(self, asked: schemas.Predict) -> RequestTask:
        """Classes, labels or numbers."""
        self._check_predicts()
        if asked.top is not None and asked.threshold is not None:
            raise InputError("top takes so many labels, and threshold those above a line: give one of them")
        if asked.top is not None and not is_classifier(self.model):
            raise RequestError(409, "top goes with a classifier, and this model predicts numbers")
        model = self.model if asked.threshold is None else self._with_threshold(asked.threshold)
        among = {} if asked.candidates is None else {"candidates": self._candidates(asked.candidates)}
        return self._task(
            asked.documents, lambda piece: _named(piece, prediction_records(model, piece.corpus, asked.top, **among))
        )

    def explain(self, asked: schemas.Explain) -> RequestTask:
        """Topics and words behind predictions, or labels of words."""
        self._check_predicts()
        for option, is_given in {"own_labels": asked.own_labels, "snippets": asked.snippets}.items():
            if is_given:
                self._check_labelled(option)
        if asked.length is not None and not asked.snippets:
            raise InputError("length goes with snippets")
        wanted = None if asked.classes is None else self._numbers("classes", asked.classes)
        candidates = None if asked.candidates is None else self._candidates(asked.candidates)
        tell = explaining(
            self.model,
            wanted,
            top=asked.top,
            snippets=asked.snippets,
            length=asked.length,
            candidates=candidates,
            own=asked.own_labels,
        )
        return self._task(asked.documents, lambda piece: self._explained(piece, tell))

    def _explained(self, piece: DocumentBatchRequest, tell: Callable[..., Explained]) -> Iterator[Record]:
        for row, given in enumerate(piece.given):
            document = piece.corpus.select([row])
            self._check_explainable(given, document.n_tokens)
            yield tell(given.name, given.text, document).record()

    def _task(
        self, documents: list[schemas.Document], tell: Callable[[DocumentBatchRequest], Iterator[Record]]
    ) -> RequestTask:
        given = given_documents(documents, self.limits)
        self.encoder.check(given)
        return RequestTask(cut(given, self._width()), tell)

    # ------------------------------------------------------------------ what can't be done

    def _width(self) -> int:
        """Columns of the tables that documents need."""
        return self.n_topics + (len(self.model.classes_) if is_classifier(self.model) else 0)

    def _check_shared(self) -> None:
        if self.by_class:
            raise RequestError(
                409,
                "this model has topics of its own for each class, and none that all share: ask /predict or /explain",
            )

    def _check_predicts(self) -> None:
        if not self.predicts:
            raise RequestError(
                409,
                "this model has topics and predicts nothing: ask /transform, or serve a model that was trained with "
                "topicwright fit … --predict FIELD,  or --labels FIELD",
            )

    def _check_labelled(self, option: str) -> None:
        try:
            check_labeled(self.model, option)
        except InputError as error:
            raise RequestError(409, str(error)) from None

    def _check_explainable(self, given: RequestDocument, n_words: int) -> None:
        most = _MOST_CELLS // self._width()
        if n_words > most:
            what = f"document {given.name} has {n_words:,} words"
            raise RequestError(413, f"{what}, and this model explains at most {most:,} at a time: send a part of it")

    def _candidates(self, names: list[str]) -> list[Any]:
        self._check_labelled("candidates")
        labels = self.model.classes_.tolist()
        return [labels[number] for number in self._numbers("candidates", names)]

    def _numbers(self, option: str, names: list[str]) -> list[int]:
        if not is_classifier(self.model):
            raise RequestError(409, f"{option} goes with a classifier, and this model predicts numbers")
        return checked_classes(self.model, names)

    def _with_threshold(self, threshold: float) -> Any:
        self._check_labelled("threshold")
        if not self.model.multilabel_:
            reason = "threshold is for documents with several labels, and this model gives one each: try top"
            raise RequestError(409, reason)
        model = copy(self.model)  # others ask the same model at the same time
        model.threshold = threshold
        return model


def _named(piece: DocumentBatchRequest, records: Iterator[Record]) -> Iterator[Record]:
    return ({"id": given.name, **record} for given, record in zip(piece.given, records))


Result = TypeVar("Result")


class WorkerPool:
    """Threads for pieces of work. Kernels let go of the GIL, so that as many run at a time as there are threads.

    A request is cut into small pieces, each of which queues up when the one before it is done. So a large request takes
    turns with others, and a small one waits for a piece, not for a request.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright-serve")

    async def run(
        self, pieces: Iterable[Callable[[], Result]], is_given_up: Callable[[], Awaitable[bool]]
    ) -> list[Result]:
        """What each piece gives; it stops between pieces where nobody waits for it any more."""
        loop, results = asyncio.get_running_loop(), []
        for piece in pieces:
            if await is_given_up():
                raise RequestError(499, "the client has gone")
            results.append(await loop.run_in_executor(self._pool, piece))
        return results

    def close(self) -> None:
        """What is under way is ended; what waits is not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
