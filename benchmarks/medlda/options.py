"""What a run is asked to do, checked once."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from topicwright.errors import InputError

from ..common.base import check_numbers, check_parts, check_peers, check_positive
from .parameters import TUNABLE, WHOLE, Parameters
from .problems import CLASSES, LABELS, TARGETS

FIGURES = tuple(f"figure{number}" for number in range(1, 9))
WORDS, RANKING = "words", "ranking"
PARTS = (*FIGURES, WORDS, RANKING, "curves", "speed", "choose")
ALL = "all"
SHORT = ("figure1", "figure2", "figure3", "figure5", "curves", "speed")  # what is run where nothing is asked for
LOSSES = ("hinge", "logistic")
PEERS = ("svc", "lda", "tomotopy")
# What each part is about; parts that are not here take whatever there is
KINDS = {**dict.fromkeys(FIGURES, CLASSES), "figure3": LABELS, "figure5": TARGETS, RANKING: LABELS}
LEAST_SWEEPS = 3  # two of ours are without the loss

_HAVE_OPTIONS = {*TUNABLE, "n_topics", "loss", "C", "alpha", "strategy", "sampler", "n_sweeps", "n_jobs"}
_HAVE_OPTIONS |= {"random_state", "evaluate_every", "knowledge"}

Grid = tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class MedLDAOptions:
    """Parameters of all parts; None stands for the paper's own in figures, and for ours in other parts."""

    parts: tuple[str, ...] = ()  # none: a short choice; "all": whatever the documents allow
    topics: tuple[int, ...] = (20, 40)
    sweeps: int | None = None
    dense_topics: int = 200  # dense methods run up to this number of topics
    peers: tuple[str, ...] = PEERS
    classes: tuple[str, ...] = ()  # the two of figure 1
    memory: bool = True  # figure 3
    seconds: float = 1.0  # curves: CPU time of each method …
    every: int = 2  # … and sweeps between two points
    rounds: int = 5  # speed: sweeps that count …
    warm_up: int = 3  # … after this many that do not
    grid: Grid = ()  # choose
    repeats: int = 1
    seed: int = 0
    loss: str = "hinge"  # curves, speed and choose, for classes and labels
    alpha_sum: float | None = None
    beta: float | None = None
    cost: float | None = None
    margin: float | None = None
    epsilon: float | None = None
    nu: float | None = None
    mh_steps: int | None = None
    weight_sweeps: int | None = None
    more: tuple[tuple[str, Any], ...] = ()  # further parameters of our estimators

    def __post_init__(self) -> None:
        if self.parts:
            check_parts(self.parts, (*PARTS, ALL))
        check_numbers(self, ("every", "rounds", "repeats", "mh_steps", "weight_sweeps"), least=1)
        check_numbers(self, ("dense_topics", "warm_up", "seed"), least=0)
        check_numbers(self, ("sweeps",), least=LEAST_SWEEPS)
        check_positive(self, ("seconds", *TUNABLE))
        if not self.topics or min(self.topics) < 1:
            raise InputError(parameter="topics", expected="integers of at least 1", got=self.topics)
        check_peers(self.peers, PEERS)
        if self.loss not in LOSSES:
            raise InputError(parameter="loss", expected=f"one of {', '.join(LOSSES)}", got=self.loss)
        if len(self.classes) not in (0, 2):
            raise InputError(parameter="classes", expected="two classes", got=self.classes)
        _check_names("set", [name for name, _ in self.more], further_names())
        _check_grid(self.grid)

    def wanted(self, kinds: Collection[str]) -> list[str]:
        """The parts that were named; or else those that documents of these kinds allow.

        The short choice has one figure of each kind but where there are classes, which have two of their own.

        >>> MedLDAOptions().wanted(["labels"]), MedLDAOptions().wanted(["classes", "labels"])
        (['figure3', 'curves', 'speed'], ['figure1', 'figure2', 'curves', 'speed'])
        """
        if self.parts and ALL not in self.parts:
            return [part for part in PARTS if part in self.parts]
        main = [CLASSES] if CLASSES in kinds and not self.parts else kinds
        return [part for part in (PARTS if self.parts else SHORT) if KINDS.get(part) in (None, *main)]

    def adjust(self, parameters: Parameters) -> Parameters:
        """The paper's parameters, but for those that were given."""
        given = {name: getattr(self, name) for name in TUNABLE if getattr(self, name) is not None}
        return replace(parameters, **given, more=self.more)


def _check_grid(grid: Grid) -> None:
    _check_names("grid", [name for name, _ in grid], [*TUNABLE, *further_names()])
    for name, values in grid:
        if not values or not all(0 < value < float("inf") for value in values):
            raise InputError(parameter="grid", expected=f"positive numbers for {name}", got=values)
        if name in WHOLE and any(value != int(value) for value in values):
            raise InputError(parameter="grid", expected=f"integers for {name}", got=values)


def _check_names(option: str, names: Collection[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(parameter=option, expected=f"some of {', '.join(known)}", got=", ".join(unknown))


def further_names() -> list[str]:
    """Parameters of our estimators that have no option of their own here."""
    from topicwright.models.medlda.classifier import MedLDAClassifier
    from topicwright.models.medlda.regressor import MedLDARegressor

    names = {**MedLDAClassifier().get_params(), **MedLDARegressor().get_params()}
    return sorted(names.keys() - _HAVE_OPTIONS)


def parse_grid(texts: list[str]) -> Grid:
    """What stands on the command line.

    >>> parse_grid(["beta=0.01,0.1", "mh_steps=6"])
    (('beta', (0.01, 0.1)), ('mh_steps', (6.0,)))
    """
    grid = []
    for text in texts:
        name, _, values = text.partition("=")
        try:
            grid.append((name.strip().replace("-", "_"), tuple(float(value) for value in values.split(","))))
        except ValueError:
            raise InputError(parameter="grid", expected="like beta=0.01,0.1", got=text) from None
    return tuple(grid)


def parse_settings(texts: list[str]) -> tuple[tuple[str, Any], ...]:
    """Parameters by name, their values as in JSON, or else as text.

    >>> parse_settings(["class_weight=balanced"])
    (('class_weight', 'balanced'),)
    """
    settings: list[tuple[str, Any]] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(parameter="set", expected="like class_weight=balanced", got=text)
        try:
            settings.append((name, json.loads(value)))
        except ValueError:
            settings.append((name, value))
    return tuple(settings)


def parse_numbers(name: str, text: str) -> tuple[int, ...]:
    """Whole numbers between commas.

    >>> parse_numbers("topics", "20,40")
    (20, 40)
    """
    try:
        return tuple(int(number) for number in text.split(",") if number.strip())
    except ValueError:
        raise InputError(parameter=name, expected="comma-separated integers", got=text) from None
