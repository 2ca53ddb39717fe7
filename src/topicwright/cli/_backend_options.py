"""Options of ``fit`` for where it trains: in this process, on shards from disk, or on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from ..errors import InputError
from ._options import OptionGroup, option

_option = partial(option, "Larger than memory or one machine")


class BackendName(str, Enum):
    """Backend that trains on shards."""

    disk = "disk"
    ray = "ray"


@dataclass(frozen=True, kw_only=True)
class BackendOptions(OptionGroup):
    """Where to train."""

    backend: Annotated[
        BackendName | None,
        _option("Train on shards, from disk or on a Ray cluster.", metavar="disk|ray", default="neither"),
    ] = None
    address: Annotated[
        str | None,
        _option(
            "Address of the Ray cluster; auto on one of its nodes.", metavar="ADDRESS", default="one is started here"
        ),
    ] = None
    shards: Annotated[int | None, _option("Number of shards.", metavar="N", default="8; on Ray 4", min=1)] = None
    rounds: Annotated[
        int | None,
        _option(
            "Exchanges of counts between shards per sweep. Fewer send less data and need more sweeps.",
            metavar="N",
            default="16, or as many as shards",
            min=1,
        ),
    ] = None
    in_memory: Annotated[
        int | None, _option("With disk: number of shards to keep in memory.", metavar="N", default="all", min=0)
    ] = None
    cpus_per_worker: Annotated[
        int | None, _option("With ray: number of threads per worker.", metavar="N", default="1", min=1)
    ] = None
    sweep_timeout: Annotated[
        float | None, _option("With ray: stop if a step takes longer.", metavar="SECONDS", default="3600")
    ] = None
    max_restarts: Annotated[
        int | None,
        _option("With ray: number of restarts of each worker; -1 for no limit.", metavar="N", default="3", min=-1),
    ] = None
    checkpoint_dir: Annotated[
        Path | None,
        _option(
            "Folder for corpus, shards and topics; on a cluster, one that all nodes share.",
            metavar="DIR",
            default="a temporary folder",
        ),
    ] = None
    resume: Annotated[bool, _option("Continue the run in --checkpoint-dir, if there is one.", "--resume")] = False

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``fit`` of a model."""
        if self.backend is None:
            self._check_unused({**self._shared(), **self._for_disk(), **self._for_ray()}, "--backend disk or ray")
            self._check_unused({"--resume": self.resume or None}, "--backend disk or ray")
            return {}
        from .. import DiskBackend, RayBackend
        from ..distributed.sharding import has_run

        is_disk = self.backend is BackendName.disk
        self._check_unused(
            self._for_ray() if is_disk else self._for_disk(), f"--backend {'ray' if is_disk else 'disk'}"
        )
        folder = self.checkpoint_dir
        if self.resume and folder is None:
            raise InputError("--resume needs --checkpoint-dir, the folder of an interrupted run")
        if folder is not None and not self.resume and has_run(folder):  # before any text is read
            raise InputError(f"{folder} already has a run: continue it with --resume, or choose another folder")
        given = {
            "n_shards": self.shards,
            "n_rounds": self.rounds,
            "checkpoint_dir": folder,
            **({"in_memory": self.in_memory} if is_disk else self._ray_parameters()),
        }
        kind: Any = DiskBackend if is_disk else RayBackend
        backend = kind(**{name: value for name, value in given.items() if value is not None})
        backend.check()  # before any text is read
        return {"backend": backend, "resume": self.resume}

    def _ray_parameters(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "cpus_per_worker": self.cpus_per_worker,
            "sweep_timeout": self.sweep_timeout,
            "max_restarts": self.max_restarts,
        }

    def _shared(self) -> dict[str, Any]:
        return {"--shards": self.shards, "--rounds": self.rounds, "--checkpoint-dir": self.checkpoint_dir}

    def _for_disk(self) -> dict[str, Any]:
        return {"--in-memory": self.in_memory}

    def _for_ray(self) -> dict[str, Any]:
        return {f"--{name.replace('_', '-')}": value for name, value in self._ray_parameters().items()}

    @staticmethod
    def _check_unused(given: dict[str, Any], needed: str) -> None:
        for name, value in given.items():
            if value is not None:
                raise InputError(f"{name} needs {needed}")

    def no_run_message(self) -> str | None:
        """Message that there is no run to continue, if ``--resume`` was passed."""
        from ..distributed.sharding import has_run

        if not self.resume or self.checkpoint_dir is None or has_run(self.checkpoint_dir):
            return None
        return f"there is no run in {self.checkpoint_dir} to continue: this one starts with the first sweep"

    def check_shards(self, n_docs: int) -> None:
        """Raise an error if there were shards without documents."""
        if self.shards is not None and self.shards > n_docs:
            expected = f"at most the number of documents, {n_docs:,}"
            raise InputError(parameter="--shards", expected=expected, got=self.shards)

    @contextmanager
    def corpus_folder(self) -> Iterator[Path | None]:
        """Folder to store the corpus in while it is read, so that it need not fit in memory; None without a backend."""
        if self.backend is None:
            yield None
        elif self.checkpoint_dir is not None:
            yield self.checkpoint_dir / "corpus"
        else:
            with tempfile.TemporaryDirectory(prefix="topicwright-", ignore_cleanup_errors=True) as folder:
                yield Path(folder)
