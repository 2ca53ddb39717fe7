"""The ``lda`` package as a program: a collapsed sampler in Cython that weighs every topic."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._programs import Program, Transformer


class PlainLDA(Program):
    """Its ``fit`` can not be continued, so this does sweep by sweep what ``fit`` does."""

    package = "lda"

    def _setup(self) -> None:
        logging.getLogger("lda").setLevel(logging.WARNING)  # it logs every step otherwise
        import lda

        task = self.task
        self.model: Any = lda.LDA(
            task.n_topics, n_iter=1, alpha=task.alpha, eta=task.beta, random_state=task.seed, refresh=1
        )
        self.model._initialize(task.corpus.to_matrix())
        self.random, self.rands = np.random.RandomState(task.seed), self.model._rands.copy()

    def advance(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.random.shuffle(self.rands)
            self.model._sample_topics(self.rands)

    def assignments(self) -> NDArray[np.uint32]:
        """Its tokens are sorted by word within a document: put them back in their places."""
        corpus, model = self.task.corpus, self.model
        doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
        z = np.empty(corpus.n_tokens, dtype=np.uint32)
        z[np.lexsort((corpus.tokens, doc))] = model.ZS[np.lexsort((model.WS, model.DS))]
        return z

    def transformer(self) -> Transformer:
        self.model.components_ = self.topic_word()
        return lambda held_out: self.model.transform(held_out.to_matrix())
