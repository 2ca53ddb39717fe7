"""Options that say where ``fit`` trains: in this process, on shards from disk, or on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ..errors import InputError

_PANEL = "Beyond memory, beyond one machine"


class Kind(str, Enum):
    """What trains on shards."""

    disk = "disk"
    ray = "ray"


BackendName = Annotated[
    Kind | None,
    typer.Option(
        "--backend",
        help="Cut the documents into shards: train them from disk, or on a Ray cluster.",
        rich_help_panel=_PANEL,
        show_default="neither",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of the Ray cluster; auto on one of its nodes.",
        rich_help_panel=_PANEL,
        show_default="one is started here",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Number of shards.", rich_help_panel=_PANEL, show_default="8; on Ray 4"),
]
InMemory = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="With disk: shards that stay in memory between sweeps.",
        rich_help_panel=_PANEL,
        show_default="all",
    ),
]
CpusPerWorker = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="With ray: threads of a worker.", rich_help_panel=_PANEL, show_default="1"),
]
SweepTimeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="With ray: give up when a step takes longer.",
        rich_help_panel=_PANEL,
        show_default="3600",
    ),
]
CheckpointDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep the corpus, its shards and their topics here; on a cluster a place that all nodes share.",
        rich_help_panel=_PANEL,
        show_default="a temporary folder",
    ),
]
GoOn = Annotated[
    bool,
    typer.Option("--resume", help="Go on with the run in --checkpoint-dir, if there is one.", rich_help_panel=_PANEL),
]


class Placing(NamedTuple):
    """Where to train, as the options give it."""

    backend: Kind | None
    address: str | None
    n_shards: int | None
    in_memory: int | None
    cpus_per_worker: int | None
    sweep_timeout: float | None
    checkpoint_dir: Path | None
    resume: bool

    def options(self) -> dict[str, Any]:
        """What ``fit`` of a model takes."""
        of_disk = {"in_memory": self.in_memory}
        of_ray = {
            "address": self.address,
            "cpus_per_worker": self.cpus_per_worker,
            "sweep_timeout": self.sweep_timeout,
        }
        of_both = {"n_shards": self.n_shards, "checkpoint_dir": self.checkpoint_dir}
        if self.backend is None:
            self._refuse({**of_both, **of_disk, **of_ray, "resume": self.resume or None}, "--backend disk or ray")
            return {}
        self._refuse(*((of_ray, "--backend ray") if self.backend is Kind.disk else (of_disk, "--backend disk")))
        from .. import DiskBackend, RayBackend
        from ..cluster.cutting import has_run

        folder = self.checkpoint_dir
        if self.resume and folder is None:
            raise InputError("--resume needs --checkpoint-dir, the folder of a run that was cut off")
        if folder is not None and not self.resume and has_run(folder):  # told before any text is read
            raise InputError(f"{folder} holds a run already: go on with it by --resume, or give another folder")
        make: Any = DiskBackend if self.backend is Kind.disk else RayBackend
        own = {**of_both, **(of_disk if self.backend is Kind.disk else of_ray)}
        backend = make(**{name: value for name, value in own.items() if value is not None})
        backend.check()  # before any text is read
        return {"backend": backend, "resume": self.resume}

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

    @staticmethod
    def _refuse(given: dict[str, Any], needed: str) -> None:
        for name, value in given.items():
            if value is not None:
                option = "--shards" if name == "n_shards" else f"--{name.replace('_', '-')}"
                raise InputError(f"{option} goes with {needed}")
