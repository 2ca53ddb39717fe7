"""What training with labels adds: knowledge that must fit the labels, the likelihood given them, and when to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus import Corpus
from ..errors import InputError
from ..knowledge import Compiled, DocumentLabels
from .knowing import as_list, take_in
from .targets import Floats
from .training import OnSweep, Sweep

if TYPE_CHECKING:
    from .labeled import LabeledLDA


def understand_labels(model: LabeledLDA, numbers: Mapping[str, int], told: Mapping[str, Any]) -> Compiled:
    """The documents' labels and what else the model knows, compiled; what was ``told`` before is not said again."""
    further = as_list(model.knowledge)
    _check_names(further, model.corpus_, numbers)
    items = [DocumentLabels(background=model._n_background), *further]
    return take_in(model, items, model.corpus_, len(numbers), numbers, told)


def _check_names(items: Sequence[Any], corpus: Corpus, numbers: Mapping[str, int]) -> None:
    for item in items:
        for topic in item.topics(corpus) if callable(getattr(item, "topics", None)) else ():
            if isinstance(topic, str) and topic not in numbers:
                raise InputError(
                    f"knowledge must speak of labels or background topics: got {topic!r}, a label that no document has"
                )


def correction(corpus: Corpus, numbers: Mapping[str, int], n_background: int, alpha: Floats) -> float:
    """What log p(w, z) per token lacks where α of a document is that of its labels alone.

    The likelihood is computed as if every document might have all topics; the difference does not depend on z.
    """
    from scipy.special import gammaln

    in_background = float(alpha[len(alpha) - n_background :].sum())
    of_doc = np.full(corpus.n_docs, float(alpha.sum()))
    for row, labels in enumerate(corpus.labels or ()):
        if labels:
            own = {numbers[label] for label in labels}
            of_doc[row] = in_background + sum(float(alpha[k]) for k in own if k < len(alpha) - n_background)
    lengths, total = corpus.doc_lengths(), float(alpha.sum())
    lacking = gammaln(of_doc) - gammaln(of_doc + lengths) - gammaln(total) + gammaln(total + lengths)
    return float(lacking.sum()) / max(1, corpus.n_tokens)


class Watch:
    """Passes sweeps on with the likelihood given the labels, and ends training where that hardly rises."""

    def __init__(self, shift: float, tol: float | None, before: float | None, on_sweep: OnSweep | None) -> None:
        self.converged = False
        self._shift, self._tol, self._last, self._on_sweep = shift, tol, before, on_sweep

    def recall(self, log_likelihood: float) -> None:
        """Take note of what was measured last, before a run was cut off."""
        self._last = log_likelihood + self._shift

    def __call__(self, sweep: Sweep) -> bool:
        """Whether to go on."""
        if sweep.log_likelihood is not None:
            now = sweep.log_likelihood + self._shift
            sweep = sweep._replace(log_likelihood=now)
            self.converged = self._tol is not None and self._last is not None and now - self._last < self._tol
            self._last = now
        stopped = self._on_sweep is not None and self._on_sweep(sweep) is False
        return not (stopped or self.converged)
