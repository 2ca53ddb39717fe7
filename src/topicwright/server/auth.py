"""Access control: host names, origins and the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from ..errors import InputError
from .requests import (
    App,
    Headers,
    Receive,
    RequestError,
    Scope,
    Send,
    request_headers,
    send_error,
    send_response,
    with_headers,
)

_MIN_TOKEN_LENGTH = 16
_TOKEN_HINT = "send the header  Authorization: Bearer TOKEN,  or in a browser open the address with ?token=TOKEN"


class Access(NamedTuple):
    """Who may use the server.

    Attributes
    ----------
    hosts : frozenset of str
        Host names of the server besides those of the loopback interface.
    token : str or None
        Token that requests must have.
    """

    hosts: frozenset[str] = frozenset()
    token: str | None = None

    def check_host(self, headers: Headers) -> None:
        """Reject unknown host names: a foreign page can make its own name resolve to this server (DNS rebinding)."""
        hosts = headers.get("host", [])
        if len(hosts) != 1:
            raise RequestError(400, f"a request must have one Host header: got {len(hosts)}")
        name = host_name(hosts[0])
        if not (is_loopback(name) or name in self.hosts):
            raise RequestError(403, f"the host name {name!r} is not allowed: start the server with --allow-host {name}")

    def check_origin(self, headers: Headers, *, is_navigation: bool) -> None:
        """Reject requests of pages of other sites, except links. Clients that are not browsers send no such headers."""
        host = headers["host"][0].strip().lower()
        for origin in headers.get("origin", []):
            if origin.lower() not in (f"http://{host}", f"https://{host}"):
                raise RequestError(403, f"pages of another origin may not use this server: got {origin!r}")
        for site in headers.get("sec-fetch-site", []):
            if site not in ("none", "same-origin") and not is_navigation:
                raise RequestError(403, f"pages of another origin may not use this server: got a {site} request")

    def check_token(self, headers: Headers, cookie_name: str, from_address: Iterable[str]) -> None:
        """Reject requests without the token in a header, a cookie or the address."""
        schemes = [value.split(" ", 1) for value in headers.get("authorization", [])]
        tokens = [*from_address, *(rest[0].strip() for scheme, *rest in schemes if rest and scheme.lower() == "bearer")]
        cookies = _cookies(headers, cookie_name)
        if any(map(self.is_token, tokens)) or any(_constant_time_equal(cookie, self.cookie) for cookie in cookies):
            return
        problem = "the token is wrong" if tokens or cookies or schemes else "a token is needed"
        raise RequestError(401, f"{problem}: {_TOKEN_HINT}", {"WWW-Authenticate": "Bearer"})

    def is_token(self, value: str) -> bool:
        """Whether a value is the token."""
        return self.token is not None and _constant_time_equal(value, self.token)

    @property
    def cookie(self) -> str:
        """Value of the cookie; not the token itself, because other servers of the same host get it too."""
        return hmac.new(str(self.token).encode(), b"topicwright cookie", "sha256").hexdigest()

    def link(self, address: str) -> str:
        """Address that a browser opens first.

        >>> Access(token="a+b").link("http://localhost:8000/")
        'http://localhost:8000/?token=a%2Bb'
        """
        return address if self.token is None else f"{address}?{urlencode({'token': self.token})}"


def _constant_time_equal(value: str, expected: str) -> bool:
    """Compare without revealing by the time where the values differ."""
    return hmac.compare_digest(value.encode("utf-8", "surrogateescape"), expected.encode())


def _cookies(headers: Headers, name: str) -> list[str]:
    pairs = [pair.strip().partition("=") for line in headers.get("cookie", []) for pair in line.split(";")]
    return [value for key, _, value in pairs if key == name]


def host_name(host: str) -> str:
    """Host without its port, in lower case.

    >>> host_name("LocalHost:8000"), host_name("[::1]:8000"), host_name("::1")
    ('localhost', '::1', '::1')
    """
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


@lru_cache(1000)
def is_loopback(name: str) -> bool:
    """Whether a name or address can only mean this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("localhost.example.org")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def validate_hosts(names: Iterable[str]) -> frozenset[str]:
    """Host names in normal form; raises an error for patterns."""
    for name in names:
        if not name or any(letter in name for letter in "*/@ "):
            raise InputError(
                parameter="allow_host", expected="the name or address of a host, such as topics.example.org", got=name
            )
    return frozenset(map(host_name, names))


def validate_token(token: str) -> str:
    """The token, if it can be sent in a header and is long enough not to be guessed."""
    if len(token) < _MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"`token` must have at least {_MIN_TOKEN_LENGTH} printable ASCII characters and no spaces: "
            f"got {len(token)} characters",
            parameter="token",
        )
    return token


def new_token() -> str:
    """Random token."""
    return secrets.token_urlsafe(32)


_HEADERS = {  # of all responses: no content sniffing, no frames, no access or referrer for other sites
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class AccessMiddleware:
    """ASGI middleware that rejects requests without access.

    A program sends the token in the header ``Authorization: Bearer TOKEN``. A browser opens an address with
    ``?token=TOKEN`` once, gets a cookie, and is redirected to the address without the token.

    Parameters
    ----------
    app : ASGI application
    access : Access
    open_paths : iterable of str
        Paths for every host name and without a token, such as those of the probes of a container platform, which
        name the server by its address.
    """

    def __init__(self, app: App, access: Access, open_paths: Iterable[str] = ()) -> None:
        self.app = app
        self.access = access
        self.open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or send an error."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        send = with_headers(send, _HEADERS)
        if scope["path"] in self.open_paths:
            await self.app(scope, receive, send)
            return
        headers = request_headers(scope)
        try:
            self.access.check_host(headers)
            self.access.check_origin(headers, is_navigation=_is_navigation(scope, headers))
            has_token_in_address = self._check_token(scope, headers)
        except RequestError as error:
            await send_error(scope, send, error)
            return
        if has_token_in_address:
            await self._redirect_without_token(scope, send)
        else:
            await self.app(scope, receive, send)

    def _check_token(self, scope: Scope, headers: Headers) -> bool:
        """Whether the right token is in the address; raises an error if there is no right token."""
        if self.access.token is None:
            return False
        from_address = [value for name, value in _query(scope) if name == "token"] if _is_read(scope) else []
        self.access.check_token(headers, _cookie_name(scope), from_address)
        return any(map(self.access.is_token, from_address))

    async def _redirect_without_token(self, scope: Scope, send: Send) -> None:
        rest = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
        path = "/" + quote(scope["path"].lstrip("/"))  # two slashes would redirect to another host
        cookie = f"{_cookie_name(scope)}={self.access.cookie}; Path=/; HttpOnly; SameSite=Strict"
        headers = {
            "Location": f"{path}?{rest}" if rest else path,
            "Set-Cookie": cookie,
            "Cache-Control": "no-store",
        }
        await send_response(send, 303, headers)


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _is_read(scope: Scope) -> bool:
    """Whether a request only reads."""
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _is_navigation(scope: Scope, headers: Headers) -> bool:
    """Whether a user follows a link, which may be on any page; a frame in another page does not count."""
    fetch = [*headers.get("sec-fetch-mode", []), *headers.get("sec-fetch-dest", [])]
    return _is_read(scope) and fetch == ["navigate", "document"]


def _cookie_name(scope: Scope) -> str:
    """Name of the cookie, with the port, because cookies do not distinguish ports."""
    _, port = scope.get("server") or ("", 0)
    return f"topicwright-{port}"
