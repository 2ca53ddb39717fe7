"""Base class of attacks, and the outcome of one case."""

from __future__ import annotations

import traceback
import warnings
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from topicwright.errors import TopicwrightError, TopicwrightWarning


class Outcome(Enum):
    """Outcome of a case."""

    survived = "survived"
    clean = "clean errors"
    crashed = "crashes"
    lost = "data lost"


BAD = (Outcome.crashed, Outcome.lost)


class CleanError(Exception):
    """A clean error of a command or a server: one sentence and a documented exit code or status."""


class WrongResultError(Exception):
    """A wrong result or an undocumented exit code; counts as a crash."""


class DataLossError(Exception):
    """Stored or acknowledged data are gone."""


class Trial(NamedTuple):
    """One case that was run, with what is needed to reproduce it."""

    attack: str
    seed: int
    case: int
    outcome: Outcome
    description: str
    message: str = ""


class Attack:
    """Base class of attacks. Files go to ``folder``; ``description`` says what the current case does."""

    name: ClassVar[str]
    weight: ClassVar[float] = 1.0  # share of the time, relative to other attacks
    timeout: ClassVar[float] = 300.0  # seconds until a case counts as hanging

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = ""

    def run_case(self, rng: np.random.Generator) -> None:
        """Run one case."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop everything that still runs."""


def run_trial(attack: Attack, seed: int, case: int) -> Trial:
    """Run a case, which depends only on the seed, the attack and the number of the case."""
    rng = np.random.default_rng([seed, case, *attack.name.encode()])
    attack.description, message = "", ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy only warns of an overflow, but the result is wrong
            warnings.simplefilter("ignore", TopicwrightWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            attack.run_case(rng)
        outcome = Outcome.survived
    except (TopicwrightError, CleanError) as error:
        outcome, message = Outcome.clean, str(error)
    except DataLossError as error:
        outcome, message = Outcome.lost, str(error)
    except WrongResultError as error:
        outcome, message = Outcome.crashed, str(error)
    except Exception:
        outcome, message = Outcome.crashed, traceback.format_exc()
    return Trial(attack.name, seed, case, outcome, attack.description, message)


def pick(rng: np.random.Generator, choices: Any) -> Any:
    """Random element of a collection of any type."""
    choices = list(choices)
    return choices[int(rng.integers(len(choices)))]


def locations(value: Any) -> list[tuple[Any, Any]]:
    """Container and key of every value in nested dicts and lists."""
    found: list[tuple[Any, Any]] = []
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            found += locations(value[key])
    return found
