"""Options that say where ``fit`` trains: in this process, on shards from disk, or on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ..errors import InputError
from ._options import option
from ._wording import option_of


class Kind(str, Enum):
    """What trains on shards."""

    disk = "disk"
    ray = "ray"


_option = partial(option, "Beyond memory, beyond one machine")
BackendName = Annotated[
    Kind | None,
    _option(
        "Cut the documents into shards: train them from disk, or on a Ray cluster.", "--backend", default="neither"
    ),
]
Address = Annotated[
    str | None,
    _option("Of the Ray cluster; auto on one of its nodes.", metavar="ADDRESS", default="one is started here"),
]
Shards = Annotated[int | None, _option("Number of shards.", metavar="N", default="8; on Ray 4", min=1)]
Rounds = Annotated[
    int | None,
    _option(
        "Parts of a sweep, after each of which shards hear of each other. Fewer send less, and need more sweeps.",
        metavar="N",
        default="16, or as many as shards",
        min=1,
    ),
]
InMemory = Annotated[
    int | None, _option("With disk: shards that stay in memory between sweeps.", metavar="N", default="all", min=0)
]
CpusPerWorker = Annotated[int | None, _option("With ray: threads of a worker.", metavar="N", default="1", min=1)]
SweepTimeout = Annotated[
    float | None, _option("With ray: give up when a step takes longer.", metavar="SECONDS", default="3600")
]
MaxRestarts = Annotated[
    int | None,
    _option(
        "With ray: how often each worker may be lost; -1 for any number of times.", metavar="N", default="3", min=-1
    ),
]
CheckpointDir = Annotated[
    Path | None,
    _option(
        "Keep the corpus, its shards and their topics here; on a cluster a place that all nodes share.",
        metavar="DIR",
        default="a temporary folder",
    ),
]
GoOn = Annotated[bool, _option("Go on with the run in --checkpoint-dir, if there is one.", "--resume")]

_OF_DISK = ("in_memory",)
_OF_RAY = ("address", "cpus_per_worker", "sweep_timeout", "max_restarts")


class BackendOptions(NamedTuple):
    """Where to train, as the options give it."""

    backend: Kind | None
    address: str | None
    n_shards: int | None
    n_rounds: int | None
    in_memory: int | None
    cpus_per_worker: int | None
    sweep_timeout: float | None
    max_restarts: int | None
    checkpoint_dir: Path | None
    resume: bool

    def options(self) -> dict[str, Any]:
        """What ``fit`` of a model takes."""
        given = {name: value for name, value in self._asdict().items() if value is not None and value is not False}
        kind = given.pop("backend", None)
        if kind is None:
            _refuse(given, "--backend disk or ray")
            return {}
        of_other, other = (_OF_RAY, Kind.ray) if kind is Kind.disk else (_OF_DISK, Kind.disk)
        _refuse([name for name in given if name in of_other], f"--backend {other.value}")
        from .. import DiskBackend, RayBackend
        from ..distributed.sharding import has_run

        given.pop("resume", None)
        folder = self.checkpoint_dir
        if self.resume and folder is None:
            raise InputError("--resume needs --checkpoint-dir, the folder of a run that was cut off")
        if folder is not None and not self.resume and has_run(folder):  # told before any text is read
            raise InputError(f"{folder} holds a run already: go on with it by --resume, or give another folder")
        backend: Any = (DiskBackend if kind is Kind.disk else RayBackend)(**given)
        backend.check()  # before any text is read
        return {"backend": backend, "resume": self.resume}

    def begins(self) -> str | None:
        """A word where there is no run to go on with."""
        from ..distributed.sharding import has_run

        if not self.resume or self.checkpoint_dir is None or has_run(self.checkpoint_dir):
            return None
        return f"there is no run in {self.checkpoint_dir} to go on with: this one begins at the first sweep"

    def check(self, n_docs: int) -> None:
        """An error where there would be shards without documents: each has files of its own."""
        if self.n_shards is not None and self.n_shards > n_docs:
            raise InputError(f"--shards must not be more than the documents: got {self.n_shards:,} for {n_docs:,}")

    @contextmanager
    def corpus_folder(self) -> Iterator[Path | None]:
        """Where the corpus is stored while it is read, so that it need not fit in memory; None without a backend."""
        if self.backend is None:
            yield None
        elif self.checkpoint_dir is not None:
            yield self.checkpoint_dir / "corpus"
        else:
            with tempfile.TemporaryDirectory(prefix="topicwright-", ignore_cleanup_errors=True) as folder:
                yield Path(folder)


def _refuse(given: Iterable[str], needed: str) -> None:
    for name in given:
        raise InputError(f"{option_of(name)} goes with {needed}")
