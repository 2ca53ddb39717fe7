"""The figures of the LightMedLDA paper, measured with our engine beside other programs: ``benchmark medlda``.

>>> import topicwright as tw
>>> from benchmarks.medlda import Options, problem_of, run
>>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
>>> corpus = tw.Corpus.from_texts(texts, labels=["sea", "sea", "kitchen", "kitchen"] * 10)
>>> problem = problem_of(corpus, corpus)
>>> result = run(Options(parts=("figure2",), topics=(4,), sweeps=5, peers=()), {problem.kind: problem})
>>> [fit.method for fit in result.figure2][:2]
['LightMedLDA', 'GibbsMedLDA']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from topicwright.errors import InputError

from ..machine import machine
from . import curves, figures, speed, words
from . import model_selection as choose
from . import rank_metrics as ranking
from .context import Setting
from .options import FIGURES, KINDS, PARTS, Options
from .problems import Problem, problem_of
from .results import Result

__all__ = ["PARTS", "Options", "Problem", "Result", "problem_of", "run"]

_RUN: dict[str, Callable[[Setting], list[Any]]] = {
    **{figure: getattr(figures, figure) for figure in FIGURES},
    "words": words.run,
    "ranking": ranking.run,
    "curves": curves.run,
    "speed": speed.run,
    "choose": choose.run,
}


def run(
    options: Options, problems: Mapping[str, Problem], *, tell: Callable[[str], object] = lambda text: None
) -> Result:
    """Run the parts that the options name.

    Parameters
    ----------
    problems : mapping
        What there is to learn, by kind: "classes" for figures 1, 2, 4, 6, 7 and 8, "labels" for figure 3, "targets"
        for figure 5. The other parts take the first of them.
    tell : callable
        Called with a sentence on what is being done.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    setting = Setting(options, problems, tell=tell)
    parts = options.wanted(problems)
    _check(setting, parts)
    with threadpool_limits(1):  # all CPU time is to be on the clock of this thread
        rows = {part: _RUN[part](setting.telling(part)) for part in parts}
    sizes = {kind: problem.sizes() for kind, problem in problems.items()}
    if "figure1" in parts:
        sizes["figure1"] = figures.pair(setting).sizes()
    parameters = {**asdict(options), "parts": parts, "kind": setting.kind("curves")}
    return Result(sizes, parameters, machine(["topicwright", "sklearn", "tomotopy"]), setting.notes, **rows)


def _check(setting: Setting, parts: list[str]) -> None:
    """What each part needs is here."""
    words = {"classes": "one label a document", "labels": "several labels a document", "targets": "targets"}
    for part in parts:
        kind = KINDS.get(part)
        if kind is not None and kind not in setting.problems:
            raise InputError(f"{part} needs documents with {words[kind]}: got {' and '.join(setting.problems)}")
    for kind, problem in setting.problems.items():
        if problem.train.n_tokens == 0 or problem.test.n_docs == 0:
            raise InputError(f"there must be words to train on and documents to test on ({kind}): got none")
