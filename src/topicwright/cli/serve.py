"""``topicwright serve``: what a model says of documents, over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import MissingExtraError
from . import _options as options
from . import _server_options as who
from ._console import say, waiting
from ._models import load_model
from ._training import stopping_on_signals

_LIMITS = "Limits"


def serve(
    model_file: options.ModelFile,
    host: who.Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 is any that is free.")
    ] = 8000,
    token: who.Token = None,
    allow_host: who.AllowHost = None,
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
    from ..server.lifecycle import address_of, listening_socket, run
    from ..server.responses import RequestLimits

    hosts = who.checked(allow_host, token)
    with listening_socket(host, port) as listening:
        with waiting(f"loading {model_file}", quiet=quiet):
            from .._utils.validation import check_n_jobs
            from ..server.app import new_app

            model = load_model(model_file, by_class=True)
            access = who.access_of(listening, hosts, token)
            app = new_app(
                model,
                limits=RequestLimits(max_bytes, max_documents, max_length),
                access=access,
                n_threads=check_n_jobs(jobs),
                on_start=lambda: _tell(f"{model_file} ({type(model).__name__})", address_of(listening), quiet=quiet),
            )
        if access.token is not None and token is None:
            say(f"token: {access.token}")  # even where it is to be quiet: nobody could ask without it
        if not quiet:
            who.tell_of_strangers(listening, access)
        # which hears of the signal when all is done, or before the server is there; to be told to stop is no error
        with stopping_on_signals() as stop:
            run(app, listening, is_over=lambda: stop.asked)
    if not quiet:
        say("stopped")


def _tell(what: str, address: str, *, quiet: bool) -> None:
    if not quiet:
        say(f"serving {what} at {address}; see {address}/openapi.json; Ctrl-C stops")
