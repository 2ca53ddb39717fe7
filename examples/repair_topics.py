"""Repair topics with what you know: look at a model, say what is wrong with it, and let it go on from there.

    python examples/repair_topics.py [--seed 0]

The texts are the docstrings of NumPy, SciPy and scikit-learn, so that nothing has to be downloaded.
"""

from __future__ import annotations

import argparse
from copy import deepcopy

import topicwright as tw

# What a reader sees in the fifteen topics of the first model: datasets among image filters. Masked arrays are kept from
# frequency filters, where another run had them.
TOGETHER = [
    ("file", "files", "dataset", "load"),
    ("masked", "mask", "maskedarray"),
    ("pixel", "edge", "image"),
    ("frequency", "response", "poles"),
]
APART = [
    ("file", "pixel"),
    ("file", "filter"),
    ("dataset", "edge"),
    ("masked", "frequency"),
    ("mask", "poles"),
    ("mask", "filter"),
]
N_WORDS = 10


def main() -> None:
    """Train, show topics, add links, resume, show topics again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sweeps", type=int, default=200)
    options = parser.parse_args()

    corpus = tw.datasets.load_docstrings()
    before = tw.LDA(n_topics=15, n_sweeps=options.sweeps, random_state=options.seed).fit(corpus)

    # The same model goes on twice: as it is, and with what we know.
    plain = deepcopy(before).resume(options.sweeps)
    known = deepcopy(before)
    known.knowledge = [tw.MustLinks(TOGETHER, firmness=0.5), tw.CannotLinks(APART)]
    known.resume(options.sweeps)

    show_changes(plain, known, corpus)
    print(known.knowledge_report(before=plain))


def show_changes(plain: tw.LDA, known: tw.LDA, corpus: tw.Corpus) -> None:
    """The topics that have other words now, and the coherence of both models."""
    scores = [tw.evaluation.coherence(model, corpus, window=0, per_topic=True) for model in (plain, known)]
    tops = [model.top_words(N_WORDS) for model in (plain, known)]
    for k, (old, new) in enumerate(zip(*tops)):
        if len(set(old) - set(new)) >= 2:
            print(f"topic {k}")
            print(f"  without  {scores[0][k]:.2f}  {' '.join(old)}")
            print(f"  with     {scores[1][k]:.2f}  {' '.join(new)}")
    print(f"coherence (NPMI) of all topics: without {scores[0].mean():.3f}, with {scores[1].mean():.3f}\n")


if __name__ == "__main__":
    main()
