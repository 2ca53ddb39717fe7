"""OnlineLabeledLDA: prior of labels that is predicted from the words of a document."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.io import read_model, write_model
from topicwright.models.online import regression as online_regression
from topicwright.models.online import state as online_state
from topicwright.models.online.regression import StreamRegression

from .test_model import LABELS, TEXTS

DOCUMENTS = [[0, 1, 1], [2], [], [1, 3, 0], [4, 4, 2, 0], [3]]
OWN = [[0], [1], [0], [], [0, 2], [2, 1]]


def steps_by_hand(documents: list[list[int]], labels: list[list[int]]) -> tuple[Any, Any]:
    """Weights and intercepts, with dense rows and in double precision."""
    weights, intercepts = np.zeros((5, 3)), np.zeros(3)
    in_documents: Counter[int] = Counter()
    n_docs = n_labels = 0
    for words, own in zip(documents, labels):
        if not words or not own:
            continue
        n_docs, n_labels = n_docs + 1, max(n_labels, *(k + 1 for k in own))
        in_documents.update(set(words))
        row = np.zeros(5)
        for word, times in Counter(words).items():
            row[word] = (1 + np.log(times)) * (1 + np.log((1 + n_docs) / (1 + in_documents[word])))
        row /= np.linalg.norm(row)
        p = np.zeros(3)
        p[:n_labels] = np.exp(intercepts[:n_labels] + row @ weights[:, :n_labels])
        step = -5 * p / p.sum()
        step[own] += 5 / len(own)
        weights += np.outer(row, step)
        intercepts += 0.04 * step
    return weights, intercepts


def test_one_step_for_each_document() -> None:
    """With the labels and document frequencies so far, in one call or several."""
    whole, pieces = StreamRegression(), StreamRegression()
    whole.learn(DOCUMENTS, OWN)
    for n in range(0, 6, 2):
        pieces.learn(DOCUMENTS[n : n + 2], OWN[n : n + 2])
    weights, intercepts = steps_by_hand(DOCUMENTS, OWN)
    fitted = whole.fitted(5, 3)
    np.testing.assert_allclose(fitted.weights, weights, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(fitted.intercepts, intercepts, rtol=1e-4, atol=1e-5)
    assert whole.n_documents == 4
    for one, other in zip(whole.to_arrays(5, 3).values(), pieces.to_arrays(5, 3).values()):
        np.testing.assert_array_equal(one, other)


def test_words_beyond_the_limit_have_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_regression, "_MOST_WORDS", 2)
    limited = StreamRegression()
    limited.learn(DOCUMENTS, OWN)
    without = [[word for word in words if word < 2] for words in DOCUMENTS]
    assert limited.fitted(5, 3).words.tolist() == [0, 1]
    assert limited.weights.shape[0] == 2
    np.testing.assert_allclose(limited.fitted(5, 3).weights[0, 0], limited.weights[0, 0])
    assert limited.frequencies.tolist() == [sum(n in words for words, own in zip(without, OWN) if own) for n in (0, 1)]


def test_pruned_words_and_labels_are_renumbered() -> None:
    stream = StreamRegression()
    stream.learn(DOCUMENTS, OWN)
    before = stream.fitted(5, 3)
    words, labels = np.array([True, False, True, True, False]), np.array([True, False, True])
    stream.renumber(words, labels)
    after = stream.fitted(3, 2)
    np.testing.assert_array_equal(after.weights, before.weights[words][:, labels])
    np.testing.assert_array_equal(after.intercepts, before.intercepts[labels])
    np.testing.assert_array_equal(after.idf, before.idf[words])
    stream.learn([[0, 5], [1]], [[2], [0]])  # a new word and a new label
    assert stream.fitted(6, 3).weights.shape == (4, 3)


def test_predictions_use_it() -> None:
    model = tw.OnlineLabeledLDA().fit(TEXTS, LABELS)
    by_words = model.predict_proba(["ship wave law"])
    predicted = model._inference_with().predicted
    assert predicted is not None
    assert predicted.strength == sum(map(len, LABELS)) / len(LABELS)
    other = tw.OnlineLabeledLDA(label_prior="frequency").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.topic_word_, other.topic_word_)
    assert np.abs(by_words - other.predict_proba(["ship wave law"])).max() > 0.01
    np.testing.assert_array_equal(by_words, other.set_params(label_prior="words").predict_proba(["ship wave law"]))


def test_documents_with_predicted_labels_do_not_count() -> None:
    model = tw.OnlineLabeledLDA(unlabeled="likely").fit(TEXTS[:20], LABELS[:20])
    before = model.stream_.regression.to_arrays(5, 2)
    model.partial_fit(["ship wave", "bread flour"])
    assert model.n_docs_seen_ == 22
    for one, other in zip(before.values(), model.stream_.regression.to_arrays(5, 2).values()):
        np.testing.assert_array_equal(one, other)


def test_too_many_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_state, "MOST_LABELS", 2)
    model = tw.OnlineLabeledLDA().fit(["ship", "law"], ["sea", "court"])
    assert model._prior_kind() == "words"
    model.partial_fit(["bread"], ["kitchen"])
    assert model._prior_kind() == "frequency"
    assert model.predict(["bread"]).tolist() == ["kitchen"]
    with pytest.raises(InputError, match=r"'frequency' or 'flat'.*too many labels"):
        model.set_params(label_prior="words").predict(["bread"])


def test_file_of_an_earlier_version(tmp_path: Path) -> None:
    """It has no regression, and its prior is the frequency."""
    model = tw.OnlineLabeledLDA(label_prior="frequency").fit(TEXTS[:30], LABELS[:30])
    model.save(tmp_path / "m.tw")
    file = read_model(tmp_path / "m.tw")
    meta = {name: entry for name, entry in file.meta.items() if name != "regression"}
    arrays = {name: part for name, part in file.arrays.items() if not name.startswith("regression.")}
    write_model(tmp_path / "old.tw", file.kind, meta, arrays)
    old = tw.load(tmp_path / "old.tw").partial_fit(TEXTS[30:], LABELS[30:])
    model.partial_fit(TEXTS[30:], LABELS[30:])
    np.testing.assert_array_equal(old.predict_proba(TEXTS[:5]), model.predict_proba(TEXTS[:5]))
    assert old.stream_.regression is None
    old.set_params(label_prior="auto")
    np.testing.assert_array_equal(old.predict_proba(TEXTS[:5]), model.predict_proba(TEXTS[:5]))
