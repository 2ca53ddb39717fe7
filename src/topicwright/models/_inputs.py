"""Input of the models: training corpora, and new documents encoded with the vocabulary of a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .._utils.warnings import warn
from ..corpus import Corpus, Encoded, Tokenizer, align, as_corpus, encode
from ..corpus.inputs import input_kind
from ..errors import InputError, TopicwrightWarning, UnknownWordsWarning


def training_corpus(model: Any, X: Any) -> Corpus:
    """X as a corpus to train on; sets the attributes about X that scikit-learn requires of a model."""
    from sklearn.utils.validation import _check_feature_names

    corpus = as_corpus(X)
    if corpus.n_docs == 0 or corpus.n_tokens == 0:
        raise InputError(
            f"the corpus is empty: got {corpus.n_docs} documents with {corpus.n_tokens} words in all", parameter="X"
        )
    if hasattr(X, "columns"):
        _check_feature_names(model, X, reset=True)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    model.n_features_in_ = corpus.n_words
    return corpus


def warn_of_many_topics(n_topics: int, corpus: Corpus) -> None:
    """Warn if there are more topics than tokens."""
    if n_topics > corpus.n_tokens:
        warn(
            f"`n_topics` is {n_topics:,}, but there are only {corpus.n_tokens:,} tokens: most topics will be empty",
            TopicwrightWarning,
        )


def encode_for(model: Any, X: Any) -> Corpus:
    """X encoded with the vocabulary of a model. Other words are skipped, with a warning that counts them."""
    if isinstance(X, Corpus):
        if X.vocabulary is model.vocabulary_:
            return X
        return _without_unknown(model, align(X, model.vocabulary_))
    kind, X = input_kind(X)
    if kind == "texts":
        return _without_unknown(model, encode(X, tokenizer_of(model), model.vocabulary_))
    if kind == "words":
        return _without_unknown(model, encode(X, None, model.vocabulary_))
    return _counts(model, X)


def tokenizer_of(model: Any) -> Tokenizer:
    """Tokenizer of a model; an error if the model was not trained on texts."""
    tokenizer: Tokenizer | None = model.corpus_.tokenizer
    if tokenizer is None:
        raise InputError(
            "this model was trained on counts or lists of words, not on texts: pass counts or lists of words",
            parameter="X",
        )
    return tokenizer


def _counts(model: Any, X: Any) -> Corpus:
    from sklearn.utils.validation import _check_feature_names

    if hasattr(X, "columns"):
        _check_feature_names(model, X, reset=False)
    corpus = Corpus.from_matrix(X)
    expected = len(model.vocabulary_)
    if corpus.n_words != expected:
        name = type(model).__name__
        raise InputError(
            f"X has {corpus.n_words} features, but {name} is expecting {expected} features as input", parameter="X"
        )
    return corpus


def _without_unknown(model: Any, encoded: Encoded) -> Corpus:
    """The documents, with a warning for unknown words other than stop words."""
    tokenizer = model.corpus_.tokenizer
    stop_words = frozenset() if tokenizer is None else tokenizer.excluded_words
    unknown = Counter({word: times for word, times in encoded.unknown.items() if word not in stop_words})
    if unknown:
        total = unknown.total() + encoded.corpus.n_tokens
        examples = ", ".join(word for word, _ in unknown.most_common(5))
        warn(
            f"{unknown.total():,} of {total:,} words are not in the model's vocabulary and were skipped "
            f"({len(unknown):,} different ones, such as: {examples}): they are new, or were left out of the training "
            "by `min_df`, `max_df`, `max_words` or `stop_words`",
            UnknownWordsWarning,
        )
    return encoded.corpus
