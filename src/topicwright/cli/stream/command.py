"""The ``topicwright stream`` command: learn labels and their words from an endless stream."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..._utils.filelock import file_lock
from ..._utils.formatting import pluralize
from ...errors import InputError
from .. import _options as options
from .._console import print_message, spinner
from .._inputs import check_documents, load_model, parse_stop_words, read_knowledge_files, read_lines
from .._options import OptionGroup, expand_groups, option
from .._outputs import check_model, check_writable, is_standard
from .._training import StopRequest, catch_signals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...corpus.documents import FieldNames
    from ...models import OnlineLabeledLDA, OnlineLDA
    from ...streaming import Runner, Status
    from ...streaming.monitor import StreamMonitor
    from .output import StreamReporter

_LONG = ("vocabulary", "stop_words", "knowledge")  # parameters whose values are not shown in messages


class StreamUnlabeledPolicy(str, Enum):
    """Use of documents without labels in a stream."""

    skip = "skip"
    likely = "likely"


def _option(help: str, default: str | bool, metavar: str | None = "NUMBER", *names: str, **more: Any) -> Any:
    return option("New model", help, *names, metavar=metavar, default=default, **more)


@dataclass(frozen=True, kw_only=True)
class StreamModelOptions(OptionGroup):
    """Parameters of a new model of a stream; an existing model must have been created with the same ones."""

    topics: Annotated[
        int | None, _option("Number of topics to learn without labels.", "topics are labels", "N", min=1)
    ] = None
    particles: Annotated[int | None, _option("Number of particles.", "8", "N", min=1)] = None
    alpha: Annotated[float | None, _option("Prior of labels or topics in a document.", "0.1")] = None
    beta: Annotated[float | None, _option("Prior of words.", "0.1, or 0.05 with --topics")] = None
    redraws: Annotated[
        float | None,
        _option("Earlier words to resample per new word, for labels per additional label.", "0.35, or 8 with --topics"),
    ] = None
    reservoir: Annotated[
        int | None,
        _option("Earlier words to keep for resampling.", "200000, or 4000000 with --topics", "N", min=0),
    ] = None
    forgetting: Annotated[float | None, _option("Factor of all counts per document, such as 0.9999.", "none")] = None
    unlabeled: Annotated[
        StreamUnlabeledPolicy | None,
        _option(
            "Documents without labels: skip them, or give them their most likely labels.",
            "skip",
            "skip|likely",
            "--unlabeled",
            "--unlabelled",
        ),
    ] = None
    vocabulary: Annotated[
        str | None, _option("File of the only words to learn, one per line.", "any words", "FILE")
    ] = None
    stop_words: Annotated[
        str | None, _option("Words to remove: english, none, or a file of words.", "english", "WORDS")
    ] = None
    knowledge: Annotated[
        list[str] | None,
        _option("Knowledge file: seeds, must-links and cannot-links; can be repeated.", False, "FILE"),
    ] = None
    seed: Annotated[int | None, _option("Random seed; the same seed gives the same model.", "0", "N", min=0)] = None
    paper: Annotated[bool, _option("Settings of the paper on Online Labeled LDA.", True, None, "--paper")] = False

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``OnlineLabeledLDA``, or of ``OnlineLDA``, that were passed."""
        given = {
            "n_topics": self.topics,
            "n_particles": self.particles,
            "alpha": self.alpha,
            "beta": self.beta,
            "rejuvenate_per_label" if self.topics is None else "rejuvenate": self.redraws,
            "reservoir": self.reservoir,
            "forgetting": self.forgetting,
            "unlabeled": None if self.unlabeled is None else self.unlabeled.value,
            "vocabulary": None if self.vocabulary is None else read_lines(self.vocabulary),
            "random_state": self.seed,
        }
        parameters: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if self.stop_words is not None:
            parameters["stop_words"] = parse_stop_words(self.stop_words)
        if self.knowledge:
            parameters["knowledge"] = [item for file in read_knowledge_files(self.knowledge) for item in file.items]
        return parameters


_ONLY_LABELS = ("particles", "unlabeled", "knowledge", "paper")  # options that --topics does not have


