"""An LDA as a model file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..corpus import Corpus
from ..counts import rows_from_csr
from ..io import Fields, ModelFile, corpus_from_fields, corpus_to_arrays, write_model
from ..samplers.inference import Frozen
from ..samplers.prior import sum_of_prior, with_seeds
from .knownfiles import knowledge_from_fields, knowledge_to_arrays
from .parameters import LARGEST_PRIOR, SMALLEST_PRIOR

if TYPE_CHECKING:
    from .lda import LDA

Model = TypeVar("Model", bound="LDA")
_PLAIN = ("n_topics", "n_sweeps", "n_jobs", "evaluate_every")


def write(model: LDA, path: Any, include_corpus: bool) -> None:
    """Write a fitted model."""
    assignments = model.assignments_ if include_corpus else None
    corpus = _without_documents(model.corpus_) if assignments is None else model.corpus_
    arrays = {
        **corpus_to_arrays(corpus),
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **knowledge_to_arrays(model, assignments is not None),
    }
    if assignments is not None:
        arrays["assignments"] = assignments
    else:
        arrays |= counts_to_arrays(model)
    meta = {
        "parameters": {name: _plain(getattr(model, name)) for name in _PLAIN},
        "learns_alpha": isinstance(model.alpha, str),
        "learns_beta": isinstance(model.beta, str),
        "seed": model.seed_,
        "sweeps": model.sweeps_,
        "interrupted": model.interrupted_,
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
    }
    write_model(path, "lda", meta, arrays)


def read(cls: type[Model], file: ModelFile) -> Model:
    """A model from a file that may hold anything: whatever does not fit is a ModelFileError."""
    fields = file.fields
    corpus = corpus_from_fields(fields)
    parameters = fields.section("parameters")
    n_topics = parameters.integer("n_topics", minimum=1, maximum=1_000_000)
    alpha = fields.array("alpha", np.float64, shape=(n_topics,), minimum=SMALLEST_PRIOR, maximum=LARGEST_PRIOR)
    beta = fields.array("beta", np.float64, ndim=1, minimum=SMALLEST_PRIOR, maximum=LARGEST_PRIOR)
    if len(beta) not in (1, corpus.n_words):
        fields.fail("beta", f"must have 1 entry or {corpus.n_words}: got {len(beta)}")
    model = cls(
        n_topics=n_topics,
        alpha="learn" if fields.flag("learns_alpha") else alpha,
        beta="learn" if fields.flag("learns_beta") else _one_or_all(beta),
        n_sweeps=parameters.integer("n_sweeps", minimum=1),
        n_jobs=parameters.integer("n_jobs") if "n_jobs" in parameters else None,
        random_state=fields.integer("seed", minimum=0),
        evaluate_every=parameters.integer("evaluate_every", minimum=0),
    )
    model.corpus_ = corpus
    model.vocabulary_ = corpus.vocabulary
    model.n_features_in_ = corpus.n_words
    model.alpha_ = alpha
    model.beta_ = _one_or_all(beta)
    model.seed_ = fields.integer("seed", minimum=0)
    model.sweeps_ = fields.integer("sweeps", minimum=0)
    model.interrupted_ = fields.flag("interrupted")
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    knowledge_from_fields(model, fields, n_topics)
    _read_counts(model, fields, n_topics)
    return model


def counts_to_arrays(model: LDA) -> dict[str, Any]:
    """Counts of words in topics, for a file without documents."""
    counts = model.topic_word_counts_
    return {
        "counts.values": counts.data.astype(np.int64),
        "counts.words": counts.indices.astype(np.int32),
        "counts.offsets": counts.indptr.astype(np.int64),
    }


def _read_counts(model: LDA, fields: Fields, n_topics: int) -> None:
    if "assignments" in fields:
        n_tokens = model.corpus_.n_tokens
        model.assignments_ = fields.array("assignments", np.uint32, shape=(n_tokens,), maximum=n_topics - 1)
        engine = model._engine()
        engine.close()
        model._take_over(engine)
    else:
        counts_from_fields(model, fields)


def counts_from_fields(model: LDA, fields: Fields, prefix: str = "") -> None:
    """Counts of words in topics and what inference needs, from a file without documents."""
    from scipy.sparse import csr_array

    n_topics, n_words = len(model.alpha_), model.corpus_.n_words
    model.assignments_ = None
    model.doc_topic_counts_ = None
    values = fields.array(f"{prefix}counts.values", np.int64, ndim=1, minimum=1, maximum=2**40)
    words = fields.array(f"{prefix}counts.words", np.int32, shape=values.shape, minimum=0, maximum=n_words - 1)
    offsets = fields.offsets(f"{prefix}counts.offsets", len(values), count=n_topics)
    model.topic_word_counts_ = csr_array((values, words, offsets), shape=(n_topics, n_words))
    if not model.topic_word_counts_.has_canonical_format:
        fields.fail(f"{prefix}counts.words", "must rise within each topic")
    sizes = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.int64)
    beta = with_seeds(model.beta_, model._compiled.seeds)
    rows = rows_from_csr(model.topic_word_counts_.T.tocsr())
    model._frozen = Frozen(rows, sizes, model.alpha_, beta, sum_of_prior(beta, n_words, n_topics))


def _without_documents(corpus: Corpus) -> Corpus:
    """The words and the way to cut them, and nothing of the documents."""
    empty = np.empty(0, np.int32)
    return Corpus(empty, np.zeros(1, np.int64), corpus.vocabulary, tokenizer=corpus.tokenizer)


def _one_or_all(beta: Any) -> Any:
    return float(beta[0]) if len(beta) == 1 else beta


def _plain(value: Any) -> Any:
    return None if value is None else int(value)
