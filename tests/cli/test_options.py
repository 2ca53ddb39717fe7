"""Groups of options: declared once, expanded into the options of commands."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.main import get_command

from topicwright.cli._app import app
from topicwright.cli._options import OptionGroup, Select, expand_groups


@dataclass(frozen=True, kw_only=True)
class Paint(OptionGroup):
    color: Annotated[str, typer.Option(help="Color.")] = "red"
    coats: Annotated[int, typer.Option(min=1, help="Number of coats.")] = 1
    note: str = "not an option"


def test_command_has_the_options_of_its_groups() -> None:
    seen = []

    @expand_groups
    def house(paint: Paint, doors: Annotated[int, typer.Option()] = 2) -> None:
        seen.append((paint, doors))

    assert list(inspect.signature(house).parameters) == ["color", "coats", "doors"]
    house(color="blue", coats=3, doors=4)
    assert seen == [(Paint(color="blue", coats=3), 4)]


def test_command_selects_options_and_overrides_defaults() -> None:
    @expand_groups
    def shed(paint: Annotated[Paint, Select("coats", coats=2)]) -> None:
        """Paint a shed."""

    [option] = inspect.signature(shed).parameters.values()
    assert (option.name, option.default) == ("coats", 2)


def test_options_of_fit() -> None:
    options = {opt for param in get_command(app).commands["fit"].params for opt in param.opts if opt.startswith("--")}
    assert len(options) > 40
    assert {"--unlabeled", "--unlabelled", "--stop-words", "--shards", "--keep-texts", "--date-field"} <= options
