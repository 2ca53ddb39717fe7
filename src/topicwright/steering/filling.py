"""One sampler for everything that may be said.

The sampler is compiled for exactly the kinds of knowledge that are there, which takes seconds the first time. People
who steer add kinds one by one, and would wait at each new mix. So all kinds are always there, some of them empty: that
draws the same topics as the plain sampler, and is compiled once.
"""

from __future__ import annotations

import numpy as np

from ..corpus import Corpus
from ..knowledge import Compiled
from ..knowledge.about import DocumentPull
from ..knowledge.limits import Limits
from ..knowledge.priors import Loans, Seeds
from ..knowledge.words import WordLinks


def filled(known: Compiled, corpus: Corpus) -> Compiled:
    """The same knowledge, with an empty one of each kind that is not there."""
    n_topics = known.topics.n_topics
    none = (np.empty(0, np.uint32), np.empty(0, np.float64))
    of_words = np.zeros(corpus.n_words + 1, np.uint64)
    of_documents = np.zeros(corpus.n_docs + 1, np.uint64)
    factors = known.factors
    if not any(isinstance(factor, WordLinks) for factor in factors):
        factors = (WordLinks(of_words, *none, -1.0), *factors)
    if not any(isinstance(factor, DocumentPull) for factor in factors):
        factors = (*factors, DocumentPull(of_documents, none[0], 1.0))
    everywhere = Limits(np.zeros(corpus.n_tokens, np.uint32), np.zeros(2, np.uint64), none[0], np.zeros(n_topics + 1))
    return known._replace(
        factors=factors,
        limits=known.limits or everywhere,
        seeds=known.seeds or Seeds(of_words, *none),
        loans=known.loans or Loans(of_words, *none),
    )
