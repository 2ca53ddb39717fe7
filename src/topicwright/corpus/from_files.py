"""Corpora from files, as methods of ``Corpus``; each hands over to the module that does the work.

``source`` is a path, "-" for standard input, or an open file, in bytes or text. Packed files (.gz, .xz, .bz2,
.zst) are unpacked while they are read. Files of documents are streams: only word ids stay in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._options import clear_options
from .options import CutOptions, KnownOptions

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Unpack

    from .core import Corpus
    from .files import Source


class FromFiles:
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
        from .opening import open_store

        return open_store(folder)

    def store(self: Any, folder: str | PathLike[str]) -> None:
        """Write a corpus to a folder, all or nothing, from which :meth:`open` has it again."""
        from .storing import store_corpus

        store_corpus(folder, self)

    @classmethod
    @clear_options(CutOptions)
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
        **cut: Unpack[CutOptions],
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
    @clear_options(CutOptions)
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
        **cut: Unpack[CutOptions],
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
    @clear_options(CutOptions)
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
        **cut: Unpack[CutOptions],
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
    @clear_options(CutOptions)
    def from_text_file(cls, source: Source, *, on_error: str = "raise", **cut: Unpack[CutOptions]) -> Corpus:
        """A corpus of a text file, one document a line; an empty line is an empty document.

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_text_file(io.StringIO("red apples\\ngreen grass\\n")).n_docs
        2
        """
        return _read(source, "text", on_error=on_error, **cut)

    @classmethod
    @clear_options(CutOptions)
    def from_mallet(cls, source: Source, *, on_error: str = "raise", **cut: Unpack[CutOptions]) -> Corpus:
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
    @clear_options(KnownOptions)
    def from_uci(cls, docword: Source, vocab: Any = None, **known: Unpack[KnownOptions]) -> Corpus:
        """A corpus of UCI's bag of words: three lines of sizes, then ``document word count``, counted from 1.

        ``vocab`` is a file with one word a line, or a list of words; by default the file beside ``docword``
        that has "vocab" for "docword" in its name.

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_uci(io.StringIO("1\\n2\\n2\\n1 1 1\\n1 2 2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .bags import from_uci

        return from_uci(docword, vocab, **known)

    @classmethod
    @clear_options(KnownOptions)
    def from_ldac(cls, source: Source, vocab: Any = None, **known: Unpack[KnownOptions]) -> Corpus:
        """A corpus of Blei's lda-c format: a line is a number of pairs and the pairs ``word:count``, from 0.

        ``vocab`` is a file with one word a line, or a list of words; by default the file ``NAME.vocab.txt``
        beside ``NAME.ldac``, or else the words are called "x0", "x1", ...

        >>> import io
        >>> import topicwright as tw
        >>> tw.Corpus.from_ldac(io.StringIO("2 0:1 1:2"), ["apple", "pear"]).words(0)
        ['apple', 'pear', 'pear']
        """
        from .bags import from_ldac

        return from_ldac(source, vocab, **known)


def _read(source: Source, format: str, **options: Any) -> Corpus:
    from .formats import read_corpus

    return read_corpus(source, format, **options)
