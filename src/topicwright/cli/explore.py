"""The ``topicwright explore`` command: see and steer topics in a browser."""

from __future__ import annotations

import shlex
import webbrowser
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, MissingExtraError
from . import _options as options
from ._console import print_message, spinner
from ._inputs import InputOptions, WordOptions, check_exists, is_model, read_documents
from ._options import (
    AllowHost,
    Host,
    OptionGroup,
    Select,
    Token,
    access_of,
    check_access,
    expand_groups,
    warn_if_public,
)
from ._outputs import check_model
from ._training import catch_signals

if TYPE_CHECKING:
    import socket

    from ..explorer.workspace import Workspace
    from ..server.auth import Access

_PORT = 8765
_EVALUATE_EVERY = 5  # sweeps
_option = partial(options.option, "Training, if documents are given")


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(OptionGroup):
    """How to learn topics from documents."""

    topics: Annotated[int, _option("Number of topics.", "--topics", "-k", metavar="K", min=1)] = 50
    sweeps: Annotated[int, _option("Number of Gibbs sweeps.", "--sweeps", "-n", metavar="N", min=1)] = 200
    output: Annotated[
        Path | None,
        _option("The model file to write.", "--output", "-o", metavar="MODEL", default="next to the documents"),
    ] = None
    seed: Annotated[int, _option("Random seed; the same seed gives the same model.", metavar="N", min=0)] = 0
    jobs: options.Jobs = -1


@expand_groups
def explore(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MODEL_OR_CORPUS",
            help="A model file, or a file of documents to learn topics from first.",
            show_default=False,
        ),
    ],
    training: TrainingOptions,
    reading: Annotated[
        InputOptions,
        Select("format", "text_field", "label_field", "label_separator", "id_field", "date_field", "on_error"),
    ],
    words: Annotated[WordOptions, Select("min_df", "max_df", "max_words", "stop_words", min_df="2", max_df="0.5")],
    host: Host = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            "-p",
            min=0,
            max=65535,
            metavar="N",
            help="The port; 0 for any free port.",
            show_default="8765, or a free one",
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address of the page.")] = False,
    token: Token = None,
    allow_host: AllowHost = None,
    quiet: options.Quiet = False,
) -> None:
    """Read and correct topics in a browser.

    Your edits are stored in a folder next to the model; the model file does not change.
    If you pass documents instead of a model, a model is trained first.

    Only this machine can open the page. With --host others can, with a token.
    Ctrl-C stops it; no edit is lost.
    """
    try:
        import nicegui
    except ImportError:
        raise MissingExtraError("nicegui", "explorer", "topicwright explore") from None
    del nicegui
    from ..explorer.server import serve
    from ..server.lifecycle import address_of

    hosts = check_access(allow_host, token)
    with _listening(host, port) as listening:
        with spinner(f"loading {source}", quiet=quiet):
            workspace = _workspace(source, reading, words, training)
        access = access_of(listening, hosts, token)
        if not quiet:
            warn_if_public(listening, access)
        address = address_of(listening).replace("//0.0.0.0:", "//localhost:").replace("//[::]:", "//localhost:")
        with catch_signals() as stop:  # the server handles signals while it runs
            serve(
                workspace,
                listening,
                access,
                on_start=lambda: _announce(source, address, access, quiet, not no_browser),
                is_over=lambda: stop.requested,
            )
    if not quiet:
        has_trained = workspace.training is not None and workspace.path is not None and workspace.path.exists()
        print_message(f"stopped; the model is in {workspace.path}" if has_trained else "stopped; all steps are saved")


def _listening(host: str, port: int | None) -> socket.socket:
    """Socket at this port; without one, at the default port, or at any free one."""
    from ..server.lifecycle import listening_socket

    if port is not None:
        return listening_socket(host, port)
    try:
        return listening_socket(host, _PORT)
    except InputError:
        return listening_socket(host, 0)


def _workspace(source: str, reading: InputOptions, words: WordOptions, training: TrainingOptions) -> Workspace:
    from ..explorer.workspace import Workspace

    if is_model(source):
        check_exists(source)
        workspace = Workspace(Path(source).name, path=Path(source), n_jobs=training.jobs)
        workspace.open()
        return workspace
    path = training.output or _model_path(source)
    check_model(path, source)
    from ..explorer.workspace import Training
    from ..models import LDA

    corpus = read_documents(source, reading, **words.parameters(), keep_texts=True)
    model = LDA(
        training.topics,
        alpha="learn",
        n_sweeps=training.sweeps,
        n_jobs=training.jobs,
        random_state=training.seed,
        evaluate_every=_EVALUATE_EVERY,
    )
    return Workspace(path.name, path=path, training=Training(model, corpus, path), n_jobs=training.jobs)


def _model_path(source: str) -> Path:
    """Model file next to the documents; an existing one is not overwritten."""
    if source == "-":
        raise InputError("documents from standard input need a name for the model file: pass --output")
    path = Path(source)
    while path.suffix:
        path = path.with_suffix("")
    path = path.with_suffix(".tw")
    if path.exists():
        raise InputError(
            f"{path} exists already: open it with  topicwright explore {shlex.quote(str(path))},  "
            "or choose another name with --output"
        )
    return path


def _announce(source: str, address: str, access: Access, quiet: bool, opens_browser: bool) -> None:
    url = access.link(f"{address}/")
    if not quiet or access.token is not None:  # without the token, the page cannot be opened
        print_message(f"exploring {source} at {url} ; Ctrl-C stops")
    if opens_browser:
        webbrowser.open(url)
