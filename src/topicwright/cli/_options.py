"""Options of the commands: those that several share, groups of options, and the options of library parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ._console import print_message

if TYPE_CHECKING:
    import socket

    from ..server.auth import Access

FOR_LABELS = "For a model of --labels"
_OPTION_INFO: tuple[type, ...] = (type(typer.Option()), type(typer.Argument()))

# Parameters of the library whose option has another name.
OPTION_OF_PARAMETER = {
    "C": "cost",
    "labels": "label_field",
    "n_background_topics": "background",
    "n_jobs": "jobs",
    "n_particles": "particles",
    "n_rounds": "rounds",
    "n_shards": "shards",
    "n_sweeps": "sweeps",
    "n_topics": "topics",
    "new": "new_source",
    "ngram_range": "ngrams",
    "random_state": "seed",
    "rejuvenate_per_label": "redraws",
    "text": "text_field",
    "unlabelled": "unlabeled",
}


def option_for(command: Any, parameter: str, value: str | None = None) -> str | None:
    """Option of a command for a parameter of the library, with its value; None if the command has no such option.

    >>> from typer.main import get_command
    >>> from topicwright.cli._app import app
    >>> option_for(get_command(app).commands["fit"], "n_topics", "3")
    '--topics 3'
    """
    options = {param.name: param.opts for param in command.params if param.param_type_name == "option"}
    for name in (OPTION_OF_PARAMETER.get(parameter, parameter), parameter):
        if name in options:
            option: str = next(opt for opt in options[name] if opt.startswith("--"))
            return option if value in (None, "True") else f"{option} {value.strip(chr(39))}"
    return None


# ---------------------------------------------------------------------- groups of options


class Select:
    """Annotation of a group parameter: the options of the group that a command has, and defaults of its own.

    Without names, the command has all options of the group.
    """

    def __init__(self, *names: str, **defaults: Any) -> None:
        self.names, self.defaults = names, defaults


class OptionGroup:
    """Base of frozen dataclasses whose fields are options; see :func:`expand_groups`."""


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Function decorator: the command gets the options of each parameter that is an option group, and passes it whole.

    So ``def fit(source: Input, words: WordOptions)`` has the options ``--min-df``, ``--stop-words`` and so on.
    """
    signature, hints = inspect.signature(command), get_type_hints(command, include_extras=True)
    flat: dict[str, inspect.Parameter] = {}
    groups: dict[str, tuple[type, list[str]]] = {}
    for name, parameter in signature.parameters.items():
        hint = hints[name]
        group = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if isinstance(group, type) and issubclass(group, OptionGroup):
            options = list(_options_of(group, hint))
            groups[name] = group, [option.name for option in options]
            flat |= {option.name: option for option in options}
        else:
            flat[name] = parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        made = {name: group(**{option: values.pop(option) for option in own}) for name, (group, own) in groups.items()}
        command(**values, **made)

    run.__signature__ = signature.replace(parameters=list(flat.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: option.annotation for name, option in flat.items()} | {"return": None}
    return run


def _options_of(group: Any, hint: Any) -> Iterator[inspect.Parameter]:
    select = next((extra for extra in get_args(hint)[1:] if isinstance(extra, Select)), Select())
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        is_option = any(isinstance(extra, _OPTION_INFO) for extra in get_args(hints[field.name])[1:])
        if is_option and (not select.names or field.name in select.names):
            default = select.defaults.get(field.name, field.default)
            kind = inspect.Parameter.KEYWORD_ONLY
            yield inspect.Parameter(field.name, kind, default=default, annotation=hints[field.name])


# ---------------------------------------------------------------------- options that commands share


def option(
    panel: str, help: str, *names: str, metavar: str | None = None, default: str | bool = True, **more: Any
) -> Any:
    """An option in a panel of the help; ``default`` describes what holds without it."""
    return typer.Option(*names, help=help, metavar=metavar, show_default=default, rich_help_panel=panel, **more)


_reading, _words = partial(option, "Reading documents"), partial(option, "Choosing words")
_labels = partial(option, FOR_LABELS)


class OnError(str, Enum):
    """What to do at a line that cannot be read."""

    stop = "stop"
    skip = "skip"


class LabelPrior(str, Enum):
    """Expected frequencies of labels."""

    words = "words"
    frequency = "frequency"
    flat = "flat"


class OutputLayout(str, Enum):
    """File format of results about documents."""

    jsonl = "jsonl"
    csv = "csv"


ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A file of documents (JSONL, CSV, Parquet, text …) or counts; - for standard input.",
        show_default=False,
    ),
]

