"""Engine of the particle filter: owns, enlarges, saves and restores the arrays of the kernels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from .ancestry import read_lane, reorder_all_lanes
from .count_table import add_counts, read_counts, reorder_rows, reserve_rows
from .filter import DONE, MAX_INCREMENT, NEEDS_REORDER, NEEDS_RESCALE, NEEDS_ROOM, add_documents, seed_call_stream
from .reservoir import N_DOCS, N_LABELS, N_TOKENS, Reservoir, new_reservoir, reserve_document
from .state import (
    BLOCK,
    CALLS,
    DOC,
    DOCUMENTS,
    INCREMENT,
    IS_OPEN,
    IS_READ,
    N_WORDS,
    REJUVENATED,
    RESAMPLINGS,
    TO_REJUVENATE,
    TOKEN,
    TOKENS,
    DocumentBatch,
    FilterScratch,
    FilterSettings,
    ParticleState,
    check_documents,
    check_that,
    grow,
    make_settings,
    new_particles,
    new_scratch,
)
from .word_links import LinkList, compile_links, grow_words

State = dict[str, NDArray[Any]]


def serialize_particles(particles: ParticleState, n_particles: int, n_labels: int) -> State:
    """State of particles whose lanes have been reordered, as arrays by name."""
    n = int(particles.count_table.used[0])
    labels, words = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    read_counts(particles.count_table, particles.ancestry, np.uint64(0), labels, words, np.zeros(n))
    state = {
        "pairs.labels": labels[1:],
        "pairs.words": words[1:],
        "pairs.counts": particles.count_table.lanes[1:n, :n_particles],
        "totals": particles.totals[:n_labels, :n_particles],
        "alpha": particles.alpha[:n_labels],
        "words": np.flatnonzero(particles.seen).astype(np.uint32),
        "weights": particles.weights[:n_particles],
        "counters": particles.counters,
        "numbers": particles.numbers,
    }
    if particles.links is not None:
        state["sizes"] = particles.links.sizes[state["words"]]
    for name, part in _serialize_reservoir(particles.reservoir, n_particles).items():
        state[f"reservoir.{name}"] = part
    return {name: np.array(part) for name, part in state.items()}


def _serialize_reservoir(reservoir: Reservoir, n_particles: int) -> State:
    tokens, labels, docs = (int(reservoir.size[n]) for n in (N_TOKENS, N_LABELS, N_DOCS))
    return {
        "words": reservoir.words[:tokens],
        "choices": reservoir.choices[:tokens, :n_particles],
        "labels": reservoir.labels[:labels],
        "in_doc": reservoir.in_doc[:labels, :n_particles],
        "first_token": reservoir.first_token[: docs + 1],
        "first_label": reservoir.first_label[: docs + 1],
        "keys": reservoir.keys[:docs],
        "increments": reservoir.increments[:docs],
        "size": reservoir.size,
        "bound": reservoir.bound,
    }


def restore_particles(particles: ParticleState, state: State) -> ParticleState:
    """Particles from their state; ``particles`` are new ones with the same number of lanes."""
    kind, width = particles.count_table.lanes.dtype, particles.count_table.lanes.shape[1]
    if state["pairs.counts"].dtype != kind:
        raise InputError(parameter="dtype", expected=f"{state['pairs.counts'].dtype}, as in the saved state", got=kind)
    count_table = reserve_rows(particles.count_table, len(state["pairs.labels"]))
    spare, lanes = np.zeros(width, kind), _pad_lanes(state["pairs.counts"], width)
    add_counts(count_table, particles.ancestry, spare, state["pairs.labels"], state["pairs.words"], lanes)
    n_labels, n_words = len(state["alpha"]), int(state["words"].max(initial=0)) + 1
    result = particles._replace(
        count_table=count_table,
        totals=grow(particles.totals, n_labels),
        total_stamps=grow(particles.total_stamps, n_labels),
        alpha=grow(particles.alpha, n_labels, particles.alpha[0]),
        seen=grow(particles.seen, n_words),
        reservoir=_restore_reservoir(state, width),
    )
    result.totals[:n_labels] = _pad_lanes(state["totals"], width)
    result.alpha[:n_labels] = state["alpha"]
    result.seen[state["words"]] = 1
    result.weights[: len(state["weights"])] = state["weights"]
    result.counters[:], result.numbers[:] = state["counters"], state["numbers"]
    if result.links is not None:
        if "sizes" not in state:
            raise InputError(
                "`links`: the saved state has no word frequencies; pass `links` when the stream is created"
            )
        result = result._replace(links=grow_words(result.links, n_words))
        result.links.sizes[state["words"]] = state["sizes"]
    return result


def _restore_reservoir(state: State, width: int) -> Reservoir:
    parts = {name.partition(".")[2]: part for name, part in state.items() if name.startswith("reservoir.")}
    tokens, labels, docs = len(parts["words"]), len(parts["labels"]), len(parts["keys"])
    reservoir = new_reservoir(width, max(1, tokens), max(1, labels), max(1, docs))
    for name, part in parts.items():
        target = getattr(reservoir, name)
        target[: len(part)] = _pad_lanes(part, width) if part.ndim == 2 else part
    reservoir.doc_of[:tokens] = np.repeat(np.arange(docs), np.diff(parts["first_token"]).astype(np.int64))
    return reservoir


def _pad_lanes(lanes: NDArray[Any], width: int) -> NDArray[Any]:
    """Rows with padding lanes, which are never read."""
    return np.concatenate([lanes, np.repeat(lanes[:, :1], width - lanes.shape[1], axis=1)], axis=1)


def reorder_particles(particles: ParticleState, scratch: FilterScratch, n_labels: int) -> None:
    """Reorder all lanes by the current particles, and count epochs from zero again."""
    reservoir, is_open = (
        particles.reservoir,
        scratch.position[IS_OPEN],
    )  # the current document is stored after the others
    in_doc_rows = reservoir.first_label[reservoir.size[N_DOCS] + is_open]
    tokens = reservoir.size[N_TOKENS] + is_open * scratch.position[TOKEN]
    reorder_rows(particles.count_table, particles.ancestry, scratch.spare_counts)
    for lanes, n, stamps, spare in (
        (particles.totals, np.uint64(n_labels), particles.total_stamps, scratch.spare_totals),
        (reservoir.in_doc, in_doc_rows, reservoir.in_doc_stamps, scratch.spare_in_doc),
        (reservoir.choices, tokens, reservoir.choice_stamps, scratch.spare_choices),
    ):
        reorder_all_lanes(lanes, n, stamps, particles.ancestry, spare)
        stamps[:] = 0
    particles.ancestry.epochs[:] = 0


def rescale_counts(particles: ParticleState) -> None:
    """Divide all counts by a power of two, which rounds nothing."""
    while particles.numbers[INCREMENT] > MAX_INCREMENT:
        for numbers in (particles.count_table.lanes, particles.totals, particles.reservoir.increments):
            numbers /= MAX_INCREMENT
        particles.numbers[INCREMENT] /= MAX_INCREMENT
        if particles.links is not None:
            particles.links.sizes[:] /= MAX_INCREMENT


_NO_DOCUMENTS = check_documents([], [0], [], [0])


class StreamEngine:
    """Particle filter of Online Labeled LDA on a stream of labeled documents.

    Parameters
    ----------
    n_particles : int
        Number of particles.
    alpha : float
        Dirichlet prior of the labels of a document. :meth:`set_alpha` sets another for single labels.
    dtype : optional
        Type of label–word counts: int32, or float64 where counts decay or have fractions.
    links : LinkList, optional
        Must-links and cannot-links of words. Pass an empty list if they are set later (:meth:`set_links`).
    **settings
        Parameters of :func:`~.validation.make_settings`: β, the seed, and how particles are weighted, resampled and
        rejuvenated.

    Notes
    -----
    Every document has its own random stream, keyed by the seed and the number of the document. So results do not depend
    on how a stream is split into batches, nor on saving and loading in between.

    Examples
    --------
    >>> engine = StreamEngine(4, seed=1)
    >>> engine.add([0, 1, 1, 2], [0, 2, 4], [0, 1, 1], [0, 2, 3]).shape
    (2,)
    >>> int(engine.counts().sum()), engine.n_documents
    (4, 2)
    """

    def __init__(
        self,
        n_particles: int = 10,
        *,
        alpha: float = 0.1,
        dtype: Any = None,
        links: LinkList | None = None,
        **settings: Any,
    ) -> None:
        self._settings = make_settings(n_particles, **settings)
        decays = self._settings.growth != 1
        check_that(alpha > 0, "alpha", "positive", alpha)
        kind = np.dtype(dtype if dtype is not None else np.float64 if decays else np.int32)
        check_that(kind in (np.int32, np.float64), "dtype", "int32 or float64", kind)
        check_that(not decays or kind == np.float64, "dtype", "float64 where counts decay", kind)
        self.n_particles = n_particles
        self.n_labels = 0
        self.alpha = float(alpha)
        self.particles = new_particles(n_particles, self.alpha, kind)
        self._most_labels = 0  # of one document
        self._grow_scratch(1)
        if links is not None:
            self.particles = self.particles._replace(
                links=compile_links(links, np.zeros(256), self.particles.totals.shape[1])
            )

    # ------------------------------------------------------------------ the stream

    def add(
        self, tokens: ArrayLike, offsets: ArrayLike, labels: ArrayLike, label_offsets: ArrayLike
    ) -> NDArray[np.float64]:
        """Add documents: word ids and label ids, each with the offsets of documents.

        Returns the log predictive probability of each document, word by word given what came before.
        """
        return self.add_batch(check_documents(tokens, offsets, labels, label_offsets))

    def add_batch(self, documents: DocumentBatch) -> NDArray[np.float64]:
        """Read documents that are known to be valid; as :meth:`add`."""
        self._grow_vocabulary(documents.labels, documents.tokens)
        self._grow_scratch(int(np.diff(documents.label_offsets).max(initial=np.uint64(0))))
        self._scratch.position[:] = 0
        return self._run(documents, self._settings)

    def rejuvenate(self, n: int, order: Literal["cycle", "random"] = "cycle") -> None:
        """Resample n tokens of the reservoir, in all particles."""
        scratch, counters = self._scratch, self.particles.counters
        scratch.position[:] = 0
        scratch.position[TO_REJUVENATE], scratch.position[IS_READ] = n, 1
        seed_call_stream(scratch.random, self._settings.key, counters[CALLS])
        counters[CALLS] += np.uint64(1)
        self._run(_NO_DOCUMENTS, self._settings._replace(is_cyclic=order == "cycle"))

    def sweep(self, n: int) -> None:
        """Resample all tokens of the reservoir n times, as a batch sampler does."""
        self.rejuvenate(n * int(self.particles.reservoir.size[N_TOKENS]))

    def add_counts(self, labels: ArrayLike, words: ArrayLike, counts: ArrayLike) -> None:
        """Add to label–word counts, in all particles.

        Used for the counts of a model to start from, and for a larger prior of some words. Where counts decay, these do
        too.
        """
        k, w = np.ascontiguousarray(labels, np.uint32), np.ascontiguousarray(words, np.uint32)
        n = np.asarray(counts, np.float64) * self.particles.numbers[INCREMENT]
        kind = self.particles.count_table.lanes.dtype
        check_that(bool((n.astype(kind) == n).all()), "counts", "integers unless dtype is float64", counts)
        self._grow_vocabulary(k, w)
        self.particles = self.particles._replace(count_table=reserve_rows(self.particles.count_table, len(k)))
        particles = self.particles
        add_counts(particles.count_table, particles.ancestry, self._scratch.spare_counts, k, w, n.astype(kind)[:, None])
        np.add.at(particles.totals, k, n[:, None])  # the same in all lanes, so their order does not matter
        if particles.links is not None:
            np.add.at(particles.links.sizes, w, n)
        new = np.unique(w[particles.seen[w] == 0])
        particles.seen[new] = 1
        particles.numbers[N_WORDS] += len(new)

    def set_alpha(self, labels: ArrayLike, alpha: ArrayLike) -> None:
        """Set the α of some labels."""
        k, a = np.ascontiguousarray(labels, np.uint32), np.asarray(alpha, np.float64)
        check_that(bool((a > 0).all()), "alpha", "positive", alpha)
        self._grow_vocabulary(k, np.zeros(0, np.uint32))
        self.particles.alpha[k] = a

    def set_links(self, links: LinkList) -> None:
        """Replace the links, in an engine that was created with a list of links, which may be empty."""
        check_that(self.particles.links is not None, "links", "given when the engine is created", None)
        self.particles = self.particles._replace(
            links=compile_links(links, self.particles.links.sizes, self.particles.totals.shape[1])
        )

    # ------------------------------------------------------------------ results

    @property
    def n_documents(self) -> int:
        """Number of documents so far."""
        return int(self.particles.counters[DOCUMENTS])

    @property
    def n_tokens(self) -> int:
        """Number of tokens so far."""
        return int(self.particles.counters[TOKENS])

    @property
    def n_words(self) -> int:
        """Number of distinct words so far."""
        return int(self.particles.numbers[N_WORDS])

    @property
    def n_count_rows(self) -> int:
        """Number of label–word pairs that have counts; memory grows with it."""
        return int(self.particles.count_table.used[0]) - 1

    @property
    def n_resamplings(self) -> int:
        """Number of resamplings of the particles."""
        return int(self.particles.counters[RESAMPLINGS])

    @property
    def n_rejuvenated(self) -> int:
        """Number of tokens that were resampled."""
        return int(self.particles.counters[REJUVENATED])

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of the particles; they sum to 1."""
        return self.particles.weights[: self.n_particles].copy()

    @property
    def effective_particles(self) -> float:
        """Effective number of particles, 1 / Σ ω²."""
        return float(1 / np.sum(self.weights**2))

    @property
    def best_particle(self) -> int:
        """Index of the particle with the largest weight."""
        return int(np.argmax(self.weights))

    def counts(self, particle: int | None = None) -> Any:
        """Label–word counts of a particle, by default the best, as CSR of shape (n_labels, n_words)."""
        from scipy.sparse import coo_array

        particles, p = self.particles, self.best_particle if particle is None else particle
        n = int(particles.count_table.used[0])
        labels, words, counts = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
        read_counts(particles.count_table, particles.ancestry, np.uint64(p), labels, words, counts)
        counts /= particles.numbers[INCREMENT]
        is_used = counts != 0
        n_words = int(np.flatnonzero(particles.seen).max(initial=-1)) + 1
        where = (labels[is_used], words[is_used])
        kind = np.int64 if particles.count_table.lanes.dtype == np.int32 else np.float64
        return coo_array((counts[is_used].astype(kind), where), shape=(self.n_labels, n_words)).tocsr()

    def totals(self, particle: int | None = None) -> NDArray[np.float64]:
        """Number of tokens of each label."""
        particles, p = self.particles, self.best_particle if particle is None else particle
        totals = np.zeros(self.n_labels)
        read_lane(particles.totals, particles.total_stamps, particles.ancestry, np.uint64(p), totals)
        totals /= particles.numbers[INCREMENT]
        return totals

    # ------------------------------------------------------------------ serialization

    def state(self) -> dict[str, NDArray[Any]]:
        """State from which :meth:`from_state` continues bit for bit, as arrays by name."""
        reorder_particles(self.particles, self._scratch, self.n_labels)
        return serialize_particles(self.particles, self.n_particles, self.n_labels)

    @classmethod
    def from_state(cls, state: dict[str, NDArray[Any]], **parameters: Any) -> StreamEngine:
        """Engine that continues from a state, with the same or other parameters."""
        engine = cls(len(state["weights"]), **parameters)
        engine.particles = restore_particles(engine.particles, state)
        engine.n_labels = len(state["alpha"])
        engine._grow_scratch(int(np.diff(state["reservoir.first_label"]).max(initial=np.uint64(0))))
        return engine

    # ------------------------------------------------------------------ memory

    def _run(self, documents: DocumentBatch, settings: FilterSettings) -> NDArray[np.float64]:
        """Run the kernel until it is done; it returns early where arrays have to grow."""
        log_p = np.zeros(len(documents.offsets) - 1)
        while True:
            reason = add_documents(documents, self.particles, settings, self._scratch, log_p)
            if reason == DONE:
                return log_p
            self._handle_interrupt(reason, documents)

    def _handle_interrupt(self, reason: int, documents: DocumentBatch) -> None:
        """Do what the kernel returned for."""
        particles = self.particles
        if reason == NEEDS_REORDER:
            reorder_particles(particles, self._scratch, self.n_labels)
        elif reason == NEEDS_RESCALE:
            rescale_counts(particles)
        else:
            assert reason == NEEDS_ROOM
            count_table = reserve_rows(particles.count_table, int(self._settings.rows_ahead))
            reservoir = particles.reservoir
            if len(documents.offsets) > 1 and not self._scratch.position[IS_OPEN]:
                d = int(self._scratch.position[DOC])
                sizes = [int(x[d + 1] - x[d]) for x in (documents.offsets, documents.label_offsets)]
                reservoir = reserve_document(reservoir, *sizes)
            self.particles = particles._replace(count_table=count_table, reservoir=reservoir)

    def _grow_vocabulary(self, labels: NDArray[np.uint32], words: NDArray[np.uint32]) -> None:
        """Enlarge the arrays for new labels and words."""
        particles = self.particles
        self.n_labels = max(self.n_labels, int(labels.max(initial=0)) + 1) if len(labels) else self.n_labels
        n_words = int(words.max(initial=0)) + 1
        self.particles = particles._replace(
            totals=grow(particles.totals, self.n_labels),
            total_stamps=grow(particles.total_stamps, self.n_labels),
            alpha=grow(particles.alpha, self.n_labels, self.alpha),
            seen=grow(particles.seen, n_words),
            links=grow_words(particles.links, n_words),
        )

    def _grow_scratch(self, n_labels: int) -> None:
        """Enlarge the scratch memory for documents with up to ``n_labels`` labels."""
        if n_labels <= self._most_labels:
            return
        self._most_labels = n_labels
        lanes = self.particles.count_table.lanes
        self._scratch = new_scratch(self.n_particles, lanes.dtype, n_labels)
        self._settings = self._settings._replace(rows_ahead=np.uint64(BLOCK * min(n_labels, lanes.shape[1])))
