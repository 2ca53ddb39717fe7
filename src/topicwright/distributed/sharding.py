"""A corpus cut into shards on disk, beside all that a shard must know: whoever has the folder can train."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._sampling.grid import assign_word_blocks, even_ranges
from .._sampling.labeled.engine import is_fully_labeled
from .._sampling.problem import SamplingProblem
from ..corpus.store.mmap import count_ids, iter_chunks, release_pages
from ..errors import InputError
from ..io.model_file import ModelFile, read_model, write_model
from ..knowledge.compiler import CompiledKnowledge
from .checkpoints import Attempt, load, save
from .medlda_tasks import facts_of, predicted_of
from .shard_knowledge import Arrays, check, from_arrays, names_of, offset, restrict_to_shard, to_arrays
from .user_code import NO_CODE, UserCode, code_of

_RUN, _KIND = "run.tw", "cluster-run"
STATE = "driver.tw"
_KNOWN = "known"  # arrays of what a shard knows
_PREDICTED = "predicted"  # arrays of what its topics are to predict
_OTHERS = "others.npy"  # documents of other shards that its own are linked to
LENGTHS = "lengths_of_others.npy"
LENT = "lent.npy"  # documents of its own that those of other shards are linked to
_OURS = re.compile(
    rf"tokens\.npy|offsets\.npy|{_KNOWN}|{_PREDICTED}|{_OTHERS}|{LENGTHS}|{LENT}|attempt-\d+|\.topicwright-\w+\.tmp"
)
_NUMBERS = ("n_topics", "n_words", "n_shards", "random_state", "n_rounds")  # which tell something to a user
_PRIORS = ("alpha", "beta")
_MOST_TOKENS = 2**31 - 1  # of a shard, so that no count of its own can overflow


def code_for(problem: SamplingProblem) -> UserCode:
    """What shards need that is code."""
    return code_of(problem.knowledge.factors, None if problem.supervision is None else problem.supervision.loss)


@dataclass(frozen=True)
class RunDirectory:
    """What a folder says of the run that it belongs to."""

    folder: Path
    facts: dict[str, Any]
    arrays: Arrays
    code: UserCode

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.arrays["edges"]) - 1

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return int(self.facts["n_topics"])

    @property
    def n_rounds(self) -> int:
        """Steps in a sweep, and blocks of words."""
        return int(self.facts["n_rounds"])

    @property
    def lasting(self) -> bool:
        """Whether the folder is kept, and what is in it must last through a power cut."""
        return bool(self.facts["lasting"])

    @property
    def first_step(self) -> int:
        """Steps that were done before the run began."""
        return int(self.facts["first_sweep"]) * self.n_rounds

    @cached_property
    def rows_of_words(self) -> NDArray[np.int32]:
        """The row of each word in the table of its block."""
        rows = np.empty(len(self.arrays["block_of_word"]), np.int32)
        for block in range(self.n_rounds):
            words = self.words(block)
            rows[words] = np.arange(len(words))
        return rows

    def words(self, block: int) -> NDArray[np.int64]:
        """The words of a block."""
        return np.flatnonzero(self.arrays["block_of_word"] == block)

    def shard_folder(self, number: int) -> Path:
        """Where a shard lies."""
        return _shard_folder(self.folder, number)

    def knowledge(self, number: int) -> CompiledKnowledge:
        """What a shard knows."""
        kinds = self.code.kinds()
        arrays = _load_all(self.shard_folder(number) / _KNOWN)
        known = from_arrays(arrays, [kinds[name] for name in self.facts["factors"]], self.facts["reads"], self.n_topics)
        return offset(known, int(self.arrays["first_tokens"][number]), int(self.arrays["edges"][number]))

    def predicted(self, number: int) -> Arrays:
        """What the topics of a shard are to predict."""
        return _load_all(self.shard_folder(number) / _PREDICTED)

    def others(self, number: int) -> NDArray[np.int64]:
        """The documents of other shards that those of a shard are linked to, by their number in the corpus."""
        return load(self.shard_folder(number) / _OTHERS)


def shard_seed(seed: int, shard: int) -> int:
    """The seed of a shard's random streams; the first has the run's own, so that one shard is the plain sampler."""
    if shard == 0:
        return seed
    low, high = np.random.SeedSequence(seed, spawn_key=(shard,)).generate_state(2, np.uint64).tolist()
    return int(low) | int(high) << 64


def has_run(folder: Path) -> bool:
    """Whether a folder holds a run."""
    return (folder / _RUN).exists()


def open_run(folder: Path, code: UserCode = NO_CODE) -> RunDirectory:
    """The run that a folder holds."""
    file: ModelFile = read_model(folder / _RUN)
    return RunDirectory(folder, file.meta, file.arrays, code)


def shard_corpus(
    problem: SamplingProblem, n_shards: int, n_rounds: int, folder: Path, *, lasting: bool = True
) -> RunDirectory:
    """Write the shards of a corpus; what tells of the run comes last, so that a folder without it is not complete."""
    code = code_for(problem)  # which may be refused, before anything is written
    arrays, facts = _described(problem, n_shards, n_rounds)
    _remove_left(folder)
    ranges = list(enumerate(pairwise(arrays["edges"].tolist())))
    for number, (first, last) in ranges:
        _write_shard(problem, first, last, _shard_folder(folder, number), arrays["block_of_word"])
    linked = np.unique(np.concatenate([load(_shard_folder(folder, number) / _OTHERS) for number, _ in ranges]))
    for number, (first, last) in ranges:
        save(_shard_folder(folder, number) / LENT, linked[(linked >= first) & (linked < last)] - first)
    write_model(folder / _RUN, _KIND, {**facts, **_understood(problem), "lasting": lasting}, arrays)
    return open_run(folder, code)


def check_same(run: RunDirectory, problem: SamplingProblem, n_shards: int, n_rounds: int) -> None:
    """An error where a folder holds another run than the one that is asked for."""
    _, wanted = _described(problem, n_shards, n_rounds)
    names = [name for name, value in wanted.items() if run.facts.get(name) != value]
    names = [name for name in names if name not in _PRIORS] or names  # which may follow from others
    differs = [_difference(name, run.facts.get(name), wanted[name]) for name in names]
    if differs:
        raise InputError(
            f"{run.folder} has another run, which cannot be resumed as this one: "
            f"{', '.join(differs)} {'differs' if len(differs) == 1 else 'differ'}; choose another `checkpoint_dir`"
        )


def _difference(name: str, there: Any, here: Any) -> str:
    """What differs; of numbers, how."""
    return f"`{name}` ({there} there, {here} here)" if name in _NUMBERS else name


def _described(problem: SamplingProblem, n_shards: int, n_rounds: int) -> tuple[Arrays, dict[str, Any]]:
    edges = even_ranges(problem.offsets, n_shards)
    largest = int(np.diff(problem.offsets[edges]).max(initial=0))
    if largest > _MOST_TOKENS:
        raise InputError(f"a shard can have {_MOST_TOKENS:,} tokens: got {largest:,}; use a larger `n_shards`")
    check(problem.knowledge, len(edges) - 1)
    word_counts = count_ids(problem.tokens, problem.n_words)
    how = problem.supervision
    is_labelled = how is None and is_fully_labeled(problem.knowledge, problem.offsets)
    reads_all_words = bool(problem.knowledge.reads & {"words", "any"})
    in_one = is_labelled or reads_all_words or how is not None
    n_rounds = 1 if in_one else min(n_rounds, len(edges) - 1)
    blocks = assign_word_blocks(word_counts, n_rounds, problem.knowledge.linked)
    facts = {
        "corpus": _digest({"tokens": problem.tokens, "offsets": problem.offsets}),
        "knowledge": _digest(to_arrays(problem.knowledge), _understood(problem)),
        "start": _digest({} if problem.assignments is None else {"topics": problem.assignments}),
        "alpha": _digest({"alpha": problem.alpha}),
        "beta": _digest({"beta": np.asarray(problem.beta)}),
        "n_topics": problem.n_topics,
        "n_words": problem.n_words,
        "n_shards": len(edges) - 1,
        "random_state": str(problem.seed),
        "first_sweep": problem.sweep_number,
        "labelled": is_labelled,
        "n_rounds": n_rounds,
        "supervision": None if how is None else facts_of(how),
        "targets": _digest({} if how is None else predicted_of(how, 0, len(problem.offsets) - 1)),
    }
    first_tokens = problem.offsets[edges]
    arrays: Arrays = {"edges": edges, "first_tokens": first_tokens, "word_counts": word_counts, "block_of_word": blocks}
    return arrays, facts


def _write_shard(problem: SamplingProblem, first: int, last: int, folder: Path, blocks: NDArray[np.uint8]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    i0, i1 = int(problem.offsets[first]), int(problem.offsets[last])
    save(folder / "tokens.npy", problem.tokens[i0:i1])
    release_pages(problem.tokens)
    save(folder / "offsets.npy", problem.offsets[first : last + 1] - i0)
    known = restrict_to_shard(problem.knowledge, problem.offsets, first, last)
    _save_all(folder / _KNOWN, to_arrays(known.knowledge))
    save(folder / _OTHERS, known.others)
    save(folder / LENGTHS, problem.offsets[known.others + 1] - problem.offsets[known.others])
    if problem.supervision is not None:
        _save_all(folder / _PREDICTED, predicted_of(problem.supervision, first, last))
    if problem.assignments is not None:
        n_rounds = int(blocks.max(initial=0)) + 1
        attempt, block_of_token = Attempt(folder, n_rounds), blocks[problem.tokens[i0:i1]]
        for block in range(n_rounds):
            topics = problem.assignments[i0:i1][block_of_token == block]
            attempt.write(block, problem.sweep_number * n_rounds, topics, problem.n_topics)


def _remove_left(folder: Path) -> None:
    """Remove what is there of a run that was not cut to the end; an error where something else has such a name."""
    left = list(folder.glob("shard-" + "[0-9]" * 6))
    for shard in left:
        if not shard.is_dir() or not all(_OURS.fullmatch(path.name) for path in shard.iterdir()):
            raise InputError(f"{shard} has the name of a shard, but is none: choose another `checkpoint_dir`")
    for shard in left:
        shutil.rmtree(shard)
    (folder / STATE).unlink(missing_ok=True)


def _shard_folder(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:06d}"


def _save_all(folder: Path, arrays: Arrays) -> None:
    folder.mkdir(exist_ok=True)
    for name, array in arrays.items():
        save(folder / f"{name}.npy", array)


def _load_all(folder: Path) -> Arrays:
    return {path.stem: load(path) for path in folder.glob("*.npy")}


def _understood(problem: SamplingProblem) -> dict[str, Any]:
    """What knowledge is beside arrays."""
    return {"factors": names_of(problem.knowledge.factors), "reads": sorted(problem.knowledge.reads)}


def _digest(arrays: Arrays, facts: Any = None) -> str:
    digest = hashlib.blake2b(json.dumps(facts).encode(), digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        for piece in iter_chunks(array.reshape(-1).view(np.uint8)):
            digest.update(piece.data)
    return digest.hexdigest()
