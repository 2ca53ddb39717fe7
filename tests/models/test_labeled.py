"""LabeledLDA as its users meet it: training, predictions, perplexity."""

from __future__ import annotations

import signal
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import gammaln

import topicwright as tw
from topicwright.errors import ContradictionWarning, InputError, StoppedWarning, TopicwrightWarning, UnknownWordsWarning

from ..conftest import THEMES

NAMES = ["court", "kitchen", "sea"]
LABELS = [["sea"], ["kitchen"], ["sea", "kitchen"], ["court"], ["court", "kitchen"]] * 12


def text_about(labels: list[str], rng: np.random.Generator) -> str:
    """Six words of the theme of each label."""
    return " ".join(word for label in labels for word in rng.choice(THEMES[label].split(), 6))


TEXTS = [text_about(labels, np.random.default_rng(n)) for n, labels in enumerate(LABELS)]


class Generated(NamedTuple):
    """Documents of Labeled LDA itself, and what they were drawn from."""

    corpus: tw.Corpus
    phi: np.ndarray
    topics: np.ndarray


def generate(n_docs: int = 400, n_background: int = 0) -> Generated:
    rng = np.random.default_rng(0)
    n_labels, n_words, length = 8, 80, 60
    phi = rng.dirichlet(np.full(n_words, 0.1), n_labels + n_background)
    sets = [np.sort(rng.choice(n_labels, rng.integers(1, 4), replace=False)) for _ in range(n_docs)]
    labels = [[f"label {k}" for k in own] for own in sets]
    sets = [np.append(own, np.arange(n_background) + n_labels) for own in sets]
    topics = np.concatenate([rng.choice(own, length, p=rng.dirichlet(np.ones(len(own)))) for own in sets])
    tokens = np.array([rng.choice(n_words, p=phi[k]) for k in topics], np.int32)
    words = [f"w{n:02}" for n in range(n_words)]
    return Generated(tw.Corpus(tokens, np.arange(n_docs + 1) * length, words, labels=labels), phi, topics)


@pytest.fixture(scope="module")
def generated() -> Generated:
    return generate()


@pytest.fixture(scope="module")
def model() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def with_background() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=20, n_background_topics=1).fit([f"{text} the" for text in TEXTS], LABELS)


# ---------------------------------------------------------------------- training


def test_topics_of_labels_are_those_that_made_the_documents(generated: Generated) -> None:
    model = tw.LabeledLDA().fit(generated.corpus)
    assert model.classes_.tolist() == [f"label {k}" for k in range(8)]
    distance = np.abs(model.label_word_ - generated.phi).sum(axis=1) / 2  # total variation
    assert distance.max() < 0.12
    others = np.abs(model.label_word_[:, None] - generated.phi).sum(axis=2) / 2
    assert np.all(others[~np.eye(8, dtype=bool)] > 0.5)
    assert (model.assignments_ == generated.topics).mean() > 0.85


def test_a_document_has_the_topics_of_its_labels_alone(model: tw.LabeledLDA) -> None:
    assert model.topic_names_ == model.classes_.tolist() == NAMES
    for row, labels in zip(model.doc_topic_counts_.toarray(), LABELS):
        assert {NAMES[k] for k in np.flatnonzero(row)} == set(labels)
    assert [set(words) for words in model.top_words(8)] == [set(THEMES[name].split()) for name in NAMES]
    np.testing.assert_allclose(model.label_word_.sum(axis=1), 1)


def test_every_form_of_labels_gives_the_same_model(model: tw.LabeledLDA) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    indicator = np.array([[name in labels for name in NAMES] for labels in LABELS], dtype=int)
    forms = [
        [set(labels) for labels in LABELS],
        indicator,
        indicator.tolist(),
        csr_array(indicator),
        pd.DataFrame(indicator, columns=NAMES),
        pd.Series(LABELS),
        pl.Series(LABELS),
    ]
    for y in forms:
        other = tw.LabeledLDA(n_sweeps=30).fit(TEXTS, y)
        np.testing.assert_array_equal(other.assignments_, model.assignments_)
        np.testing.assert_array_equal(other.label_counts_, model.label_counts_)
    assert model.score(TEXTS, pl.Series(LABELS)) == model.score(TEXTS, LABELS)
    own = tw.LabeledLDA(n_sweeps=30).fit(tw.Corpus.from_texts(TEXTS, labels=LABELS))
    np.testing.assert_array_equal(own.assignments_, model.assignments_)


