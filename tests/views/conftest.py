"""A model of each type, as trained and as loaded from a compact file."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw
from topicwright import Corpus

from ..conftest import THEMES, themed_texts

KINDS = ["lda", "classifier", "regressor", "labeled", "stream"]


def _trained(kind: str) -> Any:
    texts = themed_texts(60)
    themes = [list(THEMES)[i % 3] for i in range(60)]
    named = Corpus.from_texts(texts, ids=[f"d{i}" for i in range(60)], labels=[[theme] for theme in themes])
    if kind == "lda":
        return tw.LDA(n_topics=5, n_sweeps=30, evaluate_every=5).fit(named)
    if kind == "classifier":
        return tw.MedLDAClassifier(n_topics=5, n_sweeps=20).fit(texts, themes)
    if kind == "regressor":
        return tw.MedLDARegressor(n_topics=5, n_sweeps=20).fit(texts, [float(i % 3) for i in range(60)])
    if kind == "labeled":
        return tw.LabeledLDA(n_sweeps=20, n_background_topics=1).fit(texts, [[theme] for theme in themes])
    return tw.OnlineLabeledLDA().fit(texts, [[theme] for theme in themes])


@pytest.fixture(scope="session")
def models() -> Callable[[str], Any]:
    """A trained model of a kind; the same each time."""
    made: dict[str, Any] = {}

    def model_of(kind: str) -> Any:
        if kind not in made:
            made[kind] = _trained(kind)
        return made[kind]

    return model_of


@pytest.fixture
def lda(models: Callable[[str], Any]) -> Any:
    return models("lda")


def without_documents(model: Any, folder: Path) -> Any:
    """The model, loaded from a file without documents."""
    options = {} if isinstance(model, tw.OnlineLabeledLDA) else {"include_corpus": False}
    model.save(folder / "m.tw", **options)
    return tw.load(folder / "m.tw")


def drawn(figure: Any) -> tuple[bytes, str]:
    """A figure as PNG and as SVG."""
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png")
    figure.savefig(svg, format="svg")
    return png.getvalue(), svg.getvalue()
