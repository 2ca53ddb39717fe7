"""The runner itself: it counts outcomes, survives crashes of attacks, and reports how to reproduce them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from . import __main__ as command
from .attack import Attack, Outcome, Trial, run_trial
from .example_attacks import CASES, ScriptedAttack, SecondAttack
from .report import failures, table
from .workers import Worker, count_outcomes, run_attacks

WANTED = ["survived", "clean", "clean", "crashed", "crashed", "crashed", "lost", "crashed", "crashed"]


@pytest.mark.parametrize(("case", "wanted"), list(enumerate(WANTED[:-2])), ids=CASES[:-2])
def test_outcome_of_a_case(tmp_path: Path, case: int, wanted: str) -> None:
    (tmp_path / "case").write_text(str(case))
    done = run_trial(ScriptedAttack(tmp_path), 5, 17)
    assert (done.attack, done.seed, done.case, done.outcome.name, done.description) == (
        "known",
        5,
        17,
        wanted,
        CASES[case],
    )


@pytest.mark.parametrize(("case", "message"), [(7, "the process died, exit code -11"), (8, "hangs")])
def test_crashes_and_hangs_are_counted_and_the_run_continues(tmp_path: Path, case: int, message: str) -> None:
    (tmp_path / "case").write_text(str(case))
    done = []
    for one in run_attacks([ScriptedAttack], tmp_path, 0.0, cases=[1, 2]):
        done.append(one)
        (tmp_path / "case").write_text("0")
    assert [one.outcome for one in done] == [Outcome.crashed, Outcome.survived]
    assert message in done[0].message


def test_a_case_has_the_same_random_numbers_every_time() -> None:
    class Draws(Attack):
        name = "draws"

        def run_case(self, rng: np.random.Generator) -> None:
            self.description = str(rng.integers(2**60))

    first = run_trial(Draws(Path()), 3, 8)
    assert run_trial(Draws(Path()), 3, 8) == first
    assert len({run_trial(Draws(Path()), seed, case).description for seed, case in ((3, 8), (3, 9), (4, 8))}) == 3


def test_attacks_share_the_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tries that take a second each: of nine seconds one attack has twice as many as the other."""

    def run_in_a_second(worker: Worker, case: int) -> Trial:
        worker.spent += 1.0
        return Trial(worker.kind.name, worker.seed, case, Outcome.survived, "")

    monkeypatch.setattr(Worker, "run_trial", run_in_a_second)
    done = list(run_attacks([SecondAttack, ScriptedAttack], tmp_path, 9.0))
    assert [one.case for one in done if one.attack == "other"] == list(range(6))
    assert [one.case for one in done if one.attack == "known"] == list(range(3))


BAD = [
    Trial("known", 5, 3, Outcome.crashed, "a file", "Traceback\nKeyError: 'x'"),
    Trial("known", 5, 9, Outcome.crashed, "another", "Traceback\nKeyError: 'x'"),
    Trial("known", 5, 4, Outcome.lost, "a stream", "gone"),
    Trial("other", 5, 0, Outcome.survived, "", ""),
]


def test_the_table() -> None:
    assert table(count_outcomes(BAD, [ScriptedAttack, SecondAttack])) == (
        "| attack | tried | survived | clean errors | crashes | data lost |\n"
        "| ------ | ----: | -------: | -----------: | ------: | --------: |\n"
        "| known  |     3 |        0 |            0 |       2 |         1 |\n"
        "| other  |     1 |        1 |            0 |       0 |         0 |\n"
        "| all    |     4 |        1 |            0 |       2 |         1 |\n"
    )


def test_failures_are_reported_once_with_a_reproduction() -> None:
    report = failures(BAD)
    assert report.count("KeyError") == 1
    assert "crashes: known, cases 3, 9: a file\n  again:  scripts/attack --only known --seed 5 --case 3\n" in report
    assert "data lost: known, cases 4: a stream" in report


@pytest.mark.parametrize(("case", "code"), [(0, 0), (1, 0), (3, 1), (6, 1)])
def test_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, case: int, code: int
) -> None:
    done = Trial("known", 0, 0, Outcome[WANTED[case]], CASES[case], "")
    monkeypatch.setattr(command, "ATTACKS", {"known": ScriptedAttack})
    monkeypatch.setattr(command, "run_attacks", lambda *_: [done])
    assert command.main(["--minutes", "0"]) == code
    out = capsys.readouterr().out
    assert out.endswith(table({"known": Counter([done.outcome])}))
    assert ("scripts/attack --only known --seed 0 --case 0" in out) == bool(code)