def test_labels_may_be_numbers() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(["a1 b1 c1".replace("1", x) for x in "xyz"] * 4, [10, 9, 200] * 4)
    assert model.classes_.tolist() == [9, 10, 200]
    assert model.topic_names_ == ["9", "10", "200"]
    assert model.predict(["ax bx", "ay", "cz"]).tolist() == [10, 9, 200]


def test_background_takes_the_words_that_all_share(with_background: tw.LabeledLDA) -> None:
    corpus, phi, _ = generate(n_background=1)
    model = tw.LabeledLDA(alpha=1.0, n_background_topics=1).fit(corpus)
    assert (np.abs(model.topic_word_ - phi).sum(axis=1) / 2).max() < 0.12
    assert with_background.topic_names_ == [*NAMES, "background 1"]
    assert with_background.label_word_.shape[0] == 3
    assert with_background.transform(["the ship"]).shape == (1, 4)
    assert with_background.n_topics == 4


def test_documents_whose_labels_are_not_known_may_have_all() -> None:
    texts = [*TEXTS, "ship law", "oven flour", "pan pan"]
    for n_background in (0, 1):
        model = tw.LabeledLDA(n_sweeps=10, n_background_topics=n_background).fit(texts, [*LABELS, None, None, None])
        allowed = model._compiled.limits.sets[-6:]
        assert not allowed.any()  # set 0 is all topics
    assert model.label_counts_.tolist() == [24, 36, 24]
    shares = tw.LabeledLDA(n_sweeps=30).fit(texts, [*LABELS, None, None, None]).doc_topic_counts_.toarray()
    assert shares[-3:].tolist() == [[1, 0, 1], [0, 2, 0], [0, 2, 0]]


def test_documents_that_have_no_label_have_the_background() -> None:
    texts = [*TEXTS, "ship law", "oven flour"]
    model = tw.LabeledLDA(n_sweeps=10, n_background_topics=2).fit(texts, [*LABELS, [], None])
    assert model.doc_topic_counts_.toarray()[-2, :3].sum() == 0
    assert model.doc_topic_counts_.toarray()[-2, 3:].sum() == 2
    indicator = np.array([[name in labels for name in NAMES] for labels in [*LABELS, []]], dtype=float)
    unknown = np.vstack([indicator, np.full(3, np.nan)])
    other = tw.LabeledLDA(n_sweeps=10, n_background_topics=2).fit(texts, unknown)
    np.testing.assert_array_equal(other.assignments_, model.assignments_)
    free = tw.LabeledLDA(n_sweeps=10).fit(texts, [*LABELS, [], None])  # there is no background to have
    assert not free._compiled.limits.sets[-4:].any()


def test_the_likelihood_is_that_given_the_labels(with_background: tw.LabeledLDA) -> None:
    model, alpha, beta = with_background, 0.1, 0.1
    corpus, z = model.corpus_, model.assignments_.astype(int)
    total = 0.0
    for d, labels in enumerate(LABELS):
        counts = np.bincount(z[corpus.offsets[d] : corpus.offsets[d + 1]], minlength=4)
        own = [*(NAMES.index(label) for label in labels), 3]
        total += gammaln(alpha * len(own)) - gammaln(counts.sum() + alpha * len(own))
        total += np.sum(gammaln(counts[own] + alpha) - gammaln(alpha))
    words = np.zeros((4, corpus.n_words))
    np.add.at(words, (z, corpus.tokens), 1)
    total += np.sum(gammaln(words + beta) - gammaln(beta))
    total += np.sum(gammaln(beta * corpus.n_words) - gammaln(words.sum(axis=1) + beta * corpus.n_words))
    assert model.log_likelihood_[-1][1] == pytest.approx(total / corpus.n_tokens)


