"""Entry point of ``python -m benchmarks``."""

from __future__ import annotations

from .commands import app

if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
