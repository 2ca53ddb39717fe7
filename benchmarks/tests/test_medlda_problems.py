"""Problems and methods of ``python -m benchmarks medlda``: ours and peers, on tiny problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.assertions import raises_input

from benchmarks.common import tomotopy_adapter as their_tomotopy
from benchmarks.medlda import MedLDAOptions, Problem, paper, problem_of, run
from benchmarks.medlda.fits import MethodVariant, dense
from benchmarks.medlda.parameters import Parameters
from benchmarks.medlda.peers import LdaSVC, TfidfSVC, TomotopySLDA
from benchmarks.medlda.rank_metrics import scores_of
from topicwright import MedLDAClassifier
from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError

from .helpers import NAMES
from .tiny_problems import documents, tiny_problems, without_test


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    return tiny_problems()


def test_kinds_of_problems(problems: dict[str, Problem]) -> None:
    classes, labels, targets = (problems[kind] for kind in ("classes", "labels", "targets"))
    assert classes.names == ("money", "sea", "sport")
    assert [classes.names[number] for number in classes.y_train[:3]] == NAMES
    assert labels.names == ("dry", "money", "sea", "sport")
    assert labels.y_train[:2].tolist() == [[1, 1, 0, 0], [0, 0, 1, 0]]
    assert targets.y_train[:3].tolist() == [0.0, 1.0, 2.0]
    assert [problem.n_tasks for problem in (classes, labels, targets)] == [3, 4, 1]


def test_scores(problems: dict[str, Problem]) -> None:
    classes, labels, targets = (problems[kind] for kind in ("classes", "labels", "targets"))
    assert classes.score(np.zeros(21)) == {"accuracy": pytest.approx(1 / 3)}
    assert labels.score(labels.y_test) == {"micro_f1": 1.0, "macro_f1": 1.0}
    assert targets.score(np.full(21, targets.y_test.mean())) == {"r2": pytest.approx(0.0)}


def test_class_unseen_in_training_counts_as_wrong() -> None:
    train, test = documents(30, 1), documents(9, 2)
    problem = problem_of(train.select([d for d in range(30) if d % 3]), test)
    assert problem.y_test.tolist() == [-1, 0, 1] * 3


def test_two_classes_of_many(problems: dict[str, Problem]) -> None:
    pair = problems["classes"].of_pair("sea", "sport")
    assert pair.train.n_docs == 40
    assert pair.n_tasks == 1
    assert set(pair.y_train.tolist()) == set(pair.y_test.tolist()) == {0, 1}
    assert all(label == ("sport",) for label, y in zip(pair.train.labels or (), pair.y_train) if y)
    with raises_input("classes", got="sea,land"):
        problems["classes"].of_pair("sea", "land")


def test_documents_held_out_are_training_documents(problems: dict[str, Problem]) -> None:
    problem = without_test(problems["classes"])
    inner = problem.held_out(seed=3)
    assert (inner.train.n_docs, inner.test.n_docs) == (48, 12)
    assert {*map(tuple, map(inner.test.words, range(12)))} <= {*map(tuple, map(problem.train.words, range(60)))}
    assert inner.test.labels != problem.held_out(seed=4).test.labels


def test_tiny_problem_keeps_all_tasks(problems: dict[str, Problem]) -> None:
    for problem in problems.values():
        assert problem.tiny().n_tasks == problem.n_tasks
        assert problem.tiny().train.n_docs < 10
    assert set(problems["classes"].tiny().y_train.tolist()) == {0, 1, 2}


def test_unlabeled_documents_are_left_out() -> None:
    corpus = documents(9, 1)
    some = replace(corpus, labels=(None, *(corpus.labels or ())[1:]))
    assert problem_of(some, corpus).train.n_docs == 8
    with pytest.raises(InputError, match="must have labels"):
        problem_of(replace(corpus, labels=None), corpus)
    with pytest.raises(InputError, match="one target each"):
        problem_of(replace(corpus, targets=None), corpus, targets=True)


def test_a_ranking_is_scored_by_its_first_labels_and_its_order(problems: dict[str, Problem]) -> None:
    """Of three documents with two labels each: all right, the second half wrong, and one that has no known label."""
    problem = replace(
        problems["labels"], y_test=np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=np.int8), names=("a", "b", "c")
    )
    scores = scores_of(problem, lambda corpus: np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]))
    assert scores["best_1"] == 1.0
    assert scores["lrap"] == pytest.approx((1.0 + (1.0 + 2 / 3) / 2) / 2)


# ---------------------------------------------------------------------- ours and peers


def test_engine_equals_fit(problems: dict[str, Problem]) -> None:
    problem = problems["classes"]
    held = MethodVariant("", Parameters(alpha_sum=6.0), 5).build(problem, 3, seed=7)
    for _ in range(5):
        held.sweep()
    known = {"sampler": "compositional", "C": 1.6, "alpha": 2.0, "beta": 0.01, "margin": 64.0, "mh_steps": 6}
    known["word_weights"] = known["calibrate"] = False
    whole = MedLDAClassifier(3, n_sweeps=5, random_state=7, **known).fit(problem.train, problem.y_train)
    assert np.array_equal(held.predict(problem.test), whole.predict(problem.test))
    assert np.array_equal(held.model.coef_, whole.coef_)


def test_engine_options_change_the_chain_and_nothing_else(problems: dict[str, Problem]) -> None:
    problem, parameters = problems["classes"], Parameters()
    usual = MethodVariant("", parameters, 4).build(problem, 4, 0)
    same = MethodVariant("", parameters, 4, engine={"proposals": "mixture"}).build(problem, 4, 0)
    other = MethodVariant("", parameters, 4, engine={"proposals": "cycle"}).build(problem, 4, 0)
    for _ in range(4):
        for one in (usual, same, other):
            one.sweep()
    assert np.array_equal(usual.engine.assignments, same.engine.assignments)
    assert not np.array_equal(usual.engine.assignments, other.engine.assignments)


def test_predictions_wait_for_weights(problems: dict[str, Problem]) -> None:
    one = MethodVariant("", Parameters(), 3).build(problems["classes"], 3, 0)
    ready = []
    for _ in range(3):
        one.sweep()
        ready.append(one.can_predict)
    assert ready == [False, False, True]


@pytest.mark.parametrize("kind", ["classes", "labels", "targets"])
def test_every_method_learns_what_is_easy(problems: dict[str, Problem], kind: str) -> None:
    pytest.importorskip("tomotopy")
    problem = problems[kind]
    base = {"classes": paper.USUAL, "labels": paper.MULTILABEL, "targets": paper.REGRESSION}[kind]
    methods = [
        (MethodVariant("", base, 20).build(problem, 6, 0), 20),
        (dense("", base, 20).build(problem, 6, 0), 20),
        (TfidfSVC(problem), 1),
        (LdaSVC(problem, base, 6, 20, 0), 20),
        (TomotopySLDA(problem, base, 6, 1), 60),
    ]
    for method, n_sweeps in methods:
        for _ in range(n_sweeps):
            method.sweep()
        assert min(problem.score(method.predict(problem.test)).values()) > 0.6, type(method)


def test_hundreds_of_labels_keep_their_order() -> None:
    """Small integers for labels, which save memory, overflow in scikit-learn beyond the 127th."""
    names = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrstuvwxyz"]
    own = [[names[d], names[(7 * d + 1) % len(names)]] for d in range(len(names))]
    corpus = Corpus.from_tokens([words * 3 for words in own], labels=own)
    problem = problem_of(corpus, corpus)
    method = TfidfSVC(problem)
    method.sweep()
    assert scores_of(problem, method.rank)["best_1"] == 1.0


def test_two_classes_have_one_response_for_tomotopy(problems: dict[str, Problem]) -> None:
    pytest.importorskip("tomotopy")
    problem = problems["classes"].of_pair("sea", "sport")
    method = TomotopySLDA(problem, Parameters(), 2, 0)
    method.sweep()
    assert method.n_responses == 1
    assert set(method.predict(problem.test).tolist()) <= {0, 1}


def test_missing_peer_is_reported(problems: dict[str, Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(their_tomotopy, "find_spec", lambda name: None)
    alone = run(MedLDAOptions(parts=("figure1",), topics=(3,), sweeps=4, peers=("tomotopy",)), problems)
    assert [fit.method for fit in alone.figure1] == ["LightMedLDA", "GibbsMedLDA"]
    assert "tomotopy is not installed: its sLDA is left out" in alone.notes


def test_further_parameters_reach_the_estimator(problems: dict[str, Problem]) -> None:
    parameters = Parameters(more=(("class_weight", "balanced"),))
    assert MethodVariant("", parameters, 3).build(problems["labels"], 3, 0).model.class_weight == "balanced"
    assert dense("", parameters, 3).build(problems["labels"], 3, 0).model.class_weight == "balanced"
    with pytest.raises(InputError, match="MedLDARegressor has no parameter class_weight"):
        MethodVariant("", replace(paper.REGRESSION, more=parameters.more), 3).build(problems["targets"], 3, 0)