Format = Annotated[
    str | None,
    _reading(
        "Format, such as jsonl, csv, text or mtx.",
        "--format",
        "-f",
        metavar="FORMAT",
        default="by the suffix",
    ),
]
TextField = Annotated[str | None, _reading("Field of the text.", metavar="NAME", default="text")]
LabelField = Annotated[str | None, _reading("Field of the labels.", metavar="NAME", default="labels")]
LabelSeparator = Annotated[
    str | None, _reading("Separator of several labels in one string.", metavar="TEXT", default="| in CSV and TSV")
]
IdField = Annotated[str | None, _reading("Field of the id.", metavar="NAME", default="id")]
TargetField = Annotated[str | None, _reading("Field of a number.", metavar="NAME", default=False)]
DateField = Annotated[
    str | None,
    _reading(
        "Field of a date, such as 2019-05-03, a year or Unix seconds.",
        metavar="NAME",
        default=False,
    ),
]
KeepTexts = Annotated[bool, _reading("Store the original texts in the model file.", "--keep-texts")]
Errors = Annotated[OnError, _reading("At a bad line: stop, or skip and count it.", "--on-error", metavar="stop|skip")]

MinDf = Annotated[str, _words("Remove words in fewer documents: a number or a share.", metavar="N")]
MaxDf = Annotated[str, _words("Remove words in more documents: a number or a share.", metavar="N")]
MaxWords = Annotated[int | None, _words("Keep only the most frequent words.", metavar="N", min=1)]
StopWords = Annotated[str, _words("Words to remove: english, none, or a file of words.", metavar="WORDS")]
Ngrams = Annotated[int, _words("Use sequences of up to N words as words too.", metavar="N", min=1)]

Candidates = Annotated[
    str | None,
    _labels(
        "Labels to choose from: names separated by commas, or a file.",
        metavar="LABELS",
        default="all",
    ),
]
Threshold = Annotated[
    float | None,
    _labels("Predict labels with at least this share of a document.", metavar="SHARE", default="found in training"),
]
LabelPriorOption = Annotated[
    LabelPrior | None,
    _labels(
        "Prior of labels: predicted from the words, their frequency in training, or the same for all.",
        "--label-prior",
        metavar="words|frequency|flat",
        default="as trained",
    ),
]

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write.", show_default="standard output"),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that this command did not write.")]
To = Annotated[
    OutputLayout | None,
    typer.Option("--to", metavar="jsonl|csv", help="Format of the output.", show_default="by the suffix, or jsonl"),
]
BatchSize = Annotated[int, typer.Option("--batch", min=1, metavar="N", help="Documents in memory at a time.")]

SaveEvery = Annotated[
    str | None,
    typer.Option(
        metavar="N|Nmin",
        help="Save the model so far to NAME.partial.tw after each N sweeps or minutes.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", help="Number of threads; -1 for all. The result is the same."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


# ---------------------------------------------------------------------- options of a server

_ACCESS = "Access"

Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all networks of this machine.")
]
Token = Annotated[
    str | None,
    typer.Option(
        envvar="TOPICWRIGHT_TOKEN",
        metavar="TEXT",
        help="Require this token. Better set the variable TOPICWRIGHT_TOKEN, which other users cannot see.",
        rich_help_panel=_ACCESS,
        show_default="none; a new one if others can reach the server",
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Host name of this server; can be repeated.",
        rich_help_panel=_ACCESS,
        show_default="localhost",
    ),
]


class AccessLogFormat(str, Enum):
    """Format of the access log of a server."""

    text = "text"
    json = "json"


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
    print_message(
        "other machines can reach this server, and the connection is not encrypted: put a TLS proxy in front of it"
    )
    print_message(f"its host names are {names}; add others with --allow-host NAME")
