"""Ctrl-C and SIGTERM at random moments of every command: a documented end; a file is the old one or whole."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import numpy as np

from .arguments import GOOD, check_files, contents, lay_out
from .attack import Attack, pick
from .commands import Running, warm
from .targets import empty_folder

COMMANDS = {
    **GOOD,
    "fit": "docs.jsonl -o lda.tw -k 3 -n 100000",
    "resume": "lda.tw -n 100000",
    "stream": "docs.jsonl -m stream.tw --follow --new-source",
    "report": "knowing.tw --html report.html",
    "transform": "lda.tw docs.jsonl -o shares.jsonl",
}


class Signals(Attack):
    """One signal, or two, at a moment between the start and some seconds later."""

    name = "signals"
    share = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        warm(folder)

    def once(self, rng: np.random.Generator) -> None:
        verb, numbers = pick(rng, COMMANDS), [pick(rng, [signal.SIGINT, signal.SIGTERM])]
        if rng.random() < 0.2:
            numbers.append(pick(rng, [signal.SIGINT, signal.SIGTERM]))
        delay = rng.exponential(0.5)
        self.what = f"{verb} {COMMANDS[verb]}: {[number.name for number in numbers]} after {delay:.2f} s"
        folder = empty_folder(self.folder, self.name)
        lay_out(folder, self.folder)
        before = contents(folder)
        running = Running([verb, *COMMANDS[verb].split()], folder)
        for number in numbers:
            time.sleep(delay)
            running.ask(number)
        ended = running.ended(20.0)
        ended.check()
        check_files(verb, ended, before, folder)
