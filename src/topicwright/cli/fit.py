"""``topicwright fit``: learn topics from a file of documents."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.formatting import pluralize
from ..errors import InputError
from . import _backend_options as placing
from . import _options as options
from ._console import say, waiting
from ._inputs import InputOptions, WordOptions, check_labels, read_documents, read_known
from ._outputs import check_model
from ._task_options import Target, UnlabeledPolicy
from ._training import Train, report, train_and_save

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..corpus.formats.files import Source
    from ..steering.replay import Recording


class _StandardInput(io.BytesIO):
    name = "standard input"


def to_read_twice(files: list[str]) -> list[Source]:
    """Files of knowledge, of which standard input is kept: it may have steps as well."""
    return [_StandardInput(sys.stdin.buffer.read()) if file == "-" else file for file in files]


def steps_in(files: list[Source], options: Mapping[str, Any]) -> Recording | None:
    """The steps that a file has; they say all that there is to say, so that ``options`` must be None or False."""
    if not files:
        return None
    from ..steering.replay import read_recording

    for file in files:
        if isinstance(file, _StandardInput):
            file.seek(0)
    found = [told for file in files if (told := read_recording(file)) is not None]
    if not found:
        return None
    if len(files) > 1:
        raise InputError(f"{found[0].name} has steps, which say all that is known: give no other file of knowledge")
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{found[0].name} has steps, and says with what model they began: leave {given[0]} out")
    return found[0]


def replaying(told: Recording, corpus: Corpus, jobs: int) -> Train:
    """Training that takes all steps."""

    def train(*, on_sweep: Any) -> Any:
        return told.replay(corpus, jobs, on_sweep).model

    return train


_model, _predicting = partial(options.option, "Model"), partial(options.option, "Predicting")
_labels = partial(options.option, "Labels as topics")
_LIKELIHOOD_EVERY = 10  # sweeps, for the progress


def fit(
    source: options.Input,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default=False)
    ],
    topics: Annotated[
        int | None,
        _model("Number of topics.", "--topics", "-k", metavar="K", default="100; with --predict 40", min=1),
    ] = None,
    sweeps: Annotated[
        int | None,
        _model(
            "Times that every word draws its topic anew.",
            "--sweeps",
            "-n",
            metavar="N",
            default="200; with --predict or --labels 50",
            min=1,
        ),
    ] = None,
    alpha: Annotated[
        str | None,
        _model(
            "Prior of topics in a document: a number, or learn.",
            metavar="NUMBER",
            default="0.1; with --predict by length",
        ),
    ] = None,
    beta: Annotated[
        str | None,
        _model(
            "Prior of words in a topic: a number, or learn.",
            metavar="NUMBER",
            default="0.01; with --predict or --labels 0.1",
        ),
    ] = None,
    knowledge: Annotated[
        list[str] | None,
        _model(
            "What is known of words and documents, in YAML or JSON; may be given again.", metavar="FILE", default=False
        ),
    ] = None,
    seed: Annotated[int, _model("Same seed, same answer.", metavar="N", min=0)] = 0,
    predict: Annotated[
        str | None,
        _predicting(
            "Learn topics that predict this field: classes, or labels where documents have several.",
            metavar="FIELD",
            default=False,
        ),
    ] = None,
    numbers: Annotated[bool, _predicting("The field holds numbers: predict a number.", "--numbers")] = False,
    loss: Annotated[
        str | None,
        _predicting(
            "Loss function: hinge, or logistic for probabilities; with --numbers epsilon_insensitive or squared.",
            metavar="NAME",
            default="hinge; with --numbers epsilon_insensitive",
        ),
    ] = None,
    cost: Annotated[
        float | None,
        _predicting(
            "How much predictions count against the words.",
            metavar="NUMBER",
            default="1.6, or more where classes have few documents; with logistic 50, with --numbers 16",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        _predicting(
            "How far the hinge loss pulls classes apart.",
            metavar="NUMBER",
            default="64, or 8 with labels; less for short documents",
        ),
    ] = None,
    word_weights: Annotated[
        bool, _predicting("Words have weights of their own beside topics: better predictions.", "--word-weights")
    ] = False,
    labels: Annotated[
        str | None,
        _labels(
            "Make each label in this field a topic, and share out the words of a document among its labels.",
            metavar="FIELD",
            default=False,
        ),
    ] = None,
    background: Annotated[
        int | None,
        _labels(
            "Topics beside the labels that every document may use, for words that all share.",
            metavar="N",
            default="none",
            min=0,
        ),
    ] = None,
    unlabelled: Annotated[
        UnlabeledPolicy | None,
        _labels("Documents without labels: skip them, or let them have any label.", default="skip"),
    ] = None,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    label_separator: options.LabelSeparator = None,
    id_field: options.IdField = None,
    date_field: options.DateField = None,
    keep_texts: options.KeepTexts = False,
    on_error: options.Errors = options.OnError.stop,
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_words: options.MaxWords = None,
    stop_words: options.StopWords = "english",
    ngrams: options.Ngrams = 1,
    no_corpus: Annotated[
        bool, typer.Option("--no-corpus", help="Leave the documents out of the model file: smaller, no resume.")
    ] = False,
    backend: placing.BackendName = None,
    address: placing.Address = None,
    shards: placing.Shards = None,
    rounds: placing.Rounds = None,
    in_memory: placing.InMemory = None,
    cpus_per_worker: placing.CpusPerWorker = None,
    sweep_timeout: placing.SweepTimeout = None,
    max_restarts: placing.MaxRestarts = None,
    checkpoint_dir: placing.CheckpointDir = None,
    resume: placing.GoOn = False,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Learn topics from a file of documents.

    With --predict the topics are learned together with what they are to predict: see topicwright predict.
    With --labels every label is a topic (Labeled LDA): topics, predict and explain tell of labels then.
    A --knowledge file with the steps of a model that was steered gives that very model again.

    Ctrl-C ends the training after the sweep that is under way and saves the model so far.
    """
    files = knowledge or []
    check_model(output, source, *files)
    if [source, *files].count("-") > 1:
        raise InputError("standard input can be read only once: got - for more than one file")
    target = Target(predict, numbers, loss, cost, margin, word_weights, labels, background, unlabelled)
    target.check(topics)
    if keep_texts and no_corpus:
        raise InputError("--keep-texts and --no-corpus ask for two things: give one of them")
    of_ray = (cpus_per_worker, sweep_timeout, max_restarts)
    place = placing.BackendOptions(backend, address, shards, rounds, in_memory, *of_ray, checkpoint_dir, resume)
    placed = place.options()
    reading = target.reading(
        InputOptions(format, text_field, label_field, label_separator, id_field, date_field, on_error=on_error)
    )
    words = WordOptions(min_df, max_df, max_words, stop_words, ngrams).options()
    settings: dict[str, Any] = {"n_topics": topics, "n_sweeps": sweeps, "random_state": seed, "n_jobs": jobs}
    settings |= {"alpha": _prior("--alpha", alpha), "beta": _prior("--beta", beta)}
    with waiting("reading what is known", quiet=quiet or not files):
        sources = to_read_twice(files)
        known = read_known(sources)
        given = {"--topics": topics, "--sweeps": sweeps, "--alpha": alpha, "--beta": beta, "--seed": seed}
        steps = steps_in(sources, given | {"--predict": predict, "--labels": labels, "--backend": placed})
    with place.corpus_folder() as store:
        with waiting(f"reading {source}", quiet=quiet):
            corpus = read_documents(source, reading, **words, keep_texts=keep_texts, store=store)
        place.check(corpus.n_docs)
        check_labels(known, corpus)
        words_read = f"{pluralize(corpus.n_tokens, 'word')}, {pluralize(corpus.n_words, 'different one')}"
        facts = [f"read {pluralize(corpus.n_docs, 'document')}: {words_read}"]
        if target.field is not None:
            facts.append(target.found_in(corpus, source))
            corpus = target.documents(corpus)
        for fact in [*facts, *filter(None, [place.begins()])] * (not quiet):
            say(fact)
        with waiting("getting ready", quiet=quiet):
            model = target.model(**settings, knowledge=known, evaluate_every=_LIKELIHOOD_EVERY)
        train: Train = partial(model.fit, corpus, **placed) if steps is None else replaying(steps, corpus, jobs)
        asked = model.n_sweeps if steps is None else steps.n_sweeps
        trained = train_and_save(
            train, output, quiet=quiet, include_corpus=not no_corpus, field=target.field, asked=asked
        )
        again = None if checkpoint_dir is None else "the same command and --resume"
        report(trained, asked, quiet=quiet, as_json=json, again=again)


def _prior(option: str, text: str | None) -> float | str | None:
    if text is None or text == "learn":
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise typer.BadParameter(f"it must be a positive number, or learn: got {text}", param_hint=option)
    return value
