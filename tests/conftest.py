"""Shared fixtures: small readable corpora, and real ones where available."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from topicwright import Corpus

from . import hypothesis_profiles  # noqa: F401

# Signals are ignored if tests run under nohup or in the background, and commands under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# Fixtures that start something slow, and the tier (see `scripts/test --help`) of the tests that use them.
TIER_OF_FIXTURE = {"browser": "browser", "browse": "browser", "ray_cluster": "ray"}

THEMES = {
    "sea": "ship wave sail harbour tide anchor captain storm",
    "kitchen": "bread oven flour butter salt pan dough sugar",
    "court": "judge law trial jury crime lawyer verdict appeal",
}


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of each tier: those in tests/fuzz, and those with a fixture that starts a browser or Ray."""
    for item in items:
        if "tests/fuzz/" in item.nodeid:
            item.add_marker("fuzz")
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in TIER_OF_FIXTURE:
                item.add_marker(TIER_OF_FIXTURE[fixture])


def themed_texts(n: int, seed: int = 0) -> list[str]:
    """Texts of 12 words, each about one theme, in turn."""
    rng = np.random.default_rng(seed)
    themes = [words.split() for words in THEMES.values()]
    return [" ".join(rng.choice(themes[i % len(themes)], 12)) for i in range(n)]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return themed_texts(60)


@pytest.fixture(scope="session")
def corpus(texts: list[str]) -> Corpus:
    return Corpus.from_texts(texts)


@pytest.fixture(scope="session")
def data_directory() -> Path:
    """Folder of the real corpora; the test is skipped without them."""
    place = Path(os.environ.get("TOPICWRIGHT_DATA", "nowhere"))
    if not (place / "20newsgroups.jsonl.xz").exists():
        pytest.skip("the real corpora are not here; set TOPICWRIGHT_DATA to their folder to run this test")
    return place
