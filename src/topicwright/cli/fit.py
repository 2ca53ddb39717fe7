"""The ``topicwright fit`` command: learn topics from a file of documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.formatting import pluralize
from ..errors import InputError
from . import _options as options
from ._console import print_message, spinner
from ._fit_options import BackendOptions, TaskOptions
from ._inputs import InputOptions, WordOptions, check_labels, read_documents, read_knowledge_files
from ._options import OptionGroup, Select, expand_groups
from ._outputs import check_model
from ._training import SaveInterval, Train, report, train_and_save

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..knowledge.io.files import KnowledgeFile
    from ..steering.replay import Recording

_option = partial(options.option, "Model")
_EVALUATE_EVERY = 10  # sweeps, for the progress


@dataclass(frozen=True, kw_only=True)
class ModelOptions(OptionGroup):
    """Parameters that all models share."""

    topics: Annotated[
        int | None,
        _option("Number of topics.", "--topics", "-k", metavar="K", default="100; with --predict 40", min=1),
    ] = None
    sweeps: Annotated[
        int | None,
        _option(
            "Number of Gibbs sweeps.",
            "--sweeps",
            "-n",
            metavar="N",
            default="200; with --predict or --labels 50",
            min=1,
        ),
    ] = None
    alpha: Annotated[
        str | None,
        _option(
            "Prior of topics in a document, or learn.",
            metavar="NUMBER",
            default="0.1; with --predict by length",
        ),
    ] = None
    beta: Annotated[
        str | None,
        _option(
            "Prior of words in a topic, or learn.",
            metavar="NUMBER",
            default="0.01; with --predict or --labels 0.1",
        ),
    ] = None
    one_topic_per_document: Annotated[
        bool, _option("All words of a document have one topic; for short texts, with --beta 0.1.", default=False)
    ] = False
    knowledge: Annotated[
        list[str] | None,
        _option("Knowledge file (YAML or JSON): links, seeds, labels; can be repeated.", metavar="FILE", default=False),
    ] = None
    seed: Annotated[int, _option("Random seed; the same seed gives the same model.", metavar="N", min=0)] = 0

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of a model, other than knowledge."""
        return {
            "n_topics": self.topics,
            "n_sweeps": self.sweeps,
            "alpha": _parse_prior("--alpha", self.alpha),
            "beta": _parse_prior("--beta", self.beta),
            "one_topic_per_document": self.one_topic_per_document or None,
            "random_state": self.seed,
        }


def _parse_prior(option: str, text: str | None) -> float | str | None:
    if text is None or text == "learn":
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(parameter=option, expected="a positive number, or learn", got=text)
    return value


@expand_groups
def fit(
    source: options.Input,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default=False)
    ],
    model: ModelOptions,
    task: TaskOptions,
    reading: Annotated[
        InputOptions,
        Select("format", "text_field", "label_field", "label_separator", "id_field", "date_field", "on_error"),
    ],
    words: WordOptions,
    backend: BackendOptions,
    keep_texts: options.KeepTexts = False,
    no_corpus: Annotated[
        bool,
        typer.Option("--no-corpus", help="Do not store the documents: a smaller file, which resume cannot continue."),
    ] = False,
    save_every: options.SaveEvery = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Learn topics from a file of documents.

    Ctrl-C stops after the current sweep and saves the model.
    """
    interval = SaveInterval.parse(save_every)
    if interval is not None and backend.backend is not None:
        raise InputError("--save-every is not for --backend, which saves every sweep in its directory: leave it out")
    files = model.knowledge or []
    check_model(output, source, *files)
    if [source, *files].count("-") > 1:
        raise InputError("standard input can be read only once: got - for more than one file")
    task.check(model.topics)
    if model.one_topic_per_document and task.field is not None:
        raise InputError("--one-topic-per-document cannot be used with --predict or --labels")
    if keep_texts and no_corpus:
        raise InputError("--keep-texts and --no-corpus contradict each other: pass one of them")
    fit_parameters = backend.parameters()
    reading, word_parameters, parameters = task.with_field(reading), words.parameters(), model.parameters()
    with spinner("reading knowledge", quiet=quiet or not files):
        contents = read_knowledge_files(files)
        knowledge = [item for file in contents for item in file.items]
        recording = _recording(contents, model, task, backend)
    with backend.corpus_folder() as store:
        with spinner(f"reading {source}", quiet=quiet):
            corpus = read_documents(source, reading, **word_parameters, keep_texts=keep_texts, store=store)
        backend.check_shards(corpus.n_docs)
        check_labels(knowledge, corpus)
        facts = [_describe(corpus), *([] if task.field is None else [task.describe(corpus, source)])]
        corpus = task.training_documents(corpus)
        for fact in [*facts, *filter(None, [backend.no_run_message()])] * (not quiet):
            print_message(fact)
        with spinner("getting ready", quiet=quiet):
            estimator = task.new_model(**parameters, n_jobs=jobs, knowledge=knowledge, evaluate_every=_EVALUATE_EVERY)
        train: Train = partial(estimator.fit, corpus, **fit_parameters)
        n_sweeps = estimator.n_sweeps
        if recording is not None:
            if interval is not None:
                raise InputError(f"{recording.name} has steps, which are not saved in between: leave --save-every out")
            train, n_sweeps = _replay(recording, corpus, jobs), recording.n_sweeps
        outcome = train_and_save(
            train,
            output,
            quiet=quiet,
            include_corpus=not no_corpus,
            field=task.field,
            n_sweeps=n_sweeps,
            save_every=interval,
        )
        resume_command = None if backend.checkpoint_dir is None else "the same command and --resume"
        report(outcome, n_sweeps, quiet=quiet, as_json=json, resume_command=resume_command)


def _describe(corpus: Corpus) -> str:
    words = f"{pluralize(corpus.n_tokens, 'word')}, {pluralize(corpus.n_words, 'distinct word')}"
    return f"read {pluralize(corpus.n_docs, 'document')}: {words}"


def _recording(
    files: Sequence[KnowledgeFile], model: ModelOptions, task: TaskOptions, backend: BackendOptions
) -> Recording | None:
    """Steering steps of a knowledge file, which define the whole model, so that other options must not be passed."""
    if all(file.steps is None for file in files):
        return None
    from ..steering.replay import parse_recording

    recording = next(found for file in files if (found := parse_recording(file)) is not None)
    if len(files) > 1:
        raise InputError(f"{recording.name} has steps, which define the whole model: pass no other knowledge file")
    options = {
        "--topics": model.topics,
        "--sweeps": model.sweeps,
        "--alpha": model.alpha,
        "--beta": model.beta,
        "--one-topic-per-document": model.one_topic_per_document,
        "--seed": model.seed,
        "--predict": task.predict,
        "--labels": task.labels,
        "--backend": backend.backend,
    }
    for name, value in options.items():
        if value:
            raise InputError(f"{recording.name} has steps, which define the whole model: leave {name} out")
    return recording


def _replay(recording: Recording, corpus: Corpus, jobs: int) -> Train:
    """Training that takes all steps of a recording."""

    def train(*, on_sweep: Any) -> Any:
        return recording.replay(corpus, jobs, on_sweep).model

    return train
