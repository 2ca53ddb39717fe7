"""Command ``kernels``: every kernel, compiled for several processors."""

from __future__ import annotations

from typing import Annotated

import typer


def benchmark_kernels(
    corpus: Annotated[str, typer.Option(help="A file of documents, or 'docstrings'.")] = "docstrings",
    cpus: Annotated[
        str | None, typer.Option(help="Processors as LLVM names them, separated by commas; 'host' is added.")
    ] = None,
) -> None:
    """Measure the CPU time of every kernel, compiled for this processor and for others that it can run.

    Example: python -m benchmarks kernels --cpus x86-64-v3,znver2
    """
    from ..common.base import split_commas
    from ..common.machine import machine
    from ..kernels import CPUS, HOST, report, run

    chosen = CPUS if cpus is None else tuple(dict.fromkeys((HOST, *split_commas(cpus))))
    seconds = run(corpus, chosen, lambda text: typer.echo(text, err=True))
    typer.echo(f"{machine(())['processor']}, milliseconds of CPU time\n")
    typer.echo(report(seconds))
