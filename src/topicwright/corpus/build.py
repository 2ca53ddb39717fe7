"""Corpora from texts and from lists of words, with a new vocabulary or in a fixed one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import pluralize
from ..errors import InputError
from .constructors import TokenizerOptions
from .corpus import Corpus
from .metadata import is_missing
from .tokenizer import Tokenizer, as_tokenizer
from .vocabulary import (
    Pruning,
    TokenStream,
    WordCounts,
    WordIndex,
    as_word_index,
    drop_negative_ids,
    number_words,
    renumber,
)


class Encoded(NamedTuple):
    """Documents in a fixed vocabulary, and the words that are not in it.

    Parameters
    ----------
    corpus : Corpus
        The documents without unknown words.
    n_unknown : int
        Number of tokens that were skipped.
    unknown : Counter
        Number of occurrences of each unknown word.
    unknown_by_document : array of shape (n_docs,)
        Number of tokens of each document that were skipped.
    """

    corpus: Corpus
    n_unknown: int
    unknown: Counter[str]
    unknown_by_document: NDArray[np.int64]


class TextOptions(NamedTuple):
    """Validated options of tokenization and of the choice of words."""

    tokenizer: Tokenizer
    pruning: Pruning
    vocabulary: Any
    keep_texts: bool


def text_options(
    *,
    min_df: float = 1,
    max_df: float = 1.0,
    max_words: int | None = None,
    stop_words: str | Iterable[str] | None = None,
    ngram_range: tuple[int, int] = (1, 1),
    lowercase: bool = True,
    token_pattern: str | None = None,
    tokenizer: Any = None,
    vocabulary: Any = None,
    keep_texts: bool = False,
) -> TextOptions:
    """Validate the options before any text is read."""
    pruning = Pruning(min_df, max_df, max_words)
    if vocabulary is not None and pruning != Pruning():
        message = "`min_df`, `max_df` and `max_words` must not be given with a fixed `vocabulary`"
        raise InputError(message, parameter="vocabulary")
    checked = as_tokenizer(
        tokenizer,
        lowercase=lowercase,
        token_pattern=token_pattern,
        stop_words=stop_words,
        ngram_range=ngram_range,
    )
    return TextOptions(checked, pruning, vocabulary, keep_texts)


def from_texts(texts: Iterable[str], options: TokenizerOptions, **metadata: Any) -> Corpus:
    """See ``Corpus.from_texts``."""
    settings: dict[str, Any] = {**options}
    folder = settings.pop("store", None)
    checked, validated = validate_texts(texts), text_options(**settings)
    if folder is not None:
        from .store.writer import store_texts

        return store_texts(folder, checked, validated, metadata)
    tokenized = tokenize_texts(checked, validated)
    return Corpus(**{**tokenized, **metadata})


def from_tokens(documents: Iterable[Iterable[str]], options: TokenizerOptions, **metadata: Any) -> Corpus:
    """See ``Corpus.from_tokens``."""
    settings: dict[str, Any] = {**options, "tokenizer": str.split}
    folder = settings.pop("store", None)
    validated, checked = text_options(**settings), validate_token_lists(documents)
    if folder is not None:
        from .store.writer import store_words

        return store_words(folder, checked, validated, metadata)
    excluded = validated.tokenizer.excluded_words
    if validated.vocabulary is None:
        stream = _learn_vocabulary(number_words(checked, excluded), validated.pruning)
    else:
        kept = ([word for word in words if word not in excluded] for words in checked)
        stream, *_ = _encode(kept, as_word_index(validated.vocabulary))
    check_not_empty(stream.n_docs)
    return Corpus(*stream, **metadata)


def tokenize_texts(texts: Iterable[str], options: TextOptions) -> dict[str, Any]:
    """Fields of the corpus of validated texts, which are read once; only word ids stay, unless texts are kept."""
    tokenizer, kept = options.tokenizer, list[str]()
    if options.keep_texts:
        texts = _collect(texts, kept)
    if options.vocabulary is not None:
        stream, *_ = _encode(map(tokenizer, texts), as_word_index(options.vocabulary))
        check_not_empty(stream.n_docs)
    elif tokenizer.ngram_range == (1, 1):
        words = map(tokenizer.split, texts)
        stream = _learn_vocabulary(number_words(words, tokenizer.excluded_words), options.pruning)
    else:
        stream = _learn_vocabulary(number_words(map(tokenizer, texts)), options.pruning)
    fields = {**stream._asdict(), "tokenizer": tokenizer}
    return {**fields, "texts": tuple(kept)} if options.keep_texts else fields


def _collect(texts: Iterable[str], kept: list[str]) -> Iterator[str]:
    for text in texts:
        kept.append(text)
        yield text


def _learn_vocabulary(stream: TokenStream, pruning: Pruning) -> TokenStream:
    """Stream in the vocabulary of the words to keep, in alphabetical order."""
    if not pruning.keeps_all:
        stream = stream.without_excluded()  # frequencies are counted, so ids must not be negative
    return renumber(stream, select_words(stream, pruning), sort=True)


def select_words(counted: WordCounts, pruning: Pruning) -> NDArray[np.bool_]:
    """Mask of the words to keep; an error if there is none."""
    check_not_empty(counted.n_docs)
    if not len(counted.vocabulary):
        raise InputError(
            f"no words were found in {pluralize(counted.n_docs, 'document')}: they are empty, or contain only "
            "stop words and characters that are not part of words"
        )
    return pruning.select(counted)


def check_not_empty(n_docs: int) -> None:
    """Raise an error if there is no document."""
    if n_docs == 0:
        raise InputError("a corpus must have at least one document: got none")


# ---------------------------------------------------------------------- fixed vocabulary


def encode(texts: Iterable[Any], tokenizer: Tokenizer | None, vocabulary: Any) -> Encoded:
    """Corpus of documents in a fixed vocabulary; words that are not in it are skipped and counted.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        Texts if there is a tokenizer, and lists of words if there is none.
    tokenizer : Tokenizer or None
        How texts are tokenized.
    vocabulary : list of str, dict or WordIndex
        The words; a ``WordIndex`` saves building one for every batch.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> encoded = encode(["red apple", "blue apple"], Tokenizer(), ["apple", "red"])
    >>> encoded.corpus.tokens.tolist(), encoded.n_unknown, encoded.unknown.most_common(1)
    ([1, 0, 0], 1, [('blue', 1)])
    """
    documents: Iterable[list[str]] = (
        validate_token_lists(texts) if tokenizer is None else map(tokenizer, validate_texts(texts))
    )
    stream, unknown, lost = _encode(documents, as_word_index(vocabulary))
    return Encoded(Corpus(*stream, tokenizer=tokenizer), unknown.total(), unknown, lost)


def _encode(documents: Iterable[list[str]], index: WordIndex) -> tuple[TokenStream, Counter[str], NDArray[np.int64]]:
    """Documents without unknown words, the unknown words, and their number in each document."""
    parts, lengths, unknown = [np.empty(0, np.int32)], [0], Counter[str]()
    for words in documents:
        ids = np.fromiter(map(index.ids.get, words, repeat(-1)), np.int32, len(words))
        parts.append(ids)
        lengths.append(len(ids))
        if len(ids) and ids.min() < 0:
            unknown.update(word for word, i in zip(words, ids.tolist()) if i < 0)
    tokens, offsets = drop_negative_ids(np.concatenate(parts), np.cumsum(lengths, dtype=np.int64))
    return TokenStream(tokens, offsets, index.words), unknown, np.array(lengths[1:], np.int64) - np.diff(offsets)


def align(corpus: Corpus, vocabulary: Any) -> Encoded:
    """Same documents in another vocabulary; words that are not in it are skipped and counted.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    vocabulary : list of str, dict or WordIndex
        The words.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> align(Corpus.from_texts(["red apple"]), ["red", "green"]).corpus.tokens.tolist()
    [0]
    """
    index = as_word_index(vocabulary)
    new = np.array([*map(index.ids.get, corpus.vocabulary, repeat(-1)), -1], dtype=np.int32)
    counts = corpus.word_counts()
    lost = np.flatnonzero((new[:-1] < 0) & (counts > 0))
    unknown = Counter({corpus.vocabulary[i]: int(counts[i]) for i in lost})
    tokens, offsets = drop_negative_ids(new[corpus.tokens], corpus.offsets)
    aligned = replace(corpus, tokens=tokens, offsets=offsets, vocabulary=index.words)
    return Encoded(aligned, int(counts[lost].sum()), unknown, corpus.doc_lengths() - aligned.doc_lengths())


def prune(corpus: Corpus, pruning: Pruning, stop_words: str | Iterable[str] | None = None) -> Corpus:
    """See ``Corpus.prune``."""
    excluded = Tokenizer(stop_words=stop_words, analyzer=str.split).excluded_words
    stream = TokenStream(corpus.tokens, corpus.offsets, corpus.vocabulary)
    wanted = np.array([word not in excluded for word in stream.vocabulary], dtype=bool)
    if not wanted.any():
        message = f"no words are left after pruning: all {len(wanted):,} words are stop words"
        raise InputError(message, parameter="stop_words")
    stream = renumber(stream, wanted, sort=False)
    stream = renumber(stream, pruning.select(stream), sort=False)
    return replace(corpus, **stream._asdict())


# ---------------------------------------------------------------------- validation


def validate_texts(texts: Any) -> Iterator[str]:
    """Texts one at a time; an error names the position of anything that is not a str."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        message = f"`texts` must be a list of strings: got {_type_or_value(texts)}"
        raise InputError(message, parameter="texts", got=texts)
    if isinstance(texts, Mapping) or hasattr(texts, "columns"):
        hint = "pass one of its columns"
        raise InputError(parameter="texts", expected="a list of strings", got=type(texts), hint=hint)
    return (text if isinstance(text, str) else _reject_text(text, i) for i, text in enumerate(texts))


