"""Attacks that end in known ways, to try the run itself."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from topicwright.errors import InputError

from .attack import Attack, LostError, RefusedError, WrongError

CASES = ["survives", "refuses", "refused", "raises", "warns", "is wrong", "loses", "dies", "hangs"]


class Known(Attack):
    """An attack that ends as a file says."""

    name = "known"
    seconds = 3.0

    def once(self, rng: np.random.Generator) -> None:
        self.what = CASES[int((self.folder / "case").read_text())]
        if self.what == "refuses":
            raise InputError("one sentence")
        if self.what == "refused":
            raise RefusedError("exit code 2")
        if self.what == "raises":
            raise KeyError("x")
        if self.what == "warns":
            np.float64(1e308) * 10
        if self.what == "is wrong":
            raise WrongError("other figures")
        if self.what == "loses":
            raise LostError("gone")
        if self.what == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.what == "hangs":
            time.sleep(60)


class Other(Attack):
    """One that has twice the time."""

    name = "other"
    share = 2.0
