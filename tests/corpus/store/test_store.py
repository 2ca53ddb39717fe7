"""A corpus stored while reading equals the corpus in memory."""

import io
import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright.corpus import read_corpus, write_corpus
from topicwright.corpus.metadata import LabelLists, Strings
from topicwright.corpus.store import reader, writer
from topicwright.corpus.store.arrays import count_ids, iter_chunks

WORDS = ["apple", "Apfel", "été", "the", "of", "pear", "plum", "x", "fig"]


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks of few documents."""
    monkeypatch.setattr(writer, "_CHUNK_TOKENS", 7)
    monkeypatch.setattr(writer, "_CHUNK_DOCUMENTS", 3)


def is_same(one: tw.Corpus, other: tw.Corpus) -> bool:
    """Whether two corpora are equal in every respect, to the type of every array."""
    for name in ("tokens", "offsets", "vocabulary", "targets", "links", "dates"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None), name
        if mine is not None:
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    for name in ("ids", "labels", "texts", "tokenizer"):
        assert getattr(one, name) == getattr(other, name), name
    return True


def is_mapped(array: Any) -> bool:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


documents = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=12)
cuts = st.fixed_dictionaries(
    {},
    optional={
        "min_df": st.sampled_from([1, 2, 0.2]),
        "max_df": st.sampled_from([0.7, 1.0, 3]),
        "max_words": st.integers(1, 5),
        "stop_words": st.sampled_from(["english", ["pear"]]),
        "ngram_range": st.sampled_from([(1, 2), (2, 2)]),
        "lowercase": st.just(False),
        "token_pattern": st.just(r"\w+"),
        "keep_texts": st.booleans(),
    },
)


def corpus_or_error(make: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return make(*arguments, **options)
    except tw.InputError as error:
        return str(error)


@given(documents, cuts)
@settings(max_examples=60)
def test_texts(tmp_path_factory: pytest.TempPathFactory, texts: list[str], cut: dict[str, Any]) -> None:
    """Equal arrays, or the same error."""
    folder = tmp_path_factory.mktemp("store")
    plain = corpus_or_error(tw.Corpus.from_texts, texts, **cut)
    stored = corpus_or_error(tw.Corpus.from_texts, iter(texts), **cut, store=folder)
    if isinstance(plain, str):
        assert stored == plain
        assert not any(folder.iterdir())
    else:
        assert is_same(stored, plain)
        assert is_same(tw.Corpus.open(folder), plain)


@given(documents, st.sampled_from([None, ["pear"]]))
@settings(max_examples=30)
def test_a_fixed_vocabulary(tmp_path_factory: pytest.TempPathFactory, texts: list[str], stop: list[str] | None) -> None:
    folder = tmp_path_factory.mktemp("store")
    fixed = {"vocabulary": ["plum", "pear", "fig"], "stop_words": stop}
    assert is_same(tw.Corpus.from_texts(texts, **fixed, store=folder), tw.Corpus.from_texts(texts, **fixed))
    words = [text.split() for text in texts]
    assert is_same(tw.Corpus.from_tokens(words, **fixed, store=folder), tw.Corpus.from_tokens(words, **fixed))


def test_labels_targets_and_links(tmp_path: Path) -> None:
    known = {
        "ids": ["a", "b", "c", "d"],
        "labels": [["z", "y"], None, "x", []],
        "targets": [[1, 2], [np.nan, 4], [5, 6], [7, 8]],
        "links": [("a", "c"), (1, 3)],
        "dates": [2019, None, "2020-02-03", 5_000_000_000],
    }
    words = [["red", "apple"], [], ["red"], ["pear"]]
    plain = tw.Corpus.from_tokens(words, **known, stop_words=["red"])
    assert is_same(tw.Corpus.from_tokens(iter(words), **known, stop_words=["red"], store=tmp_path), plain)
    again = tw.Corpus.open(tmp_path)
    assert is_same(again, plain)
    assert is_mapped(again.tokens)
    assert is_mapped(again.ids.data)  # type: ignore[union-attr]
    with pytest.raises(tw.InputError, match="labels must have one entry per document: got 1, expected 4"):
        tw.Corpus.from_tokens(words, labels=["one"], store=tmp_path)
    assert is_same(tw.Corpus.open(tmp_path), plain)


def records() -> Iterator[dict[str, Any]]:
    for i in range(20):
        record: dict[str, Any] = {"text": f"red apple {WORDS[i % 7]}"}
        if i % 3:
            record["id"] = f"d{i}"
        if i > 6:
            record |= {"labels": ["b", "a", "b"][: i % 4], "when": 2000 + i}
        if i > 9:
            record["score"] = [i, None] if i % 2 else [1.5, i]
        yield record


def test_files_with_all_fields(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records()))
    options = {"target": "score", "date": "when", "keep_texts": True}
    assert is_same(read_corpus(path, store=tmp_path / "s", **options), read_corpus(path, **options))
    frame = pd.DataFrame(records()).fillna({"id": "?"})
    columns = {"labels": "labels", "id": "id", "date": "when"}
    assert is_same(tw.Corpus.from_frame(frame, **columns, store=tmp_path / "s"), tw.Corpus.from_frame(frame, **columns))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.csv", "text,labels,id\nred apple,a|b,1\ngreen pear,,2\n"),
        ("c.tsv", "text\tlabels\nred apple\ta\n"),
        ("c.txt", "red apple\n\ngreen pear\n"),
        ("c.mallet", "a1 fruit red apple\na2 - pear\n"),
    ],
)
def test_other_formats(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert is_same(read_corpus(tmp_path / name, store=tmp_path / "s"), read_corpus(tmp_path / name))


@pytest.mark.parametrize("name", ["c.ldac", "c.uci"])
def test_counts(tmp_path: Path, name: str) -> None:
    write_corpus(tw.Corpus.from_texts(["red red apple", "", "pear"], ids=["a", "b", "c"]), tmp_path / name)
    assert is_same(read_corpus(tmp_path / name, store=tmp_path / "s"), read_corpus(tmp_path / name))


def test_corpus_in_memory_can_be_stored(tmp_path: Path) -> None:
    for corpus in (
        tw.Corpus.from_matrix([[1, 0, 2], [0, 0, 0]]),
        tw.datasets.load_docstrings().select(np.arange(50)),
        tw.Corpus(np.empty(0, np.int32), [0], []),
    ):
        corpus.store(tmp_path / "s")
        assert is_same(tw.Corpus.open(tmp_path / "s"), corpus)
        tw.Corpus.open(tmp_path / "s").store(tmp_path / "s")  # onto itself
        assert is_same(tw.Corpus.open(tmp_path / "s"), corpus)


@pytest.mark.parametrize("targets", [[1, [2, 3]], [[1, 2], [3]], [None, [1], 2]])
def test_rejects_targets_of_different_lengths(tmp_path: Path, targets: list[Any]) -> None:
    lines = "\n".join(json.dumps({"text": "red", "score": target}) for target in targets * 3)
    messages = [
        corpus_or_error(tw.Corpus.from_jsonl, io.StringIO(lines), target="score", store=store)
        for store in (None, tmp_path / "s")
    ]
    assert messages[0] == messages[1]
    assert "targets must" in messages[0]


def test_custom_analyzer_is_kept_in_memory(tmp_path: Path) -> None:
    corpus = tw.Corpus.from_texts(["red-apple"], tokenizer=lambda text: text.split("-"), store=tmp_path)
    assert corpus.tokenizer is not None
    assert corpus.tokenizer("a-b") == ["a", "b"]
    with pytest.raises(tw.InputError, match="custom analyzer"):
        tw.Corpus.open(tmp_path).tokenizer("a-b")  # type: ignore[misc]


def test_uses_of_a_stored_corpus(tmp_path: Path) -> None:
    """Methods that describe documents work on disk too."""
    texts = ["red apple", "green pear", "blue sky"]
    known = {"ids": ["a", "b", "c"], "labels": ["x", None, ["z", "y"]]}
    plain, stored = (tw.Corpus.from_texts(texts, **known, store=store) for store in (None, tmp_path / "s"))
    assert repr(stored) == repr(plain)
    assert is_same(stored.select([2, 0]), plain.select([2, 0]))
    assert is_same(stored.prune(stop_words=["red"]), plain.prune(stop_words=["red"]))
    assert stored.label_names() == ["x", "y", "z"]
    np.testing.assert_array_equal(stored.word_counts(), plain.word_counts())
    for corpus, name in ((plain, "p.jsonl"), (stored, "s.jsonl")):
        write_corpus(corpus, tmp_path / name)
    assert (tmp_path / "p.jsonl").read_bytes() == (tmp_path / "s.jsonl").read_bytes()
    for corpus, name in ((plain, "p.tw"), (stored, "s.tw")):
        model = tw.LDA(2, n_sweeps=2).fit(corpus)
        model.manifest_ = None  # the times differ
        model.save(tmp_path / name)
    assert (tmp_path / "p.tw").read_bytes() == (tmp_path / "s.tw").read_bytes()
    assert is_same(tw.load(tmp_path / "s.tw").corpus_, plain)


def test_memory_does_not_grow_with_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_CHUNK_TOKENS", 10_000)
    monkeypatch.setattr(writer, "_CHUNK_DOCUMENTS", 1_000)
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 10_000)

    def texts(n: int) -> Iterator[str]:
        return (f"{WORDS[i % 7]} {WORDS[i % 5]} " * 25 for i in range(n))

    tw.Corpus.from_texts(texts(20), store=tmp_path, min_df=2)  # imports what it needs
    peaks = []
    for n_docs in (1_000, 10_000):
        tracemalloc.start()
        corpus = tw.Corpus.from_texts(texts(n_docs), store=tmp_path, min_df=2)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert corpus.n_tokens > 400_000
    assert peaks[1] - peaks[0] < corpus.n_tokens  # bytes; ids alone would be four times as many


def test_columns_are_like_tuples() -> None:
    names = ["red", "", "été", "\ud800", *map(str, range(9000))]
    strings = Strings.of(names)
    assert strings == tuple(names)
    assert strings != tuple(names[1:])
    assert (strings[-1], strings[1:4], len(strings)) == ("8999", tuple(names[1:4]), 9004)
    assert "été" in strings
    with pytest.raises(IndexError):
        strings[9004]
    lists = LabelLists.of([("b", "a"), (), ("c",)])
    assert lists == (("b", "a"), (), ("c",))
    assert (lists.count(()), lists[-1], lists.names) == (1, ("c",), ["a", "b", "c"])
    assert repr(strings) == "<Strings of 9,004: 'red', '', 'été', …>"


def test_chunks_of_a_memory_mapped_array(tmp_path: Path) -> None:
    array = np.random.default_rng(0).integers(0, 5, 10_000).astype(np.int32)
    np.save(tmp_path / "a.npy", array)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    np.testing.assert_array_equal(np.concatenate([*iter_chunks(mapped, 999)]), array)
    np.testing.assert_array_equal(count_ids(mapped, 7), np.bincount(array, minlength=7))
    for mode in ("c", "r+"):
        changed = np.load(tmp_path / "a.npy", mmap_mode=mode)
        changed[:] = 9
        for view in (changed, np.asarray(changed), np.asarray(changed)[5:].view(np.uint8)):
            assert sum(len(piece) for piece in iter_chunks(view, 999)) == len(view)
        assert (changed == 9).all()  # what was written is not let go


def test_the_folder_holds_one_corpus_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    for text in ("red", "green"):
        tw.Corpus.from_texts([text], store=folder)
    assert tw.Corpus.open(os.fspath(folder)).vocabulary.tolist() == ["green"]
    assert sorted(path.name[:5] for path in folder.iterdir()) == ["corpu", "data-"]
    names = {path.name for path in folder.glob("data-*/*")}
    assert names == {"tokens.npy", "offsets.npy", "vocabulary.bytes.npy", "vocabulary.offsets.npy"}
    np.testing.assert_array_equal(np.load(next(folder.glob("data-*/tokens.npy"))), [0])  # plain files of NumPy