def test_the_same_on_any_number_of_threads(generated: Generated) -> None:
    one, three = (tw.LabeledLDA(n_sweeps=5, n_jobs=n).fit(generated.corpus) for n in (1, 3))
    np.testing.assert_array_equal(one.assignments_, three.assignments_)
    np.testing.assert_array_equal(one.transform(generated.corpus), three.transform(generated.corpus))
    assert one.perplexity(generated.corpus) == pytest.approx(three.perplexity(generated.corpus), rel=1e-12)
    assert one.threshold_ == three.threshold_


def test_training_in_parts_is_the_same(generated: Generated) -> None:
    whole = tw.LabeledLDA(n_sweeps=12, n_background_topics=1).fit(generated.corpus)
    parts = tw.LabeledLDA(n_sweeps=8, n_background_topics=1, evaluate_every=4).fit(generated.corpus)
    assert parts.resume(4) is parts
    np.testing.assert_array_equal(parts.assignments_, whole.assignments_)
    assert (parts.sweeps_, parts.log_likelihood_[-1]) == (12, whole.log_likelihood_[-1])
    assert [sweep for sweep, _ in parts.log_likelihood_] == [4, 8, 12]


def test_training_ends_where_the_likelihood_hardly_rises(generated: Generated) -> None:
    seen = []
    model = tw.LabeledLDA(n_sweeps=500, tol=0.005, evaluate_every=1)
    model.fit(generated.corpus, on_sweep=lambda sweep: seen.append(sweep.log_likelihood))
    assert 3 <= model.sweeps_ < 100
    assert (model.converged_, model.interrupted_) == (True, False)
    curve = [value for _, value in model.log_likelihood_]
    assert curve == seen
    assert curve[-1] - curve[-2] < 0.005 <= curve[-2] - curve[-3]
    assert not tw.LabeledLDA(n_sweeps=5).fit(TEXTS, LABELS).converged_


def test_training_can_be_stopped() -> None:
    model = tw.LabeledLDA(n_sweeps=1000).fit(TEXTS, LABELS, on_sweep=lambda sweep: sweep.number < 3)
    assert (model.sweeps_, model.interrupted_, model.converged_) == (3, True, False)

    def press(sweep: Any) -> None:
        if sweep.number == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(StoppedWarning, match="4 of 1,000"):
        model = tw.LabeledLDA(n_sweeps=1000).fit(TEXTS, LABELS, on_sweep=press)
    assert (model.sweeps_, model.interrupted_) == (4, True)
    assert model.predict(["ship wave sail"]) == [("sea",)]


# ---------------------------------------------------------------------- knowledge beside labels


def test_seeds_of_labels_and_links_of_words() -> None:
    texts, labels = ["ship bread", "bread ship"] * 20, [["sea", "kitchen"]] * 40  # nothing tells the two apart
    seeds = tw.SeedWords({"kitchen": ["bread"], "sea": ["ship"]})
    model = tw.LabeledLDA(n_sweeps=20, knowledge=[tw.CannotLinks([("ship", "bread")]), seeds]).fit(texts, labels)
    assert model.top_words(1) == [["bread"], ["ship"]]
    assert model.seed_prior_ is not None
    report = model.knowledge_report(before=False)
    assert {row.kind for row in report.rows} >= {"seeds", "cannot-links", "document-labels"}
    assert [word.label for word in model.attribute("ship bread").words] == ["sea", "kitchen"]
    assert len(model.knowledge_report().rows) == len(report.rows)


def test_knowledge_may_be_changed_and_labels_stay() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(TEXTS, LABELS)
    model.set_params(knowledge=[tw.SeedWords({"sea": ["oven"]}, hard=True)])
    with pytest.warns(ContradictionWarning, match="document labels hold"):
        model.resume(1)
    assert model.topic_names_ == NAMES
    both = [labels == ["sea", "kitchen"] for labels in LABELS]
    oven = model.vocabulary_.tolist().index("oven")
    tokens = (model.corpus_.tokens == oven) & np.repeat(both, model.corpus_.doc_lengths())
    assert (model.assignments_[tokens] == 2).all()
    with pytest.warns(UnknownWordsWarning, match="'boat'"):
        model.set_params(knowledge=[tw.SeedWords({"sea": ["boat"]})]).resume(1)
    model.resume(1)  # and it is not said again


