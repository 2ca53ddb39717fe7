"""Peak memory of reading texts, training and saving: in memory, and with a stored corpus and ``DiskBackend``.

    python -m benchmarks.scripts.memory_from_disk --documents 300000 --shards 32

The texts are random, 100 words each. Both variants run in a process of their own, which prints its peak memory
(ru_maxrss) after a tiny fit that compiles everything, after reading, after training and after saving.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import topicwright as tw

N_WORDS, LENGTH, AT_A_TIME = 50_000, 100, 10_000


def write_texts(path: Path, n_documents: int) -> None:
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(1, N_WORDS + 1) ** 0.9
    words = np.array([_word(number) for number in range(N_WORDS)], dtype=object)
    with path.open("w") as file:
        for first in range(0, n_documents, AT_A_TIME):
            shape = (min(AT_A_TIME, n_documents - first), LENGTH)
            for row, ids in enumerate(rng.choice(N_WORDS, shape, p=frequency / frequency.sum()), first):
                record = {"id": f"document-{row}", "labels": [f"label-{row % 7}"], "text": " ".join(words[ids])}
                file.write(json.dumps(record) + "\n")


def _word(number: int) -> str:
    return "q" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def measure(way: str, folder: Path, n_sweeps: int, n_shards: int) -> None:
    tw.LDA(2, n_sweeps=1).fit(["aa bb"] * 5, backend=tw.DiskBackend(2) if way == "stored" else None)
    _print_peak(way, "compiled")
    store = folder / "corpus" if way == "stored" else None
    corpus = tw.Corpus.from_jsonl(folder / "texts.jsonl", store=store)
    _print_peak(way, "read")
    backend = tw.DiskBackend(n_shards, in_memory=0, checkpoint_dir=folder / "run") if way == "stored" else None
    model = tw.LDA(100, n_sweeps=n_sweeps, evaluate_every=0).fit(corpus, backend=backend)
    _print_peak(way, "trained")
    model.save(folder / "model.tw")
    _print_peak(way, "saved")


def _print_peak(way: str, what: str) -> None:
    print(f"{way}, {what}: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--sweeps", type=int, default=2)
    parser.add_argument("--shards", type=int, default=32)
    parser.add_argument("--way", choices=["plain", "stored"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        measure(options.way, options.folder, options.sweeps, options.shards)
        return
    with tempfile.TemporaryDirectory() as folder:
        write_texts(Path(folder) / "texts.jsonl", options.documents)
        for way in ("plain", "stored"):
            given = ["--way", way, "--folder", folder, "--sweeps", str(options.sweeps), "--shards", str(options.shards)]
            subprocess.run([sys.executable, "-m", "benchmarks.scripts.memory_from_disk", *given], check=True)


if __name__ == "__main__":
    main()
