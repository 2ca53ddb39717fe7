"""What the parts of a run share: the corpora, the links, our engines and the baselines beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..baselines import DirichletForestLDA, LogicLDA, MarkovFieldLDA
from ..common.base import BenchmarkContext
from ..common.schedule import Contestant
from .corpora import Link
from .options import N_LINKS, SCLDAOptions

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

OTHER_METHODS = {"DF-LDA": DirichletForestLDA, "MRF-LDA": MarkovFieldLDA, "Logic-LDA": LogicLDA}


@dataclass(frozen=True)
class SCLDAContext(BenchmarkContext):
    """Everything that a part needs to run."""

    options: SCLDAOptions
    links_corpus: Corpus | None = None
    labels_corpus: Corpus | None = None
    links: Sequence[Link] = ()

    def prior(self, seed: int) -> dict[str, Any]:
        """What every sampler is given."""
        return {"alpha": self.options.alpha, "beta": self.options.beta, "seed": seed}

    def corpus_of(self, kind: str) -> Corpus:
        """The corpus of the parts about "links" or "labels"."""
        corpus = self.links_corpus if kind == "links" else self.labels_corpus
        assert corpus is not None  # checked before any part runs
        return corpus

    def must_links(self, n: int, firmness: float | None) -> list[Any]:
        """The first n links as knowledge; with no firmness they are the paper's own."""
        from topicwright.knowledge import MustLinks

        return [MustLinks(self.links[:n], strength=1.0, firmness=firmness)]

    def pairs(self, n: int) -> NDArray[np.int64]:
        """The first n links as pairs of word ids."""
        id_of = {word: i for i, word in enumerate(self.corpus_of("links").vocabulary)}
        return np.array([(id_of[a], id_of[b]) for a, b in self.links[:n]], dtype=np.int64).reshape(-1, 2)


def our_engine(corpus: Corpus, n_topics: int, items: Iterable[Any], *, alpha: float, beta: float, seed: int) -> Any:
    """The engine that ``LDA.fit`` would run, on one thread."""
    from topicwright._sampling import new_engine
    from topicwright._sampling.engine import SamplingProblem
    from topicwright.knowledge import compile_knowledge

    known = compile_knowledge(items, corpus, n_topics)
    stream = (corpus.tokens, corpus.offsets, corpus.n_words)
    return new_engine(SamplingProblem(*stream, n_topics, np.full(n_topics, alpha), beta, seed, known))


def compile_kernels() -> None:
    """Run all kinds of engines on a tiny corpus, so that nothing is compiled on the clock."""
    from topicwright.corpus.corpus import Corpus
    from topicwright.knowledge import DocumentLabels, MustLinks

    tiny = Corpus(np.array([0, 1, 0, 1]), np.array([0, 2, 4]), np.array(["a", "b"], dtype=object))
    links = [MustLinks([("a", "b")], firmness=None), MustLinks([("a", "b")])]  # the paper's and ours
    labels = [DocumentLabels(["x", None]), DocumentLabels(["x", "y"])]  # the latter has an engine of its own
    for item in (None, *links, *labels):
        engine = our_engine(tiny, 2, [] if item is None else [item], alpha=1.0, beta=0.1, seed=0)
        engine.sweep()
        engine.sweep()


def methods(context: SCLDAContext, n_topics: int, seed: int, *, plain: bool) -> list[Contestant]:
    """The methods of the figures: ours (plain LDA too, where asked for), and the baselines."""
    from topicwright.knowledge.links import DEFAULT_FIRMNESS

    corpus = context.corpus_of("links")
    prior = context.prior(seed)
    ours: dict[str, list[Any]] = {
        **({"LDA": []} if plain else {}),
        "SC-LDA": context.must_links(N_LINKS, None),
        f"SC-LDA, firmness {DEFAULT_FIRMNESS:g}": context.must_links(N_LINKS, DEFAULT_FIRMNESS),
    }
    builds = {name: partial(our_engine, corpus, n_topics, items, **prior) for name, items in ours.items()}
    stream = (corpus.tokens, corpus.offsets, corpus.n_words, n_topics)
    for name, baseline in OTHER_METHODS.items():
        builds[name] = partial(baseline, *stream, **prior, must_links=context.pairs(N_LINKS))
    return [Contestant(name, build) for name, build in builds.items()]
