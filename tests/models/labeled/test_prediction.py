"""LabeledLDA: predictions and perplexity."""

from __future__ import annotations

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, UnknownWordsWarning
from topicwright.models.labeled.inference import AllowedLabels, frequency_prior

from .documents import LABELS, NAMES, TEXTS, Generated

# ---------------------------------------------------------------------- predictions


def test_predicts_the_training_labels(generated: Generated) -> None:
    """Much better than chance: the average precision of a random ranking is 0.3 here."""
    from sklearn.metrics import label_ranking_average_precision_score

    train, test = generated.corpus.select(np.arange(300)), generated.corpus.select(np.arange(300, 400))
    model = tw.LabeledLDA().fit(train)
    truth = np.array([[name in labels for name in model.classes_] for labels in test.labels])
    assert label_ranking_average_precision_score(truth, model.predict_proba(test)) > 0.9
    predicted = model.predict(test)
    right = sum(len(set(own) & set(labels)) for own, labels in zip(predicted, test.labels))
    assert 2 * right / (sum(map(len, predicted)) + truth.sum()) > 0.8  # F1
    assert model.score(test, test.labels) > 0.3  # of 92 sets, the exact one


def test_predictions_have_the_type_of_y(labeled: tw.LabeledLDA) -> None:
    texts = ["ship wave sail", "law oven bread judge salt jury"]
    assert labeled.predict(texts) == [("sea",), ("court", "kitchen")]
    indicator = np.array([[name in labels for name in NAMES] for labels in LABELS], dtype=int)
    assert tw.LabeledLDA(n_sweeps=30).fit(TEXTS, indicator).predict(texts).tolist() == [[0, 0, 1], [1, 1, 0]]
    single = tw.LabeledLDA(n_sweeps=5).fit(TEXTS, [labels[0] for labels in LABELS])
    assert single.predict(["sail", "jury"]).tolist() == ["sea", "court"]
    assert not single.multilabel_
    assert labeled.multilabel_


def test_predictions_are_consistent_with_scores(labeled: tw.LabeledLDA) -> None:
    texts = ["ship wave sail", "law oven bread judge salt jury", ""]
    verdicts = labeled.decide(texts)
    np.testing.assert_array_equal(verdicts.values[:2], labeled.predict_proba(texts[:2]))
    np.testing.assert_array_equal(verdicts.given, [[name in own for name in NAMES] for own in labeled.predict(texts)])
    for best, ranked in zip(verdicts.best_first(), labeled.rank(texts)):
        assert [NAMES[k] for k in best] == [label for label, _ in ranked[: len(best)]]
    assert labeled.decide(texts, ["sea"]).best_first() == [[NAMES.index("sea")]] * 2 + [[]]
    with pytest.raises(InputError, match="score needs y"):
        labeled.score(texts)
    with pytest.raises(InputError, match="1 entries but X has 3"):
        labeled.score(texts, [["sea"]])


def test_labels_by_rank(labeled: tw.LabeledLDA) -> None:
    assert labeled.predict(["law oven"], top=3) == [("court", "kitchen", "sea")]
    assert labeled.predict(["law law judge oven"], top=1) == [("court",)]
    (ranked,) = labeled.rank(["law law judge oven"], top=2)
    assert [label for label, _ in ranked] == ["court", "kitchen"]
    assert ranked[0].probability > ranked[1].probability
    assert len(labeled.rank(["law"])[0]) == 3
    assert sum(probability for _, probability in labeled.rank(["law"])[0]) == pytest.approx(1)


def test_candidates_are_respected(with_background: tw.LabeledLDA) -> None:
    texts = ["law judge oven", "ship oven the"]
    theta = with_background.transform(texts, candidates=["sea", "kitchen"])
    assert (theta[:, 0] == 0).all()
    assert (theta[:, 1:] > 0).all()  # the background is always there
    np.testing.assert_allclose(theta.sum(axis=1), 1)
    each = with_background.transform(texts, candidates=[["sea"], None])
    assert (each[0, :2] == 0).all()
    np.testing.assert_array_equal(each[1], with_background.transform(texts)[1])
    assert with_background.predict_proba(texts, candidates=["sea"]).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert with_background.predict(texts, candidates=["sea"]) == [("sea",), ("sea",)]
    assert with_background.predict(texts, candidates=["sea"], top=3) == [("sea",), ("sea",)]
    assert [label for label, _ in with_background.rank(texts, candidates=["sea", "court"])[0]] == ["court", "sea"]
    assert np.isneginf(with_background.decision_function(texts, candidates=["sea"])[:, :2]).all()


