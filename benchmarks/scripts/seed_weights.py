"""Accuracy of seeded topics by the weight of the seeds, beside keyATM in topica and word priors in tomotopy.

    python -m benchmarks.scripts.seed_weights --json seeds.jsonl
    python -m benchmarks.scripts.seed_weights --show seeds.jsonl

The corpora and the seeds are those of ``links_heldout --part themes``: a few words of each class, from 20 labeled
documents of it. A document counts as right if its largest topic is that of its class, among the seeded topics and as
many free ones.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import topicwright as tw

from ..common.averages import mean_and_error
from .links_heldout import THEMES, load_themes

N_SEEDS_PER_CLASS, N_FREE = 5, 5
WEIGHTS = (1.0, 10.0, 30.0, 100.0, 1000.0)
N_SWEEPS = 150
KEYATM_SWEEPS, TOMOTOPY_SWEEPS = 300, 200
PRIOR, REST = 1.0, 0.1  # of tomotopy: of a seed in its topic and elsewhere

Groups = list[list[str]]


def accuracy(largest: NDArray[Any], truth: NDArray[np.int64]) -> float:
    """Share of documents whose largest topic is the one of their class."""
    return float((largest == truth).mean())


def ours(
    corpus: tw.Corpus, truth: NDArray[np.int64], groups: Groups, n_free: int, seed: int, weight: float
) -> dict[str, float]:
    """Accuracy of ``doc_topic_``."""
    seeds = tw.SeedWords({str(k): words for k, words in enumerate(groups)}, weight=weight)
    options: dict[str, Any] = {"n_sweeps": N_SWEEPS, "random_state": seed, "evaluate_every": 0}
    model = tw.LDA(len(groups) + n_free, knowledge=[seeds], **options).fit(corpus)
    number = np.array([int(name) if k < len(groups) else -1 for k, name in enumerate(model.topic_names_)])
    return {"accuracy": accuracy(number[model.doc_topic_.argmax(axis=1)], truth)}


def keyatm(corpus: tw.Corpus, truth: NDArray[np.int64], groups: Groups, n_free: int, seed: int) -> dict[str, float]:
    """Accuracy of topica's KeyATM."""
    from topica import KeyATM

    texts = [[str(corpus.vocabulary[w]) for w in document] for document in corpus]
    keywords = {str(k): words for k, words in enumerate(groups)}
    model = KeyATM(num_topics=len(groups) + n_free, keywords=keywords, seed=seed, num_threads=1)
    model.fit(texts, iters=KEYATM_SWEEPS)
    return {"accuracy": accuracy(np.asarray(model.doc_topic).argmax(axis=1), truth)}


def word_prior(corpus: tw.Corpus, truth: NDArray[np.int64], groups: Groups, n_free: int, seed: int) -> dict[str, float]:
    """Accuracy of tomotopy's LDA with a word prior."""
    import tomotopy

    n_topics = len(groups) + n_free
    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.01, seed=seed)
    for document in corpus:
        model.add_doc([str(corpus.vocabulary[w]) for w in document] or ["-"])
    for k, words in enumerate(groups):
        for word in words:
            model.set_word_prior(word, [PRIOR if topic == k else REST for topic in range(n_topics)])
    model.train(TOMOTOPY_SWEEPS, workers=1)
    theta = np.array([document.get_topic_dist() for document in model.docs])
    return {"accuracy": accuracy(theta.argmax(axis=1), truth)}


def show(path: Path) -> None:
    """Print a table of the means."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    corpora, methods = (list(dict.fromkeys(run[name] for run in runs)) for name in ("corpus", "method"))
    print(f"| | {' | '.join(corpora)} |\n| --- |{' ---: |' * len(corpora)}")
    for method in methods:
        cells = []
        for corpus in corpora:
            own = [run for run in runs if (run["corpus"], run["method"]) == (corpus, method)]
            means = [
                mean_and_error([run["accuracy"] for run in own if run["n_free"] == n_free] or [None])[0]
                for n_free in (N_FREE, 0)
            ]
            cells.append(" / ".join("–" if mean is None else f"{mean:.2f}" for mean in means))
        print(f"| {method} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=[*map(str, WEIGHTS), "keyATM", "word prior"])
    parser.add_argument("--json", type=Path, default=Path("seed_weights.jsonl"))
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return
    for name in THEMES:
        corpus, truth, words = load_themes(name)
        groups = [list(own[:N_SEEDS_PER_CLASS]) for own in words]
        for seed in range(options.seeds):
            for n_free in (N_FREE, 0):
                for method in options.methods:
                    task = (corpus, truth, groups, n_free, seed)
                    if method in ("keyATM", "word prior"):
                        found = {"keyATM": keyatm, "word prior": word_prior}[method](*task)
                    else:
                        found = ours(*task, float(method))
                    run = {"corpus": name, "method": method, "seed": seed, "n_free": n_free, **found}
                    with options.json.open("a") as file:
                        file.write(json.dumps(run) + "\n")


if __name__ == "__main__":
    main()
