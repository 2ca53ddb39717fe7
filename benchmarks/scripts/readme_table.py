"""Table of the README: speed and held-out perplexity of LDA in several programs.

    python -m benchmarks.scripts.readme_table 20newsgroups.jsonl.xz --split split --n-topics 100

Whole fits take turns, since not every program can continue one. The speed is the number of tokens in the sweeps after
the first ones, divided by the difference in CPU time between a long and a short fit; medians over the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import topicwright as tw

from ..common.datasets import Source, read_split
from ..common.machine import machine
from ..common.metrics import Completion

_ALPHA, _BETA, _SHORT = 0.1, 0.01, 10
_MAX_HELD_OUT = 500

Fit = Callable[[tw.Corpus, int, int], Any]  # of corpus, topics and sweeps; returns φ


def fit_topicwright(corpus: tw.Corpus, n_topics: int, n_sweeps: int) -> Any:
    """Topics of Topicwright."""
    model = tw.LDA(n_topics, alpha=_ALPHA, beta=_BETA, n_sweeps=n_sweeps, evaluate_every=0).fit(corpus)
    return model.topic_word_


def fit_tomotopy(corpus: tw.Corpus, n_topics: int, n_sweeps: int) -> Any:
    """Topics of tomotopy, with its learning of α switched off."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=_ALPHA, eta=_BETA, seed=0)
    model.optim_interval = 0
    for words in _words(corpus):
        model.add_doc(words)
    model.train(n_sweeps, workers=1)
    return _align([model.get_topic_word_dist(k) for k in range(n_topics)], list(model.used_vocabs), corpus)


def fit_topica(sampler: str) -> Fit:
    """Topics of topica with one of its samplers, with its learning of α switched off."""

    def fit(corpus: tw.Corpus, n_topics: int, n_sweeps: int) -> Any:
        import topica

        model = topica.LDA(
            n_topics, alpha_sum=_ALPHA * n_topics, beta=_BETA, optimize_interval=0, seed=0, sampler=sampler
        )
        model.fit(_words(corpus), iters=n_sweeps, num_samples=1, keep_theta_draws=False)
        return _align(model.topic_word, list(model.vocabulary), corpus)

    return fit


def fit_scikit_learn(corpus: tw.Corpus, n_topics: int, n_sweeps: int) -> Any:
    """Topics of scikit-learn's batch variational Bayes."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_topics, doc_topic_prior=_ALPHA, topic_word_prior=_BETA, max_iter=n_sweeps, random_state=0
    ).fit(corpus.to_matrix())
    return model.components_ / model.components_.sum(axis=1, keepdims=True)


def fit_gensim(corpus: tw.Corpus, n_topics: int, n_sweeps: int) -> Any:
    """Topics of gensim's online variational Bayes."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    bags = list(Sparse2Corpus(corpus.to_matrix(), documents_columns=False))
    words = dict(enumerate(corpus.vocabulary))
    model = LdaModel(bags, n_topics, words, alpha=_ALPHA, eta=_BETA, passes=n_sweeps, random_state=0, eval_every=None)
    return model.get_topics()


PROGRAMS: dict[str, tuple[str, Fit]] = {  # name, package and fit
    "topicwright": ("topicwright", fit_topicwright),
    "tomotopy": ("tomotopy", fit_tomotopy),
    "topica, sparse": ("topica", fit_topica("sparse")),
    "topica, warp": ("topica", fit_topica("warp")),
    "scikit-learn": ("sklearn", fit_scikit_learn),
    "gensim": ("gensim", fit_gensim),
}
_VARIATIONAL = ("scikit-learn", "gensim")  # a fifth of the passes, since these are slow


def _words(corpus: tw.Corpus) -> list[list[str]]:
    return [list(corpus.words(d)) for d in range(corpus.n_docs)]


def _align(phi: Any, vocabulary: list[str], corpus: tw.Corpus) -> Any:
    """φ with the columns of the corpus."""
    number = {word: n for n, word in enumerate(vocabulary)}
    return np.asarray(phi)[:, [number[word] for word in corpus.vocabulary]]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--split")
    parser.add_argument("--n-topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", default=",".join(PROGRAMS).replace(", ", " "), help="separated by commas")
    given = parser.parse_args()
    corpus, held_out = read_split(Source(corpus=given.corpus, split=given.split))
    corpus = corpus.select(np.flatnonzero(corpus.doc_lengths()))  # some programs refuse empty documents
    evaluate = Completion(held_out.select(np.arange(min(_MAX_HELD_OUT, held_out.n_docs))), _ALPHA)
    wanted = {name.strip() for name in given.programs.split(",")}
    programs = {name: own for name, own in PROGRAMS.items() if name.replace(", ", " ") in wanted}
    fit_topicwright(corpus, given.n_topics, 1)  # compiles
    seconds: dict[str, list[float]] = {}
    perplexity: dict[str, float] = {}
    for _ in range(given.rounds):
        for name, (package, fit) in programs.items():
            if not find_spec(package):
                continue
            short, long = (n // 5 if name in _VARIATIONAL else n for n in (_SHORT, given.sweeps))
            times = []
            for n_sweeps in (short, long):
                started = time.process_time()
                phi = fit(corpus, given.n_topics, n_sweeps)
                times.append(time.process_time() - started)
            seconds.setdefault(name, []).append((times[1] - times[0]) / (long - short))
            perplexity[name] = evaluate.perplexity(phi)
    print(machine(sorted({package for package, _ in programs.values()})))
    print(f"{corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens, {corpus.n_words:,} words, K = {given.n_topics}")
    print("| program | million tokens/s | perplexity |\n| --- | ---: | ---: |")
    for name, values in seconds.items():
        print(f"| {name} | {corpus.n_tokens / np.median(values) / 1e6:.2f} | {perplexity[name]:,.0f} |")


if __name__ == "__main__":
    main()