def test_parameters_that_are_changed_wait_for_the_next_fit() -> None:
    model = tw.LabeledLDA(n_sweeps=3, n_background_topics=1).fit(TEXTS, LABELS)
    model.set_params(n_background_topics=2).resume(1)
    assert model.n_topics == 4
    found = model.threshold_
    assert model.set_params(label_prior="flat").threshold_ != found
    assert model.set_params(label_prior="frequency").threshold_ == found


def test_knowledge_of_other_topics_is_refused() -> None:
    with pytest.raises(InputError, match="labels or background topics: got 'kitchens'"):
        tw.LabeledLDA(knowledge=[tw.SeedWords({"kitchens": ["bread"]})]).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="knowledge must be a list"):
        tw.LabeledLDA(knowledge=[7]).fit(TEXTS, LABELS)
    seeds = tw.SeedWords({"background 1": ["oven"]}, weight=50.0)
    model = tw.LabeledLDA(knowledge=[seeds], n_background_topics=1, n_sweeps=10).fit(TEXTS, LABELS)
    assert model.top_words(1)[3] == ["oven"]


# ---------------------------------------------------------------------- predictions


def test_labels_are_found_again(generated: Generated) -> None:
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


def test_predictions_have_the_form_of_y(model: tw.LabeledLDA) -> None:
    texts = ["ship wave sail", "law oven bread judge salt jury"]
    assert model.predict(texts) == [("sea",), ("court", "kitchen")]
    indicator = np.array([[name in labels for name in NAMES] for labels in LABELS], dtype=int)
    assert tw.LabeledLDA(n_sweeps=30).fit(TEXTS, indicator).predict(texts).tolist() == [[0, 0, 1], [1, 1, 0]]
    single = tw.LabeledLDA(n_sweeps=5).fit(TEXTS, [labels[0] for labels in LABELS])
    assert single.predict(["sail", "jury"]).tolist() == ["sea", "court"]
    assert not single.multilabel_
    assert model.multilabel_


def test_verdicts_are_values_and_what_follows_from_them(model: tw.LabeledLDA) -> None:
    texts = ["ship wave sail", "law oven bread judge salt jury", ""]
    verdicts = model.judge(texts)
    np.testing.assert_array_equal(verdicts.values, model.predict_proba(texts))
    np.testing.assert_array_equal(verdicts.given, [[name in own for name in NAMES] for own in model.predict(texts)])
    for best, ranked in zip(verdicts.best_first(), model.rank(texts)):
        assert [NAMES[k] for k in best] == [label for label, _ in ranked[: len(best)]]
    assert model.judge(texts, ["sea"]).best_first() == [[NAMES.index("sea")]] * 3
    with pytest.raises(InputError, match="score needs y"):
        model.score(texts)
    with pytest.raises(InputError, match="y must have one entry per document: got 1, expected 3"):
        model.score(texts, [["sea"]])


def test_labels_by_rank(model: tw.LabeledLDA) -> None:
    assert model.predict(["law oven"], top=3) == [("court", "kitchen", "sea")]
    assert model.predict(["law law judge oven"], top=1) == [("court",)]
    (ranked,) = model.rank(["law law judge oven"], top=2)
    assert [label for label, _ in ranked] == ["court", "kitchen"]
    assert ranked[0].probability > ranked[1].probability
    assert len(model.rank(["law"])[0]) == 3
    assert sum(probability for _, probability in model.rank(["law"])[0]) == pytest.approx(1)


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


def test_thresholds(model: tw.LabeledLDA) -> None:
    shares, scores = model.predict_proba(["law oven"]), model.decision_function(["law oven"])
    np.testing.assert_allclose(scores, np.log(shares) - np.log(model.threshold_))
    assert 0 < model.threshold_ < 0.5
    few, many = (tw.LabeledLDA(n_sweeps=30, threshold=share).fit(TEXTS, LABELS) for share in (0.99, 1e-9))
    assert few.threshold_ == 0.99
    assert [len(labels) for labels in few.predict(["law oven", "zzz ship"][:1])] == [1]
    assert many.predict(["law oven"]) == [tuple(NAMES)]
    assert few.set_params(threshold=0.3).threshold_ == 0.3


