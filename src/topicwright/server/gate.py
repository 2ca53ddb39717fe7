"""The gate: who may come in at all, by plain HTTP or by a websocket. It stands before any ASGI application."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, urlencode

from .access import Access
from .asgi import App, Headers, Receive, Scope, Send, headers_of, send_answer, send_refusal, with_headers
from .refusals import RefusedError

_HEADERS = {  # of all answers: nothing is taken for what it is not, shown in another page, or told to another site
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class Gate:
    """An ASGI application around another, which sees only requests that may be asked.

    A program shows the token in a header, ``Authorization: Bearer TOKEN``. A browser opens an address with
    ``?token=TOKEN`` once, is given a cookie for it, and led on to the address without the token.
    """

    def __init__(self, app: App, access: Access, open_paths: Iterable[str] = ()) -> None:
        self.app = app
        self.access = access
        self.open_paths = frozenset(open_paths)  # which need no token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers, send = headers_of(scope), with_headers(send, _HEADERS)
        try:
            self.access.check_host(headers)
            self.access.check_origin(headers, is_look=_is_look(scope, headers))
            comes_by_link = self._check_token(scope, headers)
        except RefusedError as refusal:
            await send_refusal(scope, send, refusal)
            return
        if comes_by_link:
            await self._lead_on(scope, send)
        else:
            await self.app(scope, receive, send)

    def _check_token(self, scope: Scope, headers: Headers) -> bool:
        """Whether the token that is right was in the address; a refusal, where none is right."""
        if self.access.token is None or scope["path"] in self.open_paths:
            return False
        in_address = [value for name, value in _query(scope) if name == "token"] if _only_looks(scope) else []
        self.access.check_token(headers, _cookie_name(scope), in_address)
        return any(map(self.access.is_token, in_address))

    async def _lead_on(self, scope: Scope, send: Send) -> None:
        rest = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
        path = "/" + quote(scope["path"].lstrip("/"))  # two slashes would lead to another host
        cookie = f"{_cookie_name(scope)}={self.access.cookie}; Path=/; HttpOnly; SameSite=Strict"
        headers = {
            "Location": f"{path}?{rest}" if rest else path,
            "Set-Cookie": cookie,
            "Cache-Control": "no-store",
        }
        await send_answer(send, 303, headers)


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _only_looks(scope: Scope) -> bool:
    """Whether a request changes nothing."""
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _is_look(scope: Scope, headers: Headers) -> bool:
    """Whether somebody follows a link to here, which may be on any page; a frame of another page is none."""
    how = [*headers.get("sec-fetch-mode", []), *headers.get("sec-fetch-dest", [])]
    return _only_looks(scope) and how == ["navigate", "document"]


def _cookie_name(scope: Scope) -> str:
    """Cookies do not tell ports apart: each server of a machine has one of its own."""
    _, port = scope.get("server") or ("", 0)
    return f"topicwright-{port}"
