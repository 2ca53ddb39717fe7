import bz2
import gzip
import io
import lzma
import sys
import zipfile
from contextlib import suppress

import pytest
import zstandard

from topicwright import Corpus, InputError, MissingExtraError
from topicwright.corpus import iter_documents

LINES = [f"red apple number {i}" for i in range(3000)]
PLAIN = "\n".join(LINES).encode()
PACKERS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


def texts(source):
    return [document.text for document in iter_documents(source, "text")]


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_files(tmp_path, suffix):
    packed = PACKERS[suffix](PLAIN)
    path = tmp_path / f"data.txt.{suffix}"
    path.write_bytes(packed)
    assert [d.text for d in iter_documents(path)] == LINES
    assert texts(io.BytesIO(packed)) == LINES
    path.with_name("plain-name").write_bytes(packed)
    assert texts(path.with_name("plain-name")) == LINES


@pytest.mark.parametrize("suffix", PACKERS)
def test_multi_member_compressed_files(suffix):
    pack = PACKERS[suffix]
    assert texts(io.BytesIO(pack(b"red\n") + pack(b"green\n"))) == ["red", "green"]


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_rejects_truncated_files(tmp_path, suffix, share):
    packed = PACKERS[suffix](PLAIN)
    path = tmp_path / f"data.txt.{suffix}"
    path.write_bytes(packed[: max(10, int(len(packed) * share))])
    with pytest.raises(InputError, match=rf"data.txt.{suffix} is damaged"):
        Corpus.from_text_file(path)
    with pytest.raises(InputError, match=rf"data.txt.{suffix} is damaged"):
        Corpus.from_csv(path, text="red apple number 0", on_error="skip")


@pytest.mark.parametrize("suffix", PACKERS)
def test_rejects_damaged_files(tmp_path, suffix):
    packed = bytearray(PACKERS[suffix](PLAIN))
    packed[len(packed) // 2] ^= 0xFF
    packed[len(packed) // 2 + 1] ^= 0xFF
    path = tmp_path / f"data.txt.{suffix}"
    path.write_bytes(packed)
    if suffix == "zst":  # its checksum is optional
        with suppress(InputError):
            assert texts(path) != LINES
        return
    with pytest.raises(InputError, match="is damaged"):
        texts(path)


@pytest.mark.parametrize("content", [b"", b"red apple"])
def test_rejects_uncompressed_file_with_compressed_suffix(tmp_path, content):
    path = tmp_path / "data.txt.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"its name ends in .gz but it is not compressed so"):
        texts(path)


def test_rejects_unreadable_paths(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere.txt: No such file or directory"):
        texts(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        texts(tmp_path)
    with pytest.raises(InputError, match=r"cannot read .*null"):
        texts("a\0b")
    with pytest.raises(InputError, match="a file must be a path, '-' or an open file: got int"):
        texts(3)


def test_files_of_the_caller_stay_open(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(b"red\ngreen\n")
    with path.open("rb", buffering=0) as raw, path.open("rb") as binary, path.open() as text:
        for file in (raw, binary, text, io.BytesIO(b"red\ngreen"), io.StringIO("red\ngreen")):
            assert texts(file) == ["red", "green"]
            assert not file.closed


def test_files_within_archives_and_files_that_only_read(tmp_path):
    archive = zipfile.ZipFile(io.BytesIO(), "w")
    archive.writestr("data.txt", "red\ngreen")
    with archive.open("data.txt") as file:
        assert texts(file) == ["red", "green"]

    class OnlyRead:
        def read(self, size=-1):
            return b"red\ngreen"

    assert texts(OnlyRead()) == ["red", "green"]


@pytest.mark.parametrize("content", [b"red\ngreen", gzip.compress(b"red\ngreen")], ids=["plain", "gzip"])
def test_standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert texts("-") == ["red", "green"]


def test_files_are_closed_when_a_reader_is_dropped(tmp_path):
    path = tmp_path / "data.txt.gz"
    path.write_bytes(gzip.compress(PLAIN))
    documents = iter_documents(path)
    next(documents)
    documents.close()  # a warning about an open file would be an error here


def test_zstandard_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'topicwright\[files\]'"):
        texts(io.BytesIO(b"\x28\xb5\x2f\xfd"))