def test_where_no_labelled_document_has_words_the_threshold_is_the_middle() -> None:
    corpus = tw.Corpus.from_texts(["ship", "", ""], labels=[[], ["sea"], ["sea", "court"]])
    model = tw.LabeledLDA(n_sweeps=1, n_background_topics=1).fit(corpus)
    assert model.threshold_ == 0.5
    assert [len(labels) for labels in model.predict(["ship"])] == [1]


def test_two_classes_have_one_score() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(["ship sea", "law jury"] * 9, ["sea", "court"] * 9)
    scores, shares = model.decision_function(["ship", "law"]), model.predict_proba(["ship", "law"])
    assert scores.shape == (2,)
    assert (scores > 0).tolist() == [True, False]
    np.testing.assert_allclose(scores, np.log(shares[:, 1] / shares[:, 0]))


def test_of_new_documents_frequent_labels_are_expected() -> None:
    texts, labels = ["ship sea", "law jury"], [["sea"], ["court"]]
    model = tw.LabeledLDA(n_sweeps=3).fit(texts[:1] * 30 + texts[1:] * 10, labels[:1] * 30 + labels[1:] * 10)
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(model.predict_proba(["zzz"]), [[0.25, 0.75]])
    model.set_params(label_prior="flat")
    with pytest.warns(UnknownWordsWarning):
        np.testing.assert_allclose(model.predict_proba(["zzz"]), [[0.5, 0.5]])


def test_a_documents_answer_is_its_own(generated: Generated) -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(generated.corpus)
    theta = model.transform(generated.corpus)
    np.testing.assert_array_equal(model.transform(generated.corpus.select([300, 5])), theta[[300, 5]])


def test_a_label_of_a_frame_that_no_document_has() -> None:
    pd = pytest.importorskip("pandas")
    y = pd.DataFrame({"sea": [1, 0] * 9, "court": [0, 1] * 9, "moon": [0] * 18})
    model = tw.LabeledLDA(n_sweeps=5).fit(["ship sea", "law jury"] * 9, y)
    assert model.classes_.tolist() == ["sea", "court", "moon"]
    assert model.predict(["ship ship", "jury"]).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert model.predict_proba(["ship"], candidates=["moon"]).tolist() == [[0, 0, 1]]


# ---------------------------------------------------------------------- perplexity


def test_perplexity_of_single_labels_is_that_of_their_words(model: tw.LabeledLDA) -> None:
    """With one label θ is 1, and nothing is left to infer."""
    words = model.vocabulary_.tolist()
    chances = model.label_word_[2, [words.index("ship"), words.index("oven")]]
    exact = np.exp(-np.log(chances).mean())
    for method in ("fold-in", "left-to-right"):
        assert model.perplexity(["ship oven"], [["sea"]], method=method) == pytest.approx(exact)
    assert model.perplexity(["ship oven"], [["sea"]], method="completion") == pytest.approx(1 / chances[1])
    assert model.perplexity(["ship oven"], ["sea"]) == pytest.approx(exact)
    assert model.perplexity(["ship oven"], np.array([[0, 0, 1]])) == pytest.approx(exact)
    assert model.perplexity(tw.Corpus.from_texts(["ship oven"], labels=["sea"])) == pytest.approx(exact)


def test_perplexity_of_labels_never_seen(model: tw.LabeledLDA) -> None:
    n_words = len(model.vocabulary_)
    assert model.perplexity(["ship oven"], [["moon"]]) == pytest.approx(n_words)
    assert model.perplexity(["ship oven"], [["moon", "mars"]]) == pytest.approx(n_words)
    known, mixed, unseen = (model.perplexity(["ship wave"], [own]) for own in (["sea"], ["sea", "moon"], ["moon"]))
    assert known < mixed < unseen
    seeded = tw.LabeledLDA(n_sweeps=5, knowledge=[tw.SeedWords({name: ["law"] for name in NAMES})]).fit(TEXTS, LABELS)
    assert seeded.perplexity(["ship oven"], [["moon"]]) == pytest.approx(n_words)


