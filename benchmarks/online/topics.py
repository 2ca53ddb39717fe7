"""Tables 2 and 3: the top words of labels, from the stream and from batches, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from topicwright.errors import InputError

from .batches import Batch
from .context import OnlineContext
from .peers import peers_beside
from .points import CONVERGED
from .streams import DEFAULTS, PAPER, cut

AGAIN = "batch, another seed"
N_WORDS = 10
N_SHOWN = 4
N_SLICES = 20
_OTHER_SEED = 1_000_003  # added to a seed


@dataclass
class LabelWords:
    """One label in one run."""

    label: str
    seed: int
    n_docs: int  # that have it
    overlap: dict[str, float]  # share of a method's first ten words that the converged batch has among its own
    words: dict[str, list[str]] = field(default_factory=dict)  # by method, for labels that are shown


def run(context: OnlineContext) -> list[LabelWords]:
    """All labels, run by run."""
    frequency = Counter(label for own in context.corpus.labels or () for label in own)
    shown = context.options.label or tuple(label for label, _ in frequency.most_common(N_SHOWN))
    unknown = [label for label in shown if label not in frequency]
    if unknown:
        raise InputError(parameter="label", expected="a label of the documents", got=", ".join(unknown))
    rows = []
    for seed in context.seeds():
        words = _train(context, seed)
        base = words[CONVERGED]
        for label in (*shown, *sorted(frequency.keys() - set(shown))):
            overlap = {name: overlap_of(own[label], base[label]) for name, own in words.items() if name != CONVERGED}
            own_words = {name: own[label] for name, own in words.items()} if label in shown else {}
            rows.append(LabelWords(label, seed, frequency[label], overlap, own_words))
    return rows


def overlap_of(words: list[str], others: list[str]) -> float:
    """The share that two lists have in common, of the longer one.

    >>> overlap_of(["a", "b"], ["b", "c", "d", "e"])
    0.25
    """
    return len(set(words) & set(others)) / max(len(words), len(others), 1)


def _train(context: OnlineContext, seed: int) -> dict[str, dict[str, list[str]]]:
    """The first words of all labels, by method."""
    corpus, prior = context.corpus, context.prior
    words = {}
    for variant in (DEFAULTS, PAPER):
        context.progress(variant.name)
        stream = variant.build(seed, vocabulary=corpus.vocabulary, **prior)
        for part in cut(corpus, 0, corpus.n_docs, N_SLICES):
            stream.partial_fit(*part)
        words[variant.name] = _first_words(stream)
    context.progress("batches")
    batch = Batch(corpus, seed, **context.stop, **prior)
    again = Batch(corpus, seed + _OTHER_SEED, **context.stop, **prior)
    others = {CONVERGED: batch, AGAIN: again}
    others |= {one.name: one.model for one in peers_beside(context, batch, seed)}
    for name, model in others.items():
        context.progress(name)
        words[name] = _first_words(_trained(model))
    return words


def _trained(model: Any) -> Any:
    model.prepare()
    while not model.is_done:
        model.sweep()
        model.look()
    return model.settle()


def _first_words(model: Any) -> dict[str, list[str]]:
    return dict(zip(model.topic_names_, model.top_words(N_WORDS)))


# ---------------------------------------------------------------------- agreement


def agreement(rows: Iterable[LabelWords], method: str, *, weighted: bool) -> float | None:
    """The mean overlap over labels and runs, all alike or by the documents that have them."""
    known = [(row.overlap[method], row.n_docs if weighted else 1) for row in rows if method in row.overlap]
    total = sum(weight for _, weight in known)
    return sum(overlap * weight for overlap, weight in known) / total if total else None
