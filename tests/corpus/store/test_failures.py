"""Failures leave the old corpus or the complete new one; damaged corpora are rejected."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright._utils import atomic as _replacing
from topicwright.corpus.store.arrays import MANIFEST, checksum_of, open_store_writer

KNOWN: dict[str, Any] = {
    "ids": ["a", "b", "c"],
    "labels": ["x", None, "y"],
    "targets": [1, 2, 3],
    "dates": [2001, 2002, 2003],
}
TEXTS = ["red apple", "green pear", "blue sky"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tw.Corpus.from_texts(TEXTS, **KNOWN, keep_texts=True, store=tmp_path / "s")
    return tmp_path / "s"


def is_as_it_was(home: Path) -> bool:
    """Whether the folder contains the old corpus and nothing else."""
    assert tw.Corpus.open(home).texts == tuple(TEXTS)
    return len(list(home.iterdir())) == 2


# ---------------------------------------------------------------------- writing


def failing(error: BaseException) -> Iterator[str]:
    yield from ["some words"] * 30_000  # some of them are on disk by now
    raise error


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), MemoryError(), OSError(errno.EIO, "of the reader"), ValueError()]
)
def test_failure_keeps_the_old_corpus(home: Path, error: BaseException) -> None:
    for folder in (home, home.with_name("new")):
        with pytest.raises(type(error)) as caught:
            tw.Corpus.from_texts(failing(error), store=folder)
        assert caught.value is error  # errors of the reader are not reported as write errors
    assert is_as_it_was(home)
    assert not home.with_name("new").exists()


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_failure_at_the_end_keeps_the_old_corpus(
    home: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(tw.InputError if isinstance(error, OSError) else KeyboardInterrupt):
            tw.Corpus.from_texts(["new"], store=home)
    assert is_as_it_was(home)


def test_ctrl_c_after_the_last_step_keeps_the_new_corpus(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    original = _replacing.sync_directory

    def sync(folder: Path) -> None:
        interrupt(folder) if folder == home else original(folder)

    monkeypatch.setattr(_replacing, "sync_directory", sync)
    with pytest.raises(KeyboardInterrupt):
        tw.Corpus.from_texts(["new"], store=home)
    assert tw.Corpus.open(home).vocabulary.tolist() == ["new"]


FULL_DISK = """
import resource, sys
import topicwright as tw
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    tw.Corpus.from_texts((f"words of text {i}" for i in range(200_000)), store=sys.argv[1])
except tw.InputError as error:
    print(error)
"""


def test_full_disk_is_reported_and_keeps_the_old_corpus(home: Path) -> None:
    for folder in (home, home.with_name("new")):
        run = subprocess.run([sys.executable, "-c", FULL_DISK, folder], capture_output=True, text=True, check=True)
        assert run.stdout == f"cannot store the corpus in {folder}: File too large\n"
    assert is_as_it_was(home)
    assert not home.with_name("new").exists()


KILLED = """
import os, signal, sys
import topicwright as tw
def texts():
    yield from ["some words"] * 30_000
    os.kill(os.getpid(), signal.SIGKILL)
