"""OnlineLDA on streams without labels: perplexity against CPU time, and the cost per word of a long stream.

    python -m benchmarks.scripts.online_lda 20newsgroups.jsonl.xz arxiv100k.jsonl.xz nips12.jsonl.xz
    python -m benchmarks.scripts.online_lda arxiv100k.jsonl.xz --part long --words 30000000

The programs read the same documents in the same order, with the same α and all words known beforehand. gensim and
scikit-learn have two rows: as far as they come in the CPU time of ``OnlineLDA``, and after one pass. ``LDA`` has all
documents at once. Perplexity is that of ``Completion`` on every tenth document, which no program reads.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import topicwright as tw
from benchmarks.common.metrics import Completion
from topicwright.corpus import read_corpus

ALPHA = 0.1
HELD_OUT = 10
PEER_BETA = 0.01  # of gensim and scikit-learn: 1 / K, the default of both

Floats = NDArray[np.float64]


def load(path: str, every: int, first: int) -> tuple[tw.Corpus, tw.Corpus]:
    """Documents to learn from, in the order of the file, and held-out documents."""
    corpus = read_corpus(path, stop_words="english")
    corpus = corpus.select(np.arange(first, corpus.n_docs, every)).prune(min_df=5)
    is_held_out = np.arange(corpus.n_docs) % HELD_OUT == HELD_OUT // 2
    return corpus.select(~is_held_out), corpus.select(is_held_out)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def batches(corpus: tw.Corpus, size: int) -> Iterator[tw.Corpus]:
    """Documents in batches."""
    for first in range(0, corpus.n_docs, size):
        yield corpus.select(np.arange(first, min(first + size, corpus.n_docs)))


def online_lda(corpus: tw.Corpus, n_topics: int, **options: Any) -> Floats:
    """Topics of ``OnlineLDA``, one column for each word of the corpus."""
    model = tw.OnlineLDA(n_topics, alpha=ALPHA, vocabulary=corpus.vocabulary.tolist(), **options)
    for batch in batches(corpus, 1000):
        model.partial_fit(batch)
    return model.topic_word_


def gensim_lda(corpus: tw.Corpus, n_topics: int, budget: float) -> tuple[Floats, int]:
    """Topics of gensim's online variational Bayes, and the number of documents that it read within the budget."""
    from gensim.models import LdaModel

    words = dict(enumerate(corpus.vocabulary.tolist()))
    model = LdaModel(id2word=words, num_topics=n_topics, alpha=np.full(n_topics, ALPHA), eta=PEER_BETA, random_state=0)
    start, n_read = time.process_time(), 0
    size = min(model.chunksize, max(128, corpus.n_docs // 20))
    for batch in batches(corpus, size):
        bags = [list(zip(*(part.tolist() for part in np.unique(doc, return_counts=True)))) for doc in batch]
        model.update(bags, chunksize=size)
        n_read += len(bags)
        if time.process_time() - start > budget:
            break
    return np.asarray(model.get_topics(), np.float64), n_read


def sklearn_lda(corpus: tw.Corpus, n_topics: int, budget: float) -> tuple[Floats, int]:
    """Topics of scikit-learn's online variational Bayes, and the number of documents that it read."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_topics, doc_topic_prior=ALPHA, topic_word_prior=PEER_BETA, total_samples=corpus.n_docs, random_state=0
    )
    start, n_read = time.process_time(), 0
    for batch in batches(corpus, 128):
        model.partial_fit(batch.to_matrix())
        n_read += batch.n_docs
        if time.process_time() - start > budget:
            break
    return model.components_ / model.components_.sum(axis=1, keepdims=True), n_read


def compare(path: str, n_topics: int, every: int, first: int, seeds: int, full: bool) -> None:
    """Print one row for each program."""
    corpus, held_out = load(path, every, first)
    completion, name = Completion(held_out, ALPHA), Path(path).name.split(".")[0]
    print(f"{name}: {corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens, {corpus.n_words:,} words", flush=True)

    def row(program: str, seconds: float, topics: Floats, n_read: int = corpus.n_docs) -> float:
        perplexity = completion.perplexity(topics)
        share = "" if n_read == corpus.n_docs else f"{n_read / corpus.n_docs:.0%}"
        print(f"| {name} | {program} | {perplexity:,.0f} | {seconds:.1f} | {share} |", flush=True)
        return perplexity

    online_lda(corpus.select(np.arange(50)), n_topics)  # compiles
    tw.LDA(n_topics, n_sweeps=1).fit(corpus.select(np.arange(50)))
    budget = 0.0
    for warm_up in (40.0, 10.0):
        for seed in range(seeds):
            seconds, topics = timed(partial(online_lda, corpus, n_topics, warm_up=warm_up, random_state=seed))
            row(f"OnlineLDA, warm_up {warm_up:g}, seed {seed}", seconds, topics)
            budget = max(budget, seconds)
    for beta in (0.01, 0.05):
        model = tw.LDA(n_topics, alpha=ALPHA, beta=beta, n_sweeps=100, evaluate_every=0)
        seconds, fitted = timed(partial(model.fit, corpus))
        row(f"LDA, 100 sweeps, beta {beta}", seconds, fitted.topic_word_)
    for program, learn in (("gensim", gensim_lda), ("scikit-learn", sklearn_lda)):
        for limit in (budget, float("inf"))[: 1 + full]:
            seconds, (topics, n_read) = timed(partial(learn, corpus, n_topics, limit))
            row(program, seconds, topics, n_read)


def long_stream(path: str, n_topics: int, n_tokens: int) -> None:
    """Print the speed at each tenth of a long stream: the documents of a file, again and again."""
    corpus, _ = load(path, 1, 0)
    model = tw.OnlineLDA(n_topics, alpha=ALPHA)
    done, mark, start = 0, n_tokens // 10, time.process_time()
    model.partial_fit(corpus.select(np.arange(50)))
    while done < n_tokens:
        for batch in batches(corpus, 1000):
            model.partial_fit(batch)
            done += batch.n_tokens
            if done >= mark:
                seconds, start = time.process_time() - start, time.process_time()
                print(f"| {done:,} | {n_tokens / 10 / seconds / 1e6:.2f} M tokens/s |", flush=True)
                mark += n_tokens // 10
            if done >= n_tokens:
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--part", choices=("peers", "long"), default="peers")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--every", type=int, default=1, help="read one document in this many")
    parser.add_argument("--first", type=int, default=0, help="number of the first document to read")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="let gensim and scikit-learn read everything too")
    parser.add_argument("--words", type=int, default=30_000_000, help="words of the long stream")
    options = parser.parse_args()
    for path in options.files:
        if options.part == "long":
            long_stream(path, options.topics, options.words)
        else:
            compare(path, options.topics, options.every, options.first, options.seeds, options.full)


if __name__ == "__main__":
    main()
