"""``topicwright fit``: learn topics from a file of documents."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import _options as options
from . import _placing as placing
from ._console import say, waiting
from ._files import check_model
from ._reading import Reading, Words, read_documents, read_known
from ._replaying import replaying, steps_in, to_read_twice
from ._targets import Loss, Target, Unlabelled
from ._training import Train, report, train_and_save

_MODEL, _PREDICTING, _LABELS = "Model", "Predicting", "Labels as topics"
_LIKELIHOOD_EVERY = 10  # sweeps, for the progress


def fit(
    source: options.Input,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default=False)
    ],
    topics: Annotated[
        int | None,
        typer.Option(
            "--topics",
            "-k",
            min=1,
            metavar="K",
            help="Number of topics.",
            rich_help_panel=_MODEL,
            show_default="100; with --predict 40",
        ),
    ] = None,
    sweeps: Annotated[
        int | None,
        typer.Option(
            "--sweeps",
            "-n",
            min=1,
            metavar="N",
            help="Times that every word draws its topic anew.",
            rich_help_panel=_MODEL,
            show_default="200; with --predict or --labels 50",
        ),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Prior of topics in a document: a number, or learn.",
            rich_help_panel=_MODEL,
            show_default="0.1; with --predict by length",
        ),
    ] = None,
    beta: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Prior of words in a topic: a number, or learn.",
            rich_help_panel=_MODEL,
            show_default="0.01; with --predict or --labels 0.1",
        ),
    ] = None,
    knowledge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="What is known of words and documents, in YAML or JSON; may be given again.",
            rich_help_panel=_MODEL,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Same seed, same answer.", rich_help_panel=_MODEL)] = 0,
    predict: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Learn topics that predict this field: classes, or labels where documents have several.",
            rich_help_panel=_PREDICTING,
            show_default=False,
        ),
    ] = None,
    numbers: Annotated[
        bool,
        typer.Option("--numbers", help="The field holds numbers: predict a number.", rich_help_panel=_PREDICTING),
    ] = False,
    loss: Annotated[
        Loss | None,
        typer.Option(
            help="What a wrong class costs; logistic gives probabilities.",
            rich_help_panel=_PREDICTING,
            show_default="hinge",
        ),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="How much predictions count against the words. With logistic try 10 to 200.",
            rich_help_panel=_PREDICTING,
            show_default="1.6; with --numbers 16",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="How far the hinge loss pulls classes apart.",
            rich_help_panel=_PREDICTING,
            show_default="64, or 8 with labels; less for short documents",
        ),
    ] = None,
    word_weights: Annotated[
        bool,
        typer.Option(
            "--word-weights",
            help="Words have weights of their own beside topics: better predictions.",
            rich_help_panel=_PREDICTING,
        ),
    ] = False,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Make each label in this field a topic, and share out the words of a document among its labels.",
            rich_help_panel=_LABELS,
            show_default=False,
        ),
    ] = None,
    background: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Topics beside the labels that every document may use, for words that all share.",
            rich_help_panel=_LABELS,
            show_default="none",
        ),
    ] = None,
    unlabelled: Annotated[
        Unlabelled | None,
        typer.Option(
            help="Documents without labels: skip them, or let them have any label.",
            rich_help_panel=_LABELS,
            show_default="skip",
        ),
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
    place = placing.Placing(backend, address, shards, rounds, in_memory, *of_ray, checkpoint_dir, resume)
    placed = place.options()
    reading = target.reading(
        Reading(format, text_field, label_field, label_separator, id_field, date_field, on_error=on_error)
    )
    words = Words(min_df, max_df, max_words, stop_words, ngrams).options()
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
        facts = [f"read {corpus.n_docs:,} documents: {corpus.n_tokens:,} words, {corpus.n_words:,} different ones"]
        if target.field is not None:
            facts.append(target.found_in(corpus, source))
            corpus = target.documents(corpus)
        for fact in facts * (not quiet):
            say(fact)
        with waiting("getting ready", quiet=quiet):
            model = target.model(**settings, knowledge=known, evaluate_every=_LIKELIHOOD_EVERY)
        train: Train = partial(model.fit, corpus, **placed) if steps is None else replaying(steps, corpus, jobs)
        asked = model.n_sweeps if steps is None else steps.n_sweeps
        trained = train_and_save(train, output, quiet=quiet, include_corpus=not no_corpus, field=target.field)
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
