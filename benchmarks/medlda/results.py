"""What a run found, as plain values; and whether the goals are met."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..common.averages import mean_and_error, median_or_none
from ..common.base import BenchmarkResult, Goal
from . import paper
from .curves import AccuracyCurve
from .fits import GIBBS, LIGHT, Fit
from .model_selection import Trial
from .options import WORDS
from .peers import TfidfSVC
from .problems import CLASSES, LABELS
from .speed import SamplerSweeps, find
from .words import WITH_WORDS


@dataclass
class MedLDAResult(BenchmarkResult):
    """A whole run; parts that were not asked for are empty."""

    figure1: list[Fit] = field(default_factory=list)
    figure2: list[Fit] = field(default_factory=list)
    figure3: list[Fit] = field(default_factory=list)
    figure4: list[Fit] = field(default_factory=list)
    figure5: list[Fit] = field(default_factory=list)
    figure6: list[Fit] = field(default_factory=list)
    figure7: list[Fit] = field(default_factory=list)
    figure8: list[Fit] = field(default_factory=list)
    words: list[Fit] = field(default_factory=list)
    ranking: list[Fit] = field(default_factory=list)
    curves: list[AccuracyCurve] = field(default_factory=list)
    speed: list[SamplerSweeps] = field(default_factory=list)
    choose: list[Trial] = field(default_factory=list)

    @property
    def is_newsgroups(self) -> bool:
        """Whether classes were learned from 20 Newsgroups, which most goals are about."""
        sizes = self.corpora.get(CLASSES, {})
        return (sizes.get("n_docs"), sizes.get("n_test_docs")) == paper.NEWSGROUPS

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        makers = {"words": _accuracy, "figure3": _memory, "curves": _curves, "speed": _speed}
        return [goal for part, make in makers.items() if self.rows(part) for goal in make(self)]


def mean_score(fits: list[Fit], method: str, score: str) -> dict[int | None, float]:
    """The mean over runs, by number of topics."""
    topics = dict.fromkeys(fit.n_topics for fit in fits if fit.method == method)
    means = {n: mean_and_error(_scores(fits, method, n, score))[0] for n in topics}
    return {n: mean for n, mean in means.items() if mean is not None}


def _scores(fits: list[Fit], method: str, n_topics: int | None, score: str) -> list[float | None]:
    return [fit.scores.get(score) for fit in fits if (fit.method, fit.n_topics) == (method, n_topics)]


def _accuracy(result: MedLDAResult) -> list[Goal]:
    what = "test accuracy less that of TF-IDF + SVC"
    theirs = mean_score(result.words, TfidfSVC.name, "accuracy").get(None)
    ours = mean_score(result.words, WITH_WORDS, "accuracy")
    value = max(ours.values()) - theirs if ours and theirs is not None and result.is_newsgroups else None
    return [Goal(WORDS, what, -paper.MOST_BEHIND, False, value)]


def _memory(result: MedLDAResult) -> list[Goal]:
    right = result.corpora[LABELS]["n_tasks"] >= paper.MANY_LABELS and result.corpora[LABELS]["n_docs"] > 50_000
    known = [fit.memory for fit in result.figure3 if (fit.method, fit.n_topics) == (LIGHT, 200) and fit.memory]
    value = float(max(known)) if known and right else None
    return [Goal("figure3", "peak memory, arXiv, 200 topics", paper.MOST_MEMORY, True, value)]


def _curves(result: MedLDAResult) -> list[Goal]:
    goals = []
    for n_topics, (accuracy, seconds) in paper.PROGRAM.items():
        curves = [one for one in result.curves if (one.method, one.n_topics) == (LIGHT, n_topics)]
        runs = curves if result.is_newsgroups else []
        aim = paper.SHARE_OF_TIME * seconds
        what = f"CPU s to {100 * accuracy:.1f} %, or to the end of the run, {n_topics} topics"
        goals.append(Goal("curves", what, aim, True, median_or_none(_time(one, accuracy, aim) for one in runs)))
        what = f"test accuracy after {seconds:.0f} CPU s, {n_topics} topics"
        later = median_or_none(one.at(seconds) for one in runs)
        goals.append(Goal("curves", what, accuracy + paper.POINTS_AHEAD, False, later))
    return goals


def _time(curve: AccuracyCurve, accuracy: float, aim: float) -> float | None:
    """When a curve got there; its end where it did not, if that is late enough to say that the aim is missed."""
    end = curve.seconds[-1] if curve.seconds and curve.seconds[-1] > aim else None
    return curve.reaches(accuracy) or end


def _speed(result: MedLDAResult) -> list[Goal]:
    light, gibbs = find(result.speed, LIGHT, 200), find(result.speed, GIBBS, 200)
    few, many = find(result.speed, LIGHT, 40), find(result.speed, LIGHT, 400)
    speedup = gibbs.ratio(light) if light and gibbs and result.is_newsgroups else None
    growth = many.ratio(few) if few and many and result.is_newsgroups else None
    return [
        Goal("speed", "times as fast as dense, 200 topics", paper.LEAST_SPEEDUP, False, speedup),
        Goal("speed", "time of a sweep with 400 topics, relative to 40", paper.MOST_GROWTH, True, growth),
    ]
