"""FastAPI application: paths, error responses and the documentation page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from html import escape
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from fastapi.security import HTTPBearer
from pydantic import Field, ValidationError
from starlette.exceptions import HTTPException

from .. import __version__
from .._utils.formatting import safe_json
from ..errors import TopicwrightError
from . import schemas
from .auth import Access, AccessMiddleware
from .metrics import AccessLog, Metrics, MonitoringMiddleware
from .requests import App, Receive, RequestError, RequestLimitMiddleware, Scope, Send, as_bytes, json_bytes
from .served_model import ServedModel
from .service import RequestTask, Scheduler, Service, check_response

OPEN_PATHS = ("/health", "/ready")  # for the probes of a container platform
_METRICS = "text/plain; version=0.0.4"
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
    "model_type": 'it must be an object, such as {"documents": ["a text"]}',
}


def new_app(
    served: ServedModel,
    *,
    access: Access | None = None,
    n_threads: int = 1,
    follow: bool = False,
    log: AccessLog | None = None,
    on_start: Callable[[], None] = lambda: None,
) -> App:
    """ASGI application that serves a model.

    Parameters
    ----------
    served : ServedModel
    access : Access, optional
    n_threads : int
        Threads for large requests.
    follow : bool
        Whether to reload the model when its file is replaced.
    log : AccessLog, optional
        Format of the access log; none by default.
    on_start : callable
        Called when the application has started.
    """
    access = access or Access()
    scheduler, metrics = Scheduler(n_threads), Metrics(served)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(served.watch(follow=follow))
        on_start()
        yield
        watching.cancel()
        scheduler.close()

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
    _add_model_paths(app, served, scheduler, metrics)
    _describe_document_paths(app)
    _add_docs_page(app)
    _add_error_handlers(app)
    answering = _DocumentPaths(app, served, scheduler, metrics)  # type: ignore[arg-type]
    limited = RequestLimitMiddleware(answering, served.limits)
    paths = [*app.openapi()["paths"], "/", "/docs", "/openapi.json"]
    return MonitoringMiddleware(AccessMiddleware(limited, access, open_paths=OPEN_PATHS), metrics, paths, log)


# ---------------------------------------------------------------------- paths


def _add_model_paths(app: FastAPI, served: ServedModel, scheduler: Scheduler, metrics: Metrics) -> None:
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
        return Response(json_bytes(served.service.model_info()), media_type=_JSON)

    @app.get("/metrics", response_class=PlainTextResponse, summary="Metrics in the text format of Prometheus")
    async def metrics_page() -> Response:
        return Response(metrics.text(), media_type=_METRICS)

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
            lines, size = [], 0
            for record in served.service.topics(words, topic or [], label or [], start, count):
                lines.append(safe_json(record))
                size += len(lines[-1])
                check_response(size, served.limits)
            return lines

        [lines] = await scheduler.run_in_threads([work], request.is_disconnected)
        return Response(as_bytes(f"[{', '.join(lines)}]"), media_type=_JSON)


_DOCUMENT_PATHS: dict[str, tuple[type[schemas.RequestBody], Callable[[Service, Any], RequestTask]]] = {
    "/transform": (schemas.TransformRequest, Service.transform),
    "/predict": (schemas.PredictRequest, Service.predict),
    "/explain": (schemas.ExplainRequest, Service.explain),
}


class _DocumentPaths:
    """ASGI middleware that answers requests with documents; FastAPI describes them.

    The way through FastAPI takes as long as the prediction of a sentence.
    """

    def __init__(self, app: App, served: ServedModel, scheduler: Scheduler, metrics: Metrics) -> None:
        self.app = app
        self._served, self._scheduler, self._metrics = served, scheduler, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with documents, and pass others on."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in _DOCUMENT_PATHS:
            await self.app(scope, receive, send)
            return
        try:
            response = await self._answer(scope, receive)
        except Exception as error:
            await _response_to(error)(scope, receive, send)
            if not isinstance(error, _EXPECTED_ERRORS):
                raise  # into the log
        else:
            await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        schema, prepare = _DOCUMENT_PATHS[scope["path"]]
        body = (await receive())["body"]  # all of it: the limits on requests need it
        task = prepare(self._served.service, _parse_body(schema, body))
        results = await self._scheduler.run(task, Request(scope, receive).is_disconnected)
        lines = ", ".join(one.line for one in results)
        n_words, n_unknown = sum(one.n_words for one in results), sum(one.n_unknown for one in results)
        self._metrics.add_documents(scope["path"], len(results), n_words, n_unknown)
        text = f'{{"documents": [{lines}], "words": {n_words}, "unknown": {n_unknown}}}'
        return Response(as_bytes(text), media_type=_JSON)


def _parse_body(schema: type[schemas.RequestBody], body: bytes) -> schemas.RequestBody:
    try:
        value = json.loads(body) if body else None
    except json.JSONDecodeError as error:
        raise RequestError(400, f"the body is not JSON: {error.msg}, at character {error.pos}") from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, or too many brackets
        raise RequestError(400, "the body is not valid JSON") from None
    if value is None:
        raise RequestError(422, "the body: required field is missing")
    return schema.model_validate(value)


def _describe_document_paths(app: FastAPI) -> None:
    @app.post("/transform", response_model=schemas.TransformResponse, summary="Topics of documents")
    async def transform(body: schemas.TransformRequest) -> None: ...

    @app.post("/predict", response_model=schemas.PredictResponse, summary="Classes, labels or numbers of documents")
    async def predict(body: schemas.PredictRequest) -> None: ...

    @app.post(
        "/explain",
        response_model=schemas.ExplainResponse,
        summary="Topics and words behind predictions, or labels of words",
    )
    async def explain(body: schemas.ExplainRequest) -> None: ...


def _add_docs_page(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        page = docs_page(app.openapi(), str(request.base_url))
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": _DOCS_POLICY})


# ---------------------------------------------------------------------- errors


_EXPECTED_ERRORS = (RequestError, TopicwrightError, RequestValidationError, ValidationError)


def _response_to(error: Exception) -> Response:
    """Response to an error, which reveals nothing if the error is unexpected."""
    if isinstance(error, RequestError):
        return _error_response(error.status, error.reason, error.headers)
    if isinstance(error, TopicwrightError):
        return _error_response(422, str(error))
    if isinstance(error, ValidationError):
        return _validation_response(error.errors())
    if isinstance(error, RequestValidationError):  # its locations begin with the part of the request
        return _validation_response([{**one, "loc": one["loc"][1:]} for one in error.errors()])
    return _error_response(500, "internal error: see the log of the server")


def _validation_response(errors: Sequence[Any]) -> Response:
    messages = [*dict.fromkeys(f"{_field_path(one['loc'])}: {_validation_message(one)}" for one in errors)]
    return _error_response(422, "; ".join(messages[:3]) + ("; …" if len(messages) > 3 else ""))


def _add_error_handlers(app: FastAPI) -> None:
    async def respond(_: Request, error: Exception) -> Response:
        return _response_to(error)

    for kind in (RequestError, TopicwrightError, RequestValidationError, Exception):
        app.add_exception_handler(kind, respond)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        paths = ", ".join(app.openapi()["paths"])
        reasons = {
            404: f"there is nothing at {request.url.path}: the paths are {paths}; /openapi.json describes them",
            405: f"{request.url.path} does not allow {request.method}: see /openapi.json",
        }
        reason = reasons.get(error.status_code, HTTPStatus(error.status_code).phrase)
        return _error_response(error.status_code, reason, dict(error.headers or {}))


def _error_response(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    return Response(json_bytes({"error": reason}), status, headers, _JSON)


def _field_path(location: Iterable[str | int]) -> str:
    """Path of a field in the request, such as documents[0].text."""
    parts = [part for part in location if part not in schemas.TAGS]
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
