"""Corpora from texts, and from texts already cut into words."""

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
from .columns import is_missing
from .constructors import TokenizerOptions
from .corpus import Corpus
from .tokenizer import Tokenizer, as_tokenizer
from .vocabulary import Pruning, TokenStream, WordCounts, as_word_index, drop_negative_ids, number_words, renumber


class Encoded(NamedTuple):
    """Documents in a fixed vocabulary, and the words that it did not have."""

    corpus: Corpus
    n_unknown: int
    unknown: Counter[str]


def from_texts(texts: Iterable[str], cut: TokenizerOptions, **known: Any) -> Corpus:
    """See ``Corpus.from_texts``."""
    options: dict[str, Any] = {**cut}
    folder = options.pop("store", None)
    if folder is None:
        return replace(tokenize_texts(validate_texts(texts), **options), **known)
    from .store.writer import store_texts

    return store_texts(folder, validate_texts(texts), text_options(**options), known)


def from_tokens(documents: Iterable[Iterable[str]], cut: TokenizerOptions, **known: Any) -> Corpus:
    """See ``Corpus.from_tokens``."""
    options: dict[str, Any] = {**cut, "tokenizer": str.split}
    folder = options.pop("store", None)
    cutting, checked = text_options(**options), validate_token_lists(documents)
    if folder is not None:
        from .store.writer import store_words

        return store_words(folder, checked, cutting, known)
    skipped = cutting.cutter.skipped
    if cutting.vocabulary is None:
        corpus = _learned(number_words(checked, skipped), cutting.pruning)
    else:
        corpus = encode(_without(checked, skipped), None, cutting.vocabulary).corpus
    return replace(_not_empty(corpus), **known)


class TextOptions(NamedTuple):
    """How texts are cut and which words are kept, checked."""

    cutter: Tokenizer
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
    """Look at the options before any text is read."""
    pruning = Pruning(min_df, max_df, max_words)
    if vocabulary is not None and pruning != Pruning():
        raise InputError("min_df, max_df and max_words must not be given with a fixed vocabulary")
    cutter = as_tokenizer(
        tokenizer,
        lowercase=lowercase,
        token_pattern=token_pattern,
        stop_words=stop_words,
        ngram_range=ngram_range,
    )
    return TextOptions(cutter, pruning, vocabulary, keep_texts)


def tokenize_texts(texts: Iterable[str], **cut: Any) -> Corpus:
    """The corpus of texts that were checked already, one at a time: only word ids stay, unless texts are kept."""
    cutting, kept = text_options(**cut), list[str]()
    if not cutting.keep_texts:
        return _tokenize(texts, cutting)
    return replace(_tokenize(_noted(texts, kept), cutting), texts=tuple(kept))


def _tokenize(texts: Iterable[str], cutting: TextOptions) -> Corpus:
    cutter = cutting.cutter
    if cutting.vocabulary is not None:
        return _not_empty(encode(texts, cutter, cutting.vocabulary).corpus)
    if cutter.ngram_range == (1, 1):
        stream = number_words(map(cutter.pieces, texts), cutter.skipped)
    else:
        stream = number_words(map(cutter, texts))
    return replace(_learned(stream, cutting.pruning), tokenizer=cutter)


def _noted(texts: Iterable[str], kept: list[str]) -> Iterator[str]:
    """The same texts, each kept as it goes by."""
    for text in texts:
        kept.append(text)
        yield text


def encode(texts: Iterable[Any], tokenizer: Tokenizer | None, vocabulary: Any) -> Encoded:
    """Documents as ids of a fixed vocabulary; words that it does not have are skipped and counted.

    Without a tokenizer the documents must be lists of words. ``vocabulary`` may be a ``WordIndex``, which
    saves building the same one for every batch.

    >>> encoded = encode(["red apple", "blue apple"], Tokenizer(), ["apple", "red"])
    >>> encoded.corpus.tokens.tolist(), encoded.n_unknown, encoded.unknown.most_common(1)
    ([1, 0, 0], 1, [('blue', 1)])
    """
    index = as_word_index(vocabulary)
    documents: Iterable[Any] = (
        validate_token_lists(texts) if tokenizer is None else map(tokenizer, validate_texts(texts))
    )
    parts, lengths, unknown = [np.empty(0, np.int32)], [0], Counter[str]()
    for words in documents:
        ids = np.fromiter(map(index.ids.get, words, repeat(-1)), np.int32, len(words))
        parts.append(ids)
        lengths.append(len(ids))
        if len(ids) and ids.min() < 0:
            unknown.update(word for word, i in zip(words, ids.tolist()) if i < 0)
    tokens, offsets = drop_negative_ids(np.concatenate(parts), np.cumsum(lengths, dtype=np.int64))
    corpus = Corpus(tokens, offsets, index.words, tokenizer=tokenizer)
    return Encoded(corpus, unknown.total() if unknown else 0, unknown)


