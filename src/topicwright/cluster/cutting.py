"""A corpus cut into shards on disk, beside all that a shard must know: whoever has the folder can train."""

from __future__ import annotations

import hashlib
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.modelfile import ModelFile, read_model, write_model
from ..knowledge.compiling import Compiled
from ..samplers.grid import even_ranges
from ..samplers.labelled_engine import suits
from .checkpoints import Attempt, save
from .knowing import Arrays, to_arrays

_RUN, _KIND = "run.tw", "cluster-run"
STATE = "driver.tw"
_MOST_TOKENS = 2**31 - 1  # of a shard, so that no count of its own can overflow


class Job(NamedTuple):
    """What is to be trained: a corpus, what is known of it, and where to begin."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    n_topics: int
    alpha: NDArray[np.float64]
    beta: float | NDArray[np.float64]
    seed: int
    knowledge: Compiled
    assignments: NDArray[np.uint32] | None = None
    sweep_number: int = 0


class Run(NamedTuple):
    """What a folder says of the run that it belongs to."""

    folder: Path
    facts: dict[str, Any]
    arrays: Arrays

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.arrays["edges"]) - 1

    def shard_folder(self, number: int) -> Path:
        """Where a shard lies."""
        return self.folder / f"shard-{number:06d}"


def shard_seed(seed: int, shard: int) -> int:
    """The seed of a shard's random streams; the first has the run's own, so that one shard is the plain sampler."""
    if shard == 0:
        return seed
    low, high = np.random.SeedSequence(seed, spawn_key=(shard,)).generate_state(2, np.uint64).tolist()
    return int(low) | int(high) << 64


def has_run(folder: Path) -> bool:
    """Whether a folder holds a run."""
    return (folder / _RUN).exists()


def open_run(folder: Path) -> Run:
    """The run that a folder holds."""
    file: ModelFile = read_model(folder / _RUN)
    return Run(folder, file.meta, file.arrays)


def cut_corpus(job: Job, n_shards: int, folder: Path) -> Run:
    """Write the shards of a corpus; what tells of the run comes last, so that a folder without it is not complete."""
    arrays, facts = _described(job, n_shards)
    for left in folder.glob("shard-*"):  # of a run that was not cut to the end
        shutil.rmtree(left)
    (folder / STATE).unlink(missing_ok=True)
    edges = arrays["edges"].tolist()
    for number, (first, last) in enumerate(pairwise(edges)):
        _write_shard(job, first, last, folder / f"shard-{number:06d}")
    write_model(folder / _RUN, _KIND, facts, arrays)
    return open_run(folder)


def check_same(run: Run, job: Job, n_shards: int) -> None:
    """An error where a folder holds another run than the one that is asked for."""
    _, wanted = _described(job, n_shards)
    differs = [name for name, value in wanted.items() if run.facts.get(name) != value]
    if differs:
        raise InputError(
            f"{run.folder} holds another run, which can't be resumed as this one: "
            f"{', '.join(differs)} {'differs' if len(differs) == 1 else 'differ'}; give another checkpoint_dir"
        )


def _described(job: Job, n_shards: int) -> tuple[Arrays, dict[str, Any]]:
    edges = even_ranges(job.offsets, n_shards)
    largest = int(np.diff(job.offsets[edges]).max(initial=0))
    if largest > _MOST_TOKENS:
        raise InputError(f"a shard can have {_MOST_TOKENS:,} tokens: got {largest:,}; give a larger n_shards")
    known = to_arrays(job.knowledge)
    word_counts = np.bincount(job.tokens, minlength=job.n_words).astype(np.int64)
    facts = {
        "corpus": _digest({"tokens": job.tokens, "offsets": job.offsets}),
        "knowledge": _digest({**known, "sets": _sets(job)}),
        "start": _digest({} if job.assignments is None else {"topics": job.assignments}),
        "n_topics": job.n_topics,
        "n_words": job.n_words,
        "n_shards": len(edges) - 1,
        "random_state": str(job.seed),
        "first_sweep": job.sweep_number,
        "labelled": suits(job.knowledge, job.offsets),
    }
    return {**known, "edges": edges, "word_counts": word_counts}, facts


def _write_shard(job: Job, first: int, last: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    i0, i1 = int(job.offsets[first]), int(job.offsets[last])
    save(folder / "tokens.npy", job.tokens[i0:i1])
    save(folder / "offsets.npy", job.offsets[first : last + 1] - i0)
    if job.knowledge.limits is not None:
        save(folder / "sets.npy", job.knowledge.limits.sets[i0:i1])
    if job.assignments is not None:
        Attempt(folder).write(job.sweep_number, job.assignments[i0:i1], job.n_topics)


def _sets(job: Job) -> NDArray[Any]:
    return np.zeros(0, np.uint32) if job.knowledge.limits is None else job.knowledge.limits.sets


def _digest(arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
