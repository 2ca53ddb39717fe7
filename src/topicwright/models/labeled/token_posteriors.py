"""Posterior label probabilities of the words of a document, and explanations from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TokenBatch
from ..._sampling.priors import base_prior
from ..._utils.count_rows import CountRows
from ...errors import InputError
from .._explanations import Explanation, TaskExplanation, TopicShare, WordShare, one_document
from .._inputs import Floats, encode_for, tokenizer_of
from .attribution import Attribution, TokenSpan, build_attribution, spans_of_text, spans_of_words
from .targets import DocumentLabelSet, LabelIndex

if TYPE_CHECKING:
    from .prediction import LabelPredictionMixin

_WORDS = 5  # words listed for a label


def attribution_of(model: LabelPredictionMixin, document: Any, labels: Any) -> Attribution:
    """Attribution of one document."""
    spans = _spans(model, document)
    wanted = {span.word for span in spans}
    ids = {word: n for n, word in enumerate(model.vocabulary_.tolist()) if word in wanted}
    in_vocabulary = [span.word in ids for span in spans]
    tokens = np.array([ids[span.word] for span in spans if span.word in ids], dtype=np.int32)
    inference = model._inference_with()
    if labels is None:
        topics = inference.with_candidates(None)
    else:
        topics = inference.with_labels(DocumentLabelSet(LabelIndex(model.classes_).find_all(labels, "labels")))
    theta = inference.infer(TokenBatch(tokens, np.array([0, len(tokens)])), [topics])[0]
    numbers = np.arange(len(theta)) if topics.numbers is None else np.array(topics.numbers)
    n_labels = len(model.classes_)
    names = [*model.classes_.tolist(), *(model.topic_names_ or [])[n_labels:]]
    return build_attribution(
        spans,
        in_vocabulary,
        [names[k] for k in numbers],
        token_posteriors(model, theta, tokens, numbers),
        len(theta) - n_labels,
        document if isinstance(document, str) else None,
    )


def token_posteriors(model: LabelPredictionMixin, theta: Floats, tokens: Any, numbers: NDArray[np.int64]) -> Floats:
    """p(z = k | w, d) ∝ θ_dk φ_kw, with one row per token and one column for each of these topics."""
    words, where = np.unique(tokens, return_inverse=True)
    snapshot = model._snapshot
    counts = np.empty((len(words), len(theta)))
    counts[:] = np.broadcast_to(base_prior(snapshot.beta), len(model.vocabulary_))[words, None]
    for row, word in zip(counts, words.tolist()):
        topics, own = _row_of(snapshot.words, word)
        row[topics] += own
    if model.seed_prior_ is not None:
        counts += model.seed_prior_[:, words].toarray().T
    weights = (counts * (theta / (snapshot.sizes + snapshot.beta_sum)))[:, numbers]
    return np.asarray((weights / weights.sum(axis=1, keepdims=True))[where])


def _row_of(rows: CountRows, word: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Topics of a word, and their counts."""
    start = int(rows.start[word]) + 1
    entries = rows.entries[start : start + int(rows.entries[start - 1])]
    return entries & rows.mask, entries >> rows.shift


def _spans(model: LabelPredictionMixin, document: Any) -> list[TokenSpan]:
    if isinstance(document, str):
        return spans_of_text(document, tokenizer_of(model))
    if isinstance(document, (list, tuple)) and document and all(isinstance(word, str) for word in document):
        return spans_of_words(document)
    corpus = encode_for(model, one_document(document))
    if corpus.n_docs != 1:
        raise InputError(f"`document` must be one document: got {corpus.n_docs:,}", parameter="document")
    return spans_of_words(model.vocabulary_[corpus.tokens].tolist())


def explanation_of(model: LabelPredictionMixin, document: Any, top: int, n_labels: int, candidates: Any) -> Explanation:
    """Best labels of a document, explained by its words."""
    documents = model._documents(one_document(document))
    if len(documents.offsets) != 2:
        raise InputError(f"`document` must be one document: got {len(documents.offsets) - 1:,}", parameter="document")
    inference = model._inference_with()
    (own,) = LabelIndex(model.classes_).candidates(candidates, 1)
    topics = inference.with_candidates(own)
    theta = inference.infer(documents, [topics])[0]
    alpha = inference.alpha_of(topics)
    weight = len(documents.tokens) / (len(documents.tokens) + float(alpha.sum()))
    start = (1.0 - weight) * alpha / alpha.sum()
    ids, counts = np.unique(documents.tokens, return_counts=True)
    of_words = (token_posteriors(model, theta, ids, np.arange(len(theta))) * counts[:, None]).T
    best = np.argsort(-theta[: len(model.classes_)], kind="stable")[:n_labels].tolist()
    names, top_words = model.classes_.tolist(), model.top_words(_WORDS)

    def reasons(k: int) -> TaskExplanation:
        from_words = max(0.0, float(theta[k] - start[k]))
        shares = (
            of_words[k] * from_words / max(float(of_words[k].sum()), 1e-300)
        )  # the words add up to the score of the label
        order = np.argsort(-shares, kind="stable")[:top].tolist()
        share = TopicShare(k, str(names[k]), from_words / max(weight, 1e-300), weight, from_words, tuple(top_words[k]))
        words = (WordShare(str(model.vocabulary_[ids[j]]), int(counts[j]), float(shares[j])) for j in order)
        return TaskExplanation(names[k], float(theta[k]), float(start[k]), (share,), tuple(words))

    return Explanation([reasons(k) for k in best if theta[k] > 0])
