"""The programs that are compared, each behind the same few methods.

A program gets a task, runs some sweeps at a time, and shows its state between them: one topic per token where
it is a sampler, probabilities of words in any case. What it imports, it imports when it is set up.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..common.metrics import topic_word_of
from ..common.tomotopy_adapter import TheirModel, missing

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Transformer = Callable[["Corpus"], object]


@dataclass(frozen=True)
class Task:
    """What a program is to do: fit these documents with these parameters."""

    corpus: Corpus
    n_topics: int
    alpha: float
    beta: float
    seed: int
    threads: int = 1


class Program(ABC):
    """A program under measurement."""

    package: ClassVar[str] = ""
    variational: ClassVar[bool] = False  # has no topic per token, and its passes are slow: one pass a turn
    threaded: ClassVar[bool] = False  # can use more than one thread
    task: Task

    @classmethod
    def missing(cls) -> str | None:
        """Why the program can not run here, or None where it can."""
        return None if find_spec(cls.package) else "not installed"

    def setup(self, task: Task) -> None:
        """Take the corpus in the program's own form; no sweep yet."""
        self.task = task
        self._setup()

    @abstractmethod
    def _setup(self) -> None: ...

    @abstractmethod
    def advance(self, n_sweeps: int) -> None:
        """Run some sweeps (for a variational program: passes) from where it stands."""

    def warm_up(self, task: Task) -> None:  # noqa: B027
        """Whatever happens once in a process and not once in a fit, such as compilation."""

    def assignments(self) -> NDArray[np.uint32] | None:
        """The topic of each token of the corpus, or None for a variational program."""
        return None

    def topic_word(self) -> NDArray[np.float64]:
        """Probabilities of words, (n_topics, n_words)."""
        z = self.assignments()
        if z is None:
            raise NotImplementedError(f"{type(self).__name__} has neither assignments nor topics of its own")
        return topic_word_of(self.task.corpus, z, self.task.n_topics, self.task.beta)

    def transformer(self) -> Transformer | None:
        """The program's own way to infer the topics of new documents; None where it has none."""
        return None

    def cpu_seconds(self) -> float:
        """The clock that the program's sweeps advance."""
        return time.process_time()

    def process_id(self) -> int | None:
        """The process that holds the program's memory; None is this one."""
        return None

    def close(self) -> None:  # noqa: B027
        """Let go of processes and files."""


class Topicwright(Program):
    """Ours: the sampler that ``LDA.fit`` runs, held between turns; a ``fit`` sets it up once."""

    package = "topicwright"
    threaded = True

    def _setup(self) -> None:
        from topicwright._sampling.engine import SamplingProblem
        from topicwright._sampling.sparse_lda.engine import SparseEngine
        from topicwright.knowledge import CompiledKnowledge, TopicNumbers

        task, corpus = self.task, self.task.corpus
        alpha, nothing = np.full(task.n_topics, task.alpha), CompiledKnowledge(TopicNumbers(task.n_topics))
        stream = (corpus.tokens, corpus.offsets, corpus.n_words)
        job = SamplingProblem(*stream, task.n_topics, alpha, task.beta, task.seed, nothing)
        self.engine = SparseEngine(job, n_jobs=task.threads)

    def warm_up(self, task: Task) -> None:
        self.setup(task)
        self.advance(2)
        self.close()

    def advance(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.engine.sweep()

    def assignments(self) -> NDArray[np.uint32]:
        return self.engine.assignments

    def transformer(self) -> Transformer:
        from topicwright import LDA
        from topicwright.models.fit_state import store_results

        task = self.task
        model = LDA(task.n_topics, alpha=task.alpha, beta=task.beta, n_sweeps=1, n_jobs=task.threads)
        store_results(model.fit(task.corpus), self.engine)
        return model.transform

    def close(self) -> None:
        self.engine.close()


class Tomotopy(Program):
    """tomotopy's collapsed sampler, with its learning of alpha switched off."""

    threaded = True

    @classmethod
    def missing(cls) -> str | None:
        return missing()

    def _setup(self) -> None:
        task = self.task
        known: dict[str, Any] = {"k": task.n_topics, "alpha": task.alpha, "eta": task.beta, "seed": task.seed}
        self.theirs = TheirModel("LDAModel", task.corpus, threads=task.threads, **known)

    def advance(self, n_sweeps: int) -> None:
        self.theirs.train(n_sweeps)

    def assignments(self) -> NDArray[np.uint32]:
        return self.theirs.assignments()

    def transformer(self) -> Transformer:
        return self.theirs.infer


class Gensim(Program):
    """gensim's online variational Bayes, in its default chunks of 2,000 documents."""

    package = "gensim"
    variational = True

    def _setup(self) -> None:
        from gensim.models import LdaModel

        task = self.task
        self.bags = self._bags(task.corpus)
        self.model = LdaModel(
            num_topics=task.n_topics,
            id2word=dict(enumerate(task.corpus.vocabulary)),
            alpha=task.alpha,
            eta=task.beta,
            random_state=task.seed,
            eval_every=None,
        )

    @staticmethod
    def _bags(corpus: Corpus) -> list[list[tuple[int, int]]]:
        counts = corpus.to_matrix()
        pairs = list(zip(counts.indices.tolist(), counts.data.tolist()))
        return [pairs[a:b] for a, b in zip(counts.indptr[:-1], counts.indptr[1:])]

    def advance(self, n_sweeps: int) -> None:
        self.model.state.numdocs = 0  # or each update would count the same documents as new ones
        self.model.update(self.bags, passes=n_sweeps)

    def topic_word(self) -> NDArray[np.float64]:
        return np.asarray(self.model.get_topics(), dtype=np.float64)

    def transformer(self) -> Transformer:
        return lambda held_out: self.model.inference(self._bags(held_out))


class ScikitLearn(Program):
    """scikit-learn's variational Bayes, in batch.

    Its ``fit`` can not be continued, so this goes through ``partial_fit`` with all documents in one batch and
    a decay of 0: each step then replaces the topics by the batch update.
    """

    package = "sklearn"
    variational = True

    def _setup(self) -> None:
        from sklearn.decomposition import LatentDirichletAllocation

        task = self.task
        self.counts = task.corpus.to_matrix().astype(np.float64)
        self.model = LatentDirichletAllocation(
            n_components=task.n_topics,
            doc_topic_prior=task.alpha,
            topic_word_prior=task.beta,
            random_state=task.seed,
            learning_decay=0.0,
            batch_size=task.corpus.n_docs,
            total_samples=task.corpus.n_docs,
        )

    def advance(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.model.partial_fit(self.counts)

    def topic_word(self) -> NDArray[np.float64]:
        topics = np.asarray(self.model.components_, dtype=np.float64)
        return np.asarray(topics / topics.sum(axis=1, keepdims=True))

    def transformer(self) -> Transformer:
        return lambda held_out: self.model.transform(held_out.to_matrix())
