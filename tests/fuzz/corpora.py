"""Damaged, strange and enormous files of documents: a corpus that holds together, or a clean error."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import topicwright as tw
from topicwright.corpus import read_corpus
from topicwright.corpus.formats.registry import get_format

from ..corpus.formats.test_fuzz import PACKERS, VALID, options_of
from .attack import Attack, WrongResultError, locations, pick
from .targets import empty_folder

Rng = np.random.Generator
_VALUES = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    1e308,
    "",
    " ",
    "red",
    "2021-02-30",
    "1999",
    "\0",
    "\ud800",
    [],
    {},
    ["a", None],
    {"a": 1},
]
_FIELDS = ["text", "labels", "id", "y", "date", "text\0", ""]


class DamagedCorpora(Attack):
    """Files of every format, packed and not, whose bytes are not what they should be."""

    name = "corpora"
    weight = 2.0

    def run_case(self, rng: Rng) -> None:
        format = pick(rng, VALID)
        make = pick(rng, MAKERS)
        data = pick(rng, [bytes, bytes, *PACKERS])(make(format, rng))
        if rng.random() < 0.3:
            data = damaged(data, rng)
        options = {**options_of(format), **_options(format, rng)}
        self.description = f"{format} of {len(data)} bytes by {make.__name__}, {options}"
        corpus = self._read(data, format, options, rng)
        check_corpus(corpus)
        check_round_trip(corpus, empty_folder(self.folder, self.name) / "again.jsonl")

    def _read(self, data: bytes, format: str, options: dict[str, Any], rng: Rng) -> tw.Corpus:
        """From memory, or from a file."""
        if rng.random() < 0.5:
            return read_corpus(io.BytesIO(data), format, **options)
        path = empty_folder(self.folder, f"{self.name}-file") / f"corpus.{format}"
        path.write_bytes(data)
        return read_corpus(path, format, **options)


class RandomKnowledge(Attack):
    """Files of knowledge in YAML and JSON, with lines changed: read and used, or a clean error."""

    name = "knowledge"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        texts = ["ship wave sail", "bread oven", "law judge ship"] * 4
        self._corpus = tw.Corpus.from_texts(texts, labels=[["sea"]] * 12, ids=[f"d{n}" for n in range(12)])

    def run_case(self, rng: Rng) -> None:
        make = pick(rng, [_with_values_changed, _with_values_changed, _with_words_changed, damaged])
        text = make(_KNOWN.encode(), rng)
        self.description = repr(text)
        path = empty_folder(self.folder, self.name) / "known.yaml"
        path.write_bytes(text)
        known = tw.read_knowledge(path)
        tw.LDA(int(rng.integers(1, 9)), n_sweeps=1, knowledge=known).fit(self._corpus).top_words(2)


_KNOWN = """must-links:
  - [ship, wave, 0.5]
  - [law, judge]
