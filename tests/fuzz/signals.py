"""Ctrl-C and SIGTERM at random moments of every command: a documented exit code, and no partial files."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import numpy as np

from .arguments import GOOD, check_files, contents, write_files
from .attack import Attack, pick
from .command_runner import RunningCommand, preload
from .targets import empty_folder

COMMANDS = {
    **GOOD,
    "fit": "docs.jsonl -o lda.tw -k 3 -n 100000",
    "resume": "lda.tw -n 100000",
    "update": "lda.tw docs.jsonl -n 100000",
    "stream": "docs.jsonl -m stream.tw --follow --new-source",
    "report": "knowledge.tw --html report.html",
    "transform": "lda.tw docs.jsonl -o shares.jsonl",
}


class RandomSignals(Attack):
    """One or two signals at random moments."""

    name = "signals"
    weight = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        preload(folder)

    def run_case(self, rng: np.random.Generator) -> None:
        verb, numbers = pick(rng, COMMANDS), [pick(rng, [signal.SIGINT, signal.SIGTERM])]
        if rng.random() < 0.2:
            numbers.append(pick(rng, [signal.SIGINT, signal.SIGTERM]))
        delay = rng.exponential(0.5)
        self.description = f"{verb} {COMMANDS[verb]}: {[number.name for number in numbers]} after {delay:.2f} s"
        folder = empty_folder(self.folder, self.name)
        write_files(folder, self.folder)
        before = contents(folder)
        running = RunningCommand([verb, *COMMANDS[verb].split()], folder)
        for number in numbers:
            time.sleep(delay)
            running.send_signal(number)
        ended = running.wait(20.0)
        ended.check()
        check_files(verb, ended, before, folder)
