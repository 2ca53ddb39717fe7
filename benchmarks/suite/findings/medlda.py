"""Sentences that summarize the figures of the LightMedLDA paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...common.averages import mean_and_error
from ...common.tables import number
from ...medlda import paper
from ...medlda.fits import GIBBS, LIGHT, Fit
from ...medlda.peers import TfidfSVC
from ...medlda.problems import MAIN_SCORE
from ...medlda.report import SCORES
from ...medlda.results import mean_score
from ...medlda.speed import find

if TYPE_CHECKING:
    from ...medlda.results import MedLDAResult

Summarize = Callable[["MedLDAResult"], list[str]]


def beside_dense(part: str, light: str = LIGHT, gibbs: str = GIBBS) -> Summarize:
    """Compare compositional proposals with dense draws and with words alone."""

    def summarize(result: MedLDAResult) -> list[str]:
        fits: list[Fit] = result.rows(part)
        score = main_score(fits)
        ours, theirs = mean_score(fits, light, score), mean_score(fits, gibbs, score)
        sentences = []
        if both := [n for n in ours if n in theirs and n is not None]:
            most = max(both)
            ratio = seconds(fits, gibbs, most) / seconds(fits, light, most)
            sentences.append(
                f"With {most} topics {light} has {SCORES[score]} {number(ours[most], 3)} and {gibbs} "
                f"{number(theirs[most], 3)}; training of the latter takes {number(ratio, 1)} times as long."
            )
        if ours:
            best = max(ours, key=lambda n: ours[n])
            sentences.append(f"The best result of {light} is {number(ours[best], 3)}, with {best} topics.")
        words = mean_score(fits, TfidfSVC.name, score).get(None)
        if words is not None:
            sentences.append(f"{TfidfSVC.name}, on words alone, reaches {number(words, 3)}.")
        return sentences

    return summarize


def figure1(result: MedLDAResult) -> list[str]:
    """The same, with the training time."""
    fits = result.figure1
    topics = sorted({fit.n_topics for fit in fits if fit.method == LIGHT and fit.n_topics})
    longest = max(seconds(fits, LIGHT, n) for n in topics)
    paper_says = f"{LIGHT} trains in at most {number(longest)} CPU s with {topics[0]} to {topics[-1]} topics; "
    return [*beside_dense("figure1")(result), paper_says + "the paper says below 1 s."]


def among(part: str, first: str, says: str) -> Summarize:
    """Compare values of one setting with the choice of the paper."""

    def summarize(result: MedLDAResult) -> list[str]:
        fits: list[Fit] = result.rows(part)
        score, methods = main_score(fits), dict.fromkeys(fit.method for fit in fits)
        sentences = []
        for n in sorted({fit.n_topics for fit in fits if fit.n_topics}):
            scores = {name: mean_score(fits, name, score)[n] for name in methods}
            best = max(scores, key=lambda name: scores[name])
            shown = ", ".join(f"{name} {number(value, 3)}" for name, value in scores.items())
            gap = f"“{best}” is better than “{first}” by {number(100 * (scores[best] - scores[first]), 1)} points"
            sentences.append(f"K = {n}: {shown}; " + (f"“{first}” is best." if best == first else f"{gap}."))
        return [*sentences, f"The paper says: {says}."]

    return summarize


def words(result: MedLDAResult) -> list[str]:
    """Accuracy of all methods, best first."""
    fits = result.words
    shown = {name: mean_score(fits, name, "accuracy") for name in dict.fromkeys(fit.method for fit in fits)}
    best = sorted(((max(by.values()), name) for name, by in shown.items()), reverse=True)
    return ["Test accuracy: " + ", ".join(f"{name} {number(value, 3)}" for value, name in best) + "."]


def ranking(result: MedLDAResult) -> list[str]:
    """Average precision of all methods, best first."""
    fits = result.ranking
    means = {
        name: mean_and_error([fit.scores["lrap"] for fit in fits if fit.method == name])[0] or 0.0
        for name in dict.fromkeys(fit.method for fit in fits)
    }
    order = sorted(means, key=lambda name: -means[name])
    return ["Average precision: " + ", ".join(f"{name} {number(means[name], 3)}" for name in order) + "."]


def curves(result: MedLDAResult) -> list[str]:
    """When ours reaches the accuracy of the authors' program."""
    if not result.is_newsgroups:
        return []
    sentences = []
    for curve in result.curves:
        if curve.method == LIGHT and curve.n_topics in paper.PROGRAM:
            accuracy, theirs = paper.PROGRAM[curve.n_topics]
            when = curve.reaches(accuracy)
            ours = "does not reach it in this run" if when is None else f"reaches it after {number(when, 1)} s"
            sentences.append(
                f"With {curve.n_topics} topics the authors' program reaches {number(100 * accuracy, 1)} % in "
                f"{number(theirs, 0)} CPU s. Ours {ours}; its best accuracy is {number(100 * max(curve.scores), 1)} %."
            )
    return sentences


def speed(result: MedLDAResult) -> list[str]:
    """The ratio to dense draws with the most topics."""
    topics = sorted({row.n_topics for row in result.speed}, reverse=True)
    for n in topics:
        light, gibbs = find(result.speed, LIGHT, n), find(result.speed, GIBBS, n)
        if light and gibbs:
            return [
                f"With {n} topics a dense sweep takes {number(gibbs.ratio(light), 1)} times as long; the paper "
                "reports an order of magnitude."
            ]
    return []


def main_score(fits: list[Fit]) -> str:
    """The main score of a figure."""
    return next(score for score in MAIN_SCORE.values() if score in fits[0].scores)


def seconds(fits: list[Fit], method: str, n_topics: int) -> float:
    """Mean CPU time of a training over runs."""
    return mean_and_error([fit.seconds for fit in fits if (fit.method, fit.n_topics) == (method, n_topics)])[0] or 0.0
