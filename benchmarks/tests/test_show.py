"""Checks before a measurement, and their messages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.assertions import raises_input

from benchmarks.commands.output import run_and_show
from benchmarks.common.tables import print_all
from topicwright.errors import MissingExtraError


def never(progress: object) -> object:
    raise AssertionError("something was measured")


def test_output_path_is_checked_before_measuring(tmp_path: Path) -> None:
    with raises_input("json"):
        run_and_show(never, None, lambda result: {}, json=tmp_path / "nowhere" / "out.json")


def test_missing_matplotlib_is_reported_before_measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="plots"):
        run_and_show(never, None, lambda result: {}, plot=tmp_path)


def test_notes_may_have_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    """Labels of documents, which may be anything, stand in notes."""
    print_all([], ["figure1: [/a] and [bold]"])
    assert capsys.readouterr().out == "Note: figure1: [/a] and [bold]\n"
