"""The application: its commands, and the messages and exit codes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum
from functools import partial
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import TopicwrightError
from ._console import library_messages, print_error
from ._help import Command, group_page
from ._options import option_for
from .convert import convert
from .corpus import corpus
from .demo import demo
from .evaluate import evaluate
from .explain import explain
from .explore import explore
from .fit import fit
from .links import links
from .predict import predict
from .report import report
from .resume import resume
from .serve import serve
from .stream.command import stream
from .topics import topics
from .transform import transform
from .update import update

WRONG_USE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
_SUGGESTIONS = {  # for names of commands in other programs
    **dict.fromkeys(("train", "learn", "lda", "run", "import"), "fit"),
    **dict.fromkeys(("infer", "apply"), "transform"),
    **dict.fromkeys(("classify", "label", "tag"), "predict"),
    **dict.fromkeys(("inspect", "describe", "info", "stats", "vocab"), "corpus"),
    **dict.fromkeys(("show", "list", "words", "print"), "topics"),
    **dict.fromkeys(("export", "save"), "convert"),
    **dict.fromkeys(("view", "browse", "steer", "ui"), "explore"),
    **dict.fromkeys(("score", "perplexity", "coherence"), "evaluate"),
    **dict.fromkeys(("plot", "visualize", "html"), "report"),
    "continue": "resume",
}
_UsageError: Any = typer.BadParameter.__mro__[1]  # of click, whose module differs between versions of typer


class Commands(TyperGroup):
    """Group of all commands, which turns errors into messages and exit codes."""

    _command: Any = None
    _arguments: Sequence[str] = ()

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse and run a command. Errors of the user are one sentence; any other error is a bug with a traceback."""
        with library_messages(self._describe):
            try:
                code = super().main(args, standalone_mode=False, **extra)
                sys.stdout.flush()
            except BrokenPipeError:  # as in `topicwright topics news.tw | head -1`
                code = BROKEN_PIPE
            except SystemExit as left:  # as typer and rich do then, and completion at its end
                code = BROKEN_PIPE if left.code else 0
            except _UsageError as error:
                self._print_usage_error(error)
                code = WRONG_USE
            except (TopicwrightError, OSError, MemoryError) as error:
                print_error(self._describe(error))
                code = WRONG_USE
        _discard_unwritten()
        if standalone_mode:
            sys.exit(code or 0)
        return code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; if there is none of this name, suggest one."""
        try:
            name, self._command, rest = super().resolve_command(ctx, args)
        except _UsageError:  # whose text differs between versions
            raise _UsageError(_no_such_command(args[0], self.list_commands(ctx)), ctx) from None
        self._arguments = tuple(rest)  # the parser changes the list
        return name, self._command, rest

    def _describe(self, message: Any) -> str:
        """Text of an error, a warning or a log message of the library, with options for its parameters."""
        if self._command is None or not hasattr(message, "describe"):
            text = _reason(message) if isinstance(message, Exception) else str(message)
        else:
            text = message.describe(partial(option_for, self._command))
        return text

    def _print_usage_error(self, error: Any) -> None:
        kind = type(error).__name__
        if kind == "NoArgsIsHelpError":  # the help was printed already
            return
        if type(error) is typer.BadParameter and error.param is not None:
            message = _invalid_value(error, self._arguments)
        elif kind == "NoSuchOption":
            message = _no_such_option(error.option_name, error.ctx)
        elif kind == "MissingParameter":
            message = f"{error.format_message().rstrip('.')}: see {_command_name(error.ctx)} --help"
        else:
            message = error.format_message()
        print_error(message[:1].lower() + message[1:].rstrip("."))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page of ``--help``."""
        formatter.write(group_page(self, ctx, _SECTIONS))

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer itself prints nothing after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print_error("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def _no_such_command(name: str, commands: list[str]) -> str:
    if name.lower() in _SUGGESTIONS:
        command = _SUGGESTIONS[name.lower()]
        return f"no such command {name!r}: try  topicwright {command}  (see topicwright {command} --help)"
    near = get_close_matches(name.lower(), commands, 1)
    hint = f". Did you mean {near[0]!r}?" if near else ": topicwright --help lists all commands"
    return f"no such command {name!r}{hint}"


def _invalid_value(error: Any, arguments: Sequence[str]) -> str:
    """Message about an invalid value of an option, from the type of the option and the value on the command line."""
    option = next((opt for opt in error.param.opts if opt.startswith("--")), error.param.name)
    hint = get_type_hints(error.ctx.command.callback, include_extras=True)[error.param.name]
    kind, info = get_args(hint)[0], next(extra for extra in get_args(hint)[1:] if hasattr(extra, "min"))
    kinds = [one for one in (get_args(kind) or (kind,)) if one is not type(None)]
    kind = get_args(kinds[0])[0] if get_args(kinds[0]) else kinds[0]  # of list[int], int
    given = error.ctx.command.make_parser(error.ctx).parse_args(args=list(arguments))[0].get(error.param.name)
    values = given if isinstance(given, (list, tuple)) else [given]
    value = next((value for value in values if not _is_valid(value, kind, info)), given)
    return f"{option} must be {_expected(kind, info)}: got {value!r}"


def _expected(kind: Any, info: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(repr(one.value) for one in kind)}"
    name = {int: "an integer", float: "a number"}.get(kind, f"a {kind.__name__.lower()}")
    if info.min is not None and info.max is not None:
        return f"{name} from {info.min:g} to {info.max:g}"
    return name if info.min is None else f"{name} of at least {info.min:g}"


def _is_valid(value: Any, kind: Any, info: Any) -> bool:
    try:
        number = kind(value)
    except (TypeError, ValueError):
        return False
    if kind not in (int, float):
        return True
    return (info.min is None or number >= info.min) and (info.max is None or number <= info.max)


def _no_such_option(name: str, ctx: Any) -> str:
    params = [] if ctx is None else ctx.command.params
    options = [option for param in params if param.param_type_name == "option" for option in param.opts]
    arguments = [param.name for param in params if param.param_type_name == "argument"]
    if name in ("-o", "--output") and "--html" in options:
        hint = ". Did you mean --html?"
    elif name in ("-o", "--output") and "output" in arguments:
        hint = ": the output follows the input, without an option"
    else:
        near = get_close_matches(name, options, 1)
        hint = f". Did you mean {near[0]}?" if near else f": {_command_name(ctx)} --help lists all options"
    return f"no such option: {name}{hint}"


def _command_name(ctx: Any) -> str:
    return "topicwright" if ctx is None else str(ctx.command_path)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "there is not enough memory" if isinstance(error, MemoryError) else str(error)


def _discard_unwritten() -> None:
    """Discard what standard output did not accept; otherwise Python would print another error at its exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_EXAMPLES: dict[Callable[..., None], str] = {
    demo: "topicwright demo",
    corpus: "topicwright corpus news.jsonl --min-df 5",
    fit: "topicwright fit news.jsonl -o news.tw --topics 50",
    resume: "topicwright resume news.tw --sweeps 100",
    update: "topicwright update news.tw march.jsonl",
    stream: "topicwright stream news.jsonl --model news.tw --follow",
    explore: "topicwright explore news.tw",
    topics: "topicwright topics news.tw --words 15",
    transform: "topicwright transform news.tw more.jsonl -o topics.jsonl",
    predict: "topicwright predict reviews.tw more.jsonl -o predictions.csv",
    explain: "topicwright explain reviews.tw more.jsonl --id a1",
    evaluate: "topicwright evaluate news.tw heldout.jsonl",
    serve: "topicwright serve reviews.tw --port 8000",
    links: "topicwright links news.jsonl -o known.yaml",
    report: "topicwright report news.tw --html news.html",
    convert: "topicwright convert news.jsonl news.ldac",
}

_SECTIONS = {
    "Start": ("demo", "corpus"),
    "Train": ("fit", "resume", "update", "stream"),
    "Read and correct": ("topics", "explore", "report", "evaluate"),
    "Use on new documents": ("transform", "predict", "explain", "serve"),
    "Tools": ("links", "convert"),
}

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Try:  topicwright demo\nOptions of a command:  topicwright fit --help",
)
for command, example in _EXAMPLES.items():
    app.command(cls=Command, epilog=f"Example:  {example}")(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"topicwright {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Topic models that use what you know, from the command line."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