def test_thresholds(labeled: tw.LabeledLDA) -> None:
    shares, scores = labeled.predict_proba(["law oven"]), labeled.decision_function(["law oven"])
    np.testing.assert_allclose(scores, np.log(shares) - np.log(labeled.threshold_))
    assert 0 < labeled.threshold_ < 0.5
    few, many = (tw.LabeledLDA(n_sweeps=30, threshold=share).fit(TEXTS, LABELS) for share in (0.99, 1e-9))
    assert few.threshold_ == 0.99
    assert [len(labels) for labels in few.predict(["law oven", "zzz ship"][:1])] == [1]
    assert many.predict(["law oven"]) == [tuple(NAMES)]
    assert few.set_params(threshold=0.3).threshold_ == 0.3


def test_default_threshold_without_labeled_words() -> None:
    corpus = tw.Corpus.from_texts(["ship", "", ""], labels=[[], ["sea"], ["sea", "court"]])
    model = tw.LabeledLDA(n_sweeps=1, n_background_topics=1).fit(corpus)
    assert model.threshold_ == 0.5
    assert [len(labels) for labels in model.predict(["ship"])] == [1]


def test_binary_labels_have_one_score() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(["ship sea", "law jury"] * 9, ["sea", "court"] * 9)
    scores, shares = model.decision_function(["ship", "law"]), model.predict_proba(["ship", "law"])
    assert scores.shape == (2,)
    assert (scores > 0).tolist() == [True, False]
    np.testing.assert_allclose(scores, np.log(shares[:, 1] / shares[:, 0]))


def test_label_frequencies_are_the_prior_of_new_documents() -> None:
    texts, labels = ["ship sea", "law jury"], [["sea"], ["court"]]
    model = tw.LabeledLDA(n_sweeps=3).fit(texts[:1] * 30 + texts[1:] * 10, labels[:1] * 30 + labels[1:] * 10)
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(model.predict_proba(["zzz"]), [[0.25, 0.75]], atol=0.02)
    model.set_params(label_prior="frequency")
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(model.predict_proba(["zzz"]), [[0.25, 0.75]])
    model.set_params(label_prior="flat")
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(model.predict_proba(["zzz"]), [[0.5, 0.5]])


def test_a_frequent_label_does_not_outvote_clear_words() -> None:
    """One of 101 labels has as many documents as all others: its prior would be five words."""
    rare = [[f"wheat{n}", f"grain{n}", f"tonnes{n}"] for n in range(100)]
    texts = [["profit", "dividend", "shares"]] * 300 + rare * 3
    labels = [["earn"]] * 300 + [[f"rare{n}"] for n in range(100)] * 3
    model = tw.LabeledLDA(n_sweeps=3).fit(texts, labels)
    np.testing.assert_allclose(frequency_prior(model.alpha_, model.label_counts_, 600), [1.0] + [0.01] * 100)
    assert model.predict([rare[3], ["shares"]]) == [("rare3",), ("earn",)]


def test_prediction_does_not_depend_on_other_documents(generated: Generated) -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(generated.corpus)
    theta = model.transform(generated.corpus)
    np.testing.assert_array_equal(model.transform(generated.corpus.select([300, 5])), theta[[300, 5]])


def test_frame_column_without_documents() -> None:
    pd = pytest.importorskip("pandas")
    y = pd.DataFrame({"sea": [1, 0] * 9, "court": [0, 1] * 9, "moon": [0] * 18})
    model = tw.LabeledLDA(n_sweeps=5).fit(["ship sea", "law jury"] * 9, y)
    assert model.classes_.tolist() == ["sea", "court", "moon"]
    assert model.predict(["ship ship", "jury"]).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert model.predict_proba(["ship"], candidates=["moon"]).tolist() == [[0, 0, 1]]


