"""The ``topicwright serve`` command: topics and predictions of a model over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import MissingExtraError
from . import _options as options
from ._console import print_message, spinner
from ._inputs import load_model
from ._options import AllowHost, Host, Token, access_of, check_access, warn_if_public
from ._training import catch_signals

_LIMITS = "Limits"


def serve(
    model_file: options.ModelFile,
    host: Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 for any free port.")
    ] = 8000,
    token: Token = None,
    allow_host: AllowHost = None,
    max_bytes: Annotated[
        int, typer.Option(min=1000, metavar="N", help="Largest size of a request in bytes.", rich_help_panel=_LIMITS)
    ] = 8 * 2**20,
    max_documents: Annotated[
        int, typer.Option(min=1, metavar="N", help="Largest number of documents of a request.", rich_help_panel=_LIMITS)
    ] = 1000,
    max_length: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Largest number of characters of a document.", rich_help_panel=_LIMITS),
    ] = 100_000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Serve a model over HTTP: topics, transform, predict, explain.

    /docs describes the requests. Responses are those of the commands with --json.

    Only this machine can reach the server. With --host others can, with a token.
    Ctrl-C and SIGTERM stop it after the current requests.
    """
    try:
        import fastapi
        import uvicorn
    except ImportError:
        raise MissingExtraError("fastapi", "serve", "topicwright serve") from None
    del fastapi, uvicorn
    from ..server.lifecycle import address_of, listening_socket, run
    from ..server.requests import RequestLimits

    hosts = check_access(allow_host, token)
    with listening_socket(host, port) as listening:
        with spinner(f"loading {model_file}", quiet=quiet):
            from .._utils.validation import check_n_jobs
            from ..server.app import new_app

            model = load_model(model_file, by_class=True)
            access = access_of(listening, hosts, token)
            app = new_app(
                model,
                limits=RequestLimits(max_bytes, max_documents, max_length),
                access=access,
                n_threads=check_n_jobs(jobs),
                on_start=lambda: _announce(
                    f"{model_file} ({type(model).__name__})", address_of(listening), quiet=quiet
                ),
            )
        if access.token is not None and token is None:
            print_message(f"token: {access.token}")  # even with --quiet: without it, no request is possible
        if not quiet:
            warn_if_public(listening, access)
        # The server handles signals while it runs; these are for the time before and after. To be stopped is no error.
        with catch_signals() as stop:
            run(app, listening, is_over=lambda: stop.requested)
    if not quiet:
        print_message("stopped")


def _announce(what: str, address: str, *, quiet: bool) -> None:
    if not quiet:
        print_message(f"serving {what} at {address}; see {address}/docs; Ctrl-C stops")
