"""Prior of labels that is predicted from the words of a document."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright._sampling.inference import TokenBatch, infer
from topicwright.errors import CorpusNotStoredError
from topicwright.models.labeled import prediction, regression
from topicwright.models.labeled.inference import AllowedLabels, PredictedPrior
from topicwright.models.labeled.regression import LabelRegression, fit_label_regression

from .documents import LABELS, NAMES, TEXTS, Generated


def batch(*documents: list[int]) -> TokenBatch:
    tokens = np.array([w for document in documents for w in document], np.int32)
    return TokenBatch(tokens, np.cumsum([0, *map(len, documents)]))


def softmax(scores: Any) -> Any:
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture
def by_hand() -> LabelRegression:
    weights = np.random.default_rng(0).normal(0, 2, (3, 4)).astype(np.float32)
    return LabelRegression(np.array([1.0, 2.0, 0.0, 1.5]), np.array([0, 1, 3], np.int32), weights, np.arange(4) / 2)


# ---------------------------------------------------------------------- the regression


def test_steps_follow_the_gradient() -> None:
    """Each step adds η (q − p) x, written out here with dense rows and double precision."""
    rng = np.random.default_rng(1)
    rows, labels = rng.random((6, 5)) * (rng.random((6, 5)) < 0.6), [[0], [1, 2], [2], [0, 1, 2], [1], [0]]
    weights, intercepts, q = np.zeros((5, 3)), np.array([0.3, -0.2, 0.1]), np.zeros((6, 3))
    for row, own in zip(q, labels):
        row[own] = 1 / len(own)
    orders = np.array([rng.permutation(6) for _ in range(4)])
    found, found_intercepts = weights.astype(np.float32), intercepts.astype(np.float32)
    for n, d in enumerate(orders.ravel()):
        p = softmax(intercepts + rows[d] @ weights)
        step = 2.0 * (1 - n / orders.size) * (q[d] - p)
        weights += np.outer(rows[d], step)
        intercepts = intercepts + 0.04 * step
    start = np.arange(7) * 5
    flat, first = np.array([k for own in labels for k in own], np.int32), np.cumsum([0, *map(len, labels)])
    matrix = start, np.tile(np.arange(5, dtype=np.int32), 6), rows.astype(np.float32).ravel()
    regression.ascend_gradient(matrix, (first, flat), found, found_intercepts, orders, np.float32(2.0))
    np.testing.assert_allclose(found, weights, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found_intercepts, intercepts, rtol=1e-4)


def test_probabilities_are_mean_shares_of_labels() -> None:
    """Documents with the same words get the mean of 1 / |L_d|, the maximum of the likelihood."""
    labels = [[0], [0], [1, 2], [0], [1], [1]] * 100
    fitted = fit_label_regression(batch(*[[0, 0], [0, 0], [0, 0], [0, 0], [1], [1]] * 100), labels, 2, 3)
    found = softmax(fitted.scores(batch([0], [1, 1])))
    np.testing.assert_allclose(found, [[0.75, 0.125, 0.125], [0, 1, 0]], atol=0.06)


def test_documents_without_labels_or_words_are_left_out() -> None:
    documents, labels = [[0, 1], [1, 2], [0], [3, 3], []], [[0], [1], [0], [], [1]]
    whole = fit_label_regression(batch(*documents), labels, 4, 2)
    part = fit_label_regression(batch(*documents[:3]), labels[:3], 4, 2)
    assert whole.words.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(whole.idf, part.idf)
    assert (whole.scores(batch([0]))[0].argmax(), whole.scores(batch([2]))[0].argmax()) == (0, 1)


def test_words_beyond_the_limit_have_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words in most documents keep theirs; others are as if they were unknown."""
    monkeypatch.setattr(regression, "_MOST_WEIGHTS", 4)
    fitted = fit_label_regression(batch([0, 2], [0, 1], [2, 3, 0], [2]), [[0], [1], [0], [1]], 4, 2)
    assert fitted.words.tolist() == [0, 2]
    assert fitted.weights.shape == (2, 2)
    np.testing.assert_array_equal(fitted.scores(batch([0, 1, 3]))[0], fitted.scores(batch([0]))[0])
    np.testing.assert_array_equal(fitted.scores(batch([1], []))[0], fitted.intercepts)


# ---------------------------------------------------------------------- α of documents


def test_predicted_alpha(by_hand: LabelRegression) -> None:
    """α_d = s N_d π_d, with π over the candidates, and a share of the background."""
    prior = PredictedPrior(by_hand, 1.5, np.array([0.2]))
    documents = batch([0, 1, 1], [], [3])
    found = prior.alpha(documents, None)
    pi = softmax(by_hand.scores(documents))
    np.testing.assert_allclose(found[:, :4], 1.5 * np.array([[3], [1], [1]]) * 0.8 * pi)
    np.testing.assert_allclose(found[:, 4], 1.5 * np.array([3, 1, 1]) * 0.2)
    np.testing.assert_allclose(found[1, :4] / 1.2, softmax(by_hand.intercepts))
    some = prior.alpha(documents, np.array([1, 3]))
    np.testing.assert_array_equal(some[:, [0, 2]], 0)
    np.testing.assert_allclose(
        some[:, [1, 3]], 1.2 * np.array([[3], [1], [1]]) * softmax(by_hand.scores(documents)[:, [1, 3]])
    )


