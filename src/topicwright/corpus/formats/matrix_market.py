"""MatrixMarket files (.mtx): a matrix of word counts with one row per document and one column per word."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from ...errors import InputError
from ..corpus import Corpus
from ..inputs import from_matrix
from .counts import find_words
from .files import Source, open_bytes, report_damage, source_name
from .registry import Format, register
from .uci import check_header_size

_BANNER = b"%%MatrixMarket"
_SHORTEST_ENTRY = 2  # bytes: a digit and a line end


def read_matrix_market(source: Source, vocab: Any = None, **metadata: Any) -> Corpus:
    """See ``Corpus.from_matrix_market``."""
    name = source_name(source)
    matrix = _read_matrix(source, name)
    words = find_words(source, vocab)
    if words is not None and len(words) != matrix.shape[1]:
        hint = "; documents must be rows, so transpose the matrix" if len(words) == matrix.shape[0] else ""
        message = f"{name}: `vocab` must have one word per column: got {len(words)}, expected {matrix.shape[1]}{hint}"
        raise InputError(message, parameter="vocab", got=len(words), where=name)
    try:
        return from_matrix(matrix, words, **metadata)
    except InputError as error:
        where = name if error.where is None else f"{name}, {error.where}"
        raise error.extended(before=f"{name}: ", where=where) from None


def _read_matrix(source: Source, name: str) -> Any:
    from scipy.io import mmread

    with open_bytes(source) as file, report_damage(source):
        data = file.read()
    _check_header(data, name)
    try:
        return mmread(io.BytesIO(data))
    except (ValueError, OverflowError, MemoryError, TypeError) as error:
        raise InputError(f"{name} is damaged or no MatrixMarket file: {error}", where=name) from None


def _check_header(data: bytes, name: str) -> None:
    """Reject what is no matrix of counts before its header makes the reader allocate memory."""
    from scipy.io import mminfo

    where = f"{name}, line 1"
    if not data.startswith(_BANNER):
        message = f"{where}: a MatrixMarket file must start with {_BANNER.decode()}: got {data[:40]!r}"
        raise InputError(message, got=data[:40], where=where)
    try:
        n_docs, n_words, n_entries, layout, field, symmetry = mminfo(io.BytesIO(data))
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(f"{name} is damaged or no MatrixMarket file: {error}", where=name) from None
    if symmetry != "general" or field == "complex":
        message = f"{where}: counts of words in documents must be 'general' and not complex: got {field} {symmetry}"
        raise InputError(message, got=f"{field} {symmetry}", where=where)
    if min(n_docs, n_words) < 1:
        message = f"{name}: there must be at least one document and one word: got {n_docs} and {n_words}"
        raise InputError(message, got=(n_docs, n_words), where=name)
    expected = n_entries if layout == "coordinate" else n_docs * n_words
    if expected * _SHORTEST_ENTRY > len(data):
        raise InputError(f"{name} is damaged or cut short: its header has {expected:,} entries", where=name)
    check_header_size(max(n_docs, n_words), expected, name)


def write_matrix_market(corpus: Corpus, file: BinaryIO) -> None:
    """Write the counts as an integer coordinate matrix."""
    from scipy.io import mmwrite

    buffer = io.BytesIO()  # mmwrite closes some kinds of files
    mmwrite(buffer, corpus.to_matrix(), field="integer", symmetry="general")
    file.write(buffer.getvalue())


register(
    Format("mtx", (".mtx",), read_counts=read_matrix_market, write=write_matrix_market, signature=_BANNER),
)
