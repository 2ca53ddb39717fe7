"""Corpora from what is in memory, as methods of ``Corpus``; each hands over to the module that works."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from .._utils.signatures import suggest_keywords

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Unpack

    from .corpus import Corpus
    from .formats.files import Source


class TokenizerOptions(TypedDict, total=False):
    """How texts are cut into words and which words are kept: see ``Corpus.from_texts``."""

    min_df: float
    max_df: float
    max_words: int | None
    stop_words: str | Iterable[str] | None
    ngram_range: tuple[int, int]
    lowercase: bool
    token_pattern: str | None
    tokenizer: Any
    vocabulary: Any
    keep_texts: bool
    store: str | os.PathLike[str] | None


PRUNING = {"min_df", "max_df", "max_words", "stop_words"}
"""Those that choose words, and do not cut texts."""


class MetadataOptions(TypedDict, total=False):
    """What is known about the documents: see ``Corpus``."""

    labels: Any
    targets: Any
    links: Any
    ids: Any
    dates: Any


class MemoryConstructors:
    """What a corpus can be made from in memory: texts, words, matrices, frames."""

    __slots__ = ()

    @classmethod
    @suggest_keywords()
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
        from .build import from_texts

        cut = TokenizerOptions(
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
    @suggest_keywords(MetadataOptions)
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
        **known: Unpack[MetadataOptions],
    ) -> Corpus:
        """A corpus of documents that are lists of words already; other parameters as in ``from_texts``.

        >>> import topicwright as tw
        >>> tw.Corpus.from_tokens([["new york", "is", "big"], []]).doc_lengths().tolist()
        [3, 0]
        """
        from .build import from_tokens

        cut = TokenizerOptions(
            min_df=min_df,
            max_df=max_df,
            max_words=max_words,
            stop_words=stop_words,
            vocabulary=vocabulary,
            store=store,
        )
        return from_tokens(documents, cut, **known)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_matrix(cls, X: Any, vocabulary: Any = None, **known: Unpack[MetadataOptions]) -> Corpus:
        """A corpus of word counts: a dense array, any scipy sparse matrix or array, a pandas or polars frame.

        Words are the columns; their names are ``vocabulary``, or those of a frame's columns, or "x0", "x1",
        ... The words of a document come in column order.

        >>> import topicwright as tw
        >>> tw.Corpus.from_matrix([[2, 0], [0, 1]], ["apple", "pear"]).words(0)
        ['apple', 'apple']
        """
        from .inputs import from_matrix

        return from_matrix(X, vocabulary, **known)

    @classmethod
    @suggest_keywords(TokenizerOptions)
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
        **cut: Unpack[TokenizerOptions],
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
        from .documents import FieldNames
        from .inputs import from_frame

        fields = FieldNames(text, labels, target, id, label_separator, date, defaults={})
        return from_frame(frame, fields, on_error, **cut)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_gensim(cls, documents: Iterable[Any], id2word: Any = None, **known: Unpack[MetadataOptions]) -> Corpus:
        """A corpus of gensim's bags of words, lists of ``(id, count)``, with a ``Dictionary`` or a dict.

        >>> import topicwright as tw
        >>> tw.Corpus.from_gensim([[(0, 1), (1, 2)]], {0: "apple", 1: "pear"}).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.gensim import from_gensim

        return from_gensim(documents, id2word, **known)

    @classmethod
    @suggest_keywords()
    def from_anndata(
        cls,
        adata: Any,
        layer: str | None = None,
        *,
        labels: str | None = None,
        target: str | None = None,
        date: str | None = None,
    ) -> Corpus:
        """Corpus of an AnnData object: documents are its observations, words its variables, counts its ``X``.

        Parameters
        ----------
        adata : AnnData
            An object with ``X``, ``layers``, ``obs``, ``obs_names`` and ``var_names``. The names of the observations
            are the ids of the documents.
        layer : str, optional
            Layer that holds the counts; by default ``X`` holds them. Counts must be integers from 0, not normalized.
        labels, target, date : str, optional
            Columns of ``obs`` with labels, numbers to predict and dates.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import anndata  # doctest: +SKIP
        >>> adata = anndata.read_h5ad("cells.h5ad")  # doctest: +SKIP
        >>> tw.Corpus.from_anndata(adata, layer="counts", labels="cell_type")  # doctest: +SKIP
        <Corpus: 2,638 documents, 6,223,457 tokens, 13,714 words, 8 labels>
        """
        from .formats.anndata import from_anndata

        return from_anndata(adata, layer, labels=labels, target=target, date=date)


