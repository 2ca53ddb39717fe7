"""Requests to a model: checked completely before any work, answered in the same records as on the command line."""

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
from ..records.explanation import ExplainedDocument, explainer
from ..records.predictions import (
    check_classes,
    check_labeled,
    check_topics,
    is_classifier,
    is_labeled,
    is_supervised,
    kind_of_target,
    prediction_records,
)
from ..records.topics import shares_of, topic_records
from . import schemas
from .requests import RequestError, RequestLimits, too_large
from .schemas import TextDocument, WordsDocument

if TYPE_CHECKING:
    from .schemas import Document

_BATCH_DOCUMENTS, _BATCH_LENGTH, _BATCH_SHARES = 64, 100_000, 1_000_000  # documents, characters, table cells
_MAX_CELLS = 20_000_000  # of the largest table that an explanation needs
Record = dict[str, Any]
Result = TypeVar("Result")


class RequestDocument(NamedTuple):
    """Document of a request: its id, its text or its words, and its labels."""

    id: str | int
    text: str | None
    words: list[str]
    labels: tuple[str, ...]

    @property
    def length(self) -> int:
        """Length in characters."""
        return len(self.text) if self.text is not None else sum(map(len, self.words)) + len(self.words)


class EncodedBatch(NamedTuple):
    """Some documents of a request, encoded in the vocabulary of the model.

    ``unknown`` is the number of tokens of each document outside the vocabulary.
    """

    documents: Sequence[RequestDocument]
    corpus: Corpus
    unknown: list[int]


def check_documents(documents: Sequence[Document], limits: RequestLimits) -> list[RequestDocument]:
    """Documents of a request, within the limits."""
    if len(documents) > limits.documents:
        problem, hint = "the request has too many documents", "send them in several requests"
        raise too_large(problem, len(documents), limits.documents, "documents", hint)
    checked = [_request_document(document, number) for number, document in enumerate(documents, start=1)]
    for number, document in enumerate(checked, start=1):
        if document.length > limits.length:
            problem = f"document {number} is too long"
            raise too_large(problem, document.length, limits.length, "characters", "split it")
    return checked


def _request_document(document: Document, number: int) -> RequestDocument:
    if isinstance(document, str):
        return RequestDocument(number, document, [], ())
    name, labels = number if document.id is None else document.id, tuple(document.labels or ())
    if isinstance(document, WordsDocument):
        return RequestDocument(name, None, document.words, labels)
    assert isinstance(document, TextDocument)
    return RequestDocument(name, document.text, [], labels)


