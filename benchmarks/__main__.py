"""Entry point of ``python -m benchmarks``."""

from __future__ import annotations

import typer

from topicwright.cli._app import Commands

from .command_all import benchmark_all
from .command_lda import benchmark_lda
from .command_medlda import benchmark_medlda
from .command_online import benchmark_online
from .command_sclda import benchmark_sclda

app = typer.Typer(cls=Commands, help="Speed and quality of Topicwright beside other programs.", no_args_is_help=True)
app.command("lda")(benchmark_lda)
app.command("sclda")(benchmark_sclda)
app.command("medlda")(benchmark_medlda)
app.command("online")(benchmark_online)
app.command("all")(benchmark_all)

if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
