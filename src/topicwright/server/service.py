"""Requests to a model: checked completely before any work, answered in the same records as on the command line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import __version__
from .._utils.formatting import safe_json
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
_SMALL_SECONDS, _SMALL_LENGTH = 0.002, 4000  # of requests that are answered in the event loop: seconds, characters
_GROUP_REQUESTS = 32  # small requests in one batch
_SECONDS_RATE = 0.05  # weight of the last batch in the running mean of the time for a document
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
        self._index = WordIndex(model.vocabulary_)
        self._index.words = model.vocabulary_  # the same array, which saves a comparison for each batch
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
        corpus = encoded.corpus
        if any(document.labels for document in documents):
            corpus = replace(corpus, labels=tuple(document.labels for document in documents))
        return EncodedBatch(documents, corpus, encoded.unknown_by_document.tolist())


class DocumentResult(NamedTuple):
    """Result of a document: its record as JSON, and its numbers of words and of unknown words."""

    line: str
    n_words: int
    n_unknown: int


class RequestTask(NamedTuple):
    """A valid request.

    Attributes
    ----------
    service : Service
        The model, which stays the same for the whole request.
    key : tuple
        Kind of request and options; small requests with equal keys are answered together.
    documents : list of RequestDocument
    describe : callable
        Returns the records of a batch.
    """

    service: Service
    key: tuple[Any, ...]
    documents: list[RequestDocument]
    describe: Callable[[EncodedBatch], Iterator[Record]]

    def results(self, documents: list[RequestDocument]) -> list[DocumentResult]:
        """Results of some documents; raises an error if they become too long."""
        if not documents:
            return []
        start = time.thread_time()
        batch = self.service.encoder.encode(documents)
        known, results, size = batch.corpus.doc_lengths().tolist(), [], 0
        for record, n_known, n_unknown in zip(self.describe(batch), known, batch.unknown):
            results.append(DocumentResult(safe_json(record), n_known + n_unknown, n_unknown))
            size += len(results[-1].line)
            check_response(size, self.service.limits)
        if sum(document.length for document in documents) <= _SMALL_LENGTH * len(documents):
            self.service.measure(self.key[0], (time.thread_time() - start) / len(documents))
        return results


def check_response(size: int, limits: RequestLimits) -> None:
    """Reject a request whose response becomes too long."""
    if size > limits.response:
        raise RequestError(
            413, f"the response is longer than {limits.response:,} characters: request fewer documents or topics"
        )


class Service:
    """A model that answers requests.

    Methods validate a request; the :class:`RequestTask` that they return can run in any thread.

    Parameters
    ----------
    model : fitted model
    limits : RequestLimits
    digest : str, optional
        Digest of the file of the model.
    """

    def __init__(self, model: Any, limits: RequestLimits, digest: str | None = None) -> None:
        model.n_jobs = 1  # requests run in parallel; a batch has one thread
        self.model = model
        self.limits = limits
        self.digest = digest
        self.loaded = datetime.now(timezone.utc)
        self.encoder = Encoder(model)
        self.has_class_topics = hasattr(model, "estimators_")
        self.predicts = is_supervised(model) or is_labeled(model)
        self.n_topics = 1 if self.has_class_topics else len(model.alpha_)
        self.width = self.n_topics + (len(model.classes_) if is_classifier(model) else 0)  # of tables for documents
        self.seconds: dict[str, float] = {}  # for a small document, by kind of request

    def warm_up(self) -> None:
        """Run each kind of request twice: first to compile kernels and fill caches, then to measure the time."""
        body = {"documents": [{"words": self.model.vocabulary_[:10].tolist()}]}
        methods: dict[type[schemas.RequestBody], Callable[[Any], RequestTask]] = {
            schemas.TransformRequest: self.transform,
            schemas.PredictRequest: self.predict,
            schemas.ExplainRequest: self.explain,
        }
        for schema, method in methods.items():
            with suppress(RequestError, InputError):  # requests that the model cannot answer
                task = method(schema.model_validate(body))
                task.results(task.documents)
                self.seconds.pop(task.key[0])  # which includes compilation
                task.results(task.documents)

    def measure(self, kind: str, seconds: float) -> None:
        """Update the running mean of the time for a small document."""
        mean = self.seconds.setdefault(kind, seconds)
        self.seconds[kind] = mean + (seconds - mean) * _SECONDS_RATE

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
            "loaded": self.loaded.isoformat(timespec="seconds"),
            "digest": self.digest,
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
        key = ("transform", body.dense, body.min_weight, body.top)
        return self._task(key, body.documents, lambda batch: _with_ids(batch, shares.records(batch.corpus)))

    def predict(self, body: schemas.PredictRequest) -> RequestTask:
        """Classes, labels or numbers of documents."""
        self._require_prediction()
        if body.top is not None and body.threshold is not None:
            raise InputError("`top` and `threshold` exclude each other: give only one of them", parameter="threshold")
        if body.top is not None and not is_classifier(self.model):
            raise RequestError(409, "top needs a classifier, and this model predicts numbers")
        model = self.model if body.threshold is None else self._with_threshold(body.threshold)
        among = {} if body.candidates is None else {"candidates": self._candidates(body.candidates)}
        key = ("predict", body.top, body.threshold, None if body.candidates is None else tuple(body.candidates))
        return self._task(
            key,
            body.documents,
            lambda batch: _with_ids(batch, prediction_records(model, batch.corpus, body.top, **among)),
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
        key = ("explain", object())  # explanations are not answered together, since nothing is saved
        return self._task(key, body.documents, lambda batch: self._explanation_records(batch, describe))

    def _explanation_records(self, batch: EncodedBatch, describe: Callable[..., ExplainedDocument]) -> Iterator[Record]:
        for row, (document, n_unknown) in enumerate(zip(batch.documents, batch.unknown)):
            encoded = batch.corpus.select([row])
            self._check_length(document, encoded.n_tokens)
            yield describe(document.id, document.text, encoded, n_unknown).record()

    def _task(
        self,
        key: tuple[Any, ...],
        documents: list[schemas.Document],
        describe: Callable[[EncodedBatch], Iterator[Record]],
    ) -> RequestTask:
        checked = check_documents(documents, self.limits)
        self.encoder.check(checked)
        return RequestTask(self, (*key, self), checked, describe)

    # ------------------------------------------------------------------ validation

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
        limit = _MAX_CELLS // self.width
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


class Scheduler:
    """Runs small requests together in the event loop, and large ones in threads.

    A prediction of one sentence takes less time than its way to a thread and back. Small requests with the same key
    that arrive at the same time form one batch, which takes little longer than one of them. The result for a document
    does not depend on the others.

    Each batch of a large request is queued when the previous one is done. It therefore alternates with others, and a
    request of middle size waits for a batch, not for a whole request. Kernels release the GIL, so threads run in
    parallel.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright-serve")
        self._groups: dict[tuple[Any, ...], list[tuple[RequestTask, asyncio.Future[list[DocumentResult]]]]] = {}

    async def run(self, task: RequestTask, is_disconnected: Callable[[], Awaitable[bool]]) -> list[DocumentResult]:
        """Results of all documents; a large request stops between batches if the client has disconnected."""
        if _is_small(task):
            return await self._run_small(task)
        results: list[DocumentResult] = []
        size = 0
        batches = split_batches(task.documents, task.service.width)
        for done in await self.run_in_threads((partial(task.results, batch) for batch in batches), is_disconnected):
            size += sum(len(one.line) for one in done)
            check_response(size, task.service.limits)
            results += done
        return results

    async def run_in_threads(
        self, batches: Iterable[Callable[[], Result]], is_disconnected: Callable[[], Awaitable[bool]]
    ) -> list[Result]:
        """Results of all batches; stops between batches if the client has disconnected."""
        loop, results = asyncio.get_running_loop(), []
        for batch in batches:
            if await is_disconnected():
                raise RequestError(499, "the client has disconnected")
            results.append(await loop.run_in_executor(self._pool, batch))
        return results

    async def _run_small(self, task: RequestTask) -> list[DocumentResult]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[DocumentResult]] = loop.create_future()
        group = self._groups.setdefault(task.key, [])
        if not group:
            loop.call_soon(self._run_group, task.key)  # after the requests that have arrived already
        group.append((task, future))
        return await future

    def _run_group(self, key: tuple[Any, ...]) -> None:
        group = self._groups.pop(key)
        for start in range(0, len(group), _GROUP_REQUESTS):
            _answer(group[start : start + _GROUP_REQUESTS])

    def close(self) -> None:
        """Finish running batches and drop the queued ones."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _is_small(task: RequestTask) -> bool:
    """Whether the documents of a request take so little time that the event loop can wait for them."""
    n_documents, seconds = len(task.documents), task.service.seconds.get(task.key[0], _SMALL_SECONDS)
    return n_documents * seconds < _SMALL_SECONDS and sum(one.length for one in task.documents) <= _SMALL_LENGTH


def _answer(group: Sequence[tuple[RequestTask, asyncio.Future[list[DocumentResult]]]]) -> None:
    """Answer requests with equal keys together."""
    first = group[0][0]
    documents = [document for task, _ in group for document in task.documents]
    try:
        results = first.results(documents)
    except Exception as error:
        if len(group) > 1:  # only the request that is wrong gets the error
            for one in group:
                _answer([one])
        elif not group[0][1].done():
            group[0][1].set_exception(error)
        return
    position = 0
    for task, future in group:
        end = position + len(task.documents)
        if not future.done():  # unless the request was canceled
            future.set_result(results[position:end])
        position = end
