"""For any bytes, a reader returns a corpus or raises InputError."""

import bz2
import gzip
import io
import json
import lzma
import warnings

import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from topicwright import Corpus, InputError
from topicwright.corpus import iter_documents, read_corpus
from topicwright.corpus.formats.registry import get_format

_PARQUET = io.BytesIO()
pa.parquet.write_table(pa.table({"text": ["red", "green"], "labels": [["a"], []], "id": ["x", "y"]}), _PARQUET)
VALID = {
    "jsonl": b'{"text": "red", "labels": ["a"], "id": 1}\n{"text": "green", "labels": null}\n',
    "csv": b'text,labels,id\n"red, or ""so""",a|b,1\ngreen,,2\n',
    "tsv": b"text\tlabels\nred\ta\ngreen\tb\n",
    "parquet": _PARQUET.getvalue(),
    "text": b"red\n\ngreen\n",
    "mallet": b"1 a red\n2\tb c\tgreen\n",
    "mtx": b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 2 3\n",
    "uci": b"2\n2\n2\n1 1 1\n2 2 3\n",
    "ldac": b"2 0:1 1:2\n1 1:1\n",
}
PACKERS = [
    bytes,
    gzip.compress,
    lzma.compress,
    bz2.compress,
    lambda data: zstandard.ZstdCompressor().compress(data),
]
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(data, format, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = read_corpus(io.BytesIO(data), format, **options)
        except InputError:
            return None
    assert isinstance(corpus, Corpus)
    return corpus


def options_of(format):
    return {"vocab": ["a", "b"]} if format == "uci" else {}


@pytest.mark.parametrize("format", VALID)
def test_valid_bytes_are_read(format):
    assert read(VALID[format], format, **options_of(format)) is not None


@pytest.mark.parametrize("format", VALID)
@given(data=st.binary(max_size=200))
@example(data=b"\x1f\x8b")  # the first bytes of each packing, and nothing after them
@example(data=b"BZh9")
@example(data=b"\xfd7zXZ\x00")
@example(data=b"\x28\xb5\x2f\xfd")
@QUICK
def test_random_bytes(format, data):
    read(data, format, **options_of(format))


@pytest.mark.parametrize("format", VALID)
@given(data=st.data())
@QUICK
def test_changed_bytes(format, data):
    valid = VALID[format]
    start = data.draw(st.integers(0, len(valid)))
    end = data.draw(st.integers(start, min(len(valid), start + 8)))
    changed = valid[:start] + data.draw(st.binary(max_size=8)) + valid[end:]
    read(changed, format, **options_of(format))
    if not get_format(format).holds_counts:
        read(changed, format, on_error="skip")


@pytest.mark.parametrize("pack", PACKERS)
@given(data=st.data())
@QUICK
def test_changed_compressed_bytes(pack, data):
    packed = pack(VALID["jsonl"])
    start = data.draw(st.integers(0, len(packed)))
    end = data.draw(st.integers(start, len(packed)))
    read(packed[:start] + data.draw(st.binary(max_size=8)) + packed[end:], "jsonl")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["text", "labels", "id", "y"]), inner),
    )
)
@QUICK
def test_any_json(value):
    line = json.dumps(value).encode()
    read(b'{"text": "red", "y": 1}\n' + line + b"\n", "jsonl", target="y")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"))))
@QUICK
def test_text_round_trip(lines):
    file = io.BytesIO("".join(line + "\n" for line in lines).encode())
    read_back = [document.text for document in iter_documents(file, "text")]
    assert [line.removeprefix("\ufeff") for line in lines[:1]] + lines[1:] == read_back
