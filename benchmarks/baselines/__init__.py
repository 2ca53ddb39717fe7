"""Baselines that SC-LDA is compared with: small samplers of other models, not part of the library.

| module | model | cost of a draw |
| --- | --- | --- |
| `dense_labeled` | Labeled LDA (Ramage et al. 2009) | all topics, or the document's labels |
| `dirichlet_forest` | DF-LDA with must-links (Andrzejewski et al. 2009) | topics of the word or tree, and document |
| `markov_field` | MRF-LDA (Xie et al. 2015), by Gibbs instead of variational EM | all topics |
| `logic` | Logic-LDA (Andrzejewski et al. 2011) for word links, by Gibbs instead of stochastic gradients | all topics |

    from benchmarks.baselines import LogicLDA
    model = LogicLDA(corpus.tokens, corpus.offsets, corpus.n_words, 100, alpha=1.0, beta=0.01, seed=0, must_links=pairs)
    model.prepare()  # compile, not timed
    model.sweep()
    model.log_likelihood()  # of plain LDA, per token: the same measure for all
"""

from .dense_labeled import DenseLabeledLDA
from .dirichlet_forest import DirichletForestLDA
from .logic import LogicLDA
from .markov_field import MarkovFieldLDA

__all__ = ["DenseLabeledLDA", "DirichletForestLDA", "LogicLDA", "MarkovFieldLDA"]
