"""The parameters of a stream, checked once, and as the engine takes them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.ancestry import MOST_PARTICLES
from ..._utils.validation import LARGEST_PRIOR, SMALLEST_PRIOR, check_choice, check_integer
from ...corpus.tokenizer import as_tokenizer
from ...corpus.vocabulary import as_word_index
from ...errors import InputError
from ...knowledge import CannotLinks, DocumentLabels, MustLinks, SeedWords
from ...knowledge.lookup import HEAVIEST
from .._knowledge import suggest_list
from .inputs import checked_labels

WEIGHTINGS = ("marginal", "drawn")
RESAMPLINGS = ("systematic", "multinomial")
COMBINATIONS = MEAN, BEST = "mean", "best"
UNLABELLED = SKIP, LIKELY = "skip", "likely"
_MOST = 2**31 - 1
_MOST_REDRAWN = 1e6  # tokens for each that arrives, by label


class SeedCount(NamedTuple):
    """A word that counts in a label before any text is read."""

    label: Any
    word: str
    weight: float


class StreamSettings(NamedTuple):
    """What a stream was begun with; later changes of a model's parameters wait for the next one."""

    n_particles: int
    alpha: float
    beta: float
    combine: str
    start: int
    weighting: str
    resample_below: float
    resampling: str
    rejuvenate: int
    rejuvenate_per_label: float
    reservoir: int
    forgetting: float | None
    unlabelled: str
    window: int

    @property
    def draws_anew(self) -> bool:
        """Whether tokens of the reservoir are ever needed."""
        at_resampling = self.rejuvenate > 0 and self.resample_below > 0
        return self.rejuvenate_per_label > 0 or at_resampling or self.start > 0

    def engine_options(self, seed: int, n_words: int | None, has_fractions: bool) -> dict[str, Any]:
        """For :class:`StreamEngine`, but for the number of particles."""
        return {
            "alpha": self.alpha,
            "beta": self.beta,
            "n_words": n_words,
            "seed": seed,
            "threshold": self.resample_below * self.n_particles,
            "weighting": self.weighting,
            "resampling": self.resampling,
            "rejuvenate_at_resampling": self.rejuvenate,
            "rejuvenate_per_label": self.rejuvenate_per_label,
            "reservoir_tokens": self.reservoir if self.draws_anew else 0,
            "decay": 1.0 if self.forgetting is None else self.forgetting,
            "dtype": np.float64 if has_fractions or self.forgetting is not None else np.int32,
        }


def checked_settings(model: Any) -> StreamSettings:
    """The parameters of a model; an error names the first that is wrong."""
    forgetting = model.forgetting
    return StreamSettings(
        check_integer("n_particles", model.n_particles, 1, MOST_PARTICLES),
        _within("alpha", model.alpha, SMALLEST_PRIOR, LARGEST_PRIOR),
        _within("beta", model.beta, SMALLEST_PRIOR, LARGEST_PRIOR),
        check_choice("combine", model.combine, COMBINATIONS),
        check_integer("start", model.start, 0, _MOST),
        check_choice("weighting", model.weighting, WEIGHTINGS),
        _within("resample_below", model.resample_below, 0.0, 1.0),
        check_choice("resampling", model.resampling, RESAMPLINGS),
        check_integer("rejuvenate", model.rejuvenate, 0, _MOST),
        _within("rejuvenate_per_label", model.rejuvenate_per_label, 0.0, _MOST_REDRAWN),
        check_integer("reservoir", model.reservoir, 0, _MOST),
        None if forgetting is None else _within("forgetting", forgetting, 0.01, 1.0, "None or "),
        check_choice("unlabelled", model.unlabelled, UNLABELLED),
        check_integer("window", model.window, 1, 1_000_000),
    )


def _within(name: str, value: Any, smallest: float, largest: float, other: str = "") -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not smallest <= value <= largest:
        raise InputError(f"{name} must be {other}a number from {smallest:g} to {largest:g}: got {value!r}")
    return float(value)


