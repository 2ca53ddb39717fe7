"""tomotopy's models as samplers that take turns with ours: alpha stays, and a sweep is one iteration."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus


def missing() -> str | None:
    """Why it can not run here, or None where it can."""
    return None if find_spec("tomotopy") else "not installed"


class TheirModel:
    """One of its models, with the documents that have words.

    Parameters
    ----------
    kind : str
        The class of the model, such as "LDAModel".
    known : callable
        What else a document is added with, by its row: labels, or responses.
    parameters
        Of the model.
    """

    def __init__(
        self,
        kind: str,
        corpus: Corpus,
        known: Callable[[int], dict[str, Any]] = lambda row: {},
        *,
        threads: int = 1,
        **parameters: Any,
    ) -> None:
        import tomotopy as tp

        self.corpus, self.model = corpus, getattr(tp, kind)(**parameters)
        for row in np.flatnonzero(corpus.doc_lengths()).tolist():
            self.model.add_doc(corpus.words(row), **known(row))
        self.model.optim_interval = 0
        scheme = tp.ParallelScheme.NONE if threads == 1 else tp.ParallelScheme.PARTITION
        self.how: dict[str, Any] = {"workers": threads, "parallel": scheme}
        self.train(0)

    def train(self, n_sweeps: int) -> None:
        """Run ``n`` iterations."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that its results vary with threads
            self.model.train(n_sweeps, **self.how)

    def prepare(self) -> None:
        """Nothing is compiled."""

    def sweep(self) -> None:
        """One iteration."""
        self.train(1)

    def infer(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Any], Any]:
        """The rows of those documents that have words, these as its own, and their shares of topics."""
        rows = np.flatnonzero(corpus.doc_lengths())
        docs = [self.model.make_doc(corpus.words(row)) for row in rows.tolist()]
        return rows, docs, self.model.infer(docs, **self.how)[0]

    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token. Its words are numbered by frequency, without those that never occur."""
        corpus = self.corpus
        id_of = {word: i for i, word in enumerate(corpus.vocabulary)}
        our_id = np.array([id_of[word] for word in self.model.used_vocabs], dtype=np.int64)
        words = our_id[np.concatenate([doc.words for doc in self.model.docs])]
        topics = np.concatenate([doc.topics for doc in self.model.docs])
        doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
        z = np.empty(corpus.n_tokens, dtype=np.uint32)
        z[np.lexsort((corpus.tokens, doc))] = topics[np.lexsort((words, doc))]
        return z