cannot-links: [[bread, ship, 0.1]]
seeds: {weight: 2, topics: {sea: [ship, wave], 1: [bread]}}
forbidden-words: {sea: [law]}
topic-names: {2: court}
document-topics: {weight: 20, topics: {d1: court}}
document-labels: {labels: {d0: sea, d3: [sea, kitchen]}, background: 1}
document-links: [[d1, d4]]
"""


def damaged(data: bytes, rng: Rng) -> bytes:
    """Some bytes are others, missing or new."""
    start = int(rng.integers(len(data) + 1))
    end = min(len(data), start + int(rng.integers(9)))
    return data[:start] + rng.bytes(int(rng.integers(9))) + data[end:]


def _with_words_changed(text: bytes, rng: Rng) -> bytes:
    """Words of the text in other places, and some of YAML that do not belong there."""
    words = text.decode().split(" ")
    for _ in range(int(rng.integers(1, 4))):
        words[int(rng.integers(len(words)))] = pick(
            rng, [*words, "&a", "*a", "!!python/object:os.system", "|\n", "? ", "~"]
        )
    return " ".join(words).encode()


def _with_values_changed(text: bytes, rng: Rng) -> bytes:
    """Well formed, with values that are of another type or in another place."""
    data = yaml.safe_load(text)
    for _ in range(int(rng.integers(1, 3))):
        values = copy.deepcopy([*_VALUES, *(holder[key] for holder, key in locations(data))])
        holder, key = pick(rng, locations(data))
        holder[key] = pick(rng, values)
    return json.dumps(data, default=str).encode()


def _options(format: str, rng: Rng) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if not get_format(format).holds_counts:
        options["on_error"] = pick(rng, ["raise", "skip", "skip"])
        for name, values in (("labels", _FIELDS), ("id", _FIELDS), ("target", _FIELDS), ("date", _FIELDS)):
            if rng.random() < 0.2:
                options[name] = pick(rng, values)
    for name, values in (
        ("min_df", [1, 2, 0.5, 10**9, -1]),
        ("max_words", [1, 0, 10**12]),
        ("stop_words", ["english"]),
    ):
        if rng.random() < 0.2:
            options[name] = pick(rng, values)
    return options


def check_corpus(corpus: tw.Corpus) -> None:
    """The parts of a corpus fit each other."""
    tw.Corpus(corpus.tokens, corpus.offsets, corpus.vocabulary, corpus.ids, corpus.labels, corpus.targets)
    if int(corpus.doc_lengths().sum()) != corpus.n_tokens or int(corpus.word_counts().sum()) != corpus.n_tokens:
        raise WrongResultError("lengths or counts that do not add up to the number of words")
    if len(set(corpus.vocabulary)) != corpus.n_words:
        raise WrongResultError("a word stands twice in the vocabulary")


def check_round_trip(corpus: tw.Corpus, path: Path) -> None:
    """What is written is read again as it was."""
    from topicwright.corpus import write_corpus

    write_corpus(corpus, path, "jsonl")
    again = read_corpus(path, "jsonl")
    if (again.n_docs, again.labels) != (corpus.n_docs, corpus.labels):
        raise WrongResultError(f"written {corpus}, read {again}")


# ---------------------------------------------------------------------- contents


def valid_but_damaged(format: str, rng: Rng) -> bytes:
    data = VALID[format]
    for _ in range(int(rng.integers(1, 4))):
        data = damaged(data, rng)
    return data


def noise(format: str, rng: Rng) -> bytes:
    return rng.bytes(int(rng.integers(2000)))


def nothing(format: str, rng: Rng) -> bytes:
    return pick(rng, [b"", b"\n", b"\0", b"\xef\xbb\xbf", b"\n" * 1000, b"\r", b"{}\n", b","])


def broken_letters(format: str, rng: Rng) -> bytes:
    """Bytes that are no UTF-8, and letters that are seldom seen, in the middle of what is right."""
    lines = VALID[format].splitlines(keepends=True)
    place = int(rng.integers(len(lines) + 1))
    strange = pick(
        rng, [b"\xff\xfe", b"\xc3(", "\U0001f600\u202e".encode(), b"\xed\xa0\x80", b"\0\0", b"\x1a", b"\xe2\x80\xa8"]
    )
    return b"".join([*lines[:place], strange, *lines[place:]])


def huge_line(format: str, rng: Rng) -> bytes:
    """A line of up to four million letters, words, brackets or commas."""
    return (
        VALID[format]
        + pick(rng, [b"a", b"a ", b"[", b'{"text":', b",", b'"', b"1:1 "]) * int(rng.integers(1, 1_000_000))
        + b"\n"
    )


def numbers(format: str, rng: Rng) -> bytes:
    """Counts, words and documents with numbers that are far too large, or none."""
    pool = [
        b"0",
        b"1",
        b"2",
        b"-1",
        b"2147483648",
        b"99999999999999999999",
        b"1e9",
        b"nan",
        b":",
        b"1:1",
        b"1:9999999999",
        b"\n",
    ]
    return b" ".join(pick(rng, pool) for _ in range(int(rng.integers(1, 40))))


def mixed_records(format: str, rng: Rng) -> bytes:
    """JSON lines whose fields have any type."""
    records = [
        {pick(rng, _FIELDS): pick(rng, _VALUES) for _ in range(int(rng.integers(5)))}
        for _ in range(int(rng.integers(1, 8)))
    ]
    return "".join(json.dumps({"text": "red", **record}) + "\n" for record in records).encode()


MAKERS: list[Callable[[str, Rng], bytes]] = [
    valid_but_damaged,
    valid_but_damaged,
    noise,
    nothing,
    broken_letters,
    huge_line,
    numbers,
    mixed_records,
]
