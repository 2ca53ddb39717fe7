"""Command line of ``scripts/attack``."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import registry
from .attack import BAD, Trial
from .registry import ATTACKS
from .report import failures, table
from .workers import count_outcomes, run_attacks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run attacks; the exit code is 1 if anything crashed or data were lost."""
    asked = _parser().parse_args(arguments)
    kinds = [ATTACKS[name] for name in asked.only or ATTACKS]
    done: list[Trial] = []
    multiprocessing.set_forkserver_preload([registry.__name__])  # imported once for all attacks
    with tempfile.TemporaryDirectory(prefix="topicwright-attack-", ignore_cleanup_errors=True) as folder:
        try:
            for one in run_attacks(kinds, Path(folder), 60 * asked.minutes, asked.seed, asked.case):
                done.append(one)
                if one.outcome in BAD or asked.verbose:
                    print(
                        f"{one.outcome.value}: {one.attack}, case {one.case}: {one.description}",
                        file=sys.stderr,
                        flush=True,
                    )
        except KeyboardInterrupt:
            print("stopped early", file=sys.stderr)
    print(failures(done), end="")
    print(table(count_outcomes(done, kinds)), end="")
    return int(any(one.outcome in BAD for one in done))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/attack", description="Attack everything with random input and faults."
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="total time (10)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same cases, as far as processes allow (0)")
    parser.add_argument("--only", action="append", choices=list(ATTACKS), help="one attack; may be repeated")
    parser.add_argument("--case", type=int, action="append", help="only this case of each attack; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="print every case")
    return parser


if __name__ == "__main__":
    sys.exit(main())
