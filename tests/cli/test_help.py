"""Help pages fit on one screen; --help-all shows all options."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from topicwright.cli._app import _SECTIONS, app
from topicwright.cli._help import COMMON

COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _wide_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_on_one_screen(invoke: Any, command: str) -> None:
    lines = invoke(*command.split(), "--help").out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert "<bool>" not in "".join(lines)


@pytest.mark.parametrize("command", COMMON)
def test_help_all_has_every_option(invoke: Any, command: str) -> None:
    outcome = invoke(command, "--help-all")
    options = [param for param in COMMANDS[command].params if param.param_type_name == "option"]
    assert outcome.code == 0
    assert [param.name for param in options if max(param.opts, key=len).replace("lled", "led") not in outcome.out] == []
    assert set(COMMON[command]) < {param.name for param in options}


def test_required_options_are_always_shown() -> None:
    for command, common in COMMON.items():
        assert {param.name for param in COMMANDS[command].params if param.required} - {"source"} <= {
            *common,
            "model_file",
        }


def test_every_command_is_in_a_section() -> None:
    assert sorted(name for names in _SECTIONS.values() for name in names) == sorted(COMMANDS)


def test_narrow_screen(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = invoke("topics", "--help").out.splitlines()
    assert max(map(len, lines)) <= 60
