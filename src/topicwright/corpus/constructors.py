"""Constructors of ``Corpus``: from data in memory and from files. Each delegates to the module of its format."""

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
    """Options of tokenization and of the choice of words: see ``Corpus.from_texts``."""

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
"""Options that choose words and do not tokenize texts."""


class MetadataOptions(TypedDict, total=False):
    """Metadata of documents: see ``Corpus``."""

    labels: Any
    targets: Any
    links: Any
    ids: Any
    dates: Any
    metadata: Any


class MemoryConstructors:
    """Constructors from data in memory: texts, words, matrices, frames."""

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
        metadata: Any = None,
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
        """Corpus of texts, which are read once. Empty texts are kept, so that rows stay aligned.

        Parameters
        ----------
        texts : iterable of str
            A list, a generator, a column of a frame.
        labels, targets, links, ids, dates, metadata
            Metadata of the documents: see ``Corpus``.
        min_df, max_df : int or float
            Least and greatest number of documents that a word must occur in; a float is a share of all documents.
        max_words : int, optional
            Number of the most frequent words to keep.
        stop_words : "english", or an iterable of words, optional
            Words to remove; by default none. The command line removes English stop words by default.
        ngram_range, lowercase, token_pattern
            How texts are tokenized: see ``Tokenizer``.
        tokenizer : Tokenizer, callable or scikit-learn vectorizer, optional
            Tokenizes the texts instead.
        vocabulary : list of str, optional
            Fixed vocabulary in the order of word ids, such as that of a fitted model; other words are skipped.
        keep_texts : bool
            Whether to keep the original texts, so that documents can be read.
        store : path, optional
            Folder to write the corpus to while texts are read, for corpora larger than memory. The corpus is then
            memory-mapped. A corpus that the folder already holds is replaced. See ``Corpus.open``.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import topicwright as tw
        >>> texts = ["The cat sat.", "A dog sat."]
        >>> corpus = tw.Corpus.from_texts(texts, stop_words="english", labels=["cats", "dogs"])
        >>> corpus.vocabulary.tolist(), corpus.labels
        (['cat', 'dog', 'sat'], (('cats',), ('dogs',)))
        """
        from .build import from_texts

        options = TokenizerOptions(
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
        columns = {"labels": labels, "targets": targets, "links": links, "ids": ids, "dates": dates}
        return from_texts(texts, options, **columns, metadata=metadata)

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
        **metadata: Unpack[MetadataOptions],
    ) -> Corpus:
        """Corpus of documents that are lists of words.

        Parameters
        ----------
        documents : iterable of lists of str
            The words of each document.
        min_df, max_df, max_words, stop_words, vocabulary, store
            As in ``from_texts``.
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import topicwright as tw
        >>> tw.Corpus.from_tokens([["new york", "is", "big"], []]).doc_lengths().tolist()
        [3, 0]
        """
        from .build import from_tokens

        options = TokenizerOptions(
            min_df=min_df,
            max_df=max_df,
            max_words=max_words,
            stop_words=stop_words,
            vocabulary=vocabulary,
            store=store,
        )
        return from_tokens(documents, options, **metadata)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_matrix(cls, X: Any, vocabulary: Any = None, **metadata: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of a matrix of word counts, with one row per document and one column per word.

        Parameters
        ----------
        X : array, scipy sparse matrix or array, pandas or polars frame
            Counts. The words of a document come in column order.
        vocabulary : list of str, optional
            Word of each column; by default the column names of a frame, or else "x0", "x1", ...
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import topicwright as tw
        >>> tw.Corpus.from_matrix([[2, 0], [0, 1]], ["apple", "pear"]).words(0)
        ['apple', 'apple']
        """
        from .inputs import from_matrix

        return from_matrix(X, vocabulary, **metadata)

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
        metadata: Iterable[str] | None = None,
        on_error: str = "raise",
        **options: Unpack[TokenizerOptions],
    ) -> Corpus:
        """Corpus of a pandas or polars frame with a column of texts.

        Parameters
        ----------
        frame : pandas or polars frame
            Table with one row per document.
        text, labels, target, id, date : str
            Names of columns. Labels may be single values, lists, or strings of several. Without ``id``, the index of a
            pandas frame gives the ids, where it has a name of its own for each row.
        label_separator : str, optional
            Splits a string of several labels.
        metadata : list of str, optional
            Columns to keep as ``corpus.metadata``; by default all that have no other use.
        on_error : {"raise", "skip"}
            What to do at a row without a text or with a bad date: raise an error, or skip it and warn once with the
            number of such rows.
        **options
            How texts are tokenized and which words are kept: see ``from_texts``.

        Examples
        --------
        >>> import pandas as pd
        >>> import topicwright as tw
        >>> columns = {"text": ["red apple", "green pear"], "tag": ["apples", "pears"], "price": [2, 3]}
        >>> corpus = tw.Corpus.from_frame(pd.DataFrame(columns, index=["a", "b"]), labels="tag")
        >>> corpus.labels, corpus.ids
        ((('apples',), ('pears',)), ('a', 'b'))
        >>> corpus.metadata
        {'price': array([2, 3])}
        """
        from .documents import FieldNames
        from .inputs import from_frame

        fields = FieldNames(text, labels, target, id, label_separator, date, defaults={})
        return from_frame(frame, fields, on_error, metadata, **options)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_gensim(cls, documents: Iterable[Any], id2word: Any = None, **metadata: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of gensim's bags of words.

        Parameters
        ----------
        documents : iterable of lists of (int, int)
            Pairs of word id and count of each document.
        id2word : gensim Dictionary, dict or list, optional
            Word of each id; by default "x0", "x1", ...
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import topicwright as tw
        >>> tw.Corpus.from_gensim([[(0, 1), (1, 2)]], {0: "apple", 1: "pear"}).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.gensim import from_gensim

        return from_gensim(documents, id2word, **metadata)

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
    """Constructors from files, and methods to store a corpus on disk."""

    __slots__ = ()

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> Corpus:
        """Corpus that was stored in a folder by ``store=`` or :meth:`store`, memory-mapped.

        Only the vocabulary is read into memory. The checksum of every file is verified.

        Parameters
        ----------
        folder : path
            Folder of the stored corpus.

        Returns
        -------
        Corpus

        Examples
        --------
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
        """Store the corpus in a folder, from which :meth:`open` opens it. A failure leaves the old corpus.

        Parameters
        ----------
        folder : path
            A new or empty folder, or one that holds a stored corpus, which is replaced.
        """
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
        **options: Unpack[TokenizerOptions],
    ) -> Corpus:
        """Corpus of a file with one JSON object per line.

        Parameters
        ----------
        source : path, "-" or open file
            The file, compressed or not; "-" is standard input.
        text, labels, target, id : str
            Names of fields. Labels and ids may be missing under their default names; None does not read a field.
        date : str, optional
            Name of the field that holds the date: see ``Corpus``.
        label_separator : str, optional
            Splits a string of several labels.
        on_error : {"raise", "skip"}
            What to do at a bad line: raise an error, or skip it and warn once with the number of such lines.
        **options
            How texts are tokenized and which words are kept: see ``from_texts``.

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
        return _read(source, "jsonl", label_separator=label_separator, on_error=on_error, **names, **options)

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
        **options: Unpack[TokenizerOptions],
    ) -> Corpus:
        """Corpus of a CSV file whose first line names the columns.

        Parameters
        ----------
        source, text, labels, target, id, date, on_error, **options
            As in ``from_jsonl``.
        label_separator : str
            Splits a string of several labels.
        delimiter : str, optional
            Character between fields; by default a comma, a semicolon or a tab, whichever the first line has.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_csv(io.StringIO("text,labels\\nred apples,fruit|red")).labels
        (('fruit', 'red'),)
        """
        names: Any = {"text": text, "labels": labels, "target": target, "id": id, "date": date}
        reading: Any = {"label_separator": label_separator, "delimiter": delimiter, "on_error": on_error}
        return _read(source, "csv", **reading, **names, **options)

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
        **options: Unpack[TokenizerOptions],
    ) -> Corpus:
        """Corpus of a Parquet file; parameters as in ``from_jsonl``.

        Examples
        --------
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
        return _read(source, "parquet", label_separator=label_separator, on_error=on_error, **names, **options)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_text_file(cls, source: Source, *, on_error: str = "raise", **options: Unpack[TokenizerOptions]) -> Corpus:
        """Corpus of a text file with one document per line; an empty line is an empty document.

        Parameters
        ----------
        source, on_error, **options
            As in ``from_jsonl``.

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_text_file(io.StringIO("red apples\\ngreen grass\\n")).n_docs
        2
        """
        return _read(source, "text", on_error=on_error, **options)

    @classmethod
    @suggest_keywords(TokenizerOptions)
    def from_mallet(cls, source: Source, *, on_error: str = "raise", **options: Unpack[TokenizerOptions]) -> Corpus:
        """Corpus of a file in MALLET's import format: lines of id, labels and text, separated by tabs or blanks.

        Between tabs there may be several labels, separated by blanks; a single "-" is no label.

        Parameters
        ----------
        source, on_error, **options
            As in ``from_jsonl``.

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> file = io.StringIO("a1 fruit red apples\\na2\\tfruit green\\tgreen pears")
        >>> corpus = tw.Corpus.from_mallet(file)
        >>> corpus.ids, corpus.labels
        (('a1', 'a2'), (('fruit',), ('fruit', 'green')))
        """
        return _read(source, "mallet", on_error=on_error, **options)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_uci(cls, docword: Source, vocab: Any = None, **metadata: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of UCI's bag of words: three lines of sizes, then lines ``document word count``, numbered from 1.

        Parameters
        ----------
        docword : path, "-" or open file
            File of counts.
        vocab : path, open file or list of str, optional
            File with one word per line, or the words; by default the file beside ``docword`` that has "vocab" for
            "docword" in its name.
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_uci(io.StringIO("1\\n2\\n2\\n1 1 1\\n1 2 2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.uci import read_uci

        return read_uci(docword, vocab, **metadata)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_ldac(cls, source: Source, vocab: Any = None, **metadata: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of a file in Blei's lda-c format: lines of a number of pairs and the pairs ``word:count``, from 0.

        Parameters
        ----------
        source : path, "-" or open file
            File of counts.
        vocab : path, open file or list of str, optional
            File with one word per line, or the words; by default the file ``NAME.vocab.txt`` beside ``NAME.ldac``, or
            else the words are called "x0", "x1", ...
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

        Examples
        --------
        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_ldac(io.StringIO("2 0:1 1:2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .formats.ldac import read_ldac

        return read_ldac(source, vocab, **metadata)

    @classmethod
    @suggest_keywords(MetadataOptions)
    def from_matrix_market(cls, source: Source, vocab: Any = None, **metadata: Unpack[MetadataOptions]) -> Corpus:
        """Corpus of a MatrixMarket file (.mtx): counts with one row per document and one column per word.

        Parameters
        ----------
        source : path, "-" or open file
            A coordinate or array matrix of integers from 0.
        vocab : path, open file or list of str, optional
            File with one word per line, or the words; by default the file ``NAME.vocab.txt`` beside ``NAME.mtx``, or
            else the words are called "x0", "x1", ...
        **metadata
            Labels, targets, links, ids, dates and metadata: see ``Corpus``.

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

        return read_matrix_market(source, vocab, **metadata)


def _read(source: Source, format: str, **options: Any) -> Corpus:
    from .formats.dispatch import read_corpus

    return read_corpus(source, format, **options)
