"""Engine of MedLDA: draws auxiliary variables, weights and topics in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..._utils.count_rows import empty_rows, rows_from_csr, sort_rows
from ...knowledge.compiler import CompiledKnowledge
from ...knowledge.factors import FactorCounts, kernel_with, no_multipliers
from ...knowledge.priors import SharedCounts
from ..engine import CountStatisticsMixin, Floats, SamplingProblem, SamplingResults, Supervision, WeightResults
from ..grid import Cell, CellResult, Grid, ThreadTask, default_n_blocks, make_grid, new_pool, run, sample_in_parallel
from ..intrinsics import padded
from ..priors import Beta, base_prior, with_dense_priors, with_linked_counts, with_word_priors
from ..random import streams
from ..sparse_lda.engine import SparseEngine, count_assignments
from .dense import sweep_medlda
from .metropolis import DOC, EXP, WORD, alias_table, new_table, plan_proposals
from .state import LossTerms, MedLDAState, TokensByWord, new_scratch, topic_scores
from .weights import (
    WeightPosterior,
    add_weighted_columns,
    count_by_topic,
    count_documents,
    draw_blocked,
    draw_by_coordinates,
)

WARMUP_SWEEPS = 2  # without the loss, until there are topics to weight
PROPOSALS = {
    name: np.array(kinds, np.uint64)
    for name, kinds in {"mixture": [], "cycle": [DOC, WORD, EXP], "doc": [DOC], "word": [WORD], "exp": [EXP]}.items()
}
AUXILIARY, WEIGHTS, _TOPICS, PLAN = 1, 2, 3, 4  # random streams of a sweep
_ENTRIES_PER_BLOCK = 2**15  # of documents × tasks, that stay in the cache while a block is worked on


def sweep_rng(seed: int, sweep: int, *stream: int) -> np.random.Generator:
    """Random generator of the auxiliary variables of a block or of the weights of a sweep."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(sweep, *stream)))


def averaging_weight(n_sweeps: int, recency: float) -> float:
    """Weight of the last draw in the running mean of the weights, in which sweep t counts as t^(recency − 1).

    Early sweeps lose influence, as in a mean over the last third of a run, but the length of the run need not be known:
    a stopped run has a mean too, and a resumed run has the mean of an uninterrupted one.
    """
    n_draws = n_sweeps - WARMUP_SWEEPS
    return recency / (n_draws - 1 + recency) if n_draws > 0 else 0.0


