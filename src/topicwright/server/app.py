"""The paths of the API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import Field
from starlette.exceptions import HTTPException

from .. import __version__
from .._utils.formatting import safe_json
from ..errors import TopicwrightError
from . import schemas
from .auth import Access, AccessMiddleware
from .limits import RequestLimitMiddleware
from .responses import App, RequestError, RequestLimits, as_bytes, json_bytes
from .service import RequestDocument, RequestTask, Service, WorkerPool

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark;color:light-dark(#1a1a1a,#eee);background:light-dark(#fff,#181818)}"
    "code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow-x:auto;padding:.6rem;"
    "background:light-dark(#f3f3f3,#262626)}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}"
    "h2{margin-top:2.5rem}h2 code{font-size:1.1rem;font-weight:bold}"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # no script at all


def page_of(schema: dict[str, Any], address: str) -> str:
    """A page on every path, what it takes, and a line to try it with."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(schema['info']['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{escape(schema['info']['title'])}</h1><p>{escape(schema['info']['description'])}",
        "Programs that make clients read <a href=openapi.json>openapi.json</a>.</p>",
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parts += _told(schema, f"{method.upper()} {path}", operation, f"{address.rstrip('/')}{path}")
    return "\n".join([*parts, "</html>"])


def _told(schema: dict[str, Any], name: str, operation: dict[str, Any], address: str) -> Iterator[str]:
    yield f"<h2><code>{escape(name)}</code></h2><p>{escape(operation['summary'])}.</p>"
    rows = [*_asked(schema, operation)]
    if rows:
        cells = (f"<tr><th scope=row><code>{escape(field)}</code><td>{escape(about)}" for field, about in rows)
        yield f"<table>{''.join(cells)}</table>"
    body = """ --json '{"documents": ["a text"]}'""" if "requestBody" in operation else ""
    token = ' -H "Authorization: Bearer $TOPICWRIGHT_TOKEN"' if "security" in operation else ""
    yield f"<pre>{escape(f'curl{token}{body} {address}', quote=False)}</pre>"