def knowledge_of(knowledge: Any) -> tuple[list[SeedCount], list[MustLinks | CannotLinks]]:
    """The words that are seeds of labels, and the links of words; a stream takes no other knowledge."""
    if isinstance(knowledge, (str, bytes)) or not isinstance(knowledge, Sequence):
        raise InputError(
            parameter="knowledge",
            expected="a list of SeedWords, MustLinks and CannotLinks",
            got=knowledge,
            hint=suggest_list(knowledge),
        )
    seeds: dict[tuple[Any, str], float] = {}
    links: list[MustLinks | CannotLinks] = []
    for item in knowledge:
        if isinstance(item, (MustLinks, CannotLinks)):
            links.append(item)
            continue
        _check_kind(item)
        for label, word in _pairs(item):
            seeds[label, word] = seeds.get((label, word), 0.0) + float(item.weight)
    return [SeedCount(label, word, weight) for (label, word), weight in seeds.items()], links


def _check_kind(item: Any) -> None:
    """An error for what is no SeedWords that a stream can use."""
    if isinstance(item, DocumentLabels):
        raise InputError("a stream takes labels with its documents, as y: got DocumentLabels as knowledge")
    if not isinstance(item, SeedWords):
        elsewhere = "; give it to LabeledLDA" if callable(getattr(item, "compile", None)) else ""
        raise InputError(
            f"a stream can use SeedWords, MustLinks and CannotLinks as knowledge: got {type(item).__name__}{elsewhere}"
        )
    if item.hard:
        raise InputError(
            "a stream can use soft seeds alone: got SeedWords with hard=True; "
            "give them a large weight, or give them to LabeledLDA"
        )


def _pairs(item: SeedWords) -> list[tuple[Any, str]]:
    _within("weight", item.weight, 1e-6, HEAVIEST)
    pairs = []
    for name in item.topic_names(None):  # type: ignore[arg-type]
        (label,) = checked_labels(name) or (None,)
        if label is None:
            raise InputError(f"seeds must be of labels: got {name!r}")
        pairs += [(label, word) for word in item.seeds[name]]
    return list(dict.fromkeys(pairs))


class StreamVocabulary:
    """The words that the stream has met, or those that it may know, in the order of their numbers."""

    def __init__(self, vocabulary: Any = None) -> None:
        self.is_fixed = vocabulary is not None
        self.number: dict[str, int] = dict(as_word_index(vocabulary).ids) if self.is_fixed else {}
        if self.is_fixed and not self.number:
            raise InputError("vocabulary must have one word or more: got none")

    def numbers(self, words: list[str]) -> list[int]:
        """The numbers of words; one that is new gets the next, or is left out where the vocabulary is fixed."""
        number = self.number
        if self.is_fixed:
            return [number[word] for word in words if word in number]
        return [number.setdefault(word, len(number)) for word in words]

    def known(self, words: list[str]) -> list[int]:
        """The numbers of those that are there."""
        return [self.number[word] for word in words if word in self.number]


def make_tokenizer(model: Any) -> Any:
    """How a model cuts texts."""
    return as_tokenizer(model.tokenizer, stop_words=model.stop_words)


def has_fractions(seeds: list[SeedCount]) -> bool:
    """Whether counts have to be floats."""
    return any(not seed.weight.is_integer() for seed in seeds)


def add_seed_counts(
    engine: StreamEngine, seeds: list[SeedCount], labels: dict[Any, int], words: StreamVocabulary
) -> None:
    """Count seeds in their labels."""
    engine.set_alpha(list(labels.values()), np.full(len(labels), engine.alpha))  # it then knows of them all
    kept = [seed for seed in seeds if not words.is_fixed or seed.word in words.number]
    if kept:
        engine.add_counts(
            [labels[seed.label] for seed in kept],
            [words.numbers([seed.word])[0] for seed in kept],
            [seed.weight for seed in kept],
        )