def medlda_blocks(n_tokens: int) -> int:
    """Number of blocks of documents and of words.

    About half as many as in LDA, since every visit to a document loads its tasks; and even, to keep two threads busy.
    """
    n_blocks = default_n_blocks(n_tokens)
    return 1 if n_blocks == 1 else 2 * max(1, n_blocks // 4)


class MedLDAEngine(CountStatisticsMixin):
    """Gibbs sampler of topics and of their weights in some tasks.

    Parameters
    ----------
    proposals : {"mixture", "cycle", "doc", "word", "exp"}
        Whether the kind of proposal is drawn for each step, cycles, or is always the same.
    weight_draw : {"coordinates", "cholesky"}
        Whether weights are drawn one by one, or those of a task as a block.
    n_warmup_sweeps : int
        First sweeps, without the loss; at least the one that assigns all tokens.
    n_blocks : int, optional
        Number of blocks of documents and of words in the grid of cells. By default it depends on the corpus, and with
        one block the sampler is exact.
    """

    def __init__(
        self,
        problem: SamplingProblem,
        *,
        n_jobs: int = 1,
        proposals: str = "mixture",
        weight_draw: str = "coordinates",
        n_warmup_sweeps: int = WARMUP_SWEEPS,
        n_blocks: int | None = None,
    ) -> None:
        assert problem.supervision is not None
        supervision = problem.supervision
        assert supervision.features is None or weight_draw == "coordinates"  # the block draw has no features
        self._knowledge = problem.knowledge
        self.n_tokens, self.n_words, self.n_topics = len(problem.tokens), problem.n_words, problem.n_topics
        self.doc_lengths = np.diff(problem.offsets)
        self.alpha = problem.alpha
        self.beta: Beta = with_word_priors(problem.beta, self._knowledge.word_priors)
        self.seed, self.sweep_number, self.n_moved = problem.seed, problem.sweep_number, 0
        self._corpus = (problem.tokens, problem.offsets)
        self._loss, self._targets, self._cost_weights, self._nu = (
            supervision.loss,
            supervision.targets,
            supervision.cost_weights,
            supervision.nu,
        )
        self._steps = supervision.mh_steps if supervision.sampler == "compositional" else 0
        self._kinds = PROPOSALS[proposals]
        self._weight_sweeps, self._is_blocked = supervision.weight_sweeps, weight_draw == "cholesky"
        self._n_warmup = n_warmup_sweeps
        self._n_jobs = n_jobs
        self._pool = new_pool(n_jobs)
        n_tasks = supervision.targets.shape[1]
        self._eta = np.zeros((n_tasks, problem.n_topics)) if supervision.eta is None else supervision.eta.copy()
        self._features, self._feature_nu = supervision.features, supervision.feature_nu
        self._base_scores = supervision.base_scores
        n_features = 0 if supervision.features is None else len(supervision.features.start) - 1
        self._feature_eta = (
            np.zeros((n_tasks, n_features)) if supervision.feature_eta is None else supervision.feature_eta.copy()
        )
        self.average = (self._eta if supervision.average is None else supervision.average).copy()
        self.feature_average = (
            self._feature_eta if supervision.feature_average is None else supervision.feature_average
        ).copy()
        self._recency = supervision.recency
        self._center = self._loss.center(self._targets, self.doc_lengths)
        self._update_feature_scores()
        step = max(1, _ENTRIES_PER_BLOCK // max(1, n_tasks))
        self._doc_blocks = [slice(n, min(n + step, len(self._targets))) for n in range(0, len(self._targets), step)]
        self._grid: Grid | None = None  # None for a single cell
        if n_blocks is None:
            n_blocks = 1 if self._knowledge.needs_one_block else medlda_blocks(self.n_tokens)
        if n_blocks > 1:
            self._grid = make_grid(*self._corpus, self.n_words, n_blocks, self._knowledge.linked)
        self._warmup: SparseEngine | None = None
        if problem.sweep_number < n_warmup_sweeps or problem.assignments is None:
            self._warmup = SparseEngine(problem, n_jobs=n_jobs)
        else:
            self._build_state(problem.assignments)

    # ------------------------------------------------------------------ results

    @property
    def eta(self) -> Floats:
        """Last draw of the weights of topics, of shape (n_tasks, n_topics)."""
        return self._eta

    @property
    def feature_eta(self) -> Floats:
        """Last draw of the weights of features, of shape (n_tasks, n_features)."""
        return self._feature_eta

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """Topic of each token, in corpus order."""
        return self._warmup.assignments if self._warmup is not None else self._state.assignments.copy()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        return np.bincount(self.assignments, minlength=self.n_topics).astype(np.int64)

    def doc_topics(self) -> Any:
        """Document–topic counts, as CSR of shape (n_docs, n_topics)."""
        return count_documents(self.assignments, self._corpus[1], self.n_topics)

    def topic_words(self) -> Any:
        """Topic–word counts, as CSR of shape (n_topics, n_words)."""
        if self._warmup is not None:
            return self._warmup.topic_words()
        return csr_array(self._state.words.T.astype(np.int64))

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of the model, with the weights."""
        weights = WeightResults(self.eta, self.average, self.feature_eta, self.feature_average)
        return [results._replace(weights=weights) for results in super().results()]

    # ------------------------------------------------------------------ sweeps

    def close(self) -> None:
        """Stop the threads."""
        if self._warmup is not None:
            self._warmup.close()
        if self._pool is not None:
            self._pool.shutdown()

    def prepare(self) -> None:
        """Compile the samplers, or load them from the cache."""
        if self._warmup is not None:
            self._warmup.prepare()
        empty = SamplingProblem(
            np.zeros(0, np.int32),
            np.zeros(1, np.int64),
            1,  # keeps the table of counts small
            self.n_topics,
            self.alpha,
            base_prior(self.beta),
            seed=0,
            knowledge=_without_corpus(self._knowledge),
            assignments=np.zeros(0, np.uint32),
            supervision=Supervision(np.zeros((0, self._targets.shape[1])), self._loss),
        )
        engine = MedLDAEngine(empty, n_warmup_sweeps=0)
        engine._grid = self._grid and self._grid._replace(order=self._grid.order[:0])  # its type matters
        engine._sample(Cell(0, 0, 0, np.zeros(1, np.uint64)), streams(0, 1)[0], np.zeros(self.n_topics, np.int64))

    def sweep(self) -> None:
        """Draw auxiliary variables, weights and the topic of every token; add the weights to their mean."""
        if self._warmup is not None and self.sweep_number < max(1, self._n_warmup):
            self._warmup.sweep()
            self.n_moved = self._warmup.n_moved
        else:
            if self._warmup is not None:
                assignments = self._warmup.assignments
                self._warmup.close()
                self._warmup = None
                self._build_state(assignments)
            self._draw_auxiliaries()
            self._draw_weights()
            self._prepare_documents()
            self._draw_topics()
        self.sweep_number += 1
        share = averaging_weight(self.sweep_number, self._recency)
        self.average += share * (self.eta - self.average)
        self.feature_average += share * (self.feature_eta - self.feature_average)

    def _run(self, calls: Sequence[Callable[[], Any]]) -> None:
        run([ThreadTask(call) for call in calls], self._pool, self._n_jobs)

    def _draw_auxiliaries(self) -> None:
        """Draw A and Q, block by block of documents."""
        self._eta_by_topic = np.ascontiguousarray(self._eta.T)
        self._run([partial(self._draw_block, number) for number in range(len(self._doc_blocks))])

    def _draw_block(self, number: int) -> None:
        docs, n_tasks = self._doc_blocks[number], len(self._eta)
        scores = self._topic_scores(docs)
        if self._feature_scores is not None:
            scores = scores + self._feature_scores[docs]
        linear, quadratic = self._linearize(number, scores, self.sweep_number)
        self._terms.quadratic[docs, :n_tasks] = quadratic
        self._terms.center_gradient[docs, :n_tasks] = linear - quadratic * self._center[docs]
        self._quadratic[:, docs] = quadratic.T
        self._gradient[:, docs] = (linear - quadratic * scores).T

    def _linearize(self, number: int, scores: Floats, sweep: int) -> tuple[Floats, Floats]:
        """Draw A and Q of a block of documents, the same in every call."""
        docs = self._doc_blocks[number]
        weights = None if self._cost_weights is None else self._cost_weights[docs]
        rng = sweep_rng(self.seed, sweep, AUXILIARY, number)
        return self._loss.linearize(scores, self._targets[docs], self.doc_lengths[docs], weights, rng)

    def _topic_scores(self, docs: slice) -> Floats:
        """Scores m = Σ_k η_k n_dk of a block of documents."""
        state, eta = self._state, self._eta_by_topic
        scores = np.empty((docs.stop - docs.start, eta.shape[1]))
        topic_scores(state.assignments, state.offsets, eta, np.zeros(self.n_topics), np.uint64(docs.start), scores)
        return scores

    def _draw_weights(self) -> None:
        columns = count_by_topic(self._state.assignments, self._corpus[1], self.n_topics)
        posterior = WeightPosterior(self._gradient, self._quadratic, columns, self._nu)
        rng = sweep_rng(self.seed, self.sweep_number, WEIGHTS)
        if self._is_blocked:
            self._run(draw_blocked(self._eta, posterior, rng))
        else:
            self._run(draw_by_coordinates(self._eta, posterior, self._weight_sweeps, rng))
        if self._features is not None:
            posterior = posterior._replace(columns=self._features, nu=self._feature_nu)
            self._run(draw_by_coordinates(self._feature_eta, posterior, 1, rng))
            self._update_feature_scores()
        self._terms.eta[:-1, : len(self._eta)] = self._eta.T

    def _update_feature_scores(self) -> None:
        """Compute the part of the scores that does not come from topics: base scores and those of features."""
        self._feature_scores: Floats | None = None
        if self._base_scores is not None:
            self._feature_scores = self._base_scores * self.doc_lengths[:, None]
        if self._features is not None:
            of_words = np.zeros(self._targets.shape)
            for task, weights in enumerate(self._feature_eta):
                of_words[:, task] = add_weighted_columns(self._features, weights, np.zeros(len(of_words)))
            self._feature_scores = of_words if self._feature_scores is None else self._feature_scores + of_words

    def _prepare_documents(self) -> None:
        """Set the gradient of each document with the new weights, and plan the proposals of its tokens."""
        random = streams(self.seed, len(self._doc_blocks), self.sweep_number, PLAN)
        self._run([partial(self._prepare_block, number, random[number]) for number in range(len(self._doc_blocks))])

    def _prepare_block(self, number: int, random: NDArray[np.uint64]) -> None:
        docs = self._doc_blocks[number]
        self._terms.gradient[docs, : len(self._eta)] = self._gradient[:, docs].T
        if self._steps:
            self._plan_proposals(docs, random)

    def _plan_proposals(self, docs: slice, random: NDArray[np.uint64]) -> None:
        first, last = np.uint64(docs.start), np.uint64(docs.stop)
        table = new_table(self.n_topics)
        plan_proposals(self._state.offsets, self._terms, table, self._kinds, first, last, self._plan, random)

    def _draw_topics(self) -> None:
        cells = [[self._single_cell()]] if self._grid is None else self._grid.cells
        random = streams(self.seed, len(cells) ** 2, self.sweep_number, _TOPICS)
        self._beta_of_sweep = self._sweep_beta()
        results = sample_in_parallel(cells, self._sample, random, self.sizes, self._pool, self._n_jobs)
        self.n_moved = sum(result.n_moved for result in results)
        if self._counts is not None:
            _sort(self._counts)

    def _single_cell(self) -> Cell:
        n_docs = len(self.doc_lengths)
        return Cell(0, 0, n_docs, self._state.offsets[: n_docs + 1])

    def _sample(self, cell: Cell, random: NDArray[np.uint64], sizes: NDArray[np.int64]) -> CellResult:
        factors, pseudo = self._knowledge.factors, self._knowledge.document_pseudo_counts
        state = self._state._replace(total=np.asarray(sizes + self.beta_sum, np.float64))
        n_moved = kernel_with(sweep_medlda, factors)(
            state,
            None if self._grid is None else self._grid.order,
            cell.starts,
            np.uint64(cell.first),
            np.uint64(cell.last),
            self._beta_of_sweep,
            self._terms,
            factors,
            self._counts,
            no_multipliers(self.n_topics),
            self._knowledge.allowed_topics,
            pseudo,
            new_scratch(state.alpha, self._terms.eta.shape[1], self._steps, pseudo is not None),
            self._plan,
            random,
        )
        return CellResult(np.rint(state.total - self.beta_sum).astype(np.int64), n_moved)

    def _sweep_beta(self) -> Beta:
        """β with the present counts of linked words."""
        shared = self._knowledge.shared_word_counts
        if shared is None:
            return with_dense_priors(self.beta, self.n_topics)
        rows = rows_from_csr(csr_array(self._state.words.astype(np.int64)))
        return with_dense_priors(with_linked_counts(self.beta, shared, rows, self.n_topics), self.n_topics)

    # ------------------------------------------------------------------ state

    def _build_state(self, assignments: NDArray[np.uint32]) -> None:
        """Compute all counts from the assignments."""
        tokens, _ = self._corpus
        most = int(np.bincount(tokens, minlength=1).max(initial=0))
        words = np.zeros((self.n_words, self.n_topics), np.uint16 if most < 2**16 else np.int32)
        flat = tokens.astype(np.int64) * self.n_topics + assignments
        words.ravel()[:] = np.bincount(flat, minlength=words.size)
        order = np.argsort(tokens, kind="stable")
        place = np.empty(len(tokens), np.uint32)
        place[order] = np.arange(len(tokens))
        start = np.concatenate([[0], np.cumsum(np.bincount(tokens, minlength=self.n_words))]).astype(np.uint64)
        by_word = TokensByWord(start, assignments[order].astype(np.min_scalar_type(self.n_topics)), place)
        self._set_state(assignments, words, by_word)
        self._counts = self._sparse_counts(tokens, assignments) if self._knowledge.factors else None

    def _set_state(self, assignments: NDArray[np.uint32], words: NDArray[Any], by_word: TokensByWord) -> None:
        tokens, offsets = self._corpus
        probability, alias = alias_table(self.alpha)
        self._state = MedLDAState(
            tokens.view(np.uint32),
            offsets.view(np.uint64),
            assignments.astype(np.uint32),
            by_word,
            words,
            np.zeros(self.n_topics),
            self.alpha,
            np.append(probability, self.alpha.sum()),
            alias,
        )
        n_docs, n_tasks = self._targets.shape
        width = padded(n_tasks)
        eta = np.zeros((self.n_topics + 1, width), np.float32)
        eta[:-1, :n_tasks] = self._eta.T
        gradient, center_gradient, quadratic = np.zeros((3, n_docs, width), np.float32)
        self._terms = LossTerms(gradient, center_gradient, quadratic, eta)
        self._gradient, self._quadratic = np.zeros((2, n_tasks, n_docs))  # by task, to draw the weights
        self._plan = np.zeros((len(tokens), self._steps), np.min_scalar_type(self.n_topics + 2))
        self._beta_of_sweep = self._sweep_beta()

    def _sparse_counts(self, tokens: NDArray[np.int32], assignments: NDArray[np.uint32]) -> FactorCounts:
        """Sparse count rows for factors."""
        counts = FactorCounts(
            empty_rows(np.bincount(tokens, minlength=self.n_words), self.n_topics),
            empty_rows(self.doc_lengths, self.n_topics),
        )
        count_assignments(counts, tokens, self.doc_lengths, assignments, self.n_topics)
        _sort(counts)
        return counts


def _sort(counts: FactorCounts) -> None:
    for rows in counts:
        sort_rows(rows, np.uint64(0), np.uint64(len(rows.start)))


def _without_corpus(knowledge: CompiledKnowledge) -> CompiledKnowledge:
    """Knowledge of the same types about no token and a single word, which has no links."""
    allowed, shared = knowledge.allowed_topics, knowledge.shared_word_counts
    return knowledge._replace(
        allowed_topics=allowed and allowed._replace(sets=allowed.sets[:0]),
        shared_word_counts=shared
        and SharedCounts(np.zeros(2, np.uint64), np.empty(0, np.uint32), np.empty(0, np.float64)),
        word_priors=None if shared else knowledge.word_priors,
    )
