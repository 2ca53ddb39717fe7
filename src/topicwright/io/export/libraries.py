"""Models for other Python libraries: gensim's LdaModel and the input of pyLDAvis."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ...corpus.vocabulary import document_frequencies
from ...errors import InputError, MissingExtraError
from .base import FittedModel, Target, open_text, require_corpus


def to_gensim(model: FittedModel) -> Any:
    """``gensim.models.LdaModel`` with the same topics, priors and words.

    ``get_topics()`` equals ``topic_word_``. Its dictionary has the document frequencies of the corpus, if the model
    keeps one.

    Parameters
    ----------
    model : fitted model
        The model.

    Returns
    -------
    gensim.models.LdaModel
    """
    try:
        from gensim.models import LdaModel
    except ImportError:
        raise MissingExtraError("gensim", "gensim", "an export to gensim") from None
    topic_word = np.asarray(model.topic_word_, dtype=np.float64)
    beta = np.full(topic_word.shape[1], model.beta_, dtype=np.float64)
    lda = LdaModel(
        num_topics=model.n_topics,
        id2word=_dictionary(model),
        alpha=np.array(model.alpha_, dtype=np.float64),
        eta=beta,
        dtype=np.float64,
        random_state=0,  # else gensim draws from NumPy's global state
    )
    # gensim's topics are eta + sstats, normalized: for plain LDA, sstats are the counts.
    tokens = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    lda.state.sstats[...] = topic_word * (tokens + beta.sum()) - beta
    lda.sync_state()
    return lda


def to_pyldavis(model: FittedModel) -> dict[str, Any]:
    """Arguments of ``pyLDAvis.prepare(**arguments, sort_topics=False)``, which keeps the ids of topics."""
    corpus = require_corpus(model, "an export to pyLDAvis")
    return {
        "topic_term_dists": np.asarray(model.topic_word_),
        "doc_topic_dists": np.asarray(model.doc_topic_),
        "doc_lengths": corpus.doc_lengths(),
        "vocab": [str(word) for word in model.vocabulary_],
        "term_frequency": corpus.word_counts(),
    }


def gensim_files(model: FittedModel, target: Target) -> None:
    """Write the files of ``LdaModel.save``, some of them pickles, for ``LdaModel.load``."""
    if not isinstance(target, (str, os.PathLike)):
        message = "gensim saves a model as several files: expected a path, got a file object"
        raise InputError(message, parameter="target", got=target)
    to_gensim(model).save(os.fspath(target))


def pyldavis_json(model: FittedModel, target: Target) -> None:
    """Write ``to_pyldavis`` as JSON: ``pyLDAvis.prepare(**json.load(file), sort_topics=False)``."""
    with open_text(target) as file:
        for index, (key, values) in enumerate(to_pyldavis(model).items()):
            file.write("{" if index == 0 else ",\n")
            file.write(f"{json.dumps(key)}: ")
            _write_rows(file, values)
        file.write("}\n")


def _write_rows(file: Any, values: Any) -> None:
    """Write a list or an array row by row: a large corpus as one Python list would fill the memory."""
    file.write("[")
    for index, row in enumerate(values):
        plain = row if isinstance(row, str) else row.tolist()
        file.write(("," if index else "") + json.dumps(plain, ensure_ascii=False))
    file.write("]")


def _dictionary(model: FittedModel) -> Any:
    from gensim.corpora import Dictionary

    words = [str(word) for word in model.vocabulary_]
    dictionary = Dictionary()
    dictionary.token2id = {word: index for index, word in enumerate(words)}
    if len(dictionary.token2id) != len(words):
        raise InputError("gensim's dictionary needs every word once: some words of this vocabulary occur twice")
    corpus = model.corpus_
    if corpus is not None:
        frequencies = document_frequencies(corpus.tokens, corpus.offsets, corpus.n_words)
        dictionary.num_docs, dictionary.num_pos = corpus.n_docs, corpus.n_tokens
        dictionary.num_nnz = int(frequencies.sum())
        dictionary.dfs = dict(enumerate(frequencies.tolist()))
        dictionary.cfs = dict(enumerate(corpus.word_counts().tolist()))
    return dictionary
