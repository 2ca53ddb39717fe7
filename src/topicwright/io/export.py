"""Exports of fitted models: tables, MALLET's files, gensim's model, pyLDAvis's input."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, Protocol, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from .._utils.atomic import atomic_write
from .._utils.validation import check_choice
from ..corpus.corpus import Corpus
from ..corpus.formats.files import compress_stream
from ..corpus.vocabulary import document_frequencies
from ..errors import InputError, MissingExtraError

__all__ = [
    "FORMATS",
    "FittedModel",
    "doc_topics_to_csv",
    "export",
    "mallet_doc_topics",
    "mallet_state",
    "mallet_topic_keys",
    "mallet_word_topic_counts",
    "to_gensim",
    "to_pyldavis",
    "topics_to_csv",
    "topics_to_json",
]


class FittedModel(Protocol):
    """Attributes of a fitted topic model that exports read; ``topic_names_`` is optional."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""

    @property
    def vocabulary_(self) -> NDArray[np.object_]:
        """The words."""

    @property
    def topic_word_counts_(self) -> Any:
        """Tokens of each word in each topic, as a sparse matrix."""

    @property
    def topic_word_(self) -> NDArray[np.float64]:
        """Probability of each word in each topic."""

    @property
    def doc_topic_(self) -> NDArray[np.float64]:
        """Share of each topic in each document."""

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """Prior of topics in a document."""

    @property
    def beta_(self) -> float | NDArray[np.float64]:
        """Prior of words in a topic."""

    @property
    def corpus_(self) -> Corpus | None:
        """Training corpus; None if the model does not keep it."""

    @property
    def assignments_(self) -> NDArray[np.uint32] | None:
        """Topic of each token of the corpus; None if the model does not keep it."""


def topic_names(model: FittedModel) -> list[str] | None:
    """Names of the topics if the model has any, such as one per label."""
    names = getattr(model, "topic_names_", None)
    return None if names is None else [str(name) for name in names]


def topic_rows(model: FittedModel, topics: Iterable[int] | None = None) -> Iterator[NDArray[np.float64]]:
    """Rows of ``topic_word_``, or some of them, one at a time, since all may not fit in memory."""
    counts = model.topic_word_counts_
    priors = getattr(model, "word_prior_", None)
    for topic in range(counts.shape[0]) if topics is None else topics:
        start, end = counts.indptr[topic], counts.indptr[topic + 1]
        row = np.zeros(counts.shape[1]) + model.beta_
        if priors is not None:
            row += priors[[topic], :].toarray()[0]
        row[counts.indices[start:end]] += counts.data[start:end]
        yield row / row.sum()


def topic_weights(model: FittedModel) -> list[float]:
    """Share of each topic of all tokens; zeros if there are no tokens."""
    tokens = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.float64).ravel()
    weights: list[float] = (tokens / max(tokens.sum(), 1.0)).tolist()
    return weights


def top_word_ids(probabilities: NDArray[np.float64], n_words: int | None) -> NDArray[np.intp]:
    """Ids of the most probable words of a topic; ties are in the order of the vocabulary."""
    n_words = len(probabilities) if n_words is None else min(n_words, len(probabilities))
    if n_words < 1:
        return np.empty(0, dtype=np.intp)
    last = np.partition(probabilities, -n_words)[-n_words]
    candidates = np.flatnonzero(probabilities >= last)
    order = np.argsort(-probabilities[candidates], kind="stable")
    return candidates[order][:n_words]


def require_corpus(model: FittedModel, purpose: str) -> Corpus:
    """Corpus that the model was fitted to; an error if the model does not keep it."""
    if model.corpus_ is None or model.assignments_ is None:
        raise InputError(f"{purpose} needs the corpus that the model was fitted to, and this model does not keep it")
    return model.corpus_


def document_ids(model: FittedModel) -> Sequence[str] | None:
    """Ids of the documents if there are any."""
    return None if model.corpus_ is None else model.corpus_.ids


Target = str | os.PathLike[str] | IO[str] | IO[bytes]
_GZIPPED = "any.gz"


@contextmanager
def open_text(target: Target, *, gzipped: bool = False) -> Iterator[TextIO]:
    """Text file to write to, as UTF-8 with Unix line ends, compressed if a path ends with .gz, .xz, .bz2 or .zst.

    With ``gzipped``, it is compressed whatever the name is, unless it is a text file object.
    """
    if isinstance(target, (str, os.PathLike)):
        with atomic_write(target) as file, _as_text(file, _GZIPPED if gzipped else str(target)) as text:
            yield text
    elif hasattr(target, "encoding"):  # every text file object has one
        yield cast(TextIO, target)
    else:
        with _as_text(target, _GZIPPED if gzipped else "") as text:
            yield text


