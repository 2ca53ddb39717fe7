"""The figures of the LightMedLDA paper, measured with our engine beside other programs: ``benchmark medlda``.

>>> import topicwright as tw
>>> from topicwright.benchmarks.medlda import Options, problem_of, run
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
from importlib.util import find_spec

from ...errors import InputError
from ..lda import _machine
from . import (
    choose,
    curves,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    ranking,
    speed,
    words,
)
from .options import KINDS, PARTS, Options
from .problems import Problem, problem_of
from .results import Result
from .setting import Setting

__all__ = ["PARTS", "Options", "Problem", "Result", "problem_of", "run"]

_PARTS = {
    "figure1": figure1,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
    "figure5": figure5,
    "figure6": figure6,
    "figure7": figure7,
    "figure8": figure8,
    "words": words,
    "ranking": ranking,
    "curves": curves,
    "speed": speed,
    "choose": choose,
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

    setting = Setting(options, problems, tell)
    parts = options.wanted(problems)
    _check(setting, parts)
    rows = {}
    with threadpool_limits(1):  # all CPU time is to be on the clock of this thread
        for part in parts:
            rows[part] = _PARTS[part].run(setting.telling(part))
    sizes = {kind: problem.sizes() for kind, problem in problems.items()}
    if "figure1" in parts:
        sizes["figure1"] = figure1.pair(setting).sizes()
    parameters = {**asdict(options), "parts": parts, "kind": setting.kind("curves")}
    programs = ["topicwright", "sklearn", *(["tomotopy"] if find_spec("tomotopy") else [])]
    return Result(sizes, parameters, _machine(programs), setting.notes, **rows)


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