def test_inference_with_a_prior_for_each_document(generated: Generated) -> None:
    """θ is that of the document alone with its α as the α of all."""
    model = tw.LabeledLDA(n_sweeps=5).fit(generated.corpus)
    part = generated.corpus.select(np.arange(5))
    documents, priors = TokenBatch(part.tokens, part.offsets), np.random.default_rng(0).gamma(0.5, 2, (5, 8))
    priors[2, 3] = 0.0
    found = infer(model._snapshot, documents, priors=priors)
    for d, alpha in enumerate(priors):
        one = TokenBatch(part.tokens[part.offsets[d] : part.offsets[d + 1]], np.array([0, 60]))
        np.testing.assert_array_equal(found[[d]], infer(model._snapshot._replace(alpha=alpha), one))
    assert found[2, 3] == 0


def test_strength_is_the_mean_number_of_labels() -> None:
    model = tw.LabeledLDA(n_sweeps=2, n_background_topics=1).fit(TEXTS, [*LABELS[:-2], None, []])
    predicted = model._inference_with().predicted
    assert predicted is not None
    assert predicted.strength == sum(map(len, LABELS[:-2])) / 58
    sizes = np.asarray(model.topic_word_counts_.sum(axis=1)).ravel()
    np.testing.assert_allclose(predicted.background, sizes[3:] / sizes.sum())


def test_known_labels_do_not_use_it(labeled: tw.LabeledLDA) -> None:
    inference = labeled._inference_with()
    documents = labeled._documents(["ship wave", "law"])
    assert inference.predicted_alpha(documents, AllowedLabels((0, 1), True)) is None
    flat = tw.LabeledLDA(n_sweeps=30, label_prior="flat").fit(TEXTS, LABELS)
    assert labeled.perplexity(TEXTS, LABELS) == flat.perplexity(TEXTS, LABELS)
    frequency = tw.LabeledLDA(n_sweeps=30, label_prior="frequency").fit(TEXTS, LABELS)
    assert labeled.perplexity(TEXTS) == frequency.perplexity(TEXTS)  # words do not predict themselves
    np.testing.assert_array_equal(labeled.topic_word_, flat.topic_word_)


# ---------------------------------------------------------------------- explanations


def test_contributions_add_up(by_hand: LabelRegression) -> None:
    allowed = np.array([0, 1, 3])
    document = batch([0, 1, 1, 3, 2])
    without, added = by_hand.contributions(document, [3, 1], allowed)
    np.testing.assert_allclose(without, softmax(by_hand.intercepts[allowed])[[2, 1]])
    expected = softmax(by_hand.scores(document)[0, allowed])[[2, 1]]
    np.testing.assert_allclose(without + added.sum(axis=1), expected, rtol=1e-10)
    np.testing.assert_array_equal(added[:, 2], 0)  # it has no weights
    row = by_hand.features(document).toarray()[0]
    steps = (np.arange(4000) + 0.5) / 4000
    p = softmax(by_hand.intercepts[allowed] + np.outer(steps, row @ by_hand.weights[:, allowed]))
    for j, word in enumerate(by_hand.words):
        effect = by_hand.weights[j, allowed]
        gradient = (p * (effect - (p @ effect)[:, None])).mean(axis=0) * row[j]
        np.testing.assert_allclose(added[:, word], gradient[[2, 1]], rtol=1e-5)


def test_a_word_for_and_a_word_against() -> None:
    model = tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)
    (sea, court) = model.explain("ship ship wave law", n_labels=2).reasons
    assert (sea.what, court.what) == ("sea", "court")
    by_itself = {word.word: word.by_itself for word in sea.words}
    assert by_itself["ship"] > 0 > by_itself["law"]
    assert sea.from_words == pytest.approx(sum(by_itself.values()))


# ---------------------------------------------------------------------- models


def test_auto_is_words_up_to_a_number_of_labels(monkeypatch: pytest.MonkeyPatch, labeled: tw.LabeledLDA) -> None:
    by_words = labeled.predict_proba(TEXTS[:5])
    assert labeled._prior_kind() == "words"
    monkeypatch.setattr(prediction, "MOST_LABELS", 2)
    model = tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)
    assert model._regression is None
    other = tw.LabeledLDA(n_sweeps=30, label_prior="frequency").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.predict_proba(TEXTS[:5]), other.predict_proba(TEXTS[:5]))
    model.set_params(label_prior="words")  # fitted when it is needed
    np.testing.assert_array_equal(model.predict_proba(TEXTS[:5]), by_words)


def test_the_regression_needs_documents(tmp_path: Any) -> None:
    tw.LabeledLDA(n_sweeps=2, label_prior="flat").fit(TEXTS, LABELS).save(tmp_path / "m.tw", include_corpus=False)
    loaded = tw.load(tmp_path / "m.tw").set_params(label_prior="words")
    with pytest.raises(CorpusNotStoredError, match="label_prior='words'"):
        loaded.predict(["ship"])


def test_threshold_is_found_on_left_out_documents(labeled: tw.LabeledLDA) -> None:
    """The shares of a document come from a regression that did not see it: here four folds of 60 documents."""
    shares, labels = labeled._threshold_shares()
    assert labels == [[NAMES.index(name) for name in sorted(own)] for own in LABELS]
    visible = [own if row % 4 else [] for row, own in enumerate(labels)]
    documents = TokenBatch(labeled.corpus_.tokens, labeled.corpus_.offsets)
    fitted = fit_label_regression(documents, visible, labeled.corpus_.n_words, 3)
    inference = labeled._inference_with()
    assert inference.predicted is not None
    inference = inference._replace(predicted=inference.predicted._replace(regression=fitted))
    theta = inference.infer(documents, [AllowedLabels()] * 60)
    np.testing.assert_allclose(shares[::4], theta[::4])
    assert np.abs(shares[1::4] - theta[1::4]).max() > 1e-3
