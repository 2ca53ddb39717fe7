"""Who may ask: by the name that the server was called by, the page that asks, and the token."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import InputError
from .refusals import RefusedError

OPEN_PATHS = frozenset({"/health"})  # that need no token
_SHORTEST_TOKEN = 16


class Access(NamedTuple):
    """The names that the server goes by, beside those of the loopback, and the token that is to be shown."""

    hosts: frozenset[str] = frozenset()
    token: str | None = None

    def check(self, path: str, headers: Mapping[str, list[str]]) -> None:
        """A refusal, where this request is none of ours."""
        self._check_host(headers.get("host", []))
        self._check_origin(headers)
        if self.token is not None and path not in OPEN_PATHS:
            self._check_token(headers.get("authorization", []))

    def _check_host(self, given: list[str]) -> None:
        """A page of anybody's can have its own name lead here (DNS rebinding); then the name gives it away."""
        if len(given) != 1:
            raise RefusedError(400, f"a request must have one Host header: got {len(given)}")
        name = host_name(given[0])
        if not (is_loopback(name) or name in self.hosts):
            raise RefusedError(403, f"this server does not go by the name {name!r}: start it with --allow-host {name}")

    def _check_origin(self, headers: Mapping[str, list[str]]) -> None:
        """Pages of other sites may not ask; programs that are no browsers send none of these headers."""
        host = headers["host"][0].lower()
        for origin in headers.get("origin", []):
            if urlsplit(origin).netloc.lower() != host:
                raise RefusedError(403, f"pages of another origin may not ask this server: got {origin!r}")
        for site in headers.get("sec-fetch-site", []):
            if site not in ("none", "same-origin"):
                raise RefusedError(403, f"pages of another origin may not ask this server: got a {site} request")

    def _check_token(self, given: list[str]) -> None:
        ask = {"WWW-Authenticate": "Bearer"}
        if len(given) != 1:
            raise RefusedError(401, "a token is needed: send the header  Authorization: Bearer TOKEN", ask)
        scheme, _, token = given[0].partition(" ")
        shown = token.strip().encode("utf-8", "surrogateescape")
        if scheme.lower() != "bearer" or not secrets.compare_digest(shown, str(self.token).encode()):
            raise RefusedError(
                401, "this is not the token of this server: send the header  Authorization: Bearer TOKEN", ask
            )


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
