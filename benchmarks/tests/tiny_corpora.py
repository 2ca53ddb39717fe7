"""Made-up corpora under the names of the real ones, for runs that take seconds."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np

THEMES = {
    "alt.atheism": "reason proof belief doubt argument claim evidence faith logic moral",
    "talk.religion.misc": "church prayer bible gospel sermon priest psalm altar hymn temple",
    "rec.sport.hockey": "goal team match score puck coach rink season league player",
}
LABELS = list(THEMES)


def texts(n: int, several: bool, seed: int) -> list[dict[str, Any]]:
    """Documents about one or two themes, four in five of them to train on."""
    random = np.random.default_rng(seed)
    documents = []
    for d in range(n):
        own = list(random.permutation(LABELS)[: 1 + d % 2]) if several else [LABELS[d % 3]]
        words = random.choice([word for label in own for word in THEMES[label].split()], size=20)
        split = "test" if d % 5 == 4 else "train"
        documents.append({"id": d, "text": " ".join(words), "labels": own, "split": split, "rating": d % 3 / 2})
    return documents


def write_texts(path: Path, several: bool = False, n: int = 90) -> None:
    """As one of the files of texts."""
    with lzma.open(path, "wt", encoding="utf8") as lines:
        lines.writelines(json.dumps(document) + "\n" for document in texts(n, several, seed=n))


def write_counts(folder: Path, name: str, n: int = 90) -> None:
    """As one of the bags of words, with labels."""
    documents = texts(n, several=True, seed=n)
    words = sorted({word for document in documents for word in document["text"].split()})
    rows = [
        f"{d + 1} {words.index(word) + 1} {document['text'].split().count(word)}"
        for d, document in enumerate(documents)
        for word in sorted(set(document["text"].split()))
    ]
    contents = {
        "docword.txt": "\n".join([str(n), str(len(words)), str(len(rows)), *rows]) + "\n",
        "vocab.txt": "\n".join(words) + "\n",
        "docs.jsonl": "".join(json.dumps({"labels": document["labels"]}) + "\n" for document in documents),
    }
    for end, content in contents.items():
        with gzip.open(folder / f"{name}.{end}.gz", "wt", encoding="utf8") as file:
            file.write(content)


def write_all(folder: Path) -> Path:
    """Every corpus that an entry asks for."""
    write_texts(folder / "20newsgroups.jsonl.xz")
    write_texts(folder / "movie_scale.jsonl.xz")
    for name in ("reuters21578", "arxiv100k", "delicious"):
        write_texts(folder / f"{name}.jsonl.xz", several=True)
    for name in ("nips_uci", "acm"):
        write_counts(folder, name)
    return folder
