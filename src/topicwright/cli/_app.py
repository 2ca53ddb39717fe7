"""The application: its verbs, in the order in which somebody new would meet them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import TopicwrightError
from ._console import complain, speaking_library
from ._wording import in_options, option_for, wrong_value
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

WRONG_USE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
_MEANT = {  # by those who know other programs
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
_UsageError: Any = typer.BadParameter.__mro__[1]  # click's, which typer keeps in another place with each version


class Commands(TyperGroup):
    """The verbs, and what happens when one of them fails."""

    _verb: Any = None

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse and run; what the user can mend is one sentence, anything else is a bug and shows a traceback."""
        with speaking_library(self._worded):
            try:
                code = super().main(args, standalone_mode=False, **extra)
                sys.stdout.flush()
            except BrokenPipeError:  # as in `topicwright topics news.tw | head -1`
                code = BROKEN_PIPE
            except SystemExit as left:  # so do typer and rich then; and completion does at its end
                code = BROKEN_PIPE if left.code else 0
            except _UsageError as error:
                _explain(error)
                code = WRONG_USE
            except (TopicwrightError, OSError, MemoryError) as error:
                complain(self._worded(error))
                code = WRONG_USE
        _forget_unwritten()
        if standalone_mode:
            sys.exit(code or 0)
        return code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that is asked for; where there is none, the one that may be meant."""
        try:
            name, self._verb, rest = super().resolve_command(ctx, args)
        except _UsageError:  # whose words differ from version to version
            raise _UsageError(_no_such_verb(args[0], self.list_commands(ctx)), ctx) from None
        return name, self._verb, rest

    def _worded(self, message: Any) -> str:
        """An error, a warning or a log message of the library, with options for its parameters."""
        text = message if isinstance(message, str) else _reason(message)
        if self._verb is None:
            return text
        if hasattr(message, "describe"):
            text = message.describe(partial(option_for, self._verb))
        return in_options(text, self._verb)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; typer itself would say nothing of Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def _no_such_verb(name: str, verbs: list[str]) -> str:
    if name.lower() in _MEANT:
        verb = _MEANT[name.lower()]
        return f"no such command {name!r}: try  topicwright {verb}  (topicwright {verb} --help tells of it)"
    near = get_close_matches(name.lower(), verbs, 1)
    hint = f". Did you mean {near[0]!r}?" if near else ": topicwright --help lists them all"
    return f"no such command {name!r}{hint}"


def _explain(error: Any) -> None:
    if type(error).__name__ != "NoArgsIsHelpError":  # its help was shown already
        if type(error) is typer.BadParameter:
            error.message = wrong_value(error)
        message = error.format_message()
        if type(error).__name__ == "NoSuchOption":  # whose words differ from version to version
            message = _no_such_option(error.option_name, error.ctx)
        elif type(error).__name__ == "MissingParameter":
            message = f"{message.rstrip('.')}: {_command(error.ctx)} --help tells of it"
        complain(message[:1].lower() + message[1:].rstrip("."))


def _no_such_option(name: str, ctx: Any) -> str:
    params = [] if ctx is None else ctx.command.params
    options = [option for param in params if param.param_type_name == "option" for option in param.opts]
    arguments = [param.name for param in params if param.param_type_name == "argument"]
    if name in ("-o", "--output") and "--html" in options:
        hint = ". Did you mean --html?"
    elif name in ("-o", "--output") and "output" in arguments:
        hint = ": the output is given without one, after the input"
    else:
        near = get_close_matches(name, options, 1)
        hint = f". Did you mean {near[0]}?" if near else f": {_command(ctx)} --help lists them all"
    return f"no such option: {name}{hint}"


def _command(ctx: Any) -> str:
    return "topicwright" if ctx is None else str(ctx.command_path)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "there is not enough memory" if isinstance(error, MemoryError) else str(error)


def _forget_unwritten() -> None:
    """Where standard output is broken, Python would complain of it once more at its exit."""
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

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Try:  topicwright demo",
)
for verb, example in _EXAMPLES.items():
    app.command(epilog=f"Example:  {example}")(verb)


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
    """Topic models that use what you know, from the shell."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
