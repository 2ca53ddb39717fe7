"""``topicwright stream``: labels and their words from a stream that need never end."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..._utils.filelock import file_lock
from ..._utils.formatting import pluralize
from ...errors import InputError
from .. import _options as options
from .._console import say, waiting
from .._inputs import check_documents
from .._outputs import check_model, check_writable, is_standard
from .._training import Stop, stopping_on_signals
from . import model as _begun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...corpus.documents import FieldNames
    from ...models import OnlineLabeledLDA
    from ...streaming import Runner, Status
    from ...streaming.monitor import StreamMonitor
    from .output import StreamReporter

_SAVING, _TELLING = "Saving", "Telling"
_SECONDS = 60.0


def stream(
    model_file: Annotated[
        Path,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="The model file: begun where it is not there, gone on with where it is.",
            show_default=False,
        ),
    ],
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of JSON lines, packed or not, or - for standard input.")
    ] = "-",
    follow: Annotated[
        bool, typer.Option("--follow", "-F", help="Wait for more at the end of the file, for ever.")
    ] = False,
    new_source: Annotated[
        bool, typer.Option("--new-source", help="Read SOURCE from its first line, whatever was read before.")
    ] = False,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    id_field: options.IdField = None,
    every: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Save after so many documents.", rich_help_panel=_SAVING, show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            metavar="S",
            help="Save after so many seconds.",
            rich_help_panel=_SAVING,
            show_default="60, or never with --every",
        ),
    ] = None,
    status: Annotated[
        float,
        typer.Option(
            min=0.001,
            metavar="S",
            help="Seconds between two lines about how it stands, where no screen shows it.",
            rich_help_panel=_TELLING,
        ),
    ] = 10.0,
    bad_lines: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep lines that can't be read.", rich_help_panel=_TELLING, show_default=False
        ),
    ] = None,
    alerts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep alerts, as JSON lines; - for standard output.",
            rich_help_panel=_TELLING,
            show_default=False,
        ),
    ] = None,
    no_alerts: Annotated[
        bool,
        typer.Option(
            "--no-alerts",
            help="Do not look for alerts and rising words, which costs about as much as learning.",
            rich_help_panel=_TELLING,
        ),
    ] = False,
    particles: _begun.Particles = None,
    alpha: _begun.Alpha = None,
    beta: _begun.Beta = None,
    redraws: _begun.Redraws = None,
    reservoir: _begun.Reservoir = None,
    forgetting: _begun.Forgetting = None,
    unlabelled: _begun.OfUnlabelled = None,
    vocabulary: _begun.Vocabulary = None,
    stop_words: _begun.StopWords = None,
    knowledge: _begun.Knowledge = None,
    seed: _begun.Seed = None,
    paper: _begun.Paper = False,
    prune_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="After so many documents give up words and labels that count for less than --prune-below.",
            show_default="never",
        ),
    ] = None,
    prune_below: Annotated[float, typer.Option(metavar="NUMBER", help="See --prune-every.")] = 1.0,
    quiet: options.Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Write all that happens as JSON lines to standard output.")
    ] = False,
) -> None:
    """Learn labels and their words from a stream that need never end.

    A line is like {"text": "a ship sails", "labels": ["sea", "law"]}. Lines that can't be
    read are counted and skipped.

    The model is saved now and then, with how far SOURCE was read, all or nothing.
    After a stop, or kill -9, the same command goes on from there: nothing is
    learned twice, nothing is left out. A source is known by its first line and by
    the last one that was read; standard input that begins as before is taken for
    the same, and what was learned from it is skipped.

    Ctrl-C or SIGTERM saves and stops; a second one stops at once, and the file
    stands where it was saved last. With --follow a file that was replaced or cut
    short is read on from its first line.
    """
    if no_alerts and alerts is not None:
        raise InputError("--alerts and --no-alerts can't go together: give one of them")
    check_documents(source)
    _check_lines(source, {"--text-field": text_field, "--label-field": label_field, "--id-field": id_field})
    check_model(model_file, source)
    if bad_lines is not None and is_standard(bad_lines):
        raise InputError("bad lines can't go to standard output: give a file name with --bad-lines")
    for file in (bad_lines, alerts):
        check_writable(file, model_file, source)
    wanted = {
        "n_particles": particles,
        "alpha": alpha,
        "beta": beta,
        "rejuvenate_per_label": redraws,
        "reservoir": reservoir,
        "forgetting": forgetting,
        "unlabelled": None if unlabelled is None else unlabelled.value,
        "vocabulary": vocabulary,
        "stop_words": stop_words,
        "knowledge": knowledge or None,
        "random_state": seed,
    }
    with file_lock(model_file):
        with waiting(f"loading {model_file}" if model_file.exists() else "getting ready", quiet=quiet):
            model = _begun.open_or_create(model_file, wanted, paper=paper)
            from ...corpus.documents import FieldNames
            from ...corpus.formats.files import source_name
            from ...streaming import Runner, Source
            from .output import StreamReporter
        model.field_ = label_field or model.field_ or "labels"
        fields = FieldNames(text_field or "text", model.field_, None, id_field or "id")
        with stopping_on_signals() as stop:
            telling = StreamReporter(
                source_name(source),
                model_file,
                stop,
                quiet=quiet,
                as_json=json,
                every=status,
                bad_lines=bad_lines,
                alerts=alerts,
            )
            with Source(source, follow=follow, new=new_source) as opened, telling:
                runner = Runner(
                    model,
                    opened,
                    model_file,
                    every=every,
                    seconds=_SECONDS if seconds is None and every is None else seconds,
                    prune_every=prune_every,
                    prune_below=prune_below,
                    monitor=None if no_alerts else _monitor(model),
                    fields=fields,
                    status_every=telling.status_every,
                    on_event=telling,
                    stop=lambda: stop.asked,
                )
                stands = _run(runner, telling)
            telling.end(stands)
            _report(stands, opened.title, model_file, stop, fields, quiet=quiet)


def _check_lines(source: str, named: Mapping[str, str | None]) -> None:
    """An error that says what to do, where a name tells that the file is not one of JSON lines."""
    from ...corpus.formats.files import split_compression
    from ...corpus.formats.registry import suffix_format

    kind = suffix_format(source)
    if kind not in ("", "jsonl", "text"):
        lines = Path(split_compression(source)[0]).with_suffix(".jsonl")
        while lines.exists():
            lines = lines.with_stem(f"{lines.stem}-lines")
        given = [word for name, value in named.items() if value is not None for word in (name, value)]
        command = shlex.join(["topicwright", "convert", source, str(lines), *(given or ["--label-field", "NAME"])])
        raise InputError(f"{source} is of format {kind}, and a stream is of JSON lines: make some with  {command}")


def _monitor(model: OnlineLabeledLDA) -> StreamMonitor:
    """As the file has it, or a new one."""
    from ...streaming.monitor import StreamMonitor

    kept = {} if model.stream_ is None else model.stream_.watch
    return StreamMonitor.from_state(model, kept) if kept else StreamMonitor(model)


def _run(runner: Runner, telling: StreamReporter) -> Status:
    try:
        return runner.run()
    except KeyboardInterrupt:
        _tell_where(runner)
        raise
    except OSError:  # nobody reads standard output any more, or the last checkpoint can't be written
        telling.fall_silent()
        runner.checkpoint()
        _tell_where(runner)
        raise
    except InputError:  # the source is damaged, or is another one: then nothing was begun
        if runner.status().position is not None:
            _tell_where(runner)
        raise


def _tell_where(runner: Runner) -> None:
    """Where the file stands when the run ended otherwise than it should."""
    from ...corpus.formats.files import source_name

    saved = runner.status().saved
    if saved is not None:
        say(f"{runner.path} stands at line {saved.lines:,} of {source_name(saved.name)}", "yellow")


def _report(status: Status, title: str, model_file: Path, stop: Stop, fields: FieldNames, *, quiet: bool) -> None:
    """Where it stands at the end; with the signal's exit code if there was one."""
    place = status.position
    line = 0 if place is None else place.lines
    if status.saved is None and not stop.asked:
        if fields.first and fields.labels not in fields.seen:
            fields.with_required("labels").check_seen(title)
        raise InputError(
            f"no line of {title} had a text with words and labels, so there is no model: "
            f"got {pluralize(line, 'line')}, "
            f"{status.skipped:,} of them without labels, {status.bad_lines:,} bad"
        )
    if status.saved is None:
        say("stopped before anything was learned: there is no model", "yellow")
    elif not quiet or stop.asked:
        where = f"stopped at line {line:,} of {title}" if stop.asked else f"read {title} to its end, line {line:,}"
        counted = ((status.documents, "document"), (status.labels, "label"), (status.vocabulary, "word"))
        learned = ", ".join(pluralize(n, what) for n, what in counted)
        say(f"{where}: {learned} in {model_file}", "yellow" if stop.asked else "")
    if stop.asked:
        raise typer.Exit(stop.exit_code)
