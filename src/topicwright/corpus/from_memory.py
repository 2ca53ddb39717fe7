"""Corpora from what is in memory, as methods of ``Corpus``; each hands over to the module that works."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .._options import clear_options
from .options import CutOptions, KnownOptions

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Unpack

    from .core import Corpus


class FromMemory:
    """What a corpus can be made from in memory: texts, words, matrices, frames."""

    __slots__ = ()

    @classmethod
    @clear_options()
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        labels: Any = None,
        targets: Any = None,
        links: Any = None,
        ids: Any = None,
        dates: Any = None,
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
        store: str | PathLike[str] | None = None,
    ) -> Corpus:
        """A corpus of texts: any iterable of strings, read once. Empty texts are kept: rows stay aligned.

        Parameters
        ----------
        texts : iterable of str
            A list, a generator, a column of a frame.
        labels, targets, links, ids, dates
            What is known about the documents: see ``Corpus``.
        min_df, max_df : int or float
            Keep words that occur in at least and at most so many documents; a float is a share of all
            documents.
        max_words : int, optional
            Keep only the most frequent words.
        stop_words : "english", or an iterable of words, optional
            Words to leave out; by default none. The shell leaves out English ones unless told ``--stop-words none``.
        ngram_range, lowercase, token_pattern
            How texts are cut: see ``Tokenizer``.
        tokenizer : Tokenizer, callable or scikit-learn vectorizer, optional
            Cuts the texts instead.
        vocabulary : list of str, optional
            The only words to keep, in the order of their ids, such as those of a fitted model.
        keep_texts : bool
            Keep the texts too, so that documents can be read as they were written.
        store : path, optional
            A folder to write the corpus to while texts are read, for corpora larger than memory: the corpus is then
            mapped from there. A corpus that the folder already holds is replaced. See ``Corpus.open``.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts = ["The cat sat.", "A dog sat."]
        >>> corpus = tw.Corpus.from_texts(texts, stop_words="english", labels=["cats", "dogs"])
        >>> corpus.vocabulary.tolist(), corpus.labels
        (['cat', 'dog', 'sat'], (('cats',), ('dogs',)))
        """
        from .texts import from_texts

        cut = CutOptions(
            min_df=min_df,
            max_df=max_df,
            max_words=max_words,
            stop_words=stop_words,
            ngram_range=ngram_range,
            lowercase=lowercase,
            token_pattern=token_pattern,
            tokenizer=tokenizer,
            vocabulary=vocabulary,
            keep_texts=keep_texts,
            store=store,
        )
        return from_texts(texts, cut, labels=labels, targets=targets, links=links, ids=ids, dates=dates)

    @classmethod
    @clear_options(KnownOptions)
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        min_df: float = 1,
        max_df: float = 1.0,
        max_words: int | None = None,
        stop_words: str | Iterable[str] | None = None,
        vocabulary: Any = None,
        store: str | PathLike[str] | None = None,
        **known: Unpack[KnownOptions],
    ) -> Corpus:
        """A corpus of documents that are lists of words already; other parameters as in ``from_texts``.

        >>> import topicwright as tw
        >>> tw.Corpus.from_tokens([["new york", "is", "big"], []]).doc_lengths().tolist()
        [3, 0]
        """
        from .texts import from_tokens

        cut = CutOptions(
            min_df=min_df,
            max_df=max_df,
            max_words=max_words,
            stop_words=stop_words,
            vocabulary=vocabulary,
            store=store,
        )
        return from_tokens(documents, cut, **known)

    @classmethod
    @clear_options(KnownOptions)
    def from_matrix(cls, X: Any, vocabulary: Any = None, **known: Unpack[KnownOptions]) -> Corpus:
        """A corpus of word counts: a dense array, any scipy sparse matrix or array, a pandas or polars frame.

        Words are the columns; their names are ``vocabulary``, or those of a frame's columns, or "x0", "x1",
        ... The words of a document come in column order.

        >>> import topicwright as tw
        >>> tw.Corpus.from_matrix([[2, 0], [0, 1]], ["apple", "pear"]).words(0)
        ['apple', 'apple']
        """
        from .matrix import from_matrix

        return from_matrix(X, vocabulary, **known)

    @classmethod
    @clear_options(CutOptions)
    def from_frame(
        cls,
        frame: Any,
        text: str = "text",
        labels: str | None = None,
        target: str | None = None,
        id: str | None = None,
        *,
        date: str | None = None,
        label_separator: str | None = None,
        on_error: str = "raise",
        **cut: Unpack[CutOptions],
    ) -> Corpus:
        """A corpus of a pandas or polars frame with a column of texts; other parameters as in ``from_texts``.

        Parameters
        ----------
        frame : pandas or polars frame
            One row a document.
        text, labels, target, id, date : str
            Names of columns. Labels may be single values, lists, or strings of several. Without ``id``, the index of a
            pandas frame gives the ids, where it has a name of its own for each row.
        label_separator : str, optional
            Splits a string of several labels.
        on_error : {"raise", "skip"}
            What to do at a row without a text or with a bad date: stop, or skip it and tell how many there were.
        **cut
            How texts are cut and which words are kept: see ``from_texts``.

        Examples
        --------
        >>> import pandas as pd
        >>> import topicwright as tw
        >>> frame = pd.DataFrame({"text": ["red apple", "green pear"], "tag": ["apples", "pears"]}, index=["a", "b"])
        >>> corpus = tw.Corpus.from_frame(frame, labels="tag")
        >>> corpus.labels, corpus.ids
        ((('apples',), ('pears',)), ('a', 'b'))
        """
        from .documents import Fields
        from .frames import from_frame

        fields = Fields(text, labels, target, id, label_separator, date, defaults={})
        return from_frame(frame, fields, on_error, **cut)

    @classmethod
    @clear_options(KnownOptions)
    def from_gensim(cls, documents: Iterable[Any], id2word: Any = None, **known: Unpack[KnownOptions]) -> Corpus:
        """A corpus of gensim's bags of words, lists of ``(id, count)``, with a ``Dictionary`` or a dict.

        >>> import topicwright as tw
        >>> tw.Corpus.from_gensim([[(0, 1), (1, 2)]], {0: "apple", 1: "pear"}).words(0)
        ['apple', 'pear', 'pear']
        """
        from .bags import from_gensim

        return from_gensim(documents, id2word, **known)
