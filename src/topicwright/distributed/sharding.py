"""Sharding: writes the shards of a corpus and all that training needs into a run folder, and opens it.

Names of files and of metadata are part of the format of run folders, and do not follow the names in this code.
"""

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

from .._sampling.engine import SamplingProblem, Supervision
from .._sampling.grid import assign_word_blocks, even_ranges
from .._sampling.labeled.engine import is_fully_labeled
from .._sampling.medlda.weights import FeatureColumns
from ..corpus.store.arrays import count_ids, iter_chunks, release_pages
from ..errors import InputError
from ..io.model_file import ModelFile, read_model, write_model
from ..knowledge.compiler import CompiledKnowledge
from ..losses.base import RenamedLoss
from .checkpoints import Attempt, load, save
from .protocol import NO_CODE, UserCode, collect_user_code, qualified_name
from .shard_knowledge import (
    Arrays,
    check_reads,
    factor_names,
    knowledge_from_arrays,
    knowledge_to_arrays,
    restrict_to_shard,
    shift_factors,
)

_PLAIN = (bool, int, float, str, type(None))
_SETTINGS = {  # by their names in run folders
    "sampler": "sampler",
    "mh_steps": "mh_steps",
    "nu": "nu",
    "weight_sweeps": "weight_sweeps",
    "late": "recency",
    "feature_nu": "feature_nu",
}


def supervision_to_meta(supervision: Supervision) -> dict[str, Any]:
    """Settings of a supervision for JSON; a loss is its class name and its plain parameters."""
    loss = supervision.loss.wrapped if isinstance(supervision.loss, RenamedLoss) else supervision.loss
    parameters = getattr(loss, "__dict__", {})
    plain = {name: value for name, value in parameters.items() if isinstance(value, _PLAIN)}
    settings = {name: getattr(supervision, field) for name, field in _SETTINGS.items()}
    return {"loss": qualified_name(type(loss)), "parameters": plain, **settings}


def supervision_to_arrays(supervision: Supervision, first: int, last: int) -> Arrays:
    """Targets and features of the documents from ``first`` up to ``last``."""
    arrays: Arrays = {"targets": supervision.targets[first:last]}
    if supervision.cost_weights is not None:
        arrays["cost_weights"] = supervision.cost_weights[first:last]
    if supervision.base_scores is not None:
        arrays["base_scores"] = supervision.base_scores[first:last]
    if supervision.features is not None:
        columns = _rows_of(supervision.features, first, last)
        arrays |= {f"features.{name}": array for name, array in columns._asdict().items()}
    return arrays


def supervision_from_meta(meta: dict[str, Any], loss: Any, target_arrays: Arrays) -> Supervision:
    """What the topics of a shard are to predict; weights come with each step."""
    features = None
    if "features.start" in target_arrays:
        features = FeatureColumns(*(target_arrays[f"features.{name}"] for name in FeatureColumns._fields))
    supervision = {field: meta[name] for name, field in _SETTINGS.items()}
    return Supervision(
        target_arrays["targets"],
        loss,
        target_arrays.get("cost_weights"),
        features=features,
        base_scores=target_arrays.get("base_scores"),
        **supervision,
    )


def _rows_of(columns: FeatureColumns, first: int, last: int) -> FeatureColumns:
    is_in = (columns.docs >= first) & (columns.docs < last)
    before = np.concatenate([[0], np.cumsum(is_in)])
    return FeatureColumns(before[columns.start], (columns.docs[is_in] - first).astype(np.int32), columns.values[is_in])


_RUN, _KIND = "run.tw", "cluster-run"
STATE = "driver.tw"
_KNOWLEDGE_FOLDER = "known"  # arrays of the knowledge of a shard
_TARGETS_FOLDER = "predicted"  # arrays of its targets and features
_REMOTE_DOCUMENTS = "others.npy"  # documents of other shards to which its own are linked
REMOTE_LENGTHS = "lengths_of_others.npy"
LINKED_ELSEWHERE = "lent.npy"  # its own documents to which those of other shards are linked
_OWN_FILES = re.compile(
    rf"tokens\.npy|offsets\.npy|{_KNOWLEDGE_FOLDER}|{_TARGETS_FOLDER}|{_REMOTE_DOCUMENTS}|{REMOTE_LENGTHS}|{LINKED_ELSEWHERE}|attempt-\d+|\.topicwright-\w+\.tmp"
)
_SHOWN_VALUES = ("n_topics", "n_words", "n_shards", "random_state", "n_rounds")  # shown in messages
_PRIORS = ("alpha", "beta", "start")
_MOST_TOKENS = 2**31 - 1  # of a shard, so that no count of its own can overflow


def user_code_for(problem: SamplingProblem) -> UserCode:
    """Custom factors and loss of a problem."""
    return collect_user_code(
        problem.knowledge.factors, None if problem.supervision is None else problem.supervision.loss
    )


