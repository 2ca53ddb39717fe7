"""Options of ``serve`` and ``explore`` for the address, the token and the host names of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ._console import print_message

if TYPE_CHECKING:
    import socket

    from ..server.auth import Access

_PANEL = "Access"

Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all networks of this machine.")
]
Token = Annotated[
    str | None,
    typer.Option(
        envvar="TOPICWRIGHT_TOKEN",
        metavar="TEXT",
        help="Require this token. Better set the variable TOPICWRIGHT_TOKEN, which other users cannot see.",
        rich_help_panel=_PANEL,
        show_default="none; a new one if others can reach the server",
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Host name of this server; can be repeated.",
        rich_help_panel=_PANEL,
        show_default="localhost",
    ),
]


def check_access(allow_host: list[str] | None, token: str | None) -> frozenset[str]:
    """Allowed host names; an error if one of them or the token is invalid."""
    from ..server.auth import validate_hosts, validate_token

    if token is not None:
        validate_token(token)
    return validate_hosts(allow_host or [])


def access_of(listening: socket.socket, hosts: frozenset[str], token: str | None) -> Access:
    """Access rules of a server; if others can reach it, it has a token and its address is a host name."""
    from ..server.auth import Access, new_token
    from ..server.lifecycle import is_local

    if is_local(listening):
        return Access(hosts, token)
    own = listening.getsockname()[0]
    return Access(hosts if own in ("0.0.0.0", "::") else hosts | {own}, token or new_token())


def warn_if_public(listening: socket.socket, access: Access) -> None:
    """Print what to know about a server if others can reach it."""
    from ..server.lifecycle import is_local

    if is_local(listening):
        return
    names = ", ".join(["localhost", *sorted(access.hosts)])
    print_message("others can reach this server, and data is not encrypted: use a proxy with TLS if it matters")
    print_message(f"its host names are {names}; add others with --allow-host NAME")
