"""Files of vectors: every format gives the same words and numbers, and a damaged file an InputError."""

import bz2
import gzip
import json
import lzma

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.numpy import save

from topicwright import InputError
from topicwright.knowledge.sources import Vectors, load_vectors

from ...assertions import raises_input

WORDS = ["car", "été", "new_york", "漢字", "a\u00a0b", "#1"]
MATRIX = np.array([[1, -0.5, 3e-5], [0, 0, 0], [2.5, 1, 1], [4, 5, 6], [-1, -2, -3], [7, 8, 9]], dtype=np.float32)
HEADER = f"{len(WORDS)} {MATRIX.shape[1]}\n".encode()
PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


def text(end="\n"):
    lines = (f"{word} {' '.join(map(str, row))}{end}" for word, row in zip(WORDS, MATRIX.tolist()))
    return "".join(lines).encode()


def binary(end=b"\n"):
    return HEADER + b"".join(word.encode() + b" " + row.tobytes() + end for word, row in zip(WORDS, MATRIX))


def tensors(words=WORDS, **arrays):
    return save(arrays or {"vectors": MATRIX}, None if words is None else {"words": json.dumps(words)})


FORMS = {
    "glove.txt": text(),
    "trailing_blanks.txt": text(" \r\n"),
    "word2vec.vec": HEADER + text(),
    "word2vec": HEADER + text(" \n"),
    "word2vec.bin": binary(),
    "no_newlines.bin": binary(b""),
    "tensors.safetensors": tensors(),
}


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def assert_same(vectors, rows=(0, 1, 2, 3, 4, 5)):
    assert vectors.words == tuple(WORDS[i] for i in rows)
    np.testing.assert_array_equal(vectors.matrix, MATRIX[list(rows)])


@pytest.mark.parametrize("name", FORMS)
def test_forms(tmp_path, name):
    path = write(tmp_path, name, FORMS[name])
    assert_same(load_vectors(path))
    assert_same(load_vectors(str(path), vocabulary=["new_york", "été", "absent"]), [1, 2])
    assert len(load_vectors(path, vocabulary=[])) == 0


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", ["glove.txt", "word2vec.vec", "word2vec.bin"])
def test_compressed_files(tmp_path, name, packing):
    assert_same(load_vectors(write(tmp_path, name + packing, PACKERS[packing](FORMS[name]))))


@pytest.mark.parametrize("header", [b"", b"2 3\n"])
def test_words_with_spaces_in_text_format(tmp_path, header):
    vectors = load_vectors(write(tmp_path, "a", header + b"car 1 2 3\nnew york 1 4 5 6\n"))
    assert vectors["new york 1"].tolist() == [4, 5, 6]


@pytest.mark.parametrize("binary_form", [False, True])
def test_what_gensim_writes(tmp_path, binary_form):
    KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
    keyed = KeyedVectors(3)
    keyed.add_vectors(["car", "été", "b"], MATRIX[:3])
    path = tmp_path / "vectors"
    keyed.save_word2vec_format(str(path), binary=binary_form)
    vectors = load_vectors(path)
    assert set(vectors.words) == {"car", "été", "b"}
    np.testing.assert_array_equal(vectors["b"], MATRIX[2])


def test_pickle_needs_explicit_trust(tmp_path):
    KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
    keyed = KeyedVectors(3)
    keyed.add_vectors(["car", "été"], MATRIX[:2])
    path = tmp_path / "keyed.kv"
    keyed.save(str(path))
    with pytest.raises(InputError, match=r"is a pickle.*pass trusted=True"):
        load_vectors(path)
    assert load_vectors(path, trusted=True).words == ("car", "été")
    assert load_vectors(path, trusted=True, vocabulary=["été"]).words == ("été",)
    path.write_bytes(b"\x80\x04nonsense")
    with pytest.raises(InputError, match="must contain gensim KeyedVectors"):
        load_vectors(path, trusted=True)


def test_first_of_duplicate_vectors_is_used(tmp_path):
    assert load_vectors(write(tmp_path, "a", b"a 1 2\nb 3 4\na 5 6\n"))["a"].tolist() == [1, 2]
    path = write(tmp_path, "b.safetensors", tensors(["a", "b", "a", "c", "d", "e"]))
    np.testing.assert_array_equal(load_vectors(path)["a"], MATRIX[0])


