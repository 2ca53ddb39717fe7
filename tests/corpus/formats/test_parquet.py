import io
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

from topicwright import Corpus, InputError, MissingExtraError
from topicwright.corpus import iter_documents, read_corpus

from .records import RECORDS, check_records


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(pa.Table.from_pylist(RECORDS), path)
    check_records(Corpus.from_parquet(path, target="rating"))
    check_records(read_corpus(io.BytesIO(path.read_bytes()), "parquet", target="rating"))
    with pytest.raises(InputError, match="no column 'body'; its columns are: id, text, labels, rating"):
        Corpus.from_parquet(path, text="body")
    with pytest.raises(InputError, match=r"data.parquet, row 1: 'rating' must be a string: got float"):
        Corpus.from_parquet(path, text="rating")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"data.parquet is damaged or no Parquet file"):
        Corpus.from_parquet(path)


def test_parquet_reads_many_batches():
    file = io.BytesIO()
    pa.parquet.write_table(pa.table({"text": [f"red apple {i}" for i in range(2500)]}), file)
    documents = list(iter_documents(file, "parquet"))
    assert [d.line for d in documents] == list(range(1, 2501))


def test_pyarrow_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="reading Parquet files needs the package 'pyarrow'"):
        next(iter_documents("data.parquet"))
