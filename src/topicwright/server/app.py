"""FastAPI application: paths, error responses and the documentation page."""

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
from .requests import App, RequestError, RequestLimitMiddleware, RequestLimits, as_bytes, json_bytes
from .service import RequestDocument, RequestTask, Service, WorkerPool

_JSON = "application/json"
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark;color:light-dark(#1a1a1a,#eee);background:light-dark(#fff,#181818)}"
    "code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow-x:auto;padding:.6rem;"
    "background:light-dark(#f3f3f3,#262626)}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}"
    "h2{margin-top:2.5rem}h2 code{font-size:1.1rem;font-weight:bold}"
)
_DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # no script at all
_DESCRIPTION = (
    "Topics, predictions and explanations of documents by a topic model. Errors have one sentence, under error."
)
_STATUS_MESSAGES = {
    400: "The request is malformed.",
    401: "The token is missing or wrong.",
    403: "The host or the origin is not allowed.",
    408: "The body was not received in time.",
    409: "This model cannot do that; see /model for what it can do.",
    413: "The request or the response is too large.",
    415: "The body is not JSON.",
    422: "A field of the request is invalid.",
    500: "Internal error.",
    503: "The server is busy.",
}
_VALIDATION_MESSAGES = {  # clearer than the messages of pydantic
    "extra_forbidden": "unknown field",
    "missing": "required field is missing",
    "list_type": "it must be a list",
    "string_type": "it must be a text",
    "bool_type": "it must be true or false",
    "int_type": "it must be an integer",
    "int_parsing": "it must be an integer",
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
    """ASGI application that serves a model.

    Parameters
    ----------
    model : fitted model
    limits : RequestLimits, optional
    access : Access, optional
    n_threads : int
        Threads for requests.
    on_start : callable
        Called when the application has started.
    """
    limits, access = limits or RequestLimits(), access or Access()
    service, workers = Service(model, limits), WorkerPool(n_threads)
    service.warm_up()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        on_start()
        yield
        workers.close()

    app = FastAPI(
        title="Topicwright",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # these load scripts from other servers; _add_docs_page has its own
        redoc_url=None,
        redirect_slashes=False,
        responses={
            status: {"model": schemas.ErrorResponse, "description": description}
            for status, description in _STATUS_MESSAGES.items()
        },
        dependencies=[] if access.token is None else [Security(HTTPBearer(auto_error=False))],
    )
    _add_model_paths(app, service, workers)
    _add_document_paths(app, service, workers)
    _add_docs_page(app)
    _add_error_handlers(app)
    return AccessMiddleware(RequestLimitMiddleware(app, limits), access, open_paths=["/health", "/ready"])  # type: ignore[arg-type]


# ---------------------------------------------------------------------- paths


def _add_model_paths(app: FastAPI, service: Service, workers: WorkerPool) -> None:
    info = json_bytes(service.model_info())

    @app.get("/health", response_model=schemas.HealthResponse, summary="Whether the server runs; needs no token")
    async def health() -> Response:
        return Response(b'{"status": "ok"}', media_type=_JSON)

    @app.get(
        "/ready", response_model=schemas.HealthResponse, summary="Whether the server takes requests; needs no token"
    )
    async def ready() -> Response:
        return Response(b'{"status": "ok"}', media_type=_JSON)

    @app.get("/", include_in_schema=False)
    @app.get("/model", response_model=schemas.ModelResponse, summary="Kind, size and abilities of the model")
    async def model() -> Response:
        return Response(info, media_type=_JSON)

    @app.get("/topics", response_model=list[schemas.Topic], summary="Topics, their shares and words")
    async def topics(
        request: Request,
        words: Annotated[int, Query(ge=1, le=1000, description="Words of each topic.")] = 10,
        topic: Annotated[
            list[int] | None, Query(max_length=100, description="Only this topic; can be repeated.")
        ] = None,
        label: Annotated[
            list[Annotated[str, Field(max_length=1000)]] | None,
            Query(max_length=100, description="Only the topic of this name; can be repeated."),
        ] = None,
        start: Annotated[int, Query(ge=0, le=2**31, description="Number of topics to skip.")] = 0,
        count: Annotated[int, Query(ge=1, le=1000, description="Maximum number of topics.")] = 1000,
    ) -> Response:
        def work() -> list[str]:
            return _json_lines(service.topics(words, topic or [], label or [], start, count), service.limits)

        [lines] = await workers.run([work], request.is_disconnected)
        return Response(as_bytes(f"[{', '.join(lines)}]"), media_type=_JSON)


def _add_document_paths(app: FastAPI, service: Service, workers: WorkerPool) -> None:
    async def run(request: Request, task: RequestTask) -> Response:
        return await _run_task(request, service, workers, task)

    @app.post("/transform", response_model=schemas.TransformResponse, summary="Topics of documents")
    async def transform(body: schemas.TransformRequest, request: Request) -> Response:
        return await run(request, service.transform(body))

    @app.post("/predict", response_model=schemas.PredictResponse, summary="Classes, labels or numbers of documents")
    async def predict(body: schemas.PredictRequest, request: Request) -> Response:
        return await run(request, service.predict(body))

    @app.post(
        "/explain",
        response_model=schemas.ExplainResponse,
        summary="Topics and words behind predictions, or labels of words",
    )
    async def explain(body: schemas.ExplainRequest, request: Request) -> Response:
        return await run(request, service.explain(body))


def _add_docs_page(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        page = docs_page(app.openapi(), str(request.base_url))
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": _DOCS_POLICY})


async def _run_task(request: Request, service: Service, workers: WorkerPool, task: RequestTask) -> Response:
    n_words = n_unknown = size = 0
    lines: list[str] = []

    def work(documents: list[RequestDocument]) -> None:
        nonlocal n_words, n_unknown, size
        batch = service.encoder.encode(documents)
        n_unknown += sum(batch.unknown)
        n_words += batch.corpus.n_tokens + sum(batch.unknown)
        records = _json_lines(task.describe(batch), service.limits, size)
        size += sum(map(len, records))
        lines.extend(records)

    await workers.run((partial(work, documents) for documents in task.batches), request.is_disconnected)
    text = f'{{"documents": [{", ".join(lines)}], "words": {n_words}, "unknown": {n_unknown}}}'
    return Response(as_bytes(text), media_type=_JSON)


def _json_lines(records: Iterable[dict[str, Any]], limits: RequestLimits, size: int = 0) -> list[str]:
    """Records as JSON; raises an error if the response becomes too long."""
    lines = []
    for record in records:
        lines.append(safe_json(record))
        size += len(lines[-1])
        if size > limits.response:
            raise RequestError(
                413, f"the response is longer than {limits.response:,} characters: request fewer documents or topics"
            )
    return lines


# ---------------------------------------------------------------------- errors


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def request_error(_: Request, error: RequestError) -> Response:
        return _error_response(error.status, error.reason, error.headers)

    @app.exception_handler(TopicwrightError)
    async def invalid_input(_: Request, error: TopicwrightError) -> Response:
        return _error_response(422, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid_request(_: Request, error: RequestValidationError) -> Response:
        errors = error.errors()
        if errors[0]["type"] == "json_invalid":
            position = errors[0]["loc"][-1]
            return _error_response(400, f"the body is not JSON: {errors[0]['ctx']['error']}, at character {position}")
        messages = [*dict.fromkeys(f"{_field_path(one['loc'])}: {_validation_message(one)}" for one in errors)]
        return _error_response(422, "; ".join(messages[:3]) + ("; …" if len(messages) > 3 else ""))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        paths = ", ".join(app.openapi()["paths"])
        reasons = {
            404: f"there is nothing at {request.url.path}: the paths are {paths}; /openapi.json describes them",
            405: f"{request.url.path} does not allow {request.method}: see /openapi.json",
            400: "the body is not valid JSON",
        }
        reason = reasons.get(error.status_code, HTTPStatus(error.status_code).phrase)
        return _error_response(error.status_code, reason, dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def internal_error(_: Request, error: Exception) -> Response:
        return _error_response(500, "internal error: see the log of the server")


def _error_response(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    return Response(json_bytes({"error": reason}), status, headers, _JSON)


def _field_path(location: Iterable[str | int]) -> str:
    """Path of a field in the request, such as documents[0].text."""
    parts = [part for part in location if part not in schemas.TAGS][1:]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".") or "the body"


def _validation_message(error: dict[str, Any]) -> str:
    own, message = _VALIDATION_MESSAGES.get(error["type"]), str(error["msg"])
    message = (message[:1].lower() + message[1:]).replace("input should", "it should")
    return own or message.replace(" after validation", "")


# ---------------------------------------------------------------------- documentation page


def docs_page(schema: dict[str, Any], address: str) -> str:
    """HTML page with every path, its parameters and a command to try it."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(schema['info']['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{escape(schema['info']['title'])}</h1><p>{escape(schema['info']['description'])}",
        "Programs that make clients read <a href=openapi.json>openapi.json</a>.</p>",
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parts += _operation_html(schema, f"{method.upper()} {path}", operation, f"{address.rstrip('/')}{path}")
    return "\n".join([*parts, "</html>"])


def _operation_html(schema: dict[str, Any], name: str, operation: dict[str, Any], address: str) -> Iterator[str]:
    yield f"<h2><code>{escape(name)}</code></h2><p>{escape(operation['summary'])}.</p>"
    rows = [*_request_fields(schema, operation)]
    if rows:
        cells = (
            f"<tr><th scope=row><code>{escape(field)}</code><td>{escape(description)}" for field, description in rows
        )
        yield f"<table>{''.join(cells)}</table>"
    body = """ --json '{"documents": ["a text"]}'""" if "requestBody" in operation else ""
    token = ' -H "Authorization: Bearer $TOPICWRIGHT_TOKEN"' if "security" in operation else ""
    yield f"<pre>{escape(f'curl{token}{body} {address}', quote=False)}</pre>"


def _request_fields(schema: dict[str, Any], operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields of a request, in the address or in the body, with their descriptions."""
    for parameter in operation.get("parameters", []):
        yield parameter["name"], parameter.get("description", "")
    if "requestBody" in operation:
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for field, properties in schema["components"]["schemas"][name]["properties"].items():
            yield field, properties.get("description", "")