def open_or_create(path: Path, options: StreamModelOptions) -> OnlineLabeledLDA | OnlineLDA:
    """The model of a file, or a new one if there is no file."""
    from ...models import OnlineLabeledLDA, OnlineLDA

    model: Any = load_model(path) if path.exists() else None
    if isinstance(model, OnlineLDA) and options.topics is None:
        options = replace(options, topics=len(model.alpha_))
    if options.topics is not None:
        for name in _ONLY_LABELS:
            if getattr(options, name):
                raise InputError(f"--{name} is for labels: leave it out with --topics", parameter=name)
    given = options.parameters()
    kind: Any = OnlineLabeledLDA if options.topics is None else OnlineLDA
    make = OnlineLabeledLDA.paper if options.paper else kind
    new = make(**{"stop_words": "english", **given})
    if model is None:
        return new  # type: ignore[no-any-return]
    if not isinstance(model, kind):
        raise InputError(
            f"{path} is a {type(model).__name__} model, and topicwright stream needs an {kind.__name__} model: "
            "choose another name for a new one"
        )
    _check_same(model, new, given, path)
    if options.paper:
        default, of_paper = OnlineLabeledLDA().get_params(), make().get_params()
        names = [name for name in of_paper if of_paper[name] != default[name] and name not in given]
        _check_same(model, new, names, path, "--paper")
    return model  # type: ignore[no-any-return]


def _check_same(model: Any, new: Any, names: Iterable[str], path: Path, option: str | None = None) -> None:
    """Raise an error if these parameters of an existing model are not those of a new one."""
    for name in names:
        has, wants = _comparable(model, name), _comparable(new, name)
        if has != wants:
            as_with = "" if option is None else f" as with {option}"
            difference = (
                f"another {option or f'`{name}`'}" if name in _LONG else f"`{name}` {has}, not {wants}{as_with}"
            )
            raise InputError(f"{path} was created with {difference}: leave it out to continue, or choose a new name")


def _comparable(model: Any, name: str) -> Any:
    from ...knowledge import serialize_knowledge
    from ...models.online.settings import make_tokenizer

    if name == "stop_words":
        return make_tokenizer(model).to_dict()
    value = getattr(model, name)
    if name == "knowledge":
        return serialize_knowledge(list(value))
    return list(value) if name == "vocabulary" and value else value


_SAVING, _REPORTING = "Saving", "Reporting"
_SAVE_SECONDS = 60.0


@expand_groups
def stream(
    model_file: Annotated[
        Path,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="The model file; created if it does not exist.",
            show_default=False,
        ),
    ],
    model_options: StreamModelOptions,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of JSON lines, or - for standard input.")
    ] = "-",
    follow: Annotated[bool, typer.Option("--follow", "-F", help="Wait for more at the end of the file.")] = False,
    new_source: Annotated[bool, typer.Option("--new-source", help="Read SOURCE from its first line again.")] = False,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    id_field: options.IdField = None,
    every: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of documents between saves.", rich_help_panel=_SAVING, show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            metavar="S",
            help="Seconds between saves.",
            rich_help_panel=_SAVING,
            show_default="60, or never with --every",
        ),
    ] = None,
    status: Annotated[
        float,
        typer.Option(
            min=0.001,
            metavar="S",
            help="Seconds between status lines if there is no terminal.",
            rich_help_panel=_REPORTING,
        ),
    ] = 10.0,
    bad_lines: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File for lines that cannot be read.", rich_help_panel=_REPORTING, show_default=False
        ),
    ] = None,
    alerts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for alerts as JSON lines; - for standard output.",
            rich_help_panel=_REPORTING,
            show_default=False,
        ),
    ] = None,
    no_alerts: Annotated[
        bool,
        typer.Option(
            "--no-alerts",
            help="Do not look for alerts; twice as fast.",
            rich_help_panel=_REPORTING,
        ),
    ] = False,
    prune_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Documents between removals of words and labels with counts below --prune-below.",
            show_default="never",
        ),
    ] = None,
    prune_below: Annotated[float, typer.Option(metavar="NUMBER", help="See --prune-every.")] = 1.0,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Write all events as JSON lines to standard output.")] = False,
) -> None:
    """Learn from a stream of labeled documents, or topics from one without labels.

    A line is like {"text": "a ship sails", "labels": ["sea", "law"]}.
    With --topics N, labels are not needed and not read.
    The model and the position in SOURCE are saved together. After Ctrl-C or kill -9,
    the same command continues from there: no line is learned twice or left out.
    """
    if no_alerts and alerts is not None:
        raise InputError("--alerts and --no-alerts contradict each other: pass one of them")
    check_documents(source)
    _check_format(source, {"--text-field": text_field, "--label-field": label_field, "--id-field": id_field})
    check_model(model_file, source)
    if bad_lines is not None and is_standard(bad_lines):
        raise InputError("bad lines cannot be written to standard output: pass a file name with --bad-lines")
    for file in (bad_lines, alerts):
        check_writable(file, model_file, source)
    with file_lock(model_file):
        with spinner(f"loading {model_file}" if model_file.exists() else "getting ready", quiet=quiet):
            model: Any = open_or_create(model_file, model_options)
            is_unlabeled = not hasattr(model, "n_particles")
            if is_unlabeled and alerts is not None:
                raise InputError("--alerts needs labels: leave it out with --topics")
            from ...corpus.documents import FieldNames
            from ...corpus.formats.files import source_name
            from ...streaming import Runner, Source
            from .output import StreamReporter
        model.field_ = label_field or model.field_ or "labels"
        fields = FieldNames(text_field or "text", model.field_, None, id_field or "id")
        with catch_signals() as stop:
            reporter = StreamReporter(
                source_name(source),
                model_file,
                stop,
                quiet=quiet,
                as_json=json,
                every=status,
                bad_lines=bad_lines,
                alerts=alerts,
            )
            with Source(source, follow=follow, new=new_source) as opened, reporter:
                runner = Runner(
                    model,
                    opened,
                    model_file,
                    every=every,
                    seconds=_SAVE_SECONDS if seconds is None and every is None else seconds,
                    prune_every=prune_every,
                    prune_below=prune_below,
                    monitor=None if no_alerts or is_unlabeled else _monitor(model),
                    fields=fields,
                    status_every=reporter.status_every,
                    on_event=reporter,
                    stop=lambda: stop.requested,
                )
                last_status = _run(runner, reporter)
            reporter.end(last_status)
            _report(last_status, opened.title, model_file, stop, fields, quiet=quiet)


