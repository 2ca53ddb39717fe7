"""The ``topicwright serve`` command: topics and predictions of a model over HTTP."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError, MissingExtraError
from . import _options as options
from ._console import print_message, spinner
from ._inputs import load_model
from ._options import AccessLogFormat, AllowHost, Host, Token, access_of, check_access, warn_if_public
from ._training import StopRequest, catch_signals

_LIMITS, _OPERATION = "Limits", "Operation"


def serve(
    model_file: options.ModelFile,
    host: Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 for any free port.")
    ] = 8000,
    token: Token = None,
    allow_host: AllowHost = None,
    workers: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Number of processes.", rich_help_panel=_OPERATION)
    ] = 1,
    reload: Annotated[
        bool,
        typer.Option(
            "--reload", help="Load the model again when its file is replaced; SIGHUP does.", rich_help_panel=_OPERATION
        ),
    ] = False,
    access_log: Annotated[
        AccessLogFormat | None,
        typer.Option(
            metavar="text|json",
            help="Write a line for each request to standard output.",
            rich_help_panel=_OPERATION,
            show_default=False,
        ),
    ] = None,
    drain: Annotated[
        float,
        typer.Option(
            min=0, metavar="SECONDS", help="Time for running requests at the end.", rich_help_panel=_OPERATION
        ),
    ] = 5.0,
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
    header_timeout: Annotated[
        float,
        typer.Option(
            min=0.1, metavar="SECONDS", help="Time to send the headers of a request.", rich_help_panel=_LIMITS
        ),
    ] = 10.0,
    idle_timeout: Annotated[
        float,
        typer.Option(
            min=0.1, metavar="SECONDS", help="Time until an idle connection is closed.", rich_help_panel=_LIMITS
        ),
    ] = 5.0,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Serve a model over HTTP: topics, transform, predict, explain.

    /docs describes the requests. Responses are those of the commands with --json.

    Only this machine can reach the server. With --host others can, with a token. Ctrl-C and SIGTERM stop it after the
    current requests, and SIGHUP loads the model file again.
    """
    try:
        import fastapi
        import httptools
        import uvicorn

        if find_spec("prometheus_client") is None:  # imported later, since it reads a variable that is set below
            raise ModuleNotFoundError(name="prometheus_client")
    except ImportError as error:
        raise MissingExtraError(str(error.name).partition(".")[0], "serve", "topicwright serve") from None
    del fastapi, httptools, uvicorn
    from ..server.connections import ConnectionLimits
    from ..server.lifecycle import address_of, listening_socket, run
    from ..server.requests import RequestLimits

    hosts = check_access(allow_host, token)
    if workers > 1 and not hasattr(os, "fork"):
        raise InputError("--workers needs processes that are forked, which this system does not have: leave it out")
    with listening_socket(host, port) as listening, _shared_metrics(workers), catch_signals() as stop:
        with spinner(f"loading {model_file}", quiet=quiet):
            from .._utils.validation import check_n_jobs
            from ..server.app import new_app
            from ..server.metrics import AccessLog
            from ..server.served_model import ServedModel

            served = ServedModel(
                partial(load_model, model_file, by_class=True),
                RequestLimits(max_bytes, max_documents, max_length),
                Path(model_file),
                partial(_report_reload, quiet=quiet),
            )
            access = access_of(listening, hosts, token)
        _reload_on_hangup(served, stop)

        def announce() -> None:
            kind = type(served.service.model).__name__
            _announce(f"{model_file} ({kind})", address_of(listening), quiet=quiet)

        def serve_here(
            *, on_start: Callable[[], None], is_over: Callable[[], bool], is_replacement: bool = False
        ) -> None:
            if is_replacement and (reload or served.was_requested):
                served.reload()  # as the other workers did
            app = new_app(
                served,
                access=access,
                n_threads=check_n_jobs(jobs),
                follow=reload,
                log=None if access_log is None else AccessLog(access_log.value),
                on_start=on_start,
            )
            limits = ConnectionLimits(header_seconds=header_timeout, idle_seconds=idle_timeout)
            run(app, listening, drain=drain, limits=limits, is_over=is_over)

        if access.token is not None and token is None:
            print_message(f"token: {access.token}")  # even with --quiet: without it, no request is possible
        if not quiet:
            warn_if_public(listening, access)
        # The server handles signals while it runs; these are for the time before and after. To be stopped is no error.
        if workers == 1:
            serve_here(on_start=announce, is_over=lambda: stop.requested)
        else:
            from ..server.workers import WorkerProcesses

            WorkerProcesses(workers, serve_here, lambda: stop.requested, drain).run(announce, served.take_request)
    if not quiet:
        print_message("stopped")


def _announce(what: str, address: str, *, quiet: bool) -> None:
    if not quiet:
        print_message(f"serving {what} at {address}; see {address}/docs; Ctrl-C stops")


def _report_reload(message: str, *, quiet: bool) -> None:
    if not quiet or message.startswith("error"):
        print_message(message)


def _reload_on_hangup(served: Any, stop: StopRequest) -> None:
    """Reload the model on SIGHUP, unless it means that the terminal of the server was closed."""
    if not hasattr(signal, "SIGHUP"):
        return
    had_terminal = sys.stderr.isatty()

    def handle(number: int, frame: Any) -> None:
        if had_terminal and not sys.stderr.isatty():
            stop.signal = number
        else:
            served.reload_requested = True

    signal.signal(signal.SIGHUP, handle)


@contextmanager
def _shared_metrics(n_workers: int) -> Iterator[None]:
    """Folder in which worker processes count, so that each of them can report the sums."""
    if n_workers == 1:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="topicwright-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # before prometheus-client is imported
        try:
            yield
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]
