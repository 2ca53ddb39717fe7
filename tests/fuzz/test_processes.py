"""The run itself: it counts what happens, outlives what it starts, and tells how to do it again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from . import __main__ as command
from .attack import Attack, Outcome, Try, attempt
from .processes import Worker, counted, tries
from .reporting import failures, table
from .samples import CASES, Known, Other

WANTED = ["survived", "clean", "clean", "crashed", "crashed", "crashed", "lost", "crashed", "crashed"]


@pytest.mark.parametrize(("case", "wanted"), list(enumerate(WANTED[:-2])), ids=CASES[:-2])
def test_how_a_try_is_judged(tmp_path: Path, case: int, wanted: str) -> None:
    (tmp_path / "case").write_text(str(case))
    done = attempt(Known(tmp_path), 5, 17)
    assert (done.attack, done.seed, done.case, done.outcome.name, done.what) == ("known", 5, 17, wanted, CASES[case])


@pytest.mark.parametrize(("case", "said"), [(7, "the process died, exit code -11"), (8, "hangs")])
def test_what_dies_or_hangs_is_counted_and_the_run_goes_on(tmp_path: Path, case: int, said: str) -> None:
    (tmp_path / "case").write_text(str(case))
    done = []
    for one in tries([Known], tmp_path, 0.0, cases=[1, 2]):
        done.append(one)
        (tmp_path / "case").write_text("0")
    assert [one.outcome for one in done] == [Outcome.crashed, Outcome.survived]
    assert said in done[0].said


def test_a_case_has_the_same_random_numbers_every_time() -> None:
    class Draws(Attack):
        name = "draws"

        def once(self, rng: np.random.Generator) -> None:
            self.what = str(rng.integers(2**60))

    first = attempt(Draws(Path()), 3, 8)
    assert attempt(Draws(Path()), 3, 8) == first
    assert len({attempt(Draws(Path()), seed, case).what for seed, case in ((3, 8), (3, 9), (4, 8))}) == 3


def test_each_attack_has_its_share(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tries that take a second each: of nine seconds one attack has twice as many as the other."""

    def attempt_in_a_second(worker: Worker, case: int) -> Try:
        worker.spent += 1.0
        return Try(worker.kind.name, worker.seed, case, Outcome.survived, "")

    monkeypatch.setattr(Worker, "attempt", attempt_in_a_second)
    done = list(tries([Other, Known], tmp_path, 9.0))
    assert [one.case for one in done if one.attack == "other"] == list(range(6))
    assert [one.case for one in done if one.attack == "known"] == list(range(3))


BAD = [
    Try("known", 5, 3, Outcome.crashed, "a file", "Traceback\nKeyError: 'x'"),
    Try("known", 5, 9, Outcome.crashed, "another", "Traceback\nKeyError: 'x'"),
    Try("known", 5, 4, Outcome.lost, "a stream", "gone"),
    Try("other", 5, 0, Outcome.survived, "", ""),
]


def test_the_table() -> None:
    assert table(counted(BAD, [Known, Other])) == (
        "| attack | tried | survived | clean errors | crashes | data lost |\n"
        "| ------ | ----: | -------: | -----------: | ------: | --------: |\n"
        "| known  |     3 |        0 |            0 |       2 |         1 |\n"
        "| other  |     1 |        1 |            0 |       0 |         0 |\n"
        "| all    |     4 |        1 |            0 |       2 |         1 |\n"
    )


def test_failures_are_told_once_with_how_to_do_them_again() -> None:
    told = failures(BAD)
    assert told.count("KeyError") == 1
    assert "crashes: known, cases 3, 9: a file\n  again:  scripts/attack --only known --seed 5 --case 3\n" in told
    assert "data lost: known, cases 4: a stream" in told


@pytest.mark.parametrize(("case", "code"), [(0, 0), (1, 0), (3, 1), (6, 1)])
def test_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, case: int, code: int
) -> None:
    done = Try("known", 0, 0, Outcome[WANTED[case]], CASES[case], "")
    monkeypatch.setattr(command, "ATTACKS", {"known": Known})
    monkeypatch.setattr(command, "tries", lambda *_: [done])
    assert command.main(["--minutes", "0"]) == code
    out = capsys.readouterr().out
    assert out.endswith(table({"known": Counter([done.outcome])}))
    assert ("scripts/attack --only known --seed 0 --case 0" in out) == bool(code)
