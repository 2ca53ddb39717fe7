"""Texts of themes, with their themes."""

from __future__ import annotations

import numpy as np

from ...conftest import THEMES, themed_texts

NAMES = list(THEMES)


def themes_of(n: int) -> list[str]:
    return [NAMES[i % 3] for i in range(n)]


def mixed_texts(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Texts with words about nothing and words about one theme or two, and which."""
    rng = np.random.default_rng(seed)
    labels = [sorted(rng.choice(NAMES, rng.integers(1, 3), replace=False).tolist()) for _ in range(n)]
    common = ["day", "time", "way", "year", "thing", "week", "part", "place"]
    themed = [[word for name in names for word in rng.choice(THEMES[name].split(), 10)] for names in labels]
    return [" ".join([*rng.choice(common, 10), *words]) for words in themed], labels


NEW, NEW_THEMES = themed_texts(60, seed=1), themes_of(60)
