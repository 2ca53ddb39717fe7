"""``topicwright serve``: what a model says of documents, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MissingExtraError
from . import _options as options
from ._console import say, waiting
from ._models import load_model
from ._signals import stopping_on_signals

if TYPE_CHECKING:
    import socket

    from ..server.access import Access

_LIMITS, _SECURITY = "Limits", "Who may ask"


def serve(
    model_file: options.ModelFile,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is every network of this machine.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 is any that is free.")
    ] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="TOPICWRIGHT_TOKEN",
            metavar="TEXT",
            help="Ask for this token. Other users of the machine can see it here: better set the variable.",
            rich_help_panel=_SECURITY,
            show_default="none; a new one where others can reach the server",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name that this server goes by; may be given again.",
            rich_help_panel=_SECURITY,
            show_default="localhost",
        ),
    ] = None,
    max_bytes: Annotated[
        int, typer.Option(min=1000, metavar="N", help="Bytes of a request.", rich_help_panel=_LIMITS)
    ] = 8 * 2**20,
    max_documents: Annotated[
        int, typer.Option(min=1, metavar="N", help="Documents of a request.", rich_help_panel=_LIMITS)
    ] = 1000,
    max_length: Annotated[
        int, typer.Option(min=1, metavar="N", help="Characters of a document.", rich_help_panel=_LIMITS)
    ] = 100_000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Answer other programs over HTTP: topics, transform, predict, explain.

    /openapi.json tells what to send; answers are as those of the verbs with
    --json. Where only this machine can reach the server, no token is needed.

    Ctrl-C and SIGTERM stop it, after the requests that are under way.
    """
    try:
        import fastapi
        import uvicorn
    except ImportError:
        raise MissingExtraError("fastapi", "serve", "topicwright serve") from None
    del fastapi, uvicorn
    from ..server.access import checked_hosts, checked_token
    from ..server.refusals import Limits
    from ..server.running import address_of, is_local, listening_socket, run

    hosts = checked_hosts(allow_host or [])
    if token is not None:
        checked_token(token)
    with listening_socket(host, port) as listening:
        with waiting(f"loading {model_file}", quiet=quiet):
            from ..models.parameters import number_of_jobs
            from ..server.app import new_app

            model = load_model(model_file, by_class=True)
            access = access_of(listening, hosts, token)
            app = new_app(
                model,
                limits=Limits(max_bytes, max_documents, max_length),
                access=access,
                n_threads=number_of_jobs(jobs),
                on_start=lambda: _tell(f"{model_file} ({type(model).__name__})", address_of(listening), quiet=quiet),
            )
        if access.token is not None and token is None:
            say(f"token: {access.token}")  # even where it is to be quiet: nobody could ask without it
        if not is_local(listening) and not quiet:
            tell_of_strangers(access)
        # which hears of the signal when all is done: a server that was told to stop did well
        with stopping_on_signals():
            run(app, listening)
    if not quiet:
        say("stopped")


def access_of(listening: socket.socket, hosts: frozenset[str], token: str | None) -> Access:
    """A server that others can reach has a token, and goes by its address."""
    from ..server.access import Access, new_token
    from ..server.running import is_local

    if is_local(listening):
        return Access(hosts, token)
    own = listening.getsockname()[0]
    return Access(hosts if own in ("0.0.0.0", "::") else hosts | {own}, token or new_token())


def _tell(what: str, address: str, *, quiet: bool) -> None:
    if not quiet:
        say(f"serving {what} at {address}; see {address}/openapi.json; Ctrl-C stops")


def tell_of_strangers(access: Access) -> None:
    """What to know of a server that others can reach."""
    names = ", ".join(["localhost", *sorted(access.hosts)])
    say("others can reach this server, and what is sent is not encrypted: use a proxy with TLS where it matters")
    say(f"it answers by the names {names}; for others use --allow-host NAME")
