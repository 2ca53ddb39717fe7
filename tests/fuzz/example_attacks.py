"""Attacks with known outcomes, to test the runner itself."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from topicwright.errors import InputError

from .attack import Attack, CleanError, DataLossError, WrongResultError

CASES = ["survives", "refuses", "refused", "raises", "warns", "is wrong", "loses", "dies", "hangs"]


class ScriptedAttack(Attack):
    """An attack whose outcome is named in a file."""

    name = "known"
    timeout = 3.0

    def run_case(self, rng: np.random.Generator) -> None:
        self.description = CASES[int((self.folder / "case").read_text())]
        if self.description == "refuses":
            raise InputError("one sentence")
        if self.description == "refused":
            raise CleanError("exit code 2")
        if self.description == "raises":
            raise KeyError("x")
        if self.description == "warns":
            np.float64(1e308) * 10
        if self.description == "is wrong":
            raise WrongResultError("other figures")
        if self.description == "loses":
            raise DataLossError("gone")
        if self.description == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.description == "hangs":
            time.sleep(60)


class SecondAttack(Attack):
    """An attack with twice the time."""

    name = "other"
    weight = 2.0