def test_saved_vectors_round_trip(tmp_path):
    Vectors(WORDS, MATRIX).save(tmp_path / "v.safetensors")
    assert_same(load_vectors(tmp_path / "v.safetensors"))
    Vectors([], np.empty((0, 5))).save(tmp_path / "v.safetensors")
    assert len(load_vectors(tmp_path / "v.safetensors")) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_tensors_of_other_widths(tmp_path, dtype):
    path = write(tmp_path, "t.safetensors", tensors(x=MATRIX.astype(dtype), other=np.ones(3)))
    np.testing.assert_allclose(load_vectors(path).matrix, MATRIX, rtol=1e-2, atol=1e-4)


def test_words_beside_the_tensors(tmp_path):
    path = write(tmp_path, "t.safetensors", tensors(None))
    with pytest.raises(InputError, match=r"metadata under 'words', or in t\.vocab\.txt"):
        load_vectors(path)
    (tmp_path / "t.vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    assert_same(load_vectors(path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "must start with a word and its numbers"),
        (b"alone\n", "must start with a word and its numbers"),
        (b"a 1 2\nb 3\n", "line 2: must be a word and 2 numbers: got 1 numbers"),
        (b"a 1 2\nb 3 x\n", "line 2: must be a word and 2 numbers: got b'3 x'"),
        (b"a 1 2\n\nb 3 nan\n", "line 3: vectors must be finite float32 numbers"),
        (b"a 1 2\nb 3 1e99\n", "line 2: vectors must be finite float32 numbers"),
        (b"a 1 2\n\xff\xfe 3 4\n", "words must be UTF-8: got b'.xff.xfe'"),
        (b"3 2\na 1 2\nb 3 4\n", "must have 3 words according to its first line: got 2"),
        (b"1 2\na 1 2\nb 3 4\n", "must have 1 words according to its first line: got 2"),
        (b"1 0\na\n", "must have from 1 to 100,000 dimensions: got 0"),
        (b"1 999999999999\na 1 2\n", "must have from 1 to 100,000 dimensions: got 999999999999"),
        (binary()[:-5], "word 6 of 6: must be a word and its numbers: the file ends in the middle"),
        (binary().replace(b"6 3", b"9 3", 1), "word 7 of 9: must be a word and its numbers: the file ends before it"),
        (binary() + b"more", "must end after 6 words according to its first line: got more"),
        (b"1 1\n" + b"x" * 20_000, "word 1 of 1: must have at most 10,000 bytes before the space"),
        (b"1 1\na \x00\x00\xc0\x7f", "word 1 of 1: vectors must be finite float32 numbers"),
        (tensors()[:-3], "is damaged, or not a safetensors file"),
        (tensors(x=MATRIX, y=MATRIX), "must contain one float tensor with two dimensions: got 2"),
        (tensors(x=np.ones((6, 2), dtype=np.int64)), "must contain one float tensor with two dimensions: got 0"),
        (tensors(WORDS[1:]), "must have one row per word: got 6, expected 5"),
        (tensors({"a": 1}), "must have a JSON list of words"),
        (tensors(x=np.full((6, 1), np.nan)), "the vector of 'car' must be finite"),
    ],
)
def test_rejects_damaged_files(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        load_vectors(write(tmp_path, "vectors", data))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nothing"):
        load_vectors(tmp_path / "nothing")
    with raises_input("path", got=list):
        load_vectors([1])
    with pytest.raises(InputError, match="damaged"):
        load_vectors(write(tmp_path, "a.txt.gz", gzip.compress(text() * 50)[:-20]))


def read(folder, data, name):
    try:
        vectors = load_vectors(write(folder, name, data))
    except InputError:
        return
    assert isinstance(vectors, Vectors)
    assert np.isfinite(vectors.matrix).all()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@given(
    data=st.binary(max_size=80),
    start=st.sampled_from([b"", b"2 2\n", b"a 1 2\n", b"\x80\x04", b"\x02" + bytes(7) + b"{"]),
)
@example(data=b"{}" + bytes(20), start=b"\x02" + bytes(7))
@example(data=b"\xff", start=b"1 1\n")
def test_random_bytes(folder, data, start):
    for name in ("vectors", "vectors.txt", "vectors.bin", "vectors.safetensors", "vectors.gz"):
        read(folder, start + data, name)


@given(name=st.sampled_from(sorted(FORMS)), data=st.data())
def test_cut_and_changed_bytes(folder, name, data):
    whole = FORMS[name]
    cut = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for at in data.draw(st.lists(st.integers(0, max(len(cut) - 1, 0)), max_size=3)):
        if cut:
            cut[at] = data.draw(st.integers(0, 255))
    read(folder, bytes(cut), name)
    read(folder, gzip.compress(whole)[: len(cut)], name + ".gz")