tw.Corpus.from_texts(texts(), store=sys.argv[1])
"""


def test_killed_process_keeps_the_old_corpus_and_the_next_cleans_up(home: Path) -> None:
    for folder in (home, home.with_name("new")):
        assert subprocess.run([sys.executable, "-c", KILLED, folder], check=False).returncode == -signal.SIGKILL
        assert len(list(folder.glob("data-*/found.tokens.npy"))) == 1
    assert tw.Corpus.open(home).texts == tuple(TEXTS)
    with pytest.raises(tw.InputError, match=r"new is not a stored corpus: it has no corpus\.json"):
        tw.Corpus.open(home.with_name("new"))
    for folder in (home, home.with_name("new")):
        tw.Corpus.from_texts(TEXTS, keep_texts=True, store=folder)
        assert is_as_it_was(folder)


def test_readers_see_the_old_corpus_until_the_new_is_complete(home: Path) -> None:
    old = tw.Corpus.open(home)

    def texts() -> Iterator[str]:
        yield from ["new"] * 20_000
        assert tw.Corpus.open(home).n_docs == 3
        with pytest.raises(tw.InputError, match=r"corpus\.json is in use by another process"):
            tw.Corpus.from_texts(["another"], store=home)
        with pytest.raises(tw.InputError, match="is not a stored corpus"):
            tw.Corpus.open(home.with_name("new"))

    assert tw.Corpus.from_texts(texts(), store=home).n_docs == 20_000
    assert old.texts == tuple(TEXTS)  # it has its own


def test_corpus_replaced_while_opening_is_reopened(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from topicwright.corpus.store import reader

    original, calls = reader._open_arrays, []

    def slowly(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 1:
            with open_store_writer(home) as store:
                for name in ("tokens", "offsets", "vocabulary.bytes", "vocabulary.offsets"):
                    store.write(
                        name,
                        np.zeros(int("offsets" in name), {"tokens": "i4", "vocabulary.bytes": "u1"}.get(name, "i8")),
                    )
        return original(*arguments)

    monkeypatch.setattr(reader, "_open_arrays", slowly)
    assert tw.Corpus.open(home).n_docs == 0
    assert len(calls) == 2


def test_unrelated_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    for folder, message in (
        (tmp_path, "holds other files: use a folder that is new or empty"),
        (tmp_path / "thesis.txt", "is a file"),
        (tmp_path / "thesis.txt" / "s", "Not a directory"),
    ):
        with pytest.raises(tw.InputError, match=message):
            tw.Corpus.from_texts(["red"], store=folder)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("thesis.txt", "years of work")]


# ---------------------------------------------------------------------- damage


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


ARRAYS = [
    "tokens", "offsets", "vocabulary.bytes", "vocabulary.offsets", "ids.bytes", "ids.offsets", "labels.values",
    "labels.offsets", "labels.names.bytes", "labels.names.offsets", "targets", "dates", "texts.bytes", "texts.offsets",
]  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("damage", [cut, lengthen, flip, empty, Path.unlink, replace_by_a_pipe])
def test_rejects_damaged_array_by_name(home: Path, name: str, damage: Callable[[Path], None]) -> None:
    damage(next(home.glob(f"data-*/{name}.npy")))
    with pytest.raises(tw.InputError, match=rf"{name}\.npy is (damaged or cut short: |missing)"):
        tw.Corpus.open(home)


def test_every_array_is_damaged_by_the_test(home: Path) -> None:
    assert sorted(path.name for path in home.glob("data-*/*")) == sorted(f"{name}.npy" for name in ARRAYS)


def edited(**changes: Any) -> Callable[[Path], None]:
    """Changed manifest with a valid checksum."""

    def edit(path: Path) -> None:
        said = {**json.loads(path.read_text()), **changes}
        path.write_text(json.dumps({**said, "checksum": checksum_of(said)}))

    return edit


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, "is damaged"),
        (empty, "is damaged"),
        (lambda path: path.write_text("[" * 100_000), "is damaged"),
        (lambda path: path.write_text(path.read_text().replace("true", "false", 1)), "do not match their checksum"),
        (lambda path: path.write_text("[]"), "is not a stored corpus"),
        (Path.unlink, r"is not a stored corpus: it has no corpus\.json"),
        (replace_by_a_pipe, r"is not a stored corpus: it has no corpus\.json"),
        (edited(topicwright="model"), "is not a stored corpus"),
        (edited(format=2, library="9.9"), r"another version of topicwright \(9\.9\), format 2"),
        (edited(data="../elsewhere"), "is damaged"),
        (edited(arrays={}), "'tokens' is missing"),
        (edited(arrays={"../../secret": {"dtype": "<i4", "shape": [1], "crc32": 0}}), "is damaged"),
        (edited(arrays={"tokens": {"dtype": "|O", "shape": [1], "crc32": 0}}), "is damaged"),
        (edited(tokenizer={"lowercase": 3}), "tokenizer settings must be"),
    ],
)
def test_rejects_damaged_manifest(home: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(home / MANIFEST)
    with pytest.raises(tw.InputError, match=message):
        tw.Corpus.open(home)


def test_rejects_folder_without_a_corpus(tmp_path: Path) -> None:
    for folder, reason in ((tmp_path, "it has no corpus.json"), (tmp_path / "none", "it is not a folder")):
        with pytest.raises(tw.InputError, match=f"{folder} is not a stored corpus: {reason}"):
            tw.Corpus.open(folder)


@given(st.data())
@settings(max_examples=100)
def test_rejects_inconsistent_arrays(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Well-formed files with invalid contents: a corpus that opens is usable."""
    home = tmp_path_factory.mktemp("hostile")
    corpus = tw.Corpus.from_texts(TEXTS, **KNOWN, keep_texts=True)
    name = data.draw(st.sampled_from(ARRAYS))
    rng = np.random.default_rng(data.draw(st.integers(0, 100)))
    kind = data.draw(st.sampled_from(["missing", "shorter", "shuffled", "random"]))
    with open_store_writer(home) as store:
        store.write("tokens", corpus.tokens)
        store.write("offsets", corpus.offsets)
        store.write_strings("vocabulary", list(corpus.vocabulary))
        store.write_metadata(corpus)
        original = store.finish_array(name)
        store.remove(name)
        if kind == "shorter":
            store.write(name, original[: len(original) // 2])
        elif kind == "shuffled":
            store.write(name, rng.permutation(original))
        elif kind == "random":
            store.write(name, rng.integers(0, 256, original.nbytes, dtype=np.uint8).view(original.dtype))
    try:
        opened = tw.Corpus.open(home)
        use(opened)
    except tw.InputError:
        return


def use(corpus: tw.Corpus) -> None:
    """All of it."""
    assert [corpus.words(row) for row in range(corpus.n_docs)]
    for column in (corpus.ids, corpus.labels, corpus.texts):
        assert column is None or len(list(column)) == corpus.n_docs
    repr(corpus.select([0]))
