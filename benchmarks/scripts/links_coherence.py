"""Effect of must-links on coherence: the same model with and without links, over several seeds.

    python -m benchmarks.scripts.links_coherence --links 1000 --n-topics 100 --sweeps 100 --seeds 5

The corpora are those of ``reference_sclda``; the links come from the corpus itself (`links_from_corpus`).
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import topicwright as tw

from ..common.averages import mean_and_error
from ..common.tables import number, with_error
from .reference_sclda import newsgroups, nips

FIRMNESS: dict[str, Any] = {
    "no links": 0.0,
    "firmness 0.1": 0.1,
    "firmness 0.25": 0.25,
    "firmness 0.5": 0.5,
    "SC-LDA's own": None,
}


def measure(model: tw.LDA, corpus: tw.Corpus, links: list[tuple[str, str]]) -> dict[str, float]:
    umass = tw.evaluation.coherence(model, corpus, "mimno", epsilon=1e-12, per_topic=True)
    where = {word: n for n, word in enumerate(model.vocabulary_)}
    shares = model.topic_word_counts_.toarray() / np.maximum(corpus.word_counts(), 1)
    overlap = [np.minimum(shares[:, where[a]], shares[:, where[b]]).sum() for a, b in links]
    return {
        "npmi": float(np.nanmean(tw.evaluation.coherence(model, corpus, "npmi", window=0, per_topic=True))),
        "umass": float(np.nanmean(umass)),
        "umass top 20": float(np.sort(umass[np.isfinite(umass)])[-20:].mean()),
        "agreement": float(np.mean(overlap)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", choices=["nips", "20ng"], default="nips")
    parser.add_argument("--links", type=int, default=1000)
    parser.add_argument("--n-topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = nips() if options.corpus == "nips" else newsgroups()
    links = tw.links_from_corpus(corpus, threshold=0.3, most=options.links)
    print(f"{corpus}, {len(links)} links, K = {options.n_topics}, {options.sweeps} sweeps, {options.seeds} seeds")
    found: dict[str, list[dict[str, float]]] = {name: [] for name in FIRMNESS}
    for seed in range(options.seeds):
        for name, firmness in FIRMNESS.items():
            model = tw.LDA(
                options.n_topics,
                alpha=options.alpha,
                knowledge=[tw.MustLinks(links, firmness=firmness)],
                n_sweeps=options.sweeps,
                random_state=seed,
                evaluate_every=0,
            )
            started = time.process_time()
            model.fit(corpus)
            seconds = time.process_time() - started
            found[name].append({**measure(model, corpus, links), "CPU s": seconds})
    for name, rows in found.items():
        means = {key: mean_and_error([row[key] for row in rows]) for key in rows[0]}
        print(
            f"{name:14}",
            "  ".join(f"{key} {with_error(mean, partial(number, digits=3))}" for key, mean in means.items()),
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
