"""``python -m benchmarks medlda``: the figures of the LightMedLDA paper, with our engine and other programs.

>>> import topicwright as tw
>>> from benchmarks.medlda import MedLDAOptions, problem_of, run
>>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
>>> corpus = tw.Corpus.from_texts(texts, labels=["sea", "sea", "kitchen", "kitchen"] * 10)
>>> problem = problem_of(corpus, corpus)
>>> result = run(MedLDAOptions(parts=("figure2",), topics=(4,), sweeps=5, peers=()), {problem.kind: problem})
>>> [fit.method for fit in result.figure2][:2]
['LightMedLDA', 'GibbsMedLDA']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from topicwright.errors import InputError

from ..common.machine import machine
from . import curves, figures, speed, words
from . import model_selection as choose
from . import rank_metrics as ranking
from .context import MedLDAContext
from .options import FIGURES, KINDS, PARTS, MedLDAOptions
from .problems import Problem, problem_of
from .results import MedLDAResult

__all__ = ["PARTS", "MedLDAOptions", "MedLDAResult", "Problem", "problem_of", "run"]

_RUN: dict[str, Callable[[MedLDAContext], list[Any]]] = {
    **{figure: getattr(figures, figure) for figure in FIGURES},
    "words": words.run,
    "ranking": ranking.run,
    "curves": curves.run,
    "speed": speed.run,
    "choose": choose.run,
}


def run(
    options: MedLDAOptions, problems: Mapping[str, Problem], *, progress: Callable[[str], object] = lambda text: None
) -> MedLDAResult:
    """Run the parts that the options name.

    Parameters
    ----------
    problems : mapping
        What there is to learn, by kind: "classes" for figures 1, 2, 4, 6, 7 and 8, "labels" for figure 3, "targets"
        for figure 5. The other parts take the first of them.
    progress : callable
        Called with a short description of each step.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    context = MedLDAContext(options, problems, progress=progress)
    parts = options.wanted(problems)
    _check(context, parts)
    with threadpool_limits(1):  # all CPU time is to be on the clock of this thread
        rows = {part: _RUN[part](context.prefixed(part)) for part in parts}
    sizes = {kind: problem.sizes() for kind, problem in problems.items()}
    if "figure1" in parts:
        sizes["figure1"] = figures.pair(context).sizes()
    parameters = {**asdict(options), "parts": parts, "kind": context.kind("curves")}
    return MedLDAResult(sizes, parameters, machine(["topicwright", "sklearn", "tomotopy"]), context.notes, **rows)


def _check(context: MedLDAContext, parts: list[str]) -> None:
    """Require the data of each part."""
    words = {"classes": "one label a document", "labels": "several labels per document", "targets": "targets"}
    for part in parts:
        kind = KINDS.get(part)
        if kind is not None and kind not in context.problems:
            raise InputError(f"{part} needs documents with {words[kind]}: got {' and '.join(context.problems)}")
    for kind, problem in context.problems.items():
        if problem.train.n_tokens == 0 or problem.test.n_docs == 0:
            raise InputError(f"there must be words to train on and documents to test on ({kind}): got none")
