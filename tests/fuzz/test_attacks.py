"""A few cases of every attack: the short form of ``scripts/attack``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")
pytest.importorskip("nicegui", reason="topicwright[explorer] is not installed")

from .attack import BAD, run_trial
from .registry import ATTACKS

N_CASES = {
    "model-files": 12,
    "hostile-models": 12,
    "corpora": 40,
    "knowledge": 12,
    "extremes": 12,
    "counts": 2,
    "arguments": 3,
    "signals": 2,
    "full-disk": 2,
    "streams": 1,
    "steering": 1,
    "http": 2,
}
SLOW = {"caches": 2, "checkpoints": 1, "explorer": 3}  # they compile, or start something that takes long to start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture
def attack(request: pytest.FixtureRequest, folder: Path) -> Iterator[object]:
    attack = ATTACKS[request.param](folder)
    yield attack
    attack.close()


@pytest.mark.parametrize(
    ("attack", "n"),
    [*N_CASES.items(), *(pytest.param(*slow, marks=pytest.mark.slow) for slow in SLOW.items())],
    indirect=["attack"],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_crashes_and_nothing_is_lost(attack: object, n: int) -> None:
    trials = [run_trial(attack, 0, case) for case in range(n)]  # type: ignore[arg-type]
    assert [one for one in trials if one.outcome in BAD] == []


def test_every_attack_is_tried() -> None:
    assert {*N_CASES, *SLOW} == set(ATTACKS)
