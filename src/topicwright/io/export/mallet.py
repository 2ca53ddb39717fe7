"""Text files of MALLET's ``train-topics``, for scripts that read them.

Most of them separate fields with blanks, so white space inside a word or the name of a document becomes ``_``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...corpus.corpus import Corpus
from ...errors import InputError
from .base import FittedModel, Target, document_ids, open_text, require_corpus


def mallet_topic_keys(model: FittedModel, target: Target, *, n_words: int = 20) -> None:
    """Write topic, alpha and most frequent words, as ``--output-topic-keys`` does."""
    words = _without_blanks(model.vocabulary_)
    counts = model.topic_word_counts_.tocsr()
    with open_text(target) as file:
        for topic, alpha in enumerate(np.asarray(model.alpha_).tolist()):
            start, end = counts.indptr[topic], counts.indptr[topic + 1]
            top = _most_frequent(counts.indices[start:end], counts.data[start:end])[:n_words]
            file.write(f"{topic}\t{_short(alpha)}\t{''.join(words[word] + ' ' for word, _ in top)}\n")


def mallet_doc_topics(model: FittedModel, target: Target) -> None:
    """Write row number, name and share of each topic, separated by tabs, as ``--output-doc-topics`` does."""
    ids = document_ids(model)
    names = None if ids is None else _without_blanks(ids)
    with open_text(target) as file:
        for row, shares in enumerate(model.doc_topic_):
            name = "no-name" if names is None else names[row]
            file.write("\t".join([str(row), name, *map(repr, shares.tolist())]) + "\n")


def mallet_word_topic_counts(model: FittedModel, target: Target) -> None:
    """Write word id, word and ``topic:count``, the highest count first, as ``--word-topic-counts-file`` does."""
    counts = model.topic_word_counts_.tocsc()
    with open_text(target) as file:
        for word, text in enumerate(_without_blanks(model.vocabulary_)):
            start, end = counts.indptr[word], counts.indptr[word + 1]
            topics = _most_frequent(counts.indices[start:end], counts.data[start:end])
            file.write(" ".join([str(word), text, *(f"{topic}:{count}" for topic, count in topics)]) + "\n")


def mallet_state(model: FittedModel, target: Target) -> None:
    """Write the topic of every token, with alpha and beta at the top, as ``--output-state`` does, compressed by gzip.

    MALLET has one beta for all words: if the model has one for each, their mean is written. A text file object gets the
    same text uncompressed.
    """
    corpus = require_corpus(model, "MALLET's state")
    topics = np.asarray(model.assignments_)
    if len(topics) != corpus.n_tokens:
        message = f"assignments must have one topic per token: got {len(topics)}, expected {corpus.n_tokens}"
        raise InputError(message, parameter="model", got=len(topics))
    with open_text(target, gzipped=True) as file:
        file.write("#doc source pos typeindex type topic\n")
        file.write(f"#alpha : {''.join(f'{alpha!r} ' for alpha in np.asarray(model.alpha_).tolist())}\n")
        file.write(f"#beta : {float(np.mean(model.beta_))!r}\n")
        file.writelines(_state_lines(corpus, topics))


def _state_lines(corpus: Corpus, topics: np.ndarray) -> Iterator[str]:
    words = _without_blanks(corpus.vocabulary)
    sources = None if corpus.ids is None else _without_blanks(corpus.ids)
    offsets = corpus.offsets.tolist()
    for doc, start in enumerate(offsets[:-1]):
        source = "NA" if sources is None else sources[doc]
        tokens = corpus.tokens[start : offsets[doc + 1]].tolist()
        for position, (word, topic) in enumerate(zip(tokens, topics[start : offsets[doc + 1]].tolist())):
            yield f"{doc} {source} {position} {word} {words[word]} {topic}\n"


def _most_frequent(ids: np.ndarray, counts: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of id and count, the highest count first, without zeros; ties by the higher id, as in MALLET."""
    order = np.lexsort((ids, counts))[::-1]
    return [(i, count) for i, count in zip(ids[order].tolist(), counts[order].tolist()) if count > 0]


def _without_blanks(texts: object) -> list[str]:
    return [re.sub(r"\s+", "_", str(text)) or "_" for text in texts]  # type: ignore[attr-defined]


def _short(number: float) -> str:
    """Number with at most five digits after the point, as MALLET writes alpha."""
    return f"{number:.5f}".rstrip("0").rstrip(".")