@contextmanager
def _as_text(file: Any, name: str) -> Iterator[TextIO]:
    with compress_stream(file, name) as raw, _encoded(raw) as text:
        yield text


@contextmanager
def _encoded(file: Any) -> Iterator[TextIO]:
    # Half a surrogate pair has no UTF-8; its escape is also valid inside JSON.
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield text
    finally:
        text.detach()  # writes what is left, and does not close the file


# ---------------------------------------------------------------------- tables and the files of MALLET


def topics_to_csv(model: FittedModel, target: Target, *, n_words: int | None = 20) -> None:
    """Write one row for each of the most probable words of each topic: topic, (name,) weight, rank, word, probability.

    ``weight`` is the share of the topic of all tokens; ``n_words=None`` writes all words. There is a column ``name`` if
    the model names its topics.
    """
    named = topic_names(model) is not None
    with open_text(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["topic", *(["name"] if named else []), "weight", "rank", "word", "probability"])
        for topic in topic_entries(model, n_words):
            start = [topic["topic"], *([topic["name"]] if named else []), topic["weight"]]
            for rank, entry in enumerate(topic["words"], start=1):
                writer.writerow([*start, rank, entry["word"], entry["probability"]])


def topics_to_json(model: FittedModel, target: Target, *, n_words: int | None = 20) -> None:
    """Write a list of topics: ``{"topic": 0, "weight": 0.2, "words": [{"word": "red", "probability": 0.1}]}``."""
    with open_text(target) as file:
        for index, topic in enumerate(topic_entries(model, n_words)):
            file.write("[\n" if index == 0 else ",\n")
            file.write(json.dumps(topic, ensure_ascii=False))
        file.write("\n]\n")


def doc_topics_to_csv(model: FittedModel, target: Target) -> None:
    """Write one row for each document: its id or row number, and the share of each topic."""
    ids, doc_topics = document_ids(model), model.doc_topic_
    columns = topic_names(model) or [f"topic_{topic}" for topic in range(model.n_topics)]
    with open_text(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["document", *columns])
        for row, shares in enumerate(doc_topics):
            writer.writerow([row if ids is None else ids[row], *shares.tolist()])


def topic_entries(
    model: FittedModel, n_words: int | None, topics: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Topics, or some of them, with their most probable words, as JSON values."""
    vocabulary, names, weights = model.vocabulary_, topic_names(model), topic_weights(model)
    numbers = range(len(weights)) if topics is None else topics
    for topic, probabilities in zip(numbers, topic_rows(model, numbers)):
        words = top_word_ids(probabilities, n_words)
        yield {
            "topic": topic,
            **({} if names is None else {"name": names[topic]}),
            "weight": weights[topic],
            "words": [{"word": str(vocabulary[word]), "probability": float(probabilities[word])} for word in words],
        }


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


# ---------------------------------------------------------------------- other Python libraries


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


# ---------------------------------------------------------------------- all formats

FORMATS: dict[str, Callable[..., None]] = {
    "topics-csv": topics_to_csv,
    "topics-json": topics_to_json,
    "doc-topics-csv": doc_topics_to_csv,
    "mallet-topic-keys": mallet_topic_keys,
    "mallet-doc-topics": mallet_doc_topics,
    "mallet-word-topic-counts": mallet_word_topic_counts,
    "mallet-state": mallet_state,
    "gensim": gensim_files,
    "pyldavis": pyldavis_json,
}
"""Functions that write each format of ``export``."""


def export(model: FittedModel, target: Target, format: str, **options: Any) -> None:
    """Write a fitted model in a format of another tool.

    Parameters
    ----------
    model : fitted model
        The model.
    target : path or file object
        Where to write. A file at a path is replaced atomically.
    format : str
        One of ``FORMATS``.
    **options
        Options of the format, such as ``n_words`` of "topics-csv".

    Examples
    --------
    >>> import io
    >>> import topicwright as tw
    >>> from topicwright.io.export import export
    >>> lda = tw.LDA(n_topics=2, n_sweeps=5).fit(["red apples", "green grass"])
    >>> table = io.StringIO()
    >>> export(lda, table, "topics-csv", n_words=3)
    >>> table.getvalue().splitlines()[0]
    'topic,weight,rank,word,probability'
    """
    FORMATS[check_choice("format", format, FORMATS)](model, target, **options)