@pytest.mark.filterwarnings("ignore::topicwright.errors.UnknownWordsWarning")
def test_document_without_a_known_word_has_no_label(labeled: tw.LabeledLDA) -> None:
    texts = ["zzz qqq", "ship wave zzz", ""]
    assert labeled.count_unknown(texts).tolist() == [2, 1, 0]
    assert labeled.predict(texts) == [(), ("sea",), ()]
    assert labeled.predict(texts, top=1) == [(), ("sea",), ()]
    assert [len(ranked) for ranked in labeled.rank(texts)] == [0, 3, 0]
    values, given = labeled.decide(texts)
    assert np.isnan(values).all(axis=1).tolist() == [True, False, True]
    assert given.any(axis=1).tolist() == [False, True, False]
    np.testing.assert_allclose(labeled.predict_proba(texts)[0], labeled.transform(texts)[2])  # the prior
    assert labeled.explain("zzz").reasons == []
    assert str(labeled.explain("zzz")) == "no word that the model knows"
    indicator = np.array([[name in labels for name in NAMES] for labels in LABELS], dtype=int)
    assert tw.LabeledLDA(n_sweeps=5).fit(TEXTS, indicator).predict(texts)[[0, 2]].tolist() == [[0, 0, 0]] * 2
    single = tw.LabeledLDA(n_sweeps=5).fit(TEXTS, [labels[0] for labels in LABELS])
    assert single.predict(texts).tolist()[0] == single.classes_[single.label_counts_.argmax()]
    assert single.decide(texts).best_first()[0] == []


def alpha_of(model: tw.LabeledLDA, text: str) -> np.ndarray:
    """α that a model predicts for a document."""
    alpha = model._inference_with().predicted_alpha(model._documents([text]), AllowedLabels())
    assert alpha is not None
    return alpha[0]


def test_probability_and_share_of_words_are_two_things(labeled: tw.LabeledLDA) -> None:
    """θ = (N · share + α) / (N + Σα), with the share of words of the attribution."""
    for text in ("ship wave sail", "law oven bread judge salt jury"):
        shares = np.array([share for _, share in labeled.attribute(text).shares(NAMES)])
        alpha, n = alpha_of(labeled, text), len(text.split())
        expected = (n * shares + alpha) / (n + alpha.sum())
        np.testing.assert_allclose(labeled.transform([text])[0], expected, atol=0.005)
        assert labeled.transform([text])[0].argmax() == shares.argmax()


# ---------------------------------------------------------------------- perplexity


def test_perplexity_of_single_labels_equals_that_of_their_words(labeled: tw.LabeledLDA) -> None:
    """With one label θ is 1, and nothing is left to infer."""
    words = labeled.vocabulary_.tolist()
    chances = labeled.label_word_[2, [words.index("ship"), words.index("oven")]]
    exact = np.exp(-np.log(chances).mean())
    for method in ("fold-in", "left-to-right"):
        assert labeled.perplexity(["ship oven"], [["sea"]], method=method) == pytest.approx(exact)
    assert labeled.perplexity(["ship oven"], [["sea"]], method="completion") == pytest.approx(1 / chances[1])
    assert labeled.perplexity(["ship oven"], ["sea"]) == pytest.approx(exact)
    assert labeled.perplexity(["ship oven"], np.array([[0, 0, 1]])) == pytest.approx(exact)
    assert labeled.perplexity(tw.Corpus.from_texts(["ship oven"], labels=["sea"])) == pytest.approx(exact)


def test_perplexity_of_labels_never_seen(labeled: tw.LabeledLDA) -> None:
    n_words = len(labeled.vocabulary_)
    assert labeled.perplexity(["ship oven"], [["moon"]]) == pytest.approx(n_words)
    assert labeled.perplexity(["ship oven"], [["moon", "mars"]]) == pytest.approx(n_words)
    known, mixed, unseen = (labeled.perplexity(["ship wave"], [own]) for own in (["sea"], ["sea", "moon"], ["moon"]))
    assert known < mixed < unseen
    seeded = tw.LabeledLDA(n_sweeps=5, knowledge=[tw.SeedWords({name: ["law"] for name in NAMES})]).fit(TEXTS, LABELS)
    assert seeded.perplexity(["ship oven"], [["moon"]]) == pytest.approx(n_words)


def test_perplexity_is_lower_with_the_correct_labels(generated: Generated) -> None:
    train, test = generated.corpus.select(np.arange(300)), generated.corpus.select(np.arange(300, 400))
    model = tw.LabeledLDA().fit(train)
    told, untold, wrong = (
        model.perplexity(test, y, method="completion") for y in (None, [None] * 100, test.labels[::-1])
    )
    assert told < untold < wrong
    assert model.perplexity(test) == pytest.approx(told, rel=0.05)  # θ of few labels is all but the same either way


def test_perplexity_of_documents_without_labels(with_background: tw.LabeledLDA) -> None:
    phi = with_background.topic_word_[3, with_background.vocabulary_.tolist().index("the")]
    assert with_background.perplexity(["the the"], [[]]) == pytest.approx(1 / phi)
    free = with_background.perplexity(["ship the"], [None])
    assert free == with_background.perplexity(["ship the"])
