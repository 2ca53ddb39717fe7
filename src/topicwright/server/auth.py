"""Who may ask: by the name that the server was called by, the page that asks, and the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from ..errors import InputError
from .responses import (
    App,
    Headers,
    Receive,
    RequestError,
    Scope,
    Send,
    headers_of,
    send_answer,
    send_refusal,
    with_headers,
)

_SHORTEST_TOKEN = 16
_HOW = "send the header  Authorization: Bearer TOKEN,  or in a browser open the address with ?token=TOKEN"


class Access(NamedTuple):
    """The names that the server goes by, beside those of the loopback, and the token that is to be shown."""

    hosts: frozenset[str] = frozenset()
    token: str | None = None

    def check_host(self, headers: Headers) -> None:
        """A page of anybody's can have its own name lead here (DNS rebinding); then the name gives it away."""
        given = headers.get("host", [])
        if len(given) != 1:
            raise RequestError(400, f"a request must have one Host header: got {len(given)}")
        name = host_name(given[0])
        if not (is_loopback(name) or name in self.hosts):
            raise RequestError(403, f"this server does not go by the name {name!r}: start it with --allow-host {name}")

    def check_origin(self, headers: Headers, *, is_look: bool) -> None:
        """Pages of other sites may not ask, only link to here; programs that are no browsers send none of these."""
        host = headers["host"][0].strip().lower()
        for origin in headers.get("origin", []):
            if origin.lower() not in (f"http://{host}", f"https://{host}"):
                raise RequestError(403, f"pages of another origin may not ask this server: got {origin!r}")
        for site in headers.get("sec-fetch-site", []):
            if site not in ("none", "same-origin") and not is_look:
                raise RequestError(403, f"pages of another origin may not ask this server: got a {site} request")

    def check_token(self, headers: Headers, cookie_name: str, in_address: Iterable[str]) -> None:
        """A refusal, where the token is neither in a header, nor in a cookie, nor in the address."""
        shown = [value.split(" ", 1) for value in headers.get("authorization", [])]
        tokens = [*in_address, *(rest[0].strip() for scheme, *rest in shown if rest and scheme.lower() == "bearer")]
        cookies = _cookies(headers, cookie_name)
        if any(map(self.is_token, tokens)) or any(_same(cookie, self.cookie) for cookie in cookies):
            return
        what = "this is not the token of this server" if tokens or cookies or shown else "a token is needed"
        raise RequestError(401, f"{what}: {_HOW}", {"WWW-Authenticate": "Bearer"})

    def is_token(self, shown: str) -> bool:
        """Whether this is the token."""
        return self.token is not None and _same(shown, self.token)

    @property
    def cookie(self) -> str:
        """What a browser keeps in place of the token: other servers of the same host see it too."""
        return hmac.new(str(self.token).encode(), b"topicwright cookie", "sha256").hexdigest()

    def link(self, address: str) -> str:
        """The address that a browser is to open first.

        >>> Access(token="a+b").link("http://localhost:8000/")
        'http://localhost:8000/?token=a%2Bb'
        """
        return address if self.token is None else f"{address}?{urlencode({'token': self.token})}"


def _same(shown: str, right: str) -> bool:
    """In a time that tells nothing of where they differ."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), right.encode())


def _cookies(headers: Headers, name: str) -> list[str]:
    pairs = [pair.strip().partition("=") for line in headers.get("cookie", []) for pair in line.split(";")]
    return [value for key, _, value in pairs if key == name]


def host_name(host: str) -> str:
    """A host without its port, in small letters.

    >>> host_name("LocalHost:8000"), host_name("[::1]:8000"), host_name("::1")
    ('localhost', '::1', '::1')
    """
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def is_loopback(name: str) -> bool:
    """Whether a name or address can only mean this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("localhost.example.org")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def checked_hosts(names: Iterable[str]) -> frozenset[str]:
    """Names that the server is to go by; a pattern is none."""
    for name in names:
        if not name or any(letter in name for letter in "*/@ "):
            raise InputError(
                f"--allow-host must be the name or address of a host, such as topics.example.org: got {name!r}"
            )
    return frozenset(map(host_name, names))


def checked_token(token: str) -> str:
    """A token that can be sent in a header and not be guessed."""
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"the token must have {_SHORTEST_TOKEN} letters, digits and signs or more, and no blanks: got {len(token)}"
        )
    return token


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(32)


_HEADERS = {  # of all answers: nothing is taken for what it is not, shown in another page, or told to another site
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class AccessMiddleware:
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
        except RequestError as refusal:
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
