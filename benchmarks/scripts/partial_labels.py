"""Labels on 5 % of the documents, with the pull of predicted labels and without it.

    python -m benchmarks.scripts.partial_labels

The corpora are those of ``links_heldout --part themes``. Once all classes have labels, with free topics and without
any; once only every other class has. Printed are the recall of the classes with labels, and the share of the documents
of other classes whose largest topic is a free one. Both are of documents without a label.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import topicwright as tw

from .links_heldout import THEMES, load_themes

N_LABELED, N_FREE, N_SWEEPS = 35, 5, 100


def measure(
    corpus: tw.Corpus, truth: NDArray[np.int64], known: NDArray[np.int64], n_free: int, pull: float, seed: int
) -> tuple[float, float]:
    """Recall of the known classes, and share of the documents of other classes in free topics."""
    rng = np.random.default_rng(seed)
    labels: list[Any] = [None] * corpus.n_docs
    for k in known:
        for d in rng.permutation(np.flatnonzero(truth == k))[:N_LABELED]:
            labels[d] = str(k)
    knowledge = [tw.DocumentLabels(labels, pull=pull)]
    options: dict[str, Any] = {"n_sweeps": N_SWEEPS, "random_state": seed, "evaluate_every": 0}
    model = tw.LDA(len(known) + n_free, knowledge=knowledge, **options).fit(corpus)
    class_of_topic = np.array([int(name) if n < len(known) else -1 for n, name in enumerate(model.topic_names_)])
    found = class_of_topic[model.doc_topic_.argmax(axis=1)]
    unlabeled = np.array([own is None for own in labels])
    is_known = np.isin(truth, known)
    right, others = (found == truth)[unlabeled & is_known], (found == -1)[unlabeled & ~is_known]
    return float(right.mean()), float(others.mean()) if len(others) else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pulls", type=float, nargs="+", default=[0.0, 1.0])
    options = parser.parse_args()
    print("| corpus | classes with labels | free topics | pull | recall | others in free topics |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in THEMES:
        corpus, truth, _ = load_themes(name)
        classes = np.arange(truth.max() + 1)
        for known, n_free in ((classes, N_FREE), (classes, 0), (classes[::2], N_FREE)):
            for pull in options.pulls:
                runs = [measure(corpus, truth, known, n_free, pull, seed) for seed in range(options.seeds)]
                recall, others = np.mean(runs, axis=0)
                print(f"| {name} | {len(known)} | {n_free} | {pull:g} | {recall:.2f} | {others:.2f} |", flush=True)


if __name__ == "__main__":
    main()
