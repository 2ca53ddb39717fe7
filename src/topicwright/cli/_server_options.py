"""Who may reach a server: the options of ``serve`` and ``explore``, and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ._console import say

if TYPE_CHECKING:
    import socket

    from ..server.auth import Access

_WHO = "Who may ask"

Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is every network of this machine.")
]
Token = Annotated[
    str | None,
    typer.Option(
        envvar="TOPICWRIGHT_TOKEN",
        metavar="TEXT",
        help="Ask for this token. Other users of the machine can see it here: better set the variable.",
        rich_help_panel=_WHO,
        show_default="none; a new one where others can reach the server",
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A name that this server goes by; may be given again.",
        rich_help_panel=_WHO,
        show_default="localhost",
    ),
]


def checked(allow_host: list[str] | None, token: str | None) -> frozenset[str]:
    """The names that were allowed; an error where one, or the token, can't be used."""
    from ..server.auth import validate_hosts, validate_token

    if token is not None:
        validate_token(token)
    return validate_hosts(allow_host or [])


def access_of(listening: socket.socket, hosts: frozenset[str], token: str | None) -> Access:
    """A server that others can reach has a token, and goes by its address."""
    from ..server.auth import Access, new_token
    from ..server.lifecycle import is_local

    if is_local(listening):
        return Access(hosts, token)
    own = listening.getsockname()[0]
    return Access(hosts if own in ("0.0.0.0", "::") else hosts | {own}, token or new_token())


def tell_of_strangers(listening: socket.socket, access: Access) -> None:
    """What to know of a server that others can reach, where they can."""
    from ..server.lifecycle import is_local

    if is_local(listening):
        return
    names = ", ".join(["localhost", *sorted(access.hosts)])
    say("others can reach this server, and what is sent is not encrypted: use a proxy with TLS where it matters")
    say(f"it answers by the names {names}; for others use --allow-host NAME")
