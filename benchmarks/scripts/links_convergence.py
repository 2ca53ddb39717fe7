"""Figures 2 and 3 of the SC-LDA paper at convergence: all methods after equal sweeps and after equal CPU time.

    python -m benchmarks.scripts.links_convergence --n-topics 100 --json links_100.jsonl
    python -m benchmarks.scripts.links_convergence --show links_100.jsonl

The corpus is UCI's NIPS. Every fifth document is held out for coherence and perplexity. Each run is a line of the file
as soon as it is done, and a run that the file already has is not repeated. Figure 3 of ``python -m benchmarks sclda``
has a smaller budget and no held-out documents.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import topicwright as tw

from ..common.averages import mean_and_error
from ..common.metrics import Completion, joint_log_likelihood, topic_word_of
from ..common.schedule import Contestant
from ..common.tables import number, with_error
from ..sclda.context import N_LINKS, SCLDAContext, methods
from ..sclda.corpora import find_links
from ..sclda.options import SCLDAOptions
from .reference_sclda import nips

N_BEST = 20
FIGURES = ("sweeps", "seconds", "log_likelihood", "umass", "umass_best", "npmi", "npmi_best", "perplexity", "agreement")


def evaluate(one: Contestant, context: SCLDAContext, heldout: tw.Corpus, n_topics: int) -> dict[str, float]:
    """Figures of a method as it is now."""
    options, corpus = context.options, context.corpus_of("links")
    z = one.model.assignments
    own_phi = getattr(one.model, "topic_word", None)
    phi = topic_word_of(corpus, z, n_topics, options.beta) if own_phi is None else np.asarray(own_phi())
    top = [corpus.vocabulary[words].tolist() for words in np.argsort(-phi, axis=1, kind="stable")[:, :10]]
    umass = np.sort(tw.evaluation.coherence(top, corpus, "mimno", epsilon=1e-12, per_topic=True))
    npmi = np.sort(tw.evaluation.coherence(top, heldout, "npmi", window=0, per_topic=True))
    shares = np.zeros((n_topics, corpus.n_words))
    np.add.at(shares, (z, corpus.tokens), 1.0)
    shares /= np.maximum(shares.sum(axis=0), 1.0)
    agreement = [np.minimum(shares[:, a], shares[:, b]).sum() for a, b in context.pairs(N_LINKS)]
    values = (
        one.n_sweeps,
        one.seconds,
        joint_log_likelihood(corpus, z, n_topics, options.alpha, options.beta),
        umass.mean(),
        umass[-N_BEST:].mean(),
        npmi.mean(),
        npmi[-N_BEST:].mean(),
        Completion(heldout, options.alpha).perplexity(phi),
        np.mean(agreement),
    )
    return dict(zip(FIGURES, map(float, values)))


def run(one: Contestant, seconds: float, n_sweeps: int, measure: Callable[[], dict[str, float]]) -> dict[str, Any]:
    """Run a method for CPU seconds, and on to a number of sweeps if it has done fewer by then."""
    found: dict[str, Any] = {"method": one.name, "setup": one.setup_seconds}
    while one.seconds < seconds or one.n_sweeps < n_sweeps:
        before = one.seconds
        one.sweep()
        if one.n_sweeps == n_sweeps:
            found["equal sweeps"] = measure()
        if before < seconds <= one.seconds:
            found["equal time"] = measure()
    return found


def load(seconds: float, alpha: float) -> tuple[SCLDAContext, tw.Corpus]:
    """Training documents with their links, and held-out documents."""
    corpus = nips()
    is_heldout = np.arange(corpus.n_docs) % 5 == 4
    training, heldout = corpus.select(~is_heldout), corpus.select(is_heldout)
    options = SCLDAOptions(parts=("figure3",), seconds=seconds, alpha=alpha)
    return SCLDAContext(
        options=options, progress=print, links_corpus=training, links=find_links(training, N_LINKS)
    ), heldout


def show(path: Path) -> None:
    """Print a table of the mean and standard error of each method."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    for when in ("equal sweeps", "equal time"):
        print(f"\n| {when} | {' | '.join(FIGURES)} |\n| --- |{' ---: |' * len(FIGURES)}")
        for method in dict.fromkeys(run["method"] for run in runs):
            rows = [run[when] for run in runs if run["method"] == method]
            cells = [
                with_error(mean_and_error([row[name] for row in rows]), lambda x: number(x, 3)) for name in FIGURES
            ]
            print(f"| {method} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-topics", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--json", type=Path, default=Path("links_convergence.jsonl"))
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return
    context, heldout = load(options.seconds, options.alpha)
    text = options.json.read_text() if options.json.exists() else ""
    done = {(run["method"], run["seed"]) for run in map(json.loads, text.splitlines())}
    for seed in range(options.seeds):
        for one in methods(context, options.n_topics, seed, plain=True):
            if (one.name, seed) in done:
                continue
            measure = partial(evaluate, one, context, heldout, options.n_topics)
            found = {**run(one, options.seconds, options.sweeps, measure), "seed": seed}
            with options.json.open("a") as file:
                file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
