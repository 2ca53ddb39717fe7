"""Reference corpora of the benchmarks, all prepared in the same way.

Words are runs of two or more letters in lower case, without scikit-learn's English stop words, and occur in at least
five documents; headers are kept. The files are expected in ``$TOPICWRIGHT_DATA``.

    python -m benchmarks.scripts.reference_corpora OUT_DIR      saves them as .npz
"""

from __future__ import annotations

import json
import lzma
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from topicwright.corpus.corpus import Corpus

WORD = re.compile(r"[^\W\d_]{2,}")
CORPORA = {
    "20ng": ("20newsgroups", "train"),
    "20ng_test": ("20newsgroups", "test"),
    "arxiv": ("arxiv100k", None),
}


def data_file(name: str) -> Path:
    """One of the raw files."""
    path = Path(os.environ.get("TOPICWRIGHT_DATA", "")) / name
    if not path.is_file():
        sys.exit(f"no data: set TOPICWRIGHT_DATA to the folder of {name}")
    return path


def read_texts(name: str, split: str | None) -> list[str]:
    with lzma.open(data_file(f"{name}.jsonl.xz"), "rt", encoding="utf8") as lines:
        docs = map(json.loads, lines)
        return [doc["text"] for doc in docs if split is None or doc["split"] == split]


def tokenize(texts: Iterable[str]) -> list[list[str]]:
    return [[w for w in WORD.findall(text.lower()) if w not in ENGLISH_STOP_WORDS] for text in texts]


def vocabulary_of(docs: Sequence[Sequence[str]], min_df: int = 5) -> list[str]:
    frequency = Counter(chain.from_iterable(map(set, docs)))
    return sorted(word for word, count in frequency.items() if count >= min_df)


def encode(docs: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> Corpus:
    id_of = {word: i for i, word in enumerate(vocabulary)}
    rows = [[id_of[w] for w in doc if w in id_of] for doc in docs]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    tokens = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(offsets[-1]))
    return Corpus(tokens, offsets, np.array(vocabulary, dtype=object))


def prepare(name: str) -> Corpus:
    """A reference corpus by name: ``20ng``, ``20ng_test`` (in the words of ``20ng``) or ``arxiv``."""
    file, split = CORPORA[name]
    docs = tokenize(read_texts(file, split))
    if split == "test":
        return encode(docs, vocabulary_of(tokenize(read_texts(file, "train"))))
    return encode(docs, vocabulary_of(docs))


def save(corpus: Corpus, path: Path) -> None:
    vocab = corpus.vocabulary.astype(str)
    np.savez(path, tokens=corpus.tokens, offsets=corpus.offsets, vocab=vocab)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    for name in CORPORA:
        corpus = prepare(name)
        save(corpus, folder / f"{name}.npz")
        print(f"{name}: {corpus!r}")


if __name__ == "__main__":
    main()
