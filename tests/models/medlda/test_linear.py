"""The convex solve of word weights, and the shares of left-out documents."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

import topicwright as tw
from topicwright._sampling.inference import TokenBatch, infer
from topicwright._sampling.medlda.left_out import left_out_shares
from topicwright.losses import EpsilonInsensitive, Hinge, Logistic, SquaredLoss
from topicwright.models._inputs import Tasks
from topicwright.models.medlda.linear import LinearProblem, left_out_scores, solve_path, task_blocks

from .themes import themes_of

LOSSES = [Hinge(margin=2.0), Logistic(), EpsilonInsensitive(epsilon=0.1), SquaredLoss()]


def problem_of(loss: Any, n_tasks: int = 2, n_jobs: int = 1) -> LinearProblem:
    """Random rows of length 1 with noisy targets, one of them unknown, and weights of the costs."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 5)) * (rng.random((60, 5)) < 0.7)
    rows /= np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))
    targets = rows @ rng.standard_normal((5, n_tasks)) + 0.5 * rng.standard_normal((60, n_tasks))
    if isinstance(loss, (Hinge, Logistic)):
        targets = np.where(targets > 0, 1.0, -1.0)
    targets[3, 0] = np.nan
    return LinearProblem(csr_array(rows), Tasks(targets, rng.uniform(0.5, 2.0, targets.shape)), loss, n_jobs)


def objective(problem: LinearProblem, task: int, cost: float, weights: Any) -> float:
    """½ ‖w‖² + C Σ loss in units of the margin, in which the hinge loss is squared."""
    rows, (targets, costs), loss, _ = problem
    known = ~np.isnan(targets[:, task])
    scores, y = (rows @ weights)[known], targets[known, task]
    of_document = np.maximum(0.0, 1.0 - y * scores) ** 2 if isinstance(loss, Hinge) else loss.pseudo_loss(scores, y)
    return float(weights @ weights / 2 + cost * np.sum(costs[known, task] * of_document))


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_solution_is_the_minimum(loss: Any) -> None:
    problem = problem_of(loss)
    for cost, found in zip((0.3, 3.0), solve_path(problem, (0.3, 3.0), 20_000, 0.0)):
        for task in range(2):
            weights = found[:, task] / getattr(loss, "margin", 1.0)
            own = objective(problem, task, cost, weights)
            options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-9, "fatol": 1e-12}
            of_task = partial(objective, problem, task, cost)
            assert own <= minimize(of_task, weights, method="Nelder-Mead", options=options).fun + 1e-5 * own
            assert of_task(0.98 * weights) > (1 + 1e-5) * own


def test_a_task_does_not_depend_on_threads_or_on_tasks_of_other_blocks() -> None:
    (alone,), (threads,) = (solve_path(problem_of(Hinge(), 150, n_jobs), (1.0,), 500, 0.0) for n_jobs in (1, 2))
    assert alone.tobytes() == threads.tobytes()
    problem = problem_of(Hinge(), 150)
    blocks = task_blocks(150)
    assert len(blocks) > 1
    last = Tasks(*(part[:, blocks[-1]].copy() for part in problem.tasks))
    np.testing.assert_allclose(solve_path(problem._replace(tasks=last), (1.0,), 500, 0.0)[0], alone[:, blocks[-1]])


def test_left_out_documents_choose_the_penalty() -> None:
    """Targets that are pure noise call for the strongest penalty, those without noise for the weakest."""
    rng = np.random.default_rng(1)
    rows = csr_array(rng.standard_normal((100, 20)) / np.sqrt(20))
    noise, exact = rng.standard_normal((100, 1)), rows @ rng.standard_normal((20, 1))

    def choose(targets: Any) -> float:
        problem = LinearProblem(rows, Tasks(targets), SquaredLoss())
        chosen = left_out_scores(problem, (0.01, 1.0, 100.0), lambda scores, y: -float(np.mean((scores - y) ** 2)))
        alone = left_out_scores(problem, (chosen.cost,), lambda scores, y: 0.0)
        np.testing.assert_allclose(chosen.scores, alone.scores, atol=0.05)  # on a path of costs, and from zero
        return chosen.cost

    assert choose(noise) == 0.01
    assert choose(exact) == 100.0


def test_left_out_scores_do_not_know_the_target_of_the_document() -> None:
    problem = problem_of(SquaredLoss())
    scores = left_out_scores(problem, (1.0,), lambda scores, y: 0.0).scores
    targets = problem.tasks.targets.copy()
    targets[7] += 100.0
    changed = problem._replace(tasks=problem.tasks._replace(targets=targets))
    other = left_out_scores(changed, (1.0,), lambda scores, y: 0.0).scores
    np.testing.assert_array_equal(scores[7], other[7])
    assert not np.allclose(scores, other)


def test_left_out_shares_are_those_of_a_model_without_the_document(texts: list[str]) -> None:
    corpus = tw.Corpus.from_texts(texts)
    whole = tw.LDA(4, n_sweeps=5, random_state=1).fit(corpus)
    docs = TokenBatch(corpus.tokens, corpus.offsets)
    shares = left_out_shares(whole._snapshot, docs, whole.assignments_, 6)
    for d in (0, 7):
        first, last = corpus.offsets[d], corpus.offsets[d + 1]
        counts = whole.topic_word_counts_.toarray().astype(float)
        np.subtract.at(counts, (whole.assignments_[first:last], corpus.tokens[first:last]), 1)
        probability = (counts + whole.beta_) / (counts.sum(axis=1, keepdims=True) + whole.beta_ * corpus.n_words)
        expected = whole.alpha_ / whole.alpha_.sum() * (last - first)
        for _ in range(6):
            each = (expected + whole.alpha_)[:, None] * probability[:, corpus.tokens[first:last]]
            expected = (each / each.sum(axis=0)).sum(axis=1)
        np.testing.assert_allclose(shares[d], expected / (last - first))
    assert np.abs(shares - infer(whole._snapshot, docs, n_steps=6, is_smoothed=False)).max() > 1e-3


# ---------------------------------------------------------------------- estimators


def test_word_weights_are_the_default_for_losses_of_the_package(texts: list[str]) -> None:
    class OwnLoss:
        linearize, center, pseudo_loss = Hinge(1.6, 4.0).linearize, Hinge(1.6, 4.0).center, Hinge().pseudo_loss

    fit = {"n_topics": 4, "n_sweeps": 4}
    assert tw.MedLDAClassifier(**fit).fit(texts, themes_of(60)).word_coef_ is not None
    assert tw.MedLDAClassifier(**fit, loss=OwnLoss()).fit(texts, themes_of(60)).word_coef_ is None
    assert (
        tw.MedLDAClassifier(**fit, loss=OwnLoss(), word_weights=True).fit(texts, themes_of(60)).word_coef_ is not None
    )


@pytest.mark.parametrize("word_weights", ["auto", False])
@pytest.mark.parametrize("n_sweeps", [1, 2])
def test_one_sweep_is_enough(texts: list[str], n_sweeps: int, word_weights: Any) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=n_sweeps, word_weights=word_weights).fit(texts, themes_of(60))
    assert model.sweeps_ == n_sweeps
    assert model.score(texts, themes_of(60)) > 0.5


@pytest.mark.parametrize("refit", [True, False])
def test_saved_model_has_the_same_intercept(texts: list[str], refit: bool, tmp_path: Any) -> None:
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=5, refit=refit).fit(texts, themes_of(60))
    model.save(tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert again.word_weights == "auto"
    assert np.abs(again.intercept_).min() > 0
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
