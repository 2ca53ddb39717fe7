"""What an attack is, and how one try of it is judged."""

from __future__ import annotations

import traceback
import warnings
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from topicwright.errors import TopicwrightError, TopicwrightWarning


class Outcome(Enum):
    """How a try ended."""

    survived = "survived"
    clean = "clean errors"
    crashed = "crashes"
    lost = "data lost"


BAD = (Outcome.crashed, Outcome.lost)


class RefusedError(Exception):
    """A clean error of a command or a server: one sentence, and a status that stands in the documentation."""


class WrongError(Exception):
    """An answer that is not right, or an end that is not documented: a crash, though nothing was raised."""


class LostError(Exception):
    """Data that were there, or were acknowledged, are gone."""


class Try(NamedTuple):
    """One try, with what is needed to do it again."""

    attack: str
    seed: int
    case: int
    outcome: Outcome
    what: str
    said: str = ""


class Attack:
    """One way to do harm. It makes what it needs in ``folder``, and says in ``what`` what it is trying."""

    name: ClassVar[str]
    share: ClassVar[float] = 1.0  # of the time, beside other attacks
    seconds: ClassVar[float] = 300.0  # after which a try hangs

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.what = ""

    def once(self, rng: np.random.Generator) -> None:
        """Try one case."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what runs."""


def attempt(attack: Attack, seed: int, case: int) -> Try:
    """Try a case; it depends on the seed, the attack and the number of the case alone."""
    rng = np.random.default_rng([seed, case, *attack.name.encode()])
    attack.what, said = "", ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an overflow that NumPy only warns of is a wrong answer
            warnings.simplefilter("ignore", TopicwrightWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            attack.once(rng)
        outcome = Outcome.survived
    except (TopicwrightError, RefusedError) as error:
        outcome, said = Outcome.clean, str(error)
    except LostError as error:
        outcome, said = Outcome.lost, str(error)
    except WrongError as error:
        outcome, said = Outcome.crashed, str(error)
    except Exception:
        outcome, said = Outcome.crashed, traceback.format_exc()
    return Try(attack.name, seed, case, outcome, attack.what, said)


def pick(rng: np.random.Generator, choices: Any) -> Any:
    """One of some things of any type."""
    choices = list(choices)
    return choices[int(rng.integers(len(choices)))]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in nested dicts and lists: what holds it, and its key."""
    found: list[tuple[Any, Any]] = []
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            found += places(value[key])
    return found
