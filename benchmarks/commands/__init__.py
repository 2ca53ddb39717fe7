"""Command line of the benchmarks: one command for each benchmark, and ``all``."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from topicwright.errors import TopicwrightError

from .all import benchmark_all
from .kernels import benchmark_kernels
from .lda import benchmark_lda
from .medlda import benchmark_medlda
from .online import benchmark_online
from .sclda import benchmark_sclda

__all__ = ["app"]

USAGE_ERROR = 2


class BenchmarkGroup(TyperGroup):
    """Commands whose expected errors are one line on standard error and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (TopicwrightError, OSError) as error:
            typer.echo(f"error: {_describe(error)}", err=True)
            raise typer.Exit(USAGE_ERROR) from None


def _describe(error: Exception) -> str:
    """Message of an error, with options in place of parameters."""
    describe = getattr(error, "describe", None)
    return str(error) if describe is None else str(describe(_option))


def _option(parameter: str, value: str | None) -> str:
    option = f"--{parameter.replace('_', '-')}"
    return option if value is None else f"{option} {value}"


app = typer.Typer(
    cls=BenchmarkGroup, help="Measure speed and quality of Topicwright and other programs.", no_args_is_help=True
)
app.command("lda")(benchmark_lda)
app.command("sclda")(benchmark_sclda)
app.command("medlda")(benchmark_medlda)
app.command("online")(benchmark_online)
app.command("kernels")(benchmark_kernels)
app.command("all")(benchmark_all)
