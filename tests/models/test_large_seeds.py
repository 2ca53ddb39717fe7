"""Seeds of any size, as np.random.SeedSequence().entropy gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw

TEXTS = ["cat dog", "dog cow"] * 5
LABELS = [["pet"], ["farm"]] * 5
LARGE = 2**127 + 7


def fitted(seed: int) -> dict[str, Any]:
    options: dict[str, Any] = {"n_topics": 3, "n_sweeps": 4, "random_state": seed}
    return {
        "lda": tw.LDA(**options).fit(TEXTS),
        "classifier": tw.MedLDAClassifier(**options).fit(TEXTS, [label for (label,) in LABELS]),
        "labeled": tw.LabeledLDA(n_sweeps=4, random_state=seed).fit(TEXTS, LABELS),
        "stream": tw.OnlineLabeledLDA(random_state=seed).fit(TEXTS, LABELS),
    }


@pytest.mark.parametrize("kind", ["lda", "classifier", "labeled", "stream"])
def test_model_with_large_seed_is_used_and_saved(tmp_path: Path, kind: str) -> None:
    model = fitted(LARGE)[kind]
    shares = model.transform(TEXTS)
    model.save(tmp_path / "model.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "model.tw").transform(TEXTS), shares)


def test_seeds_with_equal_low_bits_differ() -> None:
    """Training takes all bits of a seed."""
    texts = ["cat dog cow hen pig owl"] * 30
    one, other = (tw.LDA(3, n_sweeps=4, random_state=seed).fit(texts).assignments_ for seed in (LARGE, LARGE % 2**64))
    assert not np.array_equal(one, other)
