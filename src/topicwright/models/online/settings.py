"""Settings, seeds, word links and vocabulary of a stream, validated once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.ancestry import MOST_PARTICLES
from ..._sampling.particle_filter.word_links import CANNOT_LINK, MUST_LINK, SHARE_COUNTS, LinkList
from ..._utils.validation import LARGEST_PRIOR, SMALLEST_PRIOR, check_choice, check_in_range, check_integer
from ..._utils.warnings import warn
from ...corpus import Corpus
from ...corpus.tokenizer import as_tokenizer
from ...corpus.vocabulary import as_word_index
from ...errors import InputError
from ...knowledge import CannotLinks, DocumentLabels, MustLinks, SeedWords
from ...knowledge.links import share_ratio
from ...knowledge.lookup import HEAVIEST, check_words_by_topic
from .._knowledge import compile_collecting_warnings, suggest_list
from .inputs import parse_labels

WEIGHTINGS = ("marginal", "drawn")
RESAMPLINGS = ("systematic", "multinomial")
COMBINATIONS = MEAN, BEST = "mean", "best"
UNLABELED = SKIP, LIKELY = "skip", "likely"
_MOST = 2**31 - 1
_MOST_REJUVENATED = 1e6  # tokens for each token that arrives, by label


class SeedCount(NamedTuple):
    """Pseudo-count of a word in a label before any text is read."""

    label: Any
    word: str
    weight: float


class StreamSettings(NamedTuple):
    """Parameters that a stream was started with; later changes apply to the next one."""

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
    unlabeled: str
    window: int

    @property
    def uses_reservoir(self) -> bool:
        """Whether tokens of the reservoir are ever resampled."""
        at_resampling = self.rejuvenate > 0 and self.resample_below > 0
        return self.rejuvenate_per_label > 0 or at_resampling or self.start > 0

    def engine_options(self, seed: int, n_words: int | None, has_fractions: bool) -> dict[str, Any]:
        """Parameters of :class:`StreamEngine`, except the number of particles."""
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
            "reservoir_tokens": self.reservoir if self.uses_reservoir else 0,
            "decay": 1.0 if self.forgetting is None else self.forgetting,
            "dtype": np.float64 if has_fractions or self.forgetting is not None else np.int32,
        }


def check_settings(model: Any) -> StreamSettings:
    """Validated parameters of a model."""
    forgetting = model.forgetting
    return StreamSettings(
        check_integer("n_particles", model.n_particles, 1, MOST_PARTICLES),
        check_in_range("alpha", model.alpha, SMALLEST_PRIOR, LARGEST_PRIOR),
        check_in_range("beta", model.beta, SMALLEST_PRIOR, LARGEST_PRIOR),
        check_choice("combine", model.combine, COMBINATIONS),
        check_integer("start", model.start, 0, _MOST),
        check_choice("weighting", model.weighting, WEIGHTINGS),
        check_in_range("resample_below", model.resample_below, 0.0, 1.0),
        check_choice("resampling", model.resampling, RESAMPLINGS),
        check_integer("rejuvenate", model.rejuvenate, 0, _MOST),
        check_in_range("rejuvenate_per_label", model.rejuvenate_per_label, 0.0, _MOST_REJUVENATED),
        check_integer("reservoir", model.reservoir, 0, _MOST),
        None if forgetting is None else check_in_range("forgetting", forgetting, 0.01, 1.0, or_none=True),
        check_choice("unlabeled", model.unlabeled, UNLABELED),
        check_integer("window", model.window, 1, 1_000_000),
    )


def make_tokenizer(model: Any) -> Any:
    """Tokenizer that the parameters of a model define."""
    return as_tokenizer(model.tokenizer, stop_words=model.stop_words)


# ---------------------------------------------------------------------- knowledge


def seeds_and_links(knowledge: Any) -> tuple[list[SeedCount], list[MustLinks | CannotLinks]]:
    """Seeds and links of a stream; an error for any other kind of knowledge."""
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
        _check_seeds(item)
        for label, word in _seed_pairs(item):
            seeds[label, word] = seeds.get((label, word), 0.0) + float(item.weight)
    return [SeedCount(label, word, weight) for (label, word), weight in seeds.items()], links


def _check_seeds(item: Any) -> None:
    """An error unless an item is SeedWords that a stream can use."""
    hint: str | None
    if isinstance(item, DocumentLabels):
        hint = "pass labels with the documents, as `y`"
    elif not isinstance(item, SeedWords):
        hint = "LabeledLDA takes it" if callable(getattr(item, "compile", None)) else None
    elif item.hard:
        raise InputError(
            "a stream needs soft seeds, but got SeedWords with `hard=True`: use a large weight, or LabeledLDA",
            parameter="knowledge",
            got=item,
        )
    elif item.pull is not None:
        raise InputError(
            "seeds of a stream have no `pull` on documents: leave it out, or use LabeledLDA",
            parameter="knowledge",
            got=item,
        )
    else:
        return
    raise InputError(
        parameter="knowledge", expected="SeedWords, MustLinks and CannotLinks for a stream", got=type(item), hint=hint
    )


def _seed_pairs(item: SeedWords) -> list[tuple[Any, str]]:
    check_in_range("weight", item.weight, 1e-6, HEAVIEST)
    pairs = []
    for name in check_words_by_topic("seeds", item.seeds):
        (label,) = parse_labels(name) or (None,)
        if label is None:
            raise InputError(parameter="seeds", expected="words of labels", got=name)
        pairs += [(label, word) for word in item.seeds[name]]
    return list(dict.fromkeys(pairs))


def has_fractions(seeds: list[SeedCount]) -> bool:
    """Whether counts have to be floats."""
    return any(not seed.weight.is_integer() for seed in seeds)


# ---------------------------------------------------------------------- vocabulary


class StreamVocabulary:
    """Ids of the words of a stream: all words so far, or a fixed vocabulary."""

    def __init__(self, vocabulary: Any = None) -> None:
        self.is_fixed = vocabulary is not None
        self.ids: dict[str, int] = dict(as_word_index(vocabulary).ids) if self.is_fixed else {}
        if self.is_fixed and not self.ids:
            raise InputError(parameter="vocabulary", expected="a list of at least one word", got=[])

    def encode(self, words: list[str]) -> list[int]:
        """Ids of words. A new word gets the next id; if the vocabulary is fixed, it is left out."""
        ids = self.ids
        if self.is_fixed:
            return [ids[word] for word in words if word in ids]
        return [ids.setdefault(word, len(ids)) for word in words]

    def encode_known(self, words: list[str]) -> list[int]:
        """Ids of the words that have one."""
        return [self.ids[word] for word in words if word in self.ids]


def add_seed_counts(
    engine: StreamEngine, seeds: list[SeedCount], label_ids: dict[Any, int], vocabulary: StreamVocabulary
) -> None:
    """Add the pseudo-counts of seeds to the particles."""
    engine.set_alpha(list(label_ids.values()), np.full(len(label_ids), engine.alpha))  # creates all labels
    used = [seed for seed in seeds if not vocabulary.is_fixed or seed.word in vocabulary.ids]
    if used:
        engine.add_counts(
            [label_ids[seed.label] for seed in used],
            [vocabulary.encode([seed.word])[0] for seed in used],
            [seed.weight for seed in used],
        )


_NOT_YET = -1


class StreamLinks:
    """Must-links and cannot-links of a stream, also between words that have not appeared yet."""

    def __init__(self, items: Sequence[MustLinks | CannotLinks] = ()) -> None:
        self._items = list(items)
        self._words = list(dict.fromkeys(word for item in items for words, _ in item.groups() for word in words))
        words = _empty_corpus(self._words)
        compile_collecting_warnings(self._items, words, 1)  # an error if a pair is linked both ways
        self._links = _gather([_columns(item, words) for item in items if item.firmness != 0])
        self.rebind({})

    def warn(self, vocabulary: Iterable[str] | None) -> None:
        """Warn of links that contradict each other, and of words that a fixed vocabulary lacks."""
        words = _empty_corpus(self._words if vocabulary is None else list(vocabulary))
        for message, category in compile_collecting_warnings(self._items, words, 1)[1].items():
            warn(message, category)

    def rebind(self, ids: Mapping[str, int]) -> None:
        """Look up the ids of all linked words."""
        found = [ids.get(word, _NOT_YET) for word in self._words]
        self._ids: NDArray[np.int64] = np.array(found, np.int64)
        self._pending = {word: n for n, word in enumerate(self._words) if found[n] == _NOT_YET}

    def bind_new_words(self, words: Iterable[str], ids: Mapping[str, int]) -> bool:
        """Look up the ids of words that have just appeared; returns whether links wait for any of them."""
        new = self._pending.keys() & words if self._pending else ()
        for word in new:
            self._ids[self._pending.pop(word)] = ids[word]
        return bool(new)

    def resolved(self) -> LinkList | None:
        """Links whose words have both appeared; None if there are no links at all."""
        links = self._links
        if not len(links.words):
            return None
        ids = self._ids[links.words]
        active = (ids != _NOT_YET).all(axis=1)
        return LinkList(ids[active], links.kinds[active], links.amounts[active], links.firmness[active])


def _empty_corpus(words: list[str]) -> Corpus:
    """Corpus with these words and no documents, for knowledge objects to look words up in."""
    return Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), np.array([*words, None], dtype=object)[:-1])


def _columns(item: MustLinks | CannotLinks, words: Corpus) -> tuple[Any, ...]:
    """Links as batch models have them: loans, or potentials with a λ that may follow the partner's frequency."""
    pairs, strengths = item.pairs(words)
    firmness = np.ones(len(pairs))
    if isinstance(item, CannotLinks):
        firmness *= 1.0 if item.firmness is None else item.firmness
        return pairs, np.full(len(pairs), CANNOT_LINK), strengths, firmness
    if item.firmness is None:
        return pairs, np.full(len(pairs), MUST_LINK), strengths, firmness
    return pairs, np.full(len(pairs), SHARE_COUNTS), share_ratio(strengths, item.firmness), firmness


def _gather(parts: list[tuple[Any, ...]]) -> LinkList:
    none = (np.empty((0, 2), np.int64), np.empty(0, np.uint8), np.empty(0), np.empty(0))
    return LinkList(*map(np.concatenate, zip(none, *parts)))
