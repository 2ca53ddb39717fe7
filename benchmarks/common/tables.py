"""What tables for the terminal share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from .base import Goal

DASH = "–"
WIDTH = 200  # of a file or a pipe, which have room


def view(title: str, caption: str | None, first: str, columns: Iterable[str]) -> Table:
    """An empty table: a column of names, and columns of figures."""
    table = Table(title=title, caption=caption, caption_justify="left")
    table.add_column(first)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash for None."""
    return DASH if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """A share in percent."""
    return DASH if value is None else f"{100 * value:.1f} %"


def with_error(values: tuple[float | None, float | None], show: Callable[[float | None], str] = number) -> str:
    """A mean and, where there is one, its error."""
    mean, error = values
    return show(mean) if error is None else f"{show(mean)} ± {show(error)}"


def goals_view(goals: Iterable[Goal], show: Callable[[Goal, float | None], str]) -> Table:
    """Goals, what was measured, and whether they are met."""
    table = view("Goals", None, "part", ["what", "goal", "measured", "met"])
    words = {True: "yes", False: "no", None: "not measured"}
    for goal in goals:
        sign = "≤" if goal.at_most else "≥"
        table.add_row(goal.part, goal.what, f"{sign} {show(goal, goal.aim)}", show(goal, goal.value), words[goal.met])
    return table


def with_goals(report: Any, result: Any) -> list[Table]:
    """The tables of a report, and its goals if it has some."""
    goals = result.goals()
    return [*report.tables(result), *([goals_view(goals, report.shown)] if goals else [])]


def print_all(tables: Iterable[Table], notes: Iterable[str]) -> None:
    """Tables and notes on standard output."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    for table in tables:
        console.print(table)
    for note in notes:
        console.print(f"Note: {note}", highlight=False, markup=False)