def _asked(schema: dict[str, Any], operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What can be given: in the address, or in the body."""
    for parameter in operation.get("parameters", []):
        yield parameter["name"], parameter.get("description", "")
    if "requestBody" in operation:
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for field, about in schema["components"]["schemas"][name]["properties"].items():
            yield field, about.get("description", "")


_JSON = "application/json"
_ABOUT = "What a topic model says of documents. Errors have one sentence, under error."
_PROBLEMS = {
    400: "The request can't be read.",
    401: "The token is missing or wrong.",
    403: "The host or the origin is not one of this server's.",
    408: "The body took too long to come.",
    409: "This model can't do that; see /model for what it can.",
    413: "Too much at a time.",
    415: "The body is not JSON.",
    422: "Something in the request is not what it must be.",
    500: "An error of the server.",
    503: "The server is busy.",
}
_PLAIN = {  # where the words of pydantic would not help a newcomer
    "extra_forbidden": "there is no such field",
    "missing": "it is missing",
    "list_type": "it must be a list",
    "string_type": "it must be a text",
    "bool_type": "it must be true or false",
    "int_type": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "float_type": "it must be a number",
    "model_attributes_type": 'it must be an object, such as {"documents": ["a text"]}',
}


def new_app(
    model: Any,
    *,
    limits: RequestLimits | None = None,
    access: Access | None = None,
    n_threads: int = 1,
    on_start: Callable[[], None] = lambda: None,
) -> App:
    """An ASGI application that answers for a model."""
    limits, access = limits or RequestLimits(), access or Access()
    service, workers = Service(model, limits), WorkerPool(n_threads)
    service.warm_up()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        on_start()
        yield
        workers.close()

    app = FastAPI(
        title="Topicwright",
        version=__version__,
        description=_ABOUT,
        lifespan=life,
        docs_url=None,  # these pages load scripts from elsewhere: there is one of our own
        redoc_url=None,
        redirect_slashes=False,
        responses={status: {"model": schemas.Problem, "description": why} for status, why in _PROBLEMS.items()},
        dependencies=[] if access.token is None else [Security(HTTPBearer(auto_error=False))],
    )
    _add_model_paths(app, service, workers)
    _add_document_paths(app, service, workers)
    _add_page(app)
    _tell_problems(app)
    return AccessMiddleware(RequestLimitMiddleware(app, limits), access, open_paths=["/health"])  # type: ignore[arg-type]


# ---------------------------------------------------------------------- paths


def _add_model_paths(app: FastAPI, service: Service, workers: WorkerPool) -> None:
    about = json_bytes(service.about())

    @app.get("/health", response_model=schemas.Health, summary="Whether the server runs; needs no token")
    async def health() -> Response:
        return Response(b'{"status": "ok"}', media_type=_JSON)

    @app.get("/", include_in_schema=False)
    @app.get("/model", response_model=schemas.About, summary="What the model is, and what may be asked of it")
    async def model() -> Response:
        return Response(about, media_type=_JSON)

    @app.get("/topics", response_model=list[schemas.Topic], summary="Topics, their shares and words")
    async def topics(
        request: Request,
        words: Annotated[int, Query(ge=1, le=1000, description="Words of each topic.")] = 10,
        topic: Annotated[list[int] | None, Query(max_length=100, description="Only this; may be given again.")] = None,
        label: Annotated[
            list[Annotated[str, Field(max_length=1000)]] | None,
            Query(max_length=100, description="Only the topic of this name; may be given again."),
        ] = None,
        start: Annotated[int, Query(ge=0, le=2**31, description="Leave out so many at the start.")] = 0,
        count: Annotated[int, Query(ge=1, le=1000, description="Give so many at most.")] = 1000,
    ) -> Response:
        def work() -> list[str]:
            return _lines(service.topics(words, topic or [], label or [], start, count), service.limits)

        [lines] = await workers.run([work], request.is_disconnected)
        return Response(as_bytes(f"[{', '.join(lines)}]"), media_type=_JSON)


def _add_document_paths(app: FastAPI, service: Service, workers: WorkerPool) -> None:
    async def answer(request: Request, task: RequestTask) -> Response:
        return await _answer(request, service, workers, task)

    @app.post("/transform", response_model=schemas.Transformed, summary="Topics of documents")
    async def transform(asked: schemas.Transform, request: Request) -> Response:
        return await answer(request, service.transform(asked))

    @app.post("/predict", response_model=schemas.Predictions, summary="Classes, labels or numbers of documents")
    async def predict(asked: schemas.Predict, request: Request) -> Response:
        return await answer(request, service.predict(asked))

    @app.post("/explain", response_model=schemas.Explanations, summary="Why: topics and words, or labels of words")
    async def explain(asked: schemas.Explain, request: Request) -> Response:
        return await answer(request, service.explain(asked))


def _add_page(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        page = page_of(app.openapi(), str(request.base_url))
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": POLICY})


async def _answer(request: Request, service: Service, workers: WorkerPool, task: RequestTask) -> Response:
    n_words = n_unknown = size = 0
    lines: list[str] = []

    def work(documents: list[RequestDocument]) -> None:
        nonlocal n_words, n_unknown, size
        piece = service.encoder.encode(documents)
        n_words += piece.corpus.n_tokens + piece.n_unknown
        n_unknown += piece.n_unknown
        more = _lines(task.tell(piece), service.limits, size)
        size += sum(map(len, more))
        lines.extend(more)

    await workers.run((partial(work, documents) for documents in task.pieces), request.is_disconnected)
    text = f'{{"documents": [{", ".join(lines)}], "words": {n_words}, "unknown": {n_unknown}}}'
    return Response(as_bytes(text), media_type=_JSON)


def _lines(records: Iterable[dict[str, Any]], limits: RequestLimits, size: int = 0) -> list[str]:
    """Records as JSON, up to what an answer may have."""
    lines = []
    for record in records:
        lines.append(safe_json(record))
        size += len(lines[-1])
        if size > limits.answer:
            raise RequestError(413, f"the answer is longer than {limits.answer:,} characters: ask for less at a time")
    return lines


# ---------------------------------------------------------------------- problems


def _tell_problems(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def refused(_: Request, problem: RequestError) -> Response:
        return _problem(problem.status, problem.reason, problem.headers)

    @app.exception_handler(TopicwrightError)
    async def wrong(_: Request, problem: TopicwrightError) -> Response:
        return _problem(422, str(problem))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, problem: RequestValidationError) -> Response:
        errors = problem.errors()
        if errors[0]["type"] == "json_invalid":
            place = errors[0]["loc"][-1]
            return _problem(400, f"the body is not JSON: {errors[0]['ctx']['error']}, at character {place}")
        told = dict.fromkeys(f"{_place(error['loc'])}: {_reason(error)}" for error in errors)
        return _problem(422, "; ".join([*told][:3]) + ("; …" if len(told) > 3 else ""))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, problem: HTTPException) -> Response:
        paths = ", ".join(app.openapi()["paths"])
        reasons = {
            404: f"there is nothing at {request.url.path}: the paths are {paths}, and /openapi.json tells of them",
            405: f"{request.url.path} does not take {request.method}: see /openapi.json",
            400: "the body can't be read as JSON",
        }
        reason = reasons.get(problem.status_code, HTTPStatus(problem.status_code).phrase)
        return _problem(problem.status_code, reason, dict(problem.headers or {}))

    @app.exception_handler(Exception)
    async def failed(_: Request, problem: Exception) -> Response:
        return _problem(500, "the server made an error; what it was is in its log")


def _problem(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    return Response(json_bytes({"error": reason}), status, headers, _JSON)


def _place(place: Iterable[str | int]) -> str:
    """Where in the request something is, as in documents[0].text."""
    parts = [part for part in place if part not in schemas.TAGS][1:]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".") or "the body"


def _reason(error: dict[str, Any]) -> str:
    plain, message = _PLAIN.get(error["type"]), str(error["msg"])
    message = (message[:1].lower() + message[1:]).replace("input should", "it should")
    return plain or message.replace(" after validation", "")
