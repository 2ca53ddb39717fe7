"""``topicwright explore``: see topics in a browser, correct them, watch the model follow."""

from __future__ import annotations

import shlex
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ..errors import InputError, MissingExtraError
from . import _options as options
from . import _server_options as who
from ._console import say, waiting
from ._inputs import InputOptions, WordOptions, read_documents
from ._outputs import check_model, check_there, is_model
from ._training import stopping_on_signals

if TYPE_CHECKING:
    import socket

    from ..explorer.workspace import Workspace
    from ..server.auth import Access

_PORT = 8765
_LIKELIHOOD_EVERY = 5  # sweeps
_MODEL = "Training, where documents are given"


def explore(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MODEL_OR_CORPUS",
            help="A model file, or a file of documents to learn topics from first.",
            show_default=False,
        ),
    ],
    host: who.Host = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            "-p",
            min=0,
            max=65535,
            metavar="N",
            help="The port; 0 is any that is free.",
            show_default="8765, or one that is free",
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say where the page is.")] = False,
    token: who.Token = None,
    allow_host: who.AllowHost = None,
    topics: Annotated[
        int, typer.Option("--topics", "-k", min=1, metavar="K", help="Number of topics.", rich_help_panel=_MODEL)
    ] = 50,
    sweeps: Annotated[
        int,
        typer.Option(
            "--sweeps",
            "-n",
            min=1,
            metavar="N",
            help="Times that every word draws its topic anew.",
            rich_help_panel=_MODEL,
        ),
    ] = 200,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="The model file to write.",
            rich_help_panel=_MODEL,
            show_default="beside the documents",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Same seed, same answer.", rich_help_panel=_MODEL)] = 0,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    label_separator: options.LabelSeparator = None,
    id_field: options.IdField = None,
    date_field: options.DateField = None,
    on_error: options.Errors = options.OnError.stop,
    min_df: options.MinDf = "2",
    max_df: options.MaxDf = "0.5",
    max_words: options.MaxWords = None,
    stop_words: options.StopWords = "english",
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """See topics in a browser, correct them, and watch the model follow.

    What you say about words, topics and documents is kept in a folder beside
    the model, step by step; the model file itself stays as it is. Documents
    instead of a model: topics are learned first, while you watch.

    Only this machine can reach the page, unless --host says otherwise; then a
    token is needed. Ctrl-C and SIGTERM stop it; nothing that was said is lost.
    """
    try:
        import nicegui
    except ImportError:
        raise MissingExtraError("nicegui", "explorer", "topicwright explore") from None
    del nicegui
    from ..explorer.server import serve
    from ..server.lifecycle import address_of

    hosts = who.checked(allow_host, token)
    reading = InputOptions(format, text_field, label_field, label_separator, id_field, date_field, on_error=on_error)
    words = WordOptions(min_df, max_df, max_words, stop_words)
    fitting = _Fitting(topics, sweeps, seed, jobs)
    with _listening(host, port) as listening:
        with waiting(f"loading {source}", quiet=quiet):
            workspace = _workspace(source, reading, words, fitting, output)
        access = who.access_of(listening, hosts, token)
        if not quiet:
            who.tell_of_strangers(listening, access)
        address = address_of(listening).replace("//0.0.0.0:", "//localhost:").replace("//[::]:", "//localhost:")
        with (
            stopping_on_signals() as stop
        ):  # which on_events of the signal when all is done, or before the page is there
            serve(
                workspace,
                listening,
                access,
                on_start=lambda: _tell(source, address, access, quiet, not no_browser),
                is_over=lambda: stop.asked,
            )
    if not quiet:
        learned = workspace.training is not None and workspace.path is not None and workspace.path.exists()
        say(f"stopped; the model is in {workspace.path}" if learned else "stopped; all that was said is kept")


class _Fitting(NamedTuple):
    """How to learn topics from documents."""

    topics: int
    sweeps: int
    seed: int
    jobs: int


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket at the port that was asked for; where none was, at one that can be kept in mind, or any other."""
    from ..server.lifecycle import listening_socket

    if port is not None:
        return listening_socket(host, port)
    try:
        return listening_socket(host, _PORT)
    except InputError:
        return listening_socket(host, 0)


def _workspace(
    source: str, reading: InputOptions, words: WordOptions, fitting: _Fitting, output: Path | None
) -> Workspace:
    from ..explorer.workspace import Workspace

    if is_model(source):
        check_there(source)
        workspace = Workspace(Path(source).name, path=Path(source), n_jobs=fitting.jobs)
        workspace.open()
        return workspace
    path = output or _beside(source)
    check_model(path, source)
    from ..explorer.training import Training
    from ..models import LDA

    corpus = read_documents(source, reading, **words.options(), keep_texts=True)
    model = LDA(
        fitting.topics,
        alpha="learn",
        n_sweeps=fitting.sweeps,
        n_jobs=fitting.jobs,
        random_state=fitting.seed,
        evaluate_every=_LIKELIHOOD_EVERY,
    )
    return Workspace(path.name, path=path, training=Training(model, corpus, path), n_jobs=fitting.jobs)


def _beside(source: str) -> Path:
    """Where the model of some documents goes; one that is there already is not lost."""
    if source == "-":
        raise InputError("documents from standard input have no place beside them for a model: give one with --output")
    path = Path(source)
    while path.suffix:
        path = path.with_suffix("")
    path = path.with_suffix(".tw")
    if path.exists():
        raise InputError(
            f"{path} is there already: look at it with  topicwright explore {shlex.quote(str(path))},  "
            "or give another name with --output"
        )
    return path


def _tell(source: str, address: str, access: Access, quiet: bool, opens: bool) -> None:
    url = access.link(f"{address}/")
    if not quiet or access.token is not None:  # without the token, nobody could look
        say(f"exploring {source} at {url} ; Ctrl-C stops")
    if opens:
        webbrowser.open(url)
