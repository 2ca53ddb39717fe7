"""State of a stream: particle filter, ids of words and labels, window of recent documents, read progress."""

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
from ..._sampling.particle_filter.state import INCREMENT, DocumentBatch
from ..._sampling.random import mix64, seed_from
from ..._utils.count_rows import rows_from_csr
from ..._utils.signals import defer_signals
from ..._utils.validation import check_choice
from ...corpus import Corpus, Tokenizer
from ...corpus.tokenizer import as_tokenizer
from ...errors import InputError
from ...io import ModelFields
from .._inputs import CLASSES, LISTS, Floats
from ..labeled.inference import frequency_prior
from ..labeled.prediction import MOST_LABELS, PRIORS, check_threshold
from .inputs import StreamDocument, classify_input, parse_documents
from .regression import StreamRegression
from .settings import (
    LIKELY,
    MEAN,
    SeedCount,
    StreamLinks,
    StreamSettings,
    StreamVocabulary,
    add_seed_counts,
    check_settings,
    has_fractions,
    make_tokenizer,
    seeds_and_links,
)

if TYPE_CHECKING:
    from .model import OnlineLabeledLDA

_STEPS = 10  # of EM
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
    """The n labels with the largest θ at the maximum of the posterior of a document, the best first.

    ``prior`` is the Dirichlet prior of the labels and ``n_words`` is V.
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
    """Mean counts of label–word pairs over particles, as (labels, words); reads no other pairs."""
    model = engine.particles
    at = _find(model.count_table, labels, words)
    rows = model.count_table.entries.reshape(-1, 4)[at]
    stamps, rows = rows[..., _STAMP].astype(np.int64), rows[..., _ROW]
    counts = sum(model.count_table.lanes[rows, _lanes(model.ancestry, stamps, p)].astype(np.float64) for p in particles)
    return np.asarray(np.where(rows > 0, counts, 0.0) / (len(particles) * model.numbers[INCREMENT]))


def _find(pairs: CountTable, labels: NDArray[np.uint32], words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Slot of each pair in the hash table, or the empty slot where its search ends; vectorized."""
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
    """Lane of particle p in a row of that epoch; ``lane_of``, vectorized."""
    now, live = int(ancestry.epochs[NOW]), int(ancestry.epochs[LIVE])
    lanes = ancestry.maps[stamps & (len(ancestry.maps) - 1), p].astype(np.int64)
    lanes = np.where(stamps < live, ancestry.common[np.minimum(stamps, len(ancestry.common) - 1)], lanes)
    return np.where(stamps == now, p, lanes)


_MOST = 2**62


class SourcePosition(NamedTuple):
    """How far a source was read, with digests that identify the source."""

    name: str
    lines: int = 0
    offset: int = 0
    """Bytes of these lines, uncompressed."""
    first: str = ""
    """Digest of the first line."""
    last: str = ""
    """Digest of the last line."""
    length: int = 0
    """Bytes of the last line."""


class ReadProgress(NamedTuple):
    """Positions in all sources, the present one last, and the number of invalid lines."""

    places: tuple[SourcePosition, ...] = ()
    n_bad: int = 0

    def to_meta(self) -> dict[str, Any]:
        """Entry in the header of a model file."""
        return {"places": [list(place) for place in self.places], "bad_lines": self.n_bad}


def progress_from_fields(fields: ModelFields) -> ReadProgress:
    """Read what :meth:`ReadProgress.to_meta` wrote; a ModelFileError if it is damaged."""
    places = [SourcePosition(*row) for row in fields.rows("places", str, int, int, str, str, int)]
    for place in places:
        if not 0 <= place.lines <= place.offset <= _MOST or not 0 <= place.length <= place.offset:
            fields.fail("places", "must have a line of bytes for each line")
    return ReadProgress(tuple(places), fields.integer("bad_lines", minimum=0, maximum=_MOST))


_UNIT = 2**16  # fractional counts are rounded to multiples of 1 / _UNIT
_CHUNK = 500  # documents that are learned without a break for signals
_STARTING_SWEEPS = 100


class WindowEntry(NamedTuple):
    """Labeled document of the window: its predictive log-probability, tokens and labels."""

    log_p: float
    tokens: NDArray[np.int32]
    labels: tuple[int, ...]