def test_perplexity_falls_when_the_right_labels_are_told(generated: Generated) -> None:
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


# ---------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_background_topics": -1}, "n_background_topics must be from 0"),
        ({"n_sweeps": 0}, "n_sweeps must be at least 1"),
        ({"alpha": "learn"}, "alpha can't be learned"),
        ({"alpha": [0.1, 0.1]}, r"one entry per topic: got shape \(2,\), expected \(3,\)"),
        ({"beta": -1.0}, "beta must be a positive number"),
        ({"threshold": 0}, "threshold must be 'auto' or a share between 0 and 1: got 0"),
        ({"threshold": "best"}, "threshold must be 'auto' or a share"),
        ({"label_prior": "even"}, "label_prior must be one of 'frequency', 'flat'"),
        ({"tol": -1.0}, "tol must be a positive number"),
        ({"tol": 0.1, "evaluate_every": 0}, "tol needs the likelihood"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.LabeledLDA(**parameters).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([["sea"]], "one entry per document: got 1, expected 60"),
        ([[]] * 60, "one label or more: got none"),
        ([None] * 60, "one label or more: got none"),
        ("sea", "one entry per document: got str"),
        ([["sea", None]] * 60, "no None or NaN in it"),
        ([[{}]] * 60, "labels must be hashable"),
        ([{"sea": 1}] * 60, "labels must be hashable"),
        (np.full((60, 2), 2), "must be 0 or 1"),
        ([["1"], [1]] * 30, "labels must differ as text: got '1' twice"),
    ],
)
def test_wrong_labels(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.LabeledLDA(n_sweeps=1).fit(TEXTS, y)


def test_a_label_may_not_be_called_like_the_background() -> None:
    labels = [["background 1"], *LABELS[1:]]
    assert tw.LabeledLDA(n_sweeps=1).fit(TEXTS, labels).classes_[0] == "background 1"
    with pytest.raises(InputError, match="a label can't be called 'background 1'"):
        tw.LabeledLDA(n_sweeps=1, n_background_topics=1).fit(TEXTS, labels)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (["moon"], "candidates must be labels of the model: got 'moon', expected some of 'court', 'kitchen', 'sea'"),
        ("sea", "candidates must be a list"),
        ([["sea"]], "one list per document: got 1, expected 2"),
        ([[], ["sea"]], "one label or more"),
        ([], "one label or more"),
        (7, "candidates must be a list"),
    ],
)
def test_wrong_candidates(model: tw.LabeledLDA, candidates: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.predict(["ship", "law"], candidates)


def test_other_wrong_use(model: tw.LabeledLDA) -> None:
    with pytest.raises(InputError, match="one column per label: got 2, expected 3"):
        model.perplexity(["ship"], np.array([[0, 1]]))
    with pytest.raises(InputError, match="method must be one of 'fold-in', 'completion', 'left-to-right': got 'best'"):
        model.perplexity(["ship"], method="best")
    with pytest.warns(UnknownWordsWarning), pytest.raises(InputError, match="no document has words to score"):
        model.perplexity(["zzz"])
    with pytest.raises(InputError, match="top must be at least 1"):
        model.rank(["ship"], top=0)
    single = tw.LabeledLDA(n_sweeps=1).fit(TEXTS, [labels[0] for labels in LABELS])
    with pytest.raises(InputError, match="top is for documents that may have several labels"):
        single.predict(["ship"], top=2)


def test_lists_of_labels_in_one_string_are_told() -> None:
    texts = ["ship sea", "bread oven", "ship bread"] * 2
    with pytest.warns(TopicwrightWarning, match="1 of 3 labels look like several in one, such as 'sea; kitchen'"):
        tw.LabeledLDA(n_sweeps=2).fit(texts, ["sea", "kitchen", "sea; kitchen"] * 2)
    tw.LabeledLDA(n_sweeps=2).fit(texts, ["sea, near", "sea, far", "kitchen; small"] * 2)
