"""Targets of attacks: a model file of every kind, and files of documents, created once per run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import topicwright as tw

from ..conftest import themed_texts
from ..models.test_persistence import KNOWLEDGE
from ..server.conftest import MODELS as SERVED
from ..streaming.conftest import json_lines


def _lda_with_knowledge() -> Any:
    return tw.LDA(3, n_sweeps=5, random_state=0, knowledge=KNOWLEDGE).fit(themed_texts(60))


MODELS: dict[str, Callable[[], Any]] = {
    **SERVED,
    "knowledge": _lda_with_knowledge,
    "linked stream": lambda: tw.OnlineLabeledLDA(
        random_state=0, n_particles=3, forgetting=0.99, knowledge=[tw.MustLinks([("ship", "wave")])]
    ).partial_fit(themed_texts(30), [["sea"], ["kitchen", "court"]] * 15),
}
COMPACT = " without its corpus"
KINDS = [*MODELS, *(kind + COMPACT for kind in ("lda", "knowledge", "classifier", "labeled"))]


def model_file(folder: Path, kind: str) -> Path:
    """The file of a kind of model; not to be changed."""
    path = folder / f"{kind.replace(' ', '-')}.tw"
    if not path.exists():
        fresh = path.with_suffix(f".{os.getpid()}")  # attacks share the folder
        model = MODELS[kind.removesuffix(COMPACT)]()
        model.save(fresh, **({"include_corpus": False} if kind.endswith(COMPACT) else {}))
        os.replace(fresh, path)
    return path


def documents(folder: Path, n: int = 120) -> Path:
    """Documents with labels, as JSON lines; not to be changed."""
    path = folder / f"documents-{n}.jsonl"
    if not path.exists():
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text("".join(json_lines(n)))
        os.replace(fresh, path)
    return path


def empty_folder(folder: Path, name: str) -> Path:
    """An empty folder for one case."""
    own = folder / f"{name}-{os.getpid()}"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    return own