class StreamSnapshot(NamedTuple):
    """Vocabulary and counts of a stream, and its topics as inference reads them."""

    corpus: Corpus  # without documents
    counts: Any  # CSR of shape (n_labels, n_words)
    topics: TopicSnapshot


class EncodedDocument(NamedTuple):
    """Words of a document and the ids of its labels, and whether the labels were given or predicted."""

    words: list[str]
    labels: Sequence[int]
    is_given: bool


class StreamState:
    """Everything that a model has learned from a stream, and what it needs to continue.

    Attributes
    ----------
    settings : StreamSettings
        Parameters that the stream was started with.
    engine : StreamEngine
        Particle filter.
    vocabulary : StreamVocabulary
        Ids of the words.
    label_ids : dict
        Id of each label, in order of appearance.
    label_counts : list of int
        Number of documents with each label.
    window : deque of WindowEntry
        The latest labeled documents.
    new_labels : list
        Labels that appeared in the last call.
    progress : ReadProgress
        How far the sources of the stream were read.
    regression : StreamRegression or None
        Regression of labels on words; None if there are too many labels, or in files of earlier versions.
    monitor_state : dict of arrays
        State of a :class:`StreamMonitor`, saved with the model.
    """

    def __init__(
        self,
        settings: StreamSettings,
        seed: int,
        seeds: Sequence[SeedCount],
        vocabulary: StreamVocabulary,
        links: StreamLinks,
    ) -> None:
        self.settings, self.seed, self.vocabulary, self.links = settings, seed, vocabulary, links
        links.rebind(vocabulary.ids)
        self.has_fractions = has_fractions(list(seeds))
        self.label_ids: dict[Any, int] = {}
        self.label_texts: dict[str, Any] = {}  # labels by their text, which must differ
        self.tokenizer: Tokenizer | None = None
        self.knowledge: list[Any] = []  # that the seeds and links came from
        self.form = CLASSES
        self.label_counts: list[int] = []
        self.n_labeled = self.n_skipped = 0
        self.is_consistent = True  # False while documents are being learned
        self.progress = ReadProgress()
        self.monitor_state: dict[str, NDArray[Any]] = {}
        self.new_labels: list[Any] = []
        self.window: deque[WindowEntry] = deque(maxlen=settings.window)
        self.regression: StreamRegression | None = StreamRegression()
        self.engine = StreamEngine(settings.n_particles, **self.engine_options())  # type: ignore[arg-type]
        self._check_texts([seed.label for seed in seeds])
        self._encode_labels([seed.label for seed in seeds])
        self.new_labels = []
        add_seed_counts(self.engine, list(seeds), self.label_ids, vocabulary)
        self._bind_links(seed.word for seed in seeds)

    @classmethod
    def from_parameters(cls, model: OnlineLabeledLDA) -> StreamState:
        """An empty stream with the parameters of a model, all of them validated."""
        check_choice("label_prior", model.label_prior, PRIORS)
        check_threshold(model.threshold)
        (seeds, links), vocabulary = seeds_and_links(model.knowledge), StreamVocabulary(model.vocabulary)
        stream = cls(check_settings(model), seed_from(model.random_state), seeds, vocabulary, StreamLinks(links))
        stream.knowledge = list(model.knowledge)
        tokenizer = make_tokenizer(model)
        stream.tokenizer = tokenizer if model.tokenizer is not None or model.stop_words is not None else None
        return stream

    def warn_of_links(self) -> None:
        """Warn of links that contradict each other or whose words a fixed vocabulary lacks."""
        self.links.warn(self.vocabulary.ids if self.vocabulary.is_fixed else None)

    def engine_options(self) -> dict[str, Any]:
        """Parameters of the particle filter."""
        n_words = len(self.vocabulary.ids) if self.vocabulary.is_fixed else None
        return self.settings.engine_options(self.seed, n_words, self.has_fractions) | {"links": self.links.resolved()}

    # ------------------------------------------------------------------ learning

    def parse(self, X: Any, y: Any) -> list[StreamDocument]:
        """Documents and labels as the stream learns from them; an error before any of them is learned."""
        kind, X = classify_input(X)
        tokenizer = self.tokenizer
        if tokenizer is None and kind != "words":
            tokenizer = X.tokenizer if kind == "corpus" else as_tokenizer(None)
        documents = parse_documents(kind, X, y, tokenizer)
        self.check_consistent()
        self._check_texts(chain.from_iterable(document.labels or () for document in documents))
        self.tokenizer = tokenizer
        return documents

    def learn(self, documents: Sequence[StreamDocument]) -> None:
        """Learn from parsed documents; from a part of them if the handler of a signal raises an exception."""
        for start in range(0, len(documents), _CHUNK):
            with defer_signals():
                self.is_consistent = False
                self._learn_chunk(documents[start : start + _CHUNK])
                self.is_consistent = True

    def _learn_chunk(self, documents: Sequence[StreamDocument]) -> None:
        batch: list[EncodedDocument] = []
        for document in documents:
            if document.is_list:
                self.form = LISTS
            if document.labels is not None:
                batch.append(EncodedDocument(document.words, self._encode_labels(document.labels), True))
                continue
            self._add(batch)  # likely labels depend on all documents before
            likely = self._likely_labels(document.words)
            batch = [EncodedDocument(document.words, likely, False)] if likely else []
            self.n_skipped += not likely
        self._add(batch)

    def _add(self, batch: Sequence[EncodedDocument]) -> None:
        """Pass documents to the particle filter, with the initial sweeps when it has enough of them."""
        left = self.settings.start - self.engine.n_documents
        if 0 < left <= len(batch):
            self._add_to_engine(batch[:left])
            self.engine.sweep(_STARTING_SWEEPS)
            batch = batch[left:]
        self._add_to_engine(batch)

    def _add_to_engine(self, batch: Sequence[EncodedDocument]) -> None:
        if not batch:
            return
        documents = [self.vocabulary.encode(document.words) for document in batch]
        self._bind_links(chain.from_iterable(document.words for document in batch))
        log_p = self.engine.add_batch(_as_arrays(documents, [document.labels for document in batch])).tolist()
        self._learn_regression(
            [tokens for tokens, document in zip(documents, batch) if document.is_given],
            [document.labels for document in batch if document.is_given],
        )
        for tokens, document, own_log_p in zip(documents, batch, log_p):
            if document.is_given:
                self._append_to_window(WindowEntry(own_log_p, np.array(tokens, np.int32), tuple(document.labels)))

    def _learn_regression(self, documents: Sequence[Sequence[int]], labels: Sequence[Sequence[int]]) -> None:
        """Update the regression of labels on words; a stream with too many labels is left without it."""
        if len(self.label_ids) > MOST_LABELS:
            self.regression = None
        elif self.regression is not None:
            self.regression.learn(documents, labels)

    def _bind_links(self, words: Iterable[str]) -> None:
        """Apply links whose words have now appeared."""
        if self.links.bind_new_words(words, self.vocabulary.ids):
            links = self.links.resolved()
            if links is not None:
                self.engine.set_links(links)

    def _append_to_window(self, entry: WindowEntry) -> None:
        self.window.append(entry)
        self.n_labeled += 1
        for k in entry.labels:
            self.label_counts[k] += 1

    def _likely_labels(self, words: list[str]) -> list[int]:
        """Likely labels of a document, as many as documents have on average; none if they are not wanted."""
        tokens = np.array(self.vocabulary.encode_known(words), np.uint32)
        if self.settings.unlabeled != LIKELY or self.n_labeled == 0 or len(tokens) == 0:
            return []
        n_labels, beta = self.engine.n_labels, self.settings.beta
        counts = np.array(self.label_counts[:n_labels])
        prior = frequency_prior(np.full(n_labels, self.settings.alpha), counts, self.n_labeled)
        n_words = len(self.vocabulary.ids) if self.vocabulary.is_fixed else self.engine.n_words
        n = max(1, round(sum(self.label_counts) / self.n_labeled))
        return sorted(likely_labels(self.engine, self.particle_ids(), tokens, beta, prior, n_words, n))

    def _check_texts(self, labels: Iterable[Any]) -> None:
        """An error if two labels are the same as text."""
        texts: dict[str, Any] = {}
        for label in (label for label in labels if label not in self.label_ids):
            before = self.label_texts.get(str(label), texts.setdefault(str(label), label))
            if before != label:
                raise InputError(f"labels must differ as text: got {label!r} and {before!r}", parameter="y", got=label)

    def _encode_labels(self, labels: Sequence[Any]) -> list[int]:
        """Ids of labels in ascending order; a new label gets the next id."""
        ids = self.label_ids
        for label in labels:
            if label not in ids:
                ids[label] = len(ids)
                self.label_counts.append(0)
                self.new_labels.append(label)
                self.label_texts[str(label)] = label
        return sorted([ids[label] for label in labels])

    # ------------------------------------------------------------------ results

    def check_consistent(self) -> None:
        """An error if an earlier call failed in the middle of a document."""
        if not self.is_consistent:
            raise InputError(
                "this model stopped in the middle of a document and cannot continue: load it from its file, or call fit"
            )

    @property
    def n_read(self) -> int:
        """Number of documents learned from or skipped."""
        return self.engine.n_documents + self.n_skipped

    @property
    def is_fitted(self) -> bool:
        """Whether there is at least one label and one word."""
        return bool(self.label_ids) and self.engine.n_words > 0

    def running_perplexity(self) -> float:
        """Perplexity of the documents of the window, each predicted before it was learned from."""
        n_tokens = sum(len(document.tokens) for document in self.window)
        return float(np.exp(-sum(document.log_p for document in self.window) / n_tokens)) if n_tokens else float("nan")

    def particle_ids(self) -> list[int]:
        """Numbers of the particles that the model consists of: all of them, or the best one."""
        return list(range(self.engine.n_particles)) if self.settings.combine == MEAN else [self.engine.best_particle]

    def snapshot(self) -> StreamSnapshot:
        """Vocabulary, counts, and topics for inference."""
        counts, topics = self._mean_topics(self.particle_ids())
        vocabulary = np.array([*self.vocabulary.ids, None], dtype=object)[:-1]
        empty = Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), vocabulary, tokenizer=self.tokenizer)
        return StreamSnapshot(empty, counts, topics)

    def particle_snapshots(self) -> list[TopicSnapshot]:
        """Topics of each particle that the model consists of, for inference."""
        return [self._mean_topics([particle])[1] for particle in self.particle_ids()]

    def _mean_topics(self, particles: list[int]) -> tuple[Any, TopicSnapshot]:
        """Mean counts over particles, and the same as inference reads them."""
        from scipy.sparse import csr_array

        n_labels, n_words = len(self.label_ids), len(self.vocabulary.ids)
        counts: Any = csr_array(sum((self.engine.counts(p) for p in particles[1:]), self.engine.counts(particles[0])))
        unit = _UNIT if counts.dtype.kind == "f" else 1  # sums over particles are integers: the mean is exact
        whole = np.maximum(np.rint(counts.data * unit), 0).astype(np.int64)
        in_units: Any = csr_array((whole, counts.indices, counts.indptr), shape=counts.shape)
        in_units.eliminate_zeros()
        in_units.resize((n_labels, n_words))
        unit *= len(particles)
        beta, sizes = self.settings.beta * unit, np.asarray(in_units.sum(axis=1), dtype=np.int64)
        alpha = np.full(n_labels, self.settings.alpha)
        topics = TopicSnapshot(rows_from_csr(in_units.T.tocsr()), sizes, alpha, beta, beta * n_words)
        return in_units / unit if unit > 1 else in_units, topics


def _as_arrays(documents: Sequence[Sequence[int]], labels: Sequence[Sequence[int]]) -> DocumentBatch:
    """Documents and their labels as the particle filter reads them."""
    offsets = np.array(list(accumulate(map(len, documents), initial=0)), np.uint64)
    label_offsets = np.array(list(accumulate(map(len, labels), initial=0)), np.uint64)
    return DocumentBatch(
        np.fromiter(chain.from_iterable(documents), np.uint32, int(offsets[-1])),
        offsets,
        np.fromiter(chain.from_iterable(labels), np.uint32, int(label_offsets[-1])),
        label_offsets,
    )