def align(corpus: Corpus, vocabulary: Any) -> Encoded:
    """The same documents in another vocabulary; words that it does not have are skipped and counted.

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
    return Encoded(aligned, int(counts[lost].sum()), unknown)


def prune(corpus: Corpus, pruning: Pruning, stop_words: str | Iterable[str] | None = None) -> Corpus:
    """See ``Corpus.prune``."""
    skipped = Tokenizer(stop_words=stop_words, analyzer=str.split).skipped
    stream = TokenStream(corpus.tokens, corpus.offsets, corpus.vocabulary.tolist())
    wanted = np.array([word not in skipped for word in stream.words], dtype=bool)
    if not wanted.any():
        raise InputError(f"no words are left after pruning: all {len(wanted):,} words are stop words")
    stream = renumber(stream, wanted, sort=False)
    tokens, offsets, words = renumber(stream, pruning.kept(stream), sort=False)
    return replace(corpus, tokens=tokens, offsets=offsets, vocabulary=np.array(words, dtype=object))


def validate_texts(texts: Any) -> Iterator[str]:
    """The same texts one at a time; an error that names the position of anything that is not a str."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of strings: got {_described(texts)}")
    if isinstance(texts, Mapping) or hasattr(texts, "columns"):
        raise InputError(f"texts must be a list of strings: got a {type(texts).__name__}; give one column of it")
    return (text if isinstance(text, str) else _refuse(text, i) for i, text in enumerate(texts))


def validate_token_lists(documents: Any) -> Iterator[list[str]]:
    """The same lists of words one at a time; an error that names the position of anything else."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        raise InputError(f"documents must be lists of words: got {_described(documents)}")
    return (_checked_words(words, i) for i, words in enumerate(documents))


def _checked_words(words: Any, position: int) -> list[str]:
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise InputError(f"documents must be lists of words: got {_described(words)} at position {position}")
    checked: list[str] = list(words)
    if not set(map(type, checked)) <= {str}:  # as they mostly are
        for word in checked:
            if not isinstance(word, str):
                raise InputError(f"words must be strings: got {_described(word)} in document {position}")
    return checked


def _refuse(text: Any, position: int) -> str:
    hint = " (decode it first, as in text.decode('utf-8'))" if isinstance(text, bytes) else ""
    if is_missing(text):
        hint = " (write '' for a missing text, or leave it out: in pandas texts.fillna('') or texts.dropna())"
    raise InputError(f"texts must be strings: got {_described(text)} at position {position}{hint}")


def _described(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return f"a single {type(value).__name__}" if isinstance(value, str) else "bytes"
    if isinstance(value, (int, float)):
        return repr(value)
    return "None" if value is None else type(value).__name__


def _without(documents: Iterable[list[str]], skipped: frozenset[str]) -> Iterator[list[str]]:
    return ([word for word in words if word not in skipped] for words in documents)


def _not_empty(corpus: Corpus) -> Corpus:
    check_not_empty(corpus.n_docs)
    return corpus


def check_not_empty(n_docs: int) -> None:
    """An error where there is no document."""
    if n_docs == 0:
        raise InputError("a corpus must have at least one document: got none")


def select_words(counted: WordCounts, pruning: Pruning) -> NDArray[np.bool_]:
    """A mask of the words that were found and are to be kept; an error where there are none."""
    check_not_empty(counted.n_docs)
    if not counted.words:
        raise InputError(
            f"no words were found in {pluralize(counted.n_docs, 'document')}: all are empty, or hold nothing but stop "
            "words and what the tokenizer does not take for words"
        )
    return pruning.kept(counted)


def _learned(stream: TokenStream, pruning: Pruning) -> Corpus:
    tokens, offsets, words = renumber(stream, select_words(stream, pruning), sort=True)
    return Corpus(tokens, offsets, np.array(words, dtype=object))
