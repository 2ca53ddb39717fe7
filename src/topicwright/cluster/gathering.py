"""The topics of all tokens, brought together from the shards' files, one shard after the other."""

from __future__ import annotations

import io
import secrets
import tempfile
from contextlib import suppress
from typing import IO

import numpy as np
from numpy.typing import NDArray

from .._replacing import replacing
from ..errors import ClusterError
from .checkpoints import Generations, load
from .cutting import Run

_FEW = 1 << 24  # tokens whose topics may be in memory


def gather(run: Run, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    """The topic of each token after a sweep, in the corpus's order; on disk where the folder is kept, or they are many.

    They are written as any file is, and then mapped: a disk that fills up under a map would kill the process.
    """
    if run.lasting and n_tokens:
        return _in_folder(run, n_tokens, sweep)
    file = io.BytesIO() if n_tokens <= _FEW else tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it)
    _write(run, sweep, file)
    if isinstance(file, io.BytesIO):
        return np.frombuffer(file.getbuffer(), np.uint32)
    file.flush()
    return np.asarray(np.memmap(file, np.uint32, "r+", shape=(n_tokens,)))


def _in_folder(run: Run, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    for earlier in run.folder.glob(f"topics-{'[0-9a-f]' * 16}.npy"):  # a model that has it mapped keeps what it has
        with suppress(OSError):
            earlier.unlink()
    path = run.folder / f"topics-{secrets.token_hex(8)}.npy"
    facts = {"descr": np.dtype(np.uint32).str, "fortran_order": False, "shape": (n_tokens,)}
    with replacing(path, lasting=False) as file:
        np.lib.format.write_array_header_1_0(file, facts)
        _write(run, sweep, file)
    return np.asarray(np.load(path, mmap_mode="r+"))


def _write(run: Run, sweep: int, file: IO[bytes]) -> None:
    block_of_word, step = run.arrays["block_of_word"], sweep * run.n_rounds
    for number in range(run.n_shards):
        folder = run.shard_folder(number)
        blocks, disk = block_of_word[load(folder / "tokens.npy")], Generations(folder)
        result = np.empty(len(blocks), np.uint32)
        for block in range(run.n_rounds):
            topics = disk.read(block, step)
            if topics is None:
                raise ClusterError(f"{folder} does not have the topics of sweep {sweep}")
            result[blocks == block] = topics
        file.write(result.data)