class FileConstructors:
    """The files that a corpus can be made from, and the folder that it can lie in."""

    __slots__ = ()

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> Corpus:
        """A corpus that was stored in a folder, by ``store=`` or :meth:`store`, as it lies on disk.

        Only its words are read into memory. Every file is gone through once to see that it is whole.

        >>> import tempfile
        >>> import topicwright as tw
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = tw.Corpus.from_texts(["red apples", "green grass"], ids=["a", "b"], store=folder.name)
        >>> tw.Corpus.open(folder.name).words(1), corpus.ids[1]
        (['green', 'grass'], 'b')
        >>> folder.cleanup()
        """
        from .store.reader import open_store

        return open_store(folder)

    def store(self: Any, folder: str | PathLike[str]) -> None:
        """Write a corpus to a folder, all or nothing, from which :meth:`open` has it again."""
        from .store.writer import store_corpus

        store_corpus(folder, self)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_jsonl(
        cls,
        source: Source,
        text: str = "text",
        labels: str | None = "labels",
        target: str | None = None,
        id: str | None = "id",
        *,
        date: str | None = None,
        label_separator: str | None = None,
        on_error: str = "raise",
        **cut: Unpack[TokenizerOptions],
    ) -> Corpus:
        """A corpus of a file with one JSON object a line.

        Parameters
        ----------
        source : path, "-" or open file
            The file; see above.
        text, labels, target, id : str
            Names of fields. Labels and ids may be missing under their default names; None leaves them unread.
        date : str, optional
            Name of the field that tells when a document was written: see ``Corpus``.
        label_separator : str, optional
            Splits a string of several labels.
        on_error : {"raise", "skip"}
            What to do at a bad line: stop, or skip it and tell how many there were in one warning.
        **cut
            How texts are cut and which words are kept: see ``from_texts``.

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> file = io.StringIO('{"text": "red apples", "labels": ["fruit"], "id": "a1"}')
        >>> corpus = tw.Corpus.from_jsonl(file)
        >>> corpus.words(0), corpus.labels, corpus.ids
        (['red', 'apples'], (('fruit',),), ('a1',))
        """
        names: Any = {"text": text, "labels": labels, "target": target, "id": id, "date": date}
        return _read(source, "jsonl", label_separator=label_separator, on_error=on_error, **names, **cut)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_csv(
        cls,
        source: Source,
        text: str = "text",
        labels: str | None = "labels",
        target: str | None = None,
        id: str | None = "id",
        *,
        date: str | None = None,
        label_separator: str = "|",
        delimiter: str | None = None,
        on_error: str = "raise",
        **cut: Unpack[TokenizerOptions],
    ) -> Corpus:
        """A corpus of a CSV file whose first line names the columns; parameters as in ``from_jsonl``.

        Several labels are split at ``label_separator``. The ``delimiter`` is a comma, a semicolon or a tab, whichever
        the first line has, unless it is given.

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_csv(io.StringIO("text,labels\\nred apples,fruit|red")).labels
        (('fruit', 'red'),)
        """
        names: Any = {"text": text, "labels": labels, "target": target, "id": id, "date": date}
        options: Any = {"label_separator": label_separator, "delimiter": delimiter, "on_error": on_error}
        return _read(source, "csv", **options, **names, **cut)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_parquet(
        cls,
        source: Source,
        text: str = "text",
        labels: str | None = "labels",
        target: str | None = None,
        id: str | None = "id",
        *,
        date: str | None = None,
        label_separator: str | None = None,
        on_error: str = "raise",
        **cut: Unpack[TokenizerOptions],
    ) -> Corpus:
        """A corpus of a Parquet file; parameters as in ``from_jsonl``.

        >>> import io
        >>> import pyarrow
        >>> import pyarrow.parquet
        >>> import topicwright as tw
        >>> file = io.BytesIO()
        >>> pyarrow.parquet.write_table(pyarrow.table({"text": ["red apples"], "labels": [["fruit"]]}), file)
        >>> tw.Corpus.from_parquet(file).labels
        (('fruit',),)
        """
        names: Any = {"text": text, "labels": labels, "target": target, "id": id, "date": date}
        return _read(source, "parquet", label_separator=label_separator, on_error=on_error, **names, **cut)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_text_file(cls, source: Source, *, on_error: str = "raise", **cut: Unpack[TokenizerOptions]) -> Corpus:
        """A corpus of a text file, one document a line; an empty line is an empty document.

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_text_file(io.StringIO("red apples\\ngreen grass\\n")).n_docs
        2
        """
        return _read(source, "text", on_error=on_error, **cut)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_mallet(cls, source: Source, *, on_error: str = "raise", **cut: Unpack[TokenizerOptions]) -> Corpus:
        """A corpus of MALLET's import format: a line has an id, a label and a text, between tabs or blanks.

        Between tabs there may be several labels, with blanks between them; a single "-" is no label.

        >>> import io
        >>> import topicwright as tw
        >>> file = io.StringIO("a1 fruit red apples\\na2\\tfruit green\\tgreen pears")
        >>> corpus = tw.Corpus.from_mallet(file)
        >>> corpus.ids, corpus.labels
        (('a1', 'a2'), (('fruit',), ('fruit', 'green')))
        """
        return _read(source, "mallet", on_error=on_error, **cut)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_uci(cls, docword: Source, vocab: Any = None, **known: Unpack[MetadataOptions]) -> Corpus:
        """A corpus of UCI's bag of words: three lines of sizes, then ``document word count``, counted from 1.

        ``vocab`` is a file with one word a line, or a list of words; by default the file beside ``docword``
        that has "vocab" for "docword" in its name.

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_uci(io.StringIO("1\\n2\\n2\\n1 1 1\\n1 2 2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.uci import read_uci

        return read_uci(docword, vocab, **known)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_ldac(cls, source: Source, vocab: Any = None, **known: Unpack[MetadataOptions]) -> Corpus:
        """A corpus of Blei's lda-c format: a line is a number of pairs and the pairs ``word:count``, from 0.

        ``vocab`` is a file with one word a line, or a list of words; by default the file ``NAME.vocab.txt``
        beside ``NAME.ldac``, or else the words are called "x0", "x1", ...

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_ldac(io.StringIO("2 0:1 1:2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.ldac import read_ldac

        return read_ldac(source, vocab, **known)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_matrix_market(cls, source: Source, vocab: Any = None, **known: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of a MatrixMarket file (.mtx): counts with one row per document and one column per word.

        Parameters
        ----------
        source : path, "-" or open file
            A coordinate or array matrix of integers from 0.
        vocab : path, open file or list of str, optional
            File with one word per line, or the words; by default the file ``NAME.vocab.txt`` beside ``NAME.mtx``, or
            else the words are called "x0", "x1", ...
        **known
            Labels, targets, links, ids and dates: see ``Corpus``.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> file = io.StringIO("%%MatrixMarket matrix coordinate integer general\\n1 2 2\\n1 1 1\\n1 2 2\\n")
        >>> tw.Corpus.from_matrix_market(file, ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.matrix_market import read_matrix_market

        return read_matrix_market(source, vocab, **known)


def _read(source: Source, format: str, **options: Any) -> Corpus:
    from .formats.dispatch import read_corpus

    return read_corpus(source, format, **options)