@dataclass(frozen=True)
class RunDirectory:
    """Metadata of a run, and access to the files of its shards.

    Attributes
    ----------
    folder : Path
        The run folder.
    meta : dict
        Settings of the run.
    arrays : dict of arrays
        Edges of the shards, word counts, and the block of each word.
    code : UserCode
        Custom factors and loss, which are not stored.
    """

    folder: Path
    meta: dict[str, Any]
    arrays: Arrays
    code: UserCode

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.arrays["edges"]) - 1

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return int(self.meta["n_topics"])

    @property
    def n_rounds(self) -> int:
        """Number of steps in a sweep, and of blocks of words."""
        return int(self.meta["n_rounds"])

    @property
    def is_durable(self) -> bool:
        """Whether the folder outlives the run, so that files must survive a power cut."""
        return bool(self.meta["lasting"])

    @property
    def first_step(self) -> int:
        """Number of steps before the run began."""
        return int(self.meta["first_sweep"]) * self.n_rounds

    @cached_property
    def rows_of_words(self) -> NDArray[np.int32]:
        """Row of each word in the table of its block."""
        rows = np.empty(len(self.arrays["block_of_word"]), np.int32)
        for block in range(self.n_rounds):
            words = self.words(block)
            rows[words] = np.arange(len(words))
        return rows

    def words(self, block: int) -> NDArray[np.int64]:
        """Words of a block."""
        return np.flatnonzero(self.arrays["block_of_word"] == block)

    def shard_folder(self, number: int) -> Path:
        """Folder of a shard."""
        return _shard_folder(self.folder, number)

    def knowledge(self, number: int) -> CompiledKnowledge:
        """Compiled knowledge of a shard."""
        factor_classes = self.code.factor_classes()
        arrays = _load_all(self.shard_folder(number) / _KNOWLEDGE_FOLDER)
        known = knowledge_from_arrays(
            arrays, [factor_classes[name] for name in self.meta["factors"]], self.meta["reads"], self.n_topics
        )
        return shift_factors(known, int(self.arrays["first_tokens"][number]), int(self.arrays["edges"][number]))

    def target_arrays(self, number: int) -> Arrays:
        """Targets and features of a shard."""
        return _load_all(self.shard_folder(number) / _TARGETS_FOLDER)

    def remote_documents(self, number: int) -> NDArray[np.int64]:
        """Documents of other shards to which those of a shard are linked, by their number in the corpus."""
        return load(self.shard_folder(number) / _REMOTE_DOCUMENTS)


def shard_seed(seed: int, shard: int) -> int:
    """Seed of the random streams of a shard; the first has that of the run, so that one shard equals no sharding."""
    if shard == 0:
        return seed
    low, high = np.random.SeedSequence(seed, spawn_key=(shard,)).generate_state(2, np.uint64).tolist()
    return int(low) | int(high) << 64


def has_run(folder: Path) -> bool:
    """Whether a folder holds a run."""
    return (folder / _RUN).exists()


def open_run(folder: Path, code: UserCode = NO_CODE) -> RunDirectory:
    """Open the run of a folder."""
    file: ModelFile = read_model(folder / _RUN)
    return RunDirectory(folder, file.meta, file.arrays, code)


def shard_corpus(
    problem: SamplingProblem, n_shards: int, n_rounds: int, folder: Path, *, is_durable: bool = True
) -> RunDirectory:
    """Write the shards of a corpus. The metadata comes last, so that a folder without it is incomplete."""
    code = user_code_for(problem)  # raises errors before anything is written
    arrays, meta = _describe_run(problem, n_shards, n_rounds)
    _remove_incomplete(folder)
    ranges = list(enumerate(pairwise(arrays["edges"].tolist())))
    for number, (first, last) in ranges:
        _write_shard(problem, first, last, _shard_folder(folder, number), arrays["block_of_word"])
    linked = np.unique(
        np.concatenate([load(_shard_folder(folder, number) / _REMOTE_DOCUMENTS) for number, _ in ranges])
    )
    for number, (first, last) in ranges:
        save(_shard_folder(folder, number) / LINKED_ELSEWHERE, linked[(linked >= first) & (linked < last)] - first)
    write_model(folder / _RUN, _KIND, {**meta, **_factor_meta(problem), "lasting": is_durable}, arrays)
    return open_run(folder, code)


def check_same_run(run: RunDirectory, problem: SamplingProblem, n_shards: int, n_rounds: int) -> None:
    """Raise an error if a folder holds another run than the one to resume."""
    _, wanted = _describe_run(problem, n_shards, n_rounds)
    names = [name for name, value in wanted.items() if run.meta.get(name) != value]
    names = [name for name in names if name not in _PRIORS] or names  # which may follow from the others
    differs = [_difference(name, run.meta.get(name), wanted[name]) for name in names]
    if differs:
        raise InputError(
            f"{run.folder} has another run, which cannot be resumed as this one: "
            f"{', '.join(differs)} {'differs' if len(differs) == 1 else 'differ'}; choose another `checkpoint_dir`",
            parameter="checkpoint_dir",
        )