def _check_format(source: str, field_options: Mapping[str, str | None]) -> None:
    """Raise an error that says what to do if the suffix is not that of JSON lines."""
    from ...corpus.formats.files import split_compression
    from ...corpus.formats.registry import suffix_format

    kind = suffix_format(source)
    if kind not in ("", "jsonl", "text"):
        lines = Path(split_compression(source)[0]).with_suffix(".jsonl")
        while lines.exists():
            lines = lines.with_stem(f"{lines.stem}-lines")
        given = [word for name, value in field_options.items() if value is not None for word in (name, value)]
        command = shlex.join(["topicwright", "convert", source, str(lines), *(given or ["--label-field", "NAME"])])
        raise InputError(
            f"topicwright stream reads JSON lines, and {source} has the format {kind}: convert it with  {command}"
        )


def _monitor(model: OnlineLabeledLDA) -> StreamMonitor:
    """Monitor of the model file, or a new one."""
    from ...streaming.monitor import StreamMonitor

    kept = {} if model.stream_ is None else model.stream_.monitor_state
    return StreamMonitor.from_state(model, kept) if kept else StreamMonitor(model)


def _run(runner: Runner, reporter: StreamReporter) -> Status:
    try:
        return runner.run()
    except KeyboardInterrupt:
        _print_position(runner)
        raise
    except OSError:  # standard output is closed, or the last checkpoint cannot be written
        reporter.mute()
        runner.checkpoint()
        _print_position(runner)
        raise
    except InputError:  # the source is damaged, or is another one: then nothing was read
        if runner.status().position is not None:
            _print_position(runner)
        raise


def _print_position(runner: Runner) -> None:
    """Print the position of the model file after a failure."""
    from ...corpus.formats.files import source_name

    saved = runner.status().saved
    if saved is not None:
        print_message(f"{runner.path} is saved up to line {saved.lines:,} of {source_name(saved.name)}", "yellow")


def _report(
    status: Status, title: str, model_file: Path, stop: StopRequest, fields: FieldNames, *, quiet: bool
) -> None:
    """Print the final status, and exit with the code of the signal if there was one."""
    place = status.position
    line = 0 if place is None else place.lines
    if status.saved is None and not stop.requested:
        if status.topics:
            raise InputError(
                f"no line of {title} had a text with words, so there is no model: got {pluralize(line, 'line')}, "
                f"{status.bad_lines:,} bad"
            )
        if fields.first and fields.labels not in fields.seen:
            fields.with_required("labels").check_seen(title)
        raise InputError(
            f"no line of {title} had a text with words and labels, so there is no model: "
            f"got {pluralize(line, 'line')}, "
            f"{status.skipped:,} of them without labels, {status.bad_lines:,} bad; "
            "--topics N learns topics without labels"
        )
    if status.saved is None:
        print_message("stopped before anything was learned: there is no model", "yellow")
    elif not quiet or stop.requested:
        where = f"stopped at line {line:,} of {title}" if stop.requested else f"read {title} to its end, line {line:,}"
        kinds = (status.topics, "topic") if status.topics else (status.labels, "label")
        counted = ((status.documents, "document"), kinds, (status.vocabulary, "word"))
        learned = ", ".join(pluralize(n, what) for n, what in counted)
        print_message(f"{where}: {learned} in {model_file}", "yellow" if stop.requested else "")
    if stop.requested:
        raise typer.Exit(stop.exit_code)
