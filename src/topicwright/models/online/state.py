"""A stream at work: the engine, the names behind its numbers, and what is kept of the last documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TopicSnapshot
from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.ancestry import LIVE, NOW, Ancestry
from ..._sampling.particle_filter.count_table import CountTable
from ..._sampling.particle_filter.state import INCREMENT
from ..._sampling.random import mix64, seed_from
from ..._utils.count_rows import rows_from_csr
from ..._utils.signals import defer_signals
from ..._utils.validation import check_choice
from ...corpus import Corpus, Tokenizer
from ...corpus.tokenizer import as_tokenizer
from ...errors import InputError
from ...io import ModelFields
from .._targets import CLASSES, LISTS, Floats
from ..labeled.inference import frequency_prior
from ..labeled.prediction import PRIORS, checked_threshold
from .inputs import StreamDocument, classify_input, items_of
from .links import StreamLinks
from .settings import (
    LIKELY,
    MEAN,
    SeedCount,
    StreamSettings,
    StreamVocabulary,
    add_seed_counts,
    checked_settings,
    has_fractions,
    knowledge_of,
    make_tokenizer,
)

if TYPE_CHECKING:
    from .model import OnlineLabeledLDA

_MOST = 2**62


class SourcePosition(NamedTuple):
    """How far a source was read, and enough of it to know it again."""

    name: str
    lines: int = 0
    offset: int = 0
    """Bytes of these lines, unpacked."""
    first: str = ""
    """A digest of the first line."""
    last: str = ""
    """A digest of the last one."""
    length: int = 0
    """Bytes of the last one."""


class ReadProgress(NamedTuple):
    """All places, the present one last, and how many lines were bad."""

    places: tuple[SourcePosition, ...] = ()
    n_bad: int = 0

    def to_meta(self) -> dict[str, Any]:
        """For the header of a model file."""
        return {"places": [list(place) for place in self.places], "bad_lines": self.n_bad}


def reading_from(fields: ModelFields) -> ReadProgress:
    """What :meth:`Reading.to_meta` gave, or a ModelFileError."""
    places = [SourcePosition(*row) for row in fields.rows("places", str, int, int, str, str, int)]
    for place in places:
        if not 0 <= place.lines <= place.offset <= _MOST or not 0 <= place.length <= place.offset:
            fields.fail("places", "must have a line of bytes for each line")
    return ReadProgress(tuple(places), fields.integer("bad_lines", minimum=0, maximum=_MOST))


_STEPS = 10  # of expectation and maximisation
_WORD, _LABEL, _ROW, _STAMP = range(4)


def likely_labels(
    engine: StreamEngine,
    particles: Sequence[int],
    tokens: NDArray[np.uint32],
    beta: float,
    prior: Floats,
    n_words: int,
    n: int,
) -> list[int]:
    """The n labels that most of the document's words are owed to, by the maximum of its posterior; best first.

    ``prior`` is what is expected of labels before a word is seen, ``n_words`` is V.
    """
    words, times = np.unique(tokens, return_counts=True)
    counts = counts_of(engine, particles, np.arange(engine.n_labels, dtype=np.uint32), words)
    totals = np.mean([engine.totals(p) for p in particles], axis=0)
    phi = (np.maximum(counts, 0.0) + beta) / (np.maximum(totals, 0.0)[:, None] + beta * n_words)
    theta = prior / prior.sum()
    for _ in range(_STEPS):
        shares = theta[:, None] * phi
        theta = (shares / shares.sum(axis=0)) @ times + prior
        theta /= theta.sum()
    order = np.argsort(-theta, kind="stable")[:n]
    return [int(k) for k in order]


def counts_of(
    engine: StreamEngine, particles: Sequence[int], labels: NDArray[np.uint32], words: NDArray[np.uint32]
) -> Floats:
    """Mean counts of some pairs in some particles, as (labels, words): no other pair is looked at."""
    model = engine.particles
    at = _find(model.count_table, labels, words)
    rows = model.count_table.entries.reshape(-1, 4)[at]
    stamps, rows = rows[..., _STAMP].astype(np.int64), rows[..., _ROW]
    counts = sum(model.count_table.lanes[rows, _lanes(model.ancestry, stamps, p)].astype(np.float64) for p in particles)
    return np.asarray(np.where(rows > 0, counts, 0.0) / (len(particles) * model.numbers[INCREMENT]))


def _find(pairs: CountTable, labels: NDArray[np.uint32], words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The entry of each pair, or the empty one where the search ends; as in the kernel, but for all at once."""
    table = pairs.entries.reshape(-1, 4)
    keys = labels.astype(np.uint64)[:, None] << np.uint64(32) | words.astype(np.uint64)
    mix: Any = mix64.py_func  # type: ignore[attr-defined]
    at = (mix(keys) & np.uint64(len(table) - 1)).astype(np.int64).ravel()
    label, word = (part.ravel() for part in np.broadcast_arrays(labels[:, None], words))
    searching = np.arange(at.size)
    while len(searching):
        here = table[at[searching]]
        is_other = (here[:, _WORD] != word[searching]) | (here[:, _LABEL] != label[searching])
        searching = searching[(here[:, _ROW] > 0) & is_other]
        at[searching] = (at[searching] + 1) & (len(table) - 1)
    return np.asarray(at.reshape(keys.shape))


