"""Who may ask: by the name that the server was called by, the page that asks, and the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from ..errors import InputError
from .asgi import Headers
from .refusals import RefusedError

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
            raise RefusedError(400, f"a request must have one Host header: got {len(given)}")
        name = host_name(given[0])
        if not (is_loopback(name) or name in self.hosts):
            raise RefusedError(403, f"this server does not go by the name {name!r}: start it with --allow-host {name}")

    def check_origin(self, headers: Headers, *, is_look: bool) -> None:
        """Pages of other sites may not ask, only link to here; programs that are no browsers send none of these."""
        host = headers["host"][0].strip().lower()
        for origin in headers.get("origin", []):
            if origin.lower() not in (f"http://{host}", f"https://{host}"):
                raise RefusedError(403, f"pages of another origin may not ask this server: got {origin!r}")
        for site in headers.get("sec-fetch-site", []):
            if site not in ("none", "same-origin") and not is_look:
                raise RefusedError(403, f"pages of another origin may not ask this server: got a {site} request")

    def check_token(self, headers: Headers, cookie_name: str, in_address: Iterable[str]) -> None:
        """A refusal, where the token is neither in a header, nor in a cookie, nor in the address."""
        shown = [value.split(" ", 1) for value in headers.get("authorization", [])]
        tokens = [*in_address, *(rest[0].strip() for scheme, *rest in shown if rest and scheme.lower() == "bearer")]
        cookies = _cookies(headers, cookie_name)
        if any(map(self.is_token, tokens)) or any(_same(cookie, self.cookie) for cookie in cookies):
            return
        what = "this is not the token of this server" if tokens or cookies or shown else "a token is needed"
        raise RefusedError(401, f"{what}: {_HOW}", {"WWW-Authenticate": "Bearer"})

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
