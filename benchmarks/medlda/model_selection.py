"""Parameters chosen on training documents alone: one in five of them is held out, and the test is never looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from . import paper
from .context import MedLDAContext
from .fits import LIGHT, MethodVariant, compete
from .options import Grid
from .parameters import TUNABLE, WHOLE, Parameters
from .problems import MAIN_SCORE

Point = dict[str, float]

# Without a grid, each parameter is varied alone
AROUND: dict[str, tuple[float, ...]] = {
    "beta": (0.01, 0.1),
    "alpha_sum": (1.6, 6.4, 25.6),
    "margin": (16.0, 64.0, 164.0),
    "cost": (0.4, 1.6, 6.4),
    "nu": (1.0, 10.0),
    "mh_steps": (2, 6, 12),
}
COSTS: dict[str, tuple[float, ...]] = {  # of losses that have no margin
    "logistic": (51.2, 204.8, 819.2),
    "epsilon_insensitive": (1.6, 16.0, 64.0, 262.4),
}


@dataclass
class Trial:
    """One point of the grid, on one part of the training documents."""

    point: Point  # what differs from the usual parameters
    n_topics: int
    seed: int
    n_sweeps: int
    seconds: float  # CPU, training alone
    score: float  # on the documents held out


def run(context: MedLDAContext) -> list[Trial]:
    """Every point, for every number of topics and every seed; a seed is also another choice of documents."""
    parameters = context.parameters("choose")
    n_sweeps = context.sweeps(paper.SWEEPS["figure2"][0])
    points = all_points(context.options.grid, parameters)
    trials = []
    for seed in context.seeds():
        problem = context.problem("choose").held_out(seed)
        for n_topics, (number, point) in product(context.options.topics, enumerate(points)):
            variant = MethodVariant(LIGHT, at(parameters, point), n_sweeps)
            own = context.prefixed(f"{n_topics} topics, point {number + 1} of {len(points)}")
            entrant = (partial(variant.ready, problem, n_topics, seed), n_sweeps)
            (fit,) = compete(own, problem, [entrant], n_topics, seed)
            score = fit.scores[MAIN_SCORE[problem.kind]]
            trials.append(Trial(point, n_topics, seed, n_sweeps, fit.seconds, score))
    return trials


def all_points(grid: Grid, parameters: Parameters) -> list[Point]:
    """All combinations of a grid that was given; else the parameters as they are, and each changed alone.

    >>> all_points((("beta", (0.01, 0.1)), ("nu", (1.0,))), Parameters())
    [{'beta': 0.01, 'nu': 1.0}, {'beta': 0.1, 'nu': 1.0}]
    """
    if grid:
        return [dict(zip([name for name, _ in grid], values)) for values in product(*(values for _, values in grid))]
    around = dict(AROUND)
    if parameters.loss in COSTS:
        del around["margin"]
        around["cost"] = COSTS[parameters.loss]
    alone: list[Point] = [
        {name: value} for name, values in around.items() for value in values if value != getattr(parameters, name)
    ]
    return [{}, *alone]


def at(parameters: Parameters, point: Point) -> Parameters:
    """The parameters at a point."""
    changes: dict[str, Any] = {name: value for name, value in point.items() if name in TUNABLE}
    changes |= {name: int(changes[name]) for name in WHOLE if name in changes}
    further = {**dict(parameters.more), **{name: value for name, value in point.items() if name not in TUNABLE}}
    return replace(parameters, **changes, more=tuple(further.items()))


def flags(point: Point) -> str:
    """A point as options of the command line.

    >>> flags({"alpha_sum": 6.4, "mh_steps": 6})
    '--alpha-sum 6.4 --mh-steps 6'
    """
    words = [
        f"--{name.replace('_', '-')} {value:g}" if name in TUNABLE else f"--set {name}={value:g}"
        for name, value in point.items()
    ]
    return " ".join(words) or "as they are"


def by_point(trials: Sequence[Trial]) -> dict[tuple[int, str], list[Trial]]:
    """Trials of one number of topics and one point, over all seeds."""
    found: dict[tuple[int, str], list[Trial]] = {}
    for trial in trials:
        found.setdefault((trial.n_topics, flags(trial.point)), []).append(trial)
    return found