def _reject_text(text: Any, position: int) -> str:
    hint = " (decode it first, as in text.decode('utf-8'))" if isinstance(text, bytes) else ""
    if is_missing(text):
        hint = " (use '' for a missing text, or leave it out: in pandas texts.fillna('') or texts.dropna())"
    message = f"`texts` must be strings: got {_type_or_value(text)} at position {position}{hint}"
    raise InputError(message, parameter="texts", got=text, where=f"position {position}")


def validate_token_lists(documents: Any) -> Iterator[list[str]]:
    """Lists of words one at a time; an error names the position of anything else."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        message = f"`documents` must be lists of words: got {_type_or_value(documents)}"
        raise InputError(message, parameter="documents", got=documents)
    return (_validate_words(words, i) for i, words in enumerate(documents))


def _validate_words(words: Any, position: int) -> list[str]:
    where = f"position {position}"
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        message = f"`documents` must be lists of words: got {_type_or_value(words)} at position {position}"
        raise InputError(message, parameter="documents", got=words, where=where)
    checked: list[str] = list(words)
    if not set(map(type, checked)) <= {str}:  # the common case is fast
        for word in checked:
            if not isinstance(word, str):
                message = f"words must be strings: got {_type_or_value(word)} in document {position}"
                raise InputError(message, parameter="documents", got=word, where=where)
    return checked


def _type_or_value(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return f"a single {type(value).__name__}" if isinstance(value, str) else "bytes"
    if isinstance(value, (int, float)):
        return repr(value)
    return "None" if value is None else type(value).__name__
