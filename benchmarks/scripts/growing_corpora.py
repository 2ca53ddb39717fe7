"""Updates of LDA on a stream of arXiv abstracts, compared with retraining from scratch at every period.

    python -m benchmarks.scripts.growing_corpora retraining
    python -m benchmarks.scripts.growing_corpora new-topics
    python -m benchmarks.scripts.growing_corpora chance

"retraining" compares held-out perplexity, CPU time and the top words of topics. "new-topics" withholds five categories
until mid-stream. "chance" shuffles the stream, so that nothing in it is new: every topic that opens is spurious. The
abstracts are those of ``arxiv100k.jsonl.xz`` in ``$TOPICWRIGHT_DATA``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import time
import warnings
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

import topicwright as tw
from topicwright.corpus import align

DATA = Path(os.environ.get("TOPICWRIGHT_DATA", "")) / "arxiv100k.jsonl.xz"
WITHHELD = ("quant-ph", "math.LO", "cs.RO", "physics.plasm-ph", "cond-mat.quant-gas")
HELD_OUT = 11  # every eleventh document of a period


class Document(NamedTuple):
    text: str
    labels: frozenset[str]


def read_stream(path: Path, n_docs: int, since: str, shuffle: bool) -> list[Document]:
    """A random sample of the abstracts since a date, in their order."""
    with lzma.open(path, "rt", encoding="utf8") as file:
        rows = [row for row in map(json.loads, file) if row["date"] >= since]
    chosen = random.Random(0).sample(rows, min(n_docs, len(rows)))
    if not shuffle:
        chosen.sort(key=lambda row: row["date"])
    return [Document(row["text"], frozenset(row["labels"])) for row in chosen]


def periods_of(stream: list[Document], n_periods: int) -> list[list[Document]]:
    return [[stream[row] for row in rows] for rows in np.array_split(np.arange(len(stream)), n_periods)]


def texts(documents: list[Document]) -> list[str]:
    return [document.text for document in documents]


def fit_base(documents: list[Document], options: argparse.Namespace) -> tw.LDA:
    corpus = tw.Corpus.from_texts(texts(documents), min_df=3, stop_words="english")
    return tw.LDA(options.n_topics, n_sweeps=options.sweeps, evaluate_every=0).fit(corpus)


def overlap(one: list[str], other: list[str]) -> float:
    return len(set(one) & set(other)) / max(1, len(one))


def aligned_agreement(one: tw.LDA, other: tw.LDA, chosen: list[int]) -> float:
    """Agreement of the top words of topics with those of the best one-to-one assignment in another model."""
    tops, others = one.top_words(10), other.top_words(10)
    table = np.array([[overlap(own, words) for words in others] for own in tops])
    rows, columns = linear_sum_assignment(-table)
    best = dict(zip(rows.tolist(), columns.tolist()))
    return float(np.mean([table[topic, best[topic]] for topic in chosen if topic in best]))


def compare_with_retraining(options: argparse.Namespace) -> None:
    stream = read_stream(options.data, options.documents, options.since, shuffle=False)
    parts = periods_of(stream, options.periods)
    train = [[doc for n, doc in enumerate(part) if n % HELD_OUT] for part in parts]
    tests = [[doc for n, doc in enumerate(part) if n % HELD_OUT == 0] for part in parts]
    first = options.base_periods
    so_far = [doc for part in train[:first] for doc in part]
    model = fit_base(so_far, options)
    trained_again = deepcopy(model)
    seconds, again_seconds, retrained_seconds = 0.0, 0.0, 0.0
    for part, test in zip(train[first:], tests[first:]):
        so_far += part
        before, new = model.top_words(10), tw.Corpus.from_texts(texts(part), stop_words="english")
        started = time.process_time()
        report = model.update(new)
        seconds += time.process_time() - started
        heldout = align(tw.Corpus.from_texts(texts(test), stop_words="english"), model.vocabulary_).corpus
        corpus = align(tw.Corpus.from_texts(texts(so_far), stop_words="english"), model.vocabulary_).corpus
        again = []
        for seed in range(options.seeds):
            started = time.process_time()
            settings: dict[str, Any] = {"n_sweeps": options.sweeps, "random_state": seed, "evaluate_every": 0}
            again.append(tw.LDA(len(model.alpha_), **settings).fit(corpus))
            retrained_seconds += (time.process_time() - started) / options.seeds
        own_before = trained_again.top_words(10)
        started = time.process_time()
        trained_again.update(corpus, memory=0.0, max_topics=options.n_topics)
        again_seconds += time.process_time() - started
        own_kept = float(np.mean([overlap(a, b) for a, b in zip(own_before, trained_again.top_words(10))]))
        figures = [model.perplexity(heldout), *(other.perplexity(heldout) for other in again)]
        same = [change.topic for change in report.topics if change.status == "" and change.topic < len(before)]
        tops = model.top_words(10)
        kept = float(np.mean([overlap(before[topic], tops[topic]) for topic in same]))
        seeds = aligned_agreement(again[0], again[1], list(range(len(again[0].alpha_)))) if len(again) > 1 else np.nan
        print(
            f"{len(so_far):6,} documents, {len(model.alpha_)} topics: perplexity {figures[0]:,.0f}, retrained "
            f"{figures[1]:,.0f} ({figures[0] / figures[1] - 1:+.1%}); top words of {len(same)} topics as before "
            f"{kept:.2f}, of two retrained seeds {seeds:.2f}; CPU time so far {seconds:.1f} s and "
            f"{retrained_seconds:.0f} s ({seconds / retrained_seconds:.3f})\n"
            "    updated with all documents and memory=0.0: "
            f"{trained_again.perplexity(heldout) / figures[1] - 1:+.1%}, top words as before {own_kept:.2f}, "
            f"CPU time {again_seconds / retrained_seconds:.2f}",
            flush=True,
        )


def count_new_topics(options: argparse.Namespace, withheld: tuple[str, ...]) -> None:
    stream = read_stream(options.data, options.documents, options.since, shuffle=not withheld)
    parts = periods_of(stream, options.periods)
    without = [[doc for doc in part if not doc.labels & set(withheld)] for part in parts]
    first, mid = options.base_periods, options.periods // 2
    model = fit_base([doc for part in without[:first] for doc in part], options)
    seen: Counter[str] = Counter()
    n_read = n_opened = 0
    for number, (part, rest) in enumerate(zip(parts[first:], without[first:]), first):
        own = part if number >= mid else rest
        report = model.update(texts(own))
        n_read, n_opened = n_read + len(own), n_opened + len(report.new_topics)
        seen.update(label for doc in own for label in doc.labels & set(withheld))
        print(f"period {number}: {len(own):,} documents, {len(model.alpha_)} topics", flush=True)
        largest, tops = model.doc_topic_.argmax(axis=1), model.top_words(8)
        for topic in report.new_topics:
            print(f"  new topic {topic}: {' '.join(tops[topic])}")
        for label in withheld if number >= mid else ():
            has = np.array([label in doc.labels for doc in own])
            topic, n = Counter(largest[has].tolist()).most_common(1)[0]
            kind = "old" if topic < options.n_topics else "new"
            precision = n / int((largest == topic).sum())
            print(f"  {label}: after {seen[label]} documents {kind} topic {topic}, {n / has.sum():.0%} of them, "
                  f"{precision:.0%} of the topic")  # fmt: skip
    print(f"{n_opened} topics opened in {n_read:,} documents")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["retraining", "new-topics", "chance"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--since", default="2014")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--periods", type=int, default=10)
    parser.add_argument("--base-periods", type=int, default=2)
    parser.add_argument("--n-topics", type=int, default=50)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "retraining":
        compare_with_retraining(options)
    else:
        count_new_topics(options, WITHHELD if options.what == "new-topics" else ())


if __name__ == "__main__":
    main()