def _difference(name: str, there: Any, here: Any) -> str:
    """Name of a setting that differs, with its values if these are short."""
    return f"`{name}` ({there} there, {here} here)" if name in _SHOWN_VALUES else name


def _describe_run(problem: SamplingProblem, n_shards: int, n_rounds: int) -> tuple[Arrays, dict[str, Any]]:
    edges = even_ranges(problem.offsets, n_shards)
    largest = int(np.diff(problem.offsets[edges]).max(initial=0))
    if largest > _MOST_TOKENS:
        raise InputError(
            f"a shard can have at most {_MOST_TOKENS:,} tokens but would have {largest:,}; use a larger `n_shards`",
            parameter="n_shards",
        )
    check_reads(problem.knowledge, len(edges) - 1)
    word_counts = count_ids(problem.tokens, problem.n_words)
    supervision = problem.supervision
    is_labeled = supervision is None and is_fully_labeled(problem.knowledge, problem.offsets)
    reads_all_words = bool(problem.knowledge.reads & {"words", "any"})
    is_one_block = is_labeled or reads_all_words or supervision is not None
    n_rounds = 1 if is_one_block else min(n_rounds, len(edges) - 1)
    blocks = assign_word_blocks(word_counts, n_rounds, problem.knowledge.all_linked)
    meta = {
        "corpus": _digest({"tokens": problem.tokens, "offsets": problem.offsets}),
        "knowledge": _digest(knowledge_to_arrays(problem.knowledge), _factor_meta(problem)),
        "start": _digest({} if problem.assignments is None else {"topics": problem.assignments}),
        "alpha": _digest({"alpha": problem.alpha}),
        "beta": _digest({"beta": np.asarray(problem.beta)}),
        "n_topics": problem.n_topics,
        "n_words": problem.n_words,
        "n_shards": len(edges) - 1,
        "random_state": str(problem.seed),
        "first_sweep": problem.sweep_number,
        "has_assignments": problem.assignments is not None,
        "labelled": is_labeled,
        "n_rounds": n_rounds,
        "supervision": None if supervision is None else supervision_to_meta(supervision),
        "targets": _digest(
            {} if supervision is None else supervision_to_arrays(supervision, 0, len(problem.offsets) - 1)
        ),
    }
    first_tokens = problem.offsets[edges]
    arrays: Arrays = {"edges": edges, "first_tokens": first_tokens, "word_counts": word_counts, "block_of_word": blocks}
    return arrays, meta


def _write_shard(problem: SamplingProblem, first: int, last: int, folder: Path, blocks: NDArray[np.uint8]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    i0, i1 = int(problem.offsets[first]), int(problem.offsets[last])
    save(folder / "tokens.npy", problem.tokens[i0:i1])
    release_pages(problem.tokens)
    save(folder / "offsets.npy", problem.offsets[first : last + 1] - i0)
    known = restrict_to_shard(problem.knowledge, problem.offsets, first, last)
    _save_all(folder / _KNOWLEDGE_FOLDER, knowledge_to_arrays(known.knowledge))
    save(folder / _REMOTE_DOCUMENTS, known.remote_documents)
    save(folder / REMOTE_LENGTHS, problem.offsets[known.remote_documents + 1] - problem.offsets[known.remote_documents])
    if problem.supervision is not None:
        _save_all(folder / _TARGETS_FOLDER, supervision_to_arrays(problem.supervision, first, last))
    if problem.assignments is not None:
        n_rounds = int(blocks.max(initial=0)) + 1
        attempt, block_of_token = Attempt(folder, n_rounds), blocks[problem.tokens[i0:i1]]
        for block in range(n_rounds):
            topics = problem.assignments[i0:i1][block_of_token == block]
            attempt.write(block, problem.sweep_number * n_rounds, topics, problem.n_topics)


def _remove_incomplete(folder: Path) -> None:
    """Remove incomplete shards of an earlier run; an error if something else has such a name."""
    left = list(folder.glob("shard-" + "[0-9]" * 6))
    for shard in left:
        if not shard.is_dir() or not all(_OWN_FILES.fullmatch(path.name) for path in shard.iterdir()):
            raise InputError(
                f"{shard} has the name of a shard, but is none: choose another `checkpoint_dir`",
                parameter="checkpoint_dir",
            )
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


def _factor_meta(problem: SamplingProblem) -> dict[str, Any]:
    """Metadata of the factors of a problem."""
    return {"factors": factor_names(problem.knowledge.factors), "reads": sorted(problem.knowledge.reads)}


def _digest(arrays: Arrays, meta: Any = None) -> str:
    digest = hashlib.blake2b(json.dumps(meta).encode(), digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        for chunk in iter_chunks(array.reshape(-1).view(np.uint8)):
            digest.update(chunk.data)
    return digest.hexdigest()