def _lanes(ancestry: Ancestry, stamps: NDArray[np.int64], p: int) -> NDArray[np.int64]:
    """Which lane of a row of that epoch is particle p's: ``lane_of``."""
    now, live = int(ancestry.epochs[NOW]), int(ancestry.epochs[LIVE])
    lanes = ancestry.maps[stamps & (len(ancestry.maps) - 1), p].astype(np.int64)
    lanes = np.where(stamps < live, ancestry.common[np.minimum(stamps, len(ancestry.common) - 1)], lanes)
    return np.where(stamps == now, p, lanes)


_UNIT = 2**16  # counts with fractions are read in units of one by this
_PIECE = 500  # documents that are learned without a break
_STARTING_SWEEPS = 100


class WindowEntry(NamedTuple):
    """A labelled document of the window: the log-probability that was foreseen, its words and labels."""

    log_p: float
    tokens: NDArray[np.int32]
    labels: tuple[int, ...]


class StreamSnapshot(NamedTuple):
    """What the particles know, as inference takes it."""

    corpus: Corpus  # without documents
    counts: Any  # CSR of shape (labels, words)
    frozen: TopicSnapshot


class StreamState:
    """All that a model of a stream has learned, and how it goes on."""

    def __init__(
        self,
        settings: StreamSettings,
        seed: int,
        seeds: Sequence[SeedCount],
        words: StreamVocabulary,
        links: StreamLinks,
    ) -> None:
        self.settings, self.seed, self.words, self.links = settings, seed, words, links
        links.look_up(words.number)
        self.has_fractions = has_fractions(list(seeds))
        self.labels: dict[Any, int] = {}
        self.texts: dict[str, Any] = {}  # the labels by their names as text, which must differ
        self.cutter: Tokenizer | None = None
        self.knowledge: list[Any] = []  # that the seeds and links came from
        self.form = CLASSES
        self.label_counts: list[int] = []
        self.n_labelled = self.n_skipped = 0
        self.is_whole = True  # not while a document is being learned
        self.reading = ReadProgress()  # of the sources that it comes from
        self.watch: dict[str, NDArray[Any]] = {}  # what who watches it wants to be kept
        self.new_labels: list[Any] = []
        self.recent: deque[WindowEntry] = deque(maxlen=settings.window)
        self.engine = StreamEngine(settings.n_particles, **self.engine_options())  # type: ignore[arg-type]
        self._check_names([seed.label for seed in seeds])
        self._numbers_of([seed.label for seed in seeds])
        self.new_labels = []
        add_seed_counts(self.engine, list(seeds), self.labels, words)
        self._link(seed.word for seed in seeds)

    @classmethod
    def from_parameters(cls, model: OnlineLabeledLDA) -> StreamState:
        """An empty stream with the parameters of a model, all of them validated."""
        check_choice("label_prior", model.label_prior, PRIORS)
        checked_threshold(model.threshold)
        (seeds, links), words = knowledge_of(model.knowledge), StreamVocabulary(model.vocabulary)
        stream = cls(checked_settings(model), seed_from(model.random_state), seeds, words, StreamLinks(links))
        stream.knowledge = list(model.knowledge)
        cutter = make_tokenizer(model)
        stream.cutter = cutter if model.tokenizer is not None or model.stop_words is not None else None
        return stream

    def warn_of_links(self) -> None:
        """Warn of links that contradict each other or whose words a fixed vocabulary lacks."""
        self.links.warn(self.words.number if self.words.is_fixed else None)

    def engine_options(self) -> dict[str, Any]:
        """Parameters of the engine."""
        n_words = len(self.words.number) if self.words.is_fixed else None
        return self.settings.engine_options(self.seed, n_words, self.has_fractions) | {"links": self.links.in_numbers()}

    # ------------------------------------------------------------------ learning

    def parse(self, X: Any, y: Any) -> list[StreamDocument]:
        """Documents and labels as the stream learns from them; an error before any of them is learned."""
        kind, X = classify_input(X)
        cutter = self.cutter
        if cutter is None and kind != "words":
            cutter = X.tokenizer if kind == "corpus" else as_tokenizer(None)
        items = items_of(kind, X, y, cutter)
        self.check_whole()
        self._check_names(chain.from_iterable(item.labels or () for item in items))
        self.cutter = cutter
        return items

    def read(self, items: Sequence[StreamDocument]) -> None:
        """Learn from documents that were checked; where a signal's handler raises, from the first ones."""
        for start in range(0, len(items), _PIECE):
            with defer_signals():
                self.is_whole = False
                self._read(items[start : start + _PIECE])
                self.is_whole = True

    def _read(self, items: Sequence[StreamDocument]) -> None:
        run: list[tuple[list[str], Sequence[int], bool]] = []
        for item in items:
            if item.is_list:
                self.form = LISTS
            if item.labels is not None:
                run.append((item.words, self._numbers_of(item.labels), True))
                continue
            self._add(run)  # likely labels depend on all documents before
            likely = self._likely(item.words)
            run = [(item.words, likely, False)] if likely else []
            self.n_skipped += not likely
        self._add(run)

    def _add(self, run: Sequence[tuple[list[str], Sequence[int], bool]]) -> None:
        """Learn from documents, and begin as a batch where they are the first."""
        left = self.settings.start - self.engine.n_documents
        if 0 < left <= len(run):
            self._learn(run[:left])
            self.engine.sweep(_STARTING_SWEEPS)
            run = run[left:]
        self._learn(run)

    def _learn(self, run: Sequence[tuple[list[str], Sequence[int], bool]]) -> None:
        if not run:
            return
        documents = [self.words.numbers(words) for words, _, _ in run]
        self._link(chain.from_iterable(words for words, _, _ in run))
        offsets = list(accumulate(map(len, documents), initial=0))
        label_offsets = list(accumulate((len(labels) for _, labels, _ in run), initial=0))
        flat = [k for _, labels, _ in run for k in labels]
        tokens = np.fromiter(chain.from_iterable(documents), np.int64, offsets[-1])
        log_p = self.engine.add(tokens, offsets, flat, label_offsets).tolist()
        for words, (_, labels, are_given), chance in zip(documents, run, log_p):
            if are_given:
                self._note(WindowEntry(chance, np.array(words, np.int32), tuple(labels)))

    def _link(self, words: Iterable[str]) -> None:
        """Links hold from when both of their words have come."""
        if self.links.meet(words, self.words.number):
            links = self.links.in_numbers()
            if links is not None:
                self.engine.set_links(links)

    def _note(self, document: WindowEntry) -> None:
        self.recent.append(document)
        self.n_labelled += 1
        for k in document.labels:
            self.label_counts[k] += 1

    def _likely(self, words: list[str]) -> list[int]:
        """The likely labels of a document: as many as documents have in the mean, where they are wanted at all."""
        tokens = np.array(self.words.known(words), np.uint32)
        if self.settings.unlabelled != LIKELY or self.n_labelled == 0 or len(tokens) == 0:
            return []
        n_labels, beta = self.engine.n_labels, self.settings.beta
        counts = np.array(self.label_counts[:n_labels])
        prior = frequency_prior(np.full(n_labels, self.settings.alpha), counts, self.n_labelled)
        n_words = len(self.words.number) if self.words.is_fixed else self.engine.n_words
        n = max(1, round(sum(self.label_counts) / self.n_labelled))
        return sorted(likely_labels(self.engine, self.particle_ids(), tokens, beta, prior, n_words, n))

    def particle_ids(self) -> list[int]:
        """Numbers of the particles that the model consists of: all of them, or the best one."""
        return list(range(self.engine.n_particles)) if self.settings.combine == MEAN else [self.engine.best_particle]

    def _check_names(self, labels: Iterable[Any]) -> None:
        texts: dict[str, Any] = {}
        known = self.labels
        for label in (label for label in labels if label not in known):
            before = self.texts.get(str(label), texts.setdefault(str(label), label))
            if before != label:
                raise InputError(f"labels must differ as text: got {label!r} and {before!r}")

    def _numbers_of(self, labels: Sequence[Any]) -> list[int]:
        """The numbers of labels, in order; those that are new get the next ones."""
        known = self.labels
        for label in labels:
            if label not in known:
                known[label] = len(known)
                self.label_counts.append(0)
                self.new_labels.append(label)
                self.texts[str(label)] = label
        return sorted([known[label] for label in labels])

    # ------------------------------------------------------------------ what is known

    def check_whole(self) -> None:
        """An error where an earlier call has failed in the middle of a document."""
        if not self.is_whole:
            raise InputError("this model stopped in the middle of a document: load it from its file, or fit it anew")

    @property
    def n_read(self) -> int:
        """Documents that were learned from or skipped."""
        return self.engine.n_documents + self.n_skipped

    @property
    def is_fitted(self) -> bool:
        """Whether there is a label and a word."""
        return bool(self.labels) and self.engine.n_words > 0

    def running_perplexity(self) -> float:
        """Of the documents of the window, each as it was foreseen before it was learned from."""
        n_tokens = sum(len(document.tokens) for document in self.recent)
        return float(np.exp(-sum(document.log_p for document in self.recent) / n_tokens)) if n_tokens else float("nan")

    def view(self) -> StreamSnapshot:
        """The model as it is seen: its words, its counts, and these ready for inference."""
        counts, frozen = self._frozen(self.particle_ids())
        vocabulary = np.array([*self.words.number, None], dtype=object)[:-1]
        empty = Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), vocabulary, tokenizer=self.cutter)
        return StreamSnapshot(empty, counts, frozen)

    def particles(self) -> list[TopicSnapshot]:
        """Each particle that the model is made of, ready for inference."""
        return [self._frozen([particle])[1] for particle in self.particle_ids()]

    def _frozen(self, particles: list[int]) -> tuple[Any, TopicSnapshot]:
        """The mean counts of particles, and these as the kernels take them."""
        from scipy.sparse import csr_array

        n_labels, n_words = len(self.labels), len(self.words.number)
        counts: Any = csr_array(sum((self.engine.counts(p) for p in particles[1:]), self.engine.counts(particles[0])))
        unit = _UNIT if counts.dtype.kind == "f" else 1  # of one particle's counts: nothing is lost in whole numbers
        whole = np.maximum(np.rint(counts.data * unit), 0).astype(np.int64)
        in_units: Any = csr_array((whole, counts.indices, counts.indptr), shape=counts.shape)
        in_units.eliminate_zeros()
        in_units.resize((n_labels, n_words))
        unit *= len(particles)
        beta, sizes = self.settings.beta * unit, np.asarray(in_units.sum(axis=1), dtype=np.int64)
        alpha = np.full(n_labels, self.settings.alpha)
        frozen = TopicSnapshot(rows_from_csr(in_units.T.tocsr()), sizes, alpha, beta, beta * n_words)
        return in_units / unit if unit > 1 else in_units, frozen