def split_batches(documents: Sequence[RequestDocument], n_topics: int) -> Iterator[list[RequestDocument]]:
    """Split documents into small batches, between which other requests get their turn."""
    size = max(1, min(_BATCH_DOCUMENTS, _BATCH_SHARES // max(1, n_topics)))
    batch: list[RequestDocument] = []
    length = 0
    for document in documents:
        if batch and (len(batch) == size or length + document.length > _BATCH_LENGTH):
            yield batch
            batch, length = [], 0
        batch.append(document)
        length += document.length
    if batch:
        yield batch


class Encoder:
    """Encodes documents with the tokenizer and the vocabulary of a model."""

    def __init__(self, model: Any) -> None:
        self._vocabulary = model.vocabulary_
        self._index = WordIndex(model.vocabulary_)
        self.tokenizer = model.corpus_.tokenizer

    def check(self, documents: Sequence[RequestDocument]) -> None:
        """Reject texts if the model was trained on counts."""
        if self.tokenizer is None and any(document.text is not None for document in documents):
            raise RequestError(
                409, 'this model was trained on counts, not on texts: send documents as {"words": [...]}'
            )

    def encode(self, documents: Sequence[RequestDocument]) -> EncodedBatch:
        """Documents as a corpus in the vocabulary of the model, with their labels."""
        words = [document.words if document.text is None else self.tokenizer(document.text) for document in documents]
        encoded = encode(words, None, self._index)
        labels = tuple(document.labels for document in documents)
        corpus = replace(
            encoded.corpus, vocabulary=self._vocabulary, labels=labels
        )  # the same array as that of the model, which saves a comparison
        return EncodedBatch(documents, corpus, encoded.unknown_by_document.tolist())


class RequestTask(NamedTuple):
    """A valid request: its documents in batches, and a function that returns the records of a batch."""

    batches: Iterator[list[RequestDocument]]
    describe: Callable[[EncodedBatch], Iterator[Record]]


class Service:
    """A model that answers requests.

    Methods validate a request; the :class:`RequestTask` that they return can run in any thread.
    """

    def __init__(self, model: Any, limits: RequestLimits) -> None:
        model.n_jobs = 1  # requests run in parallel; a batch has one thread
        self.model = model
        self.limits = limits
        self.encoder = Encoder(model)
        self.has_class_topics = hasattr(model, "estimators_")
        self.predicts = is_supervised(model) or is_labeled(model)
        self.n_topics = 1 if self.has_class_topics else len(model.alpha_)

    def warm_up(self) -> None:
        """Run each kind of request once, which compiles kernels and fills caches of the model."""
        body = {"documents": [{"words": [str(self.model.vocabulary_[0])]}]}
        methods: dict[type[schemas.RequestBody], Callable[[Any], RequestTask]] = {
            schemas.TransformRequest: self.transform,
            schemas.PredictRequest: self.predict,
            schemas.ExplainRequest: self.explain,
        }
        for schema, method in methods.items():
            with suppress(RequestError, InputError):  # requests that the model cannot answer
                task = method(schema.model_validate(body))
                for batch in task.batches:
                    list(task.describe(self.encoder.encode(batch)))

    # ------------------------------------------------------------------ model

    def model_info(self) -> Record:
        """Kind, size and abilities of the model."""
        model, limits = self.model, self.limits
        paths = [
            *([] if self.has_class_topics else ["/topics", "/transform"]),
            *(["/predict", "/explain"] if self.predicts else []),
        ]
        return {
            "kind": type(model).__name__,
            "topicwright": __version__,
            "topics": None if self.has_class_topics else self.n_topics,
            "vocabulary": len(model.vocabulary_),
            "takes": "words" if self.encoder.tokenizer is None else "texts or words",
            "predicts": kind_of_target(model) if self.predicts else None,
            "classes": model.classes_.tolist() if is_classifier(model) else None,
            "can": paths,
            "limits": {"bytes": limits.bytes, "documents": limits.documents, "length": limits.length},
        }

    def topics(self, words: int, numbers: list[int], labels: list[str], start: int, count: int) -> Iterator[Record]:
        """Records of topics."""
        self._require_shared_topics()
        chosen = check_topics(self.model, numbers, labels)[start : start + count]
        return topic_records(self.model, chosen, words)

    # ------------------------------------------------------------------ documents

    def transform(self, body: schemas.TransformRequest) -> RequestTask:
        """Topic shares of documents."""
        self._require_shared_topics()
        shares = shares_of(self.model, dense=body.dense, min_weight=body.min_weight, top=body.top)
        return self._task(body.documents, lambda batch: _with_ids(batch, shares.records(batch.corpus)))

    def predict(self, body: schemas.PredictRequest) -> RequestTask:
        """Classes, labels or numbers of documents."""
        self._require_prediction()
        if body.top is not None and body.threshold is not None:
            raise InputError("`top` and `threshold` exclude each other: give only one of them", parameter="threshold")
        if body.top is not None and not is_classifier(self.model):
            raise RequestError(409, "top needs a classifier, and this model predicts numbers")
        model = self.model if body.threshold is None else self._with_threshold(body.threshold)
        among = {} if body.candidates is None else {"candidates": self._candidates(body.candidates)}
        return self._task(
            body.documents, lambda batch: _with_ids(batch, prediction_records(model, batch.corpus, body.top, **among))
        )

    def explain(self, body: schemas.ExplainRequest) -> RequestTask:
        """Topics and words behind predictions, or labels of words."""
        self._require_prediction()
        for option, is_set in {"own_labels": body.own_labels, "snippets": body.snippets}.items():
            if is_set:
                self._require_labeled(option)
        if body.length is not None and not body.snippets:
            raise InputError("`length` needs `snippets`", parameter="length")
        wanted = None if body.classes is None else self._numbers("classes", body.classes)
        candidates = None if body.candidates is None else self._candidates(body.candidates)
        describe = explainer(
            self.model,
            wanted,
            top=body.top,
            snippets=body.snippets,
            length=body.length,
            candidates=candidates,
            own=body.own_labels,
        )
        return self._task(body.documents, lambda batch: self._explanation_records(batch, describe))

    def _explanation_records(self, batch: EncodedBatch, describe: Callable[..., ExplainedDocument]) -> Iterator[Record]:
        for row, (document, n_unknown) in enumerate(zip(batch.documents, batch.unknown)):
            encoded = batch.corpus.select([row])
            self._check_length(document, encoded.n_tokens)
            yield describe(document.id, document.text, encoded, n_unknown).record()

    def _task(
        self, documents: list[schemas.Document], describe: Callable[[EncodedBatch], Iterator[Record]]
    ) -> RequestTask:
        checked = check_documents(documents, self.limits)
        self.encoder.check(checked)
        return RequestTask(split_batches(checked, self._width()), describe)

    # ------------------------------------------------------------------ validation

    def _width(self) -> int:
        """Number of columns of the tables for documents."""
        return self.n_topics + (len(self.model.classes_) if is_classifier(self.model) else 0)

    def _require_shared_topics(self) -> None:
        if self.has_class_topics:
            raise RequestError(
                409,
                "this model has separate topics for each class: use /predict or /explain",
            )

    def _require_prediction(self) -> None:
        if not self.predicts:
            raise RequestError(
                409,
                "this model makes no predictions: use /transform, or serve a model trained with "
                "topicwright fit --predict FIELD or --labels FIELD",
            )

    def _require_labeled(self, option: str) -> None:
        try:
            check_labeled(self.model, option)
        except InputError as error:
            raise RequestError(409, str(error)) from None

    def _check_length(self, document: RequestDocument, n_words: int) -> None:
        limit = _MAX_CELLS // self._width()
        if n_words > limit:
            problem = f"document {document.id} has {n_words:,} words"
            raise RequestError(413, f"{problem}, and this model explains at most {limit:,}: split it")

    def _candidates(self, names: list[str]) -> list[Any]:
        self._require_labeled("candidates")
        labels = self.model.classes_.tolist()
        return [labels[number] for number in self._numbers("candidates", names)]

    def _numbers(self, option: str, names: list[str]) -> list[int]:
        if not is_classifier(self.model):
            raise RequestError(409, f"{option} needs a classifier, and this model predicts numbers")
        return check_classes(self.model, names)

    def _with_threshold(self, threshold: float) -> Any:
        self._require_labeled("threshold")
        if not self.model.multilabel_:
            reason = "threshold needs a model of several labels per document, and this one predicts one label: use top"
            raise RequestError(409, reason)
        model = copy(self.model)  # other requests use the model at the same time
        model.threshold = threshold
        return model


def _with_ids(batch: EncodedBatch, records: Iterator[Record]) -> Iterator[Record]:
    for document, record, n_unknown in zip(batch.documents, records, batch.unknown):
        yield {"id": document.id, **record, "n_unknown": n_unknown}


class WorkerPool:
    """Threads that run batches of requests in parallel, since kernels release the GIL.

    Each batch of a request is queued when the previous one is done. A large request therefore alternates with others,
    and a small one waits for a batch, not for a whole request.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright-serve")

    async def run(
        self, batches: Iterable[Callable[[], Result]], is_disconnected: Callable[[], Awaitable[bool]]
    ) -> list[Result]:
        """Results of all batches; stops between batches if the client has disconnected."""
        loop, results = asyncio.get_running_loop(), []
        for batch in batches:
            if await is_disconnected():
                raise RequestError(499, "the client has disconnected")
            results.append(await loop.run_in_executor(self._pool, batch))
        return results

    def close(self) -> None:
        """Finish running batches and drop the queued ones."""
        self._pool.shutdown(wait=False, cancel_futures=True)
