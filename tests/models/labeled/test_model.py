"""LabeledLDA: training."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import gammaln

import topicwright as tw
from topicwright.errors import ContradictionWarning, InputError, StoppedWarning, TopicwrightWarning, UnknownWordsWarning

from ...assertions import raises_input
from ...conftest import THEMES
from .documents import LABELS, NAMES, TEXTS, Generated, generate

# ---------------------------------------------------------------------- training


def test_recovers_the_generating_topics(generated: Generated) -> None:
    model = tw.LabeledLDA().fit(generated.corpus)
    assert model.classes_.tolist() == [f"label {k}" for k in range(8)]
    distance = np.abs(model.label_word_ - generated.phi).sum(axis=1) / 2  # total variation
    assert distance.max() < 0.12
    others = np.abs(model.label_word_[:, None] - generated.phi).sum(axis=2) / 2
    assert np.all(others[~np.eye(8, dtype=bool)] > 0.5)
    assert (model.assignments_ == generated.topics).mean() > 0.85


def test_documents_use_topics_of_their_labels_only(labeled: tw.LabeledLDA) -> None:
    assert labeled.topic_names_ == labeled.classes_.tolist() == NAMES
    for row, labels in zip(labeled.doc_topic_counts_.toarray(), LABELS):
        assert {NAMES[k] for k in np.flatnonzero(row)} == set(labels)
    assert [set(words) for words in labeled.top_words(8)] == [set(THEMES[name].split()) for name in NAMES]
    np.testing.assert_allclose(labeled.label_word_.sum(axis=1), 1)


def test_every_form_of_labels_gives_the_same_model(labeled: tw.LabeledLDA) -> None:
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
        np.testing.assert_array_equal(other.assignments_, labeled.assignments_)
        np.testing.assert_array_equal(other.label_counts_, labeled.label_counts_)
    assert labeled.score(TEXTS, pl.Series(LABELS)) == labeled.score(TEXTS, LABELS)
    own = tw.LabeledLDA(n_sweeps=30).fit(tw.Corpus.from_texts(TEXTS, labels=LABELS))
    np.testing.assert_array_equal(own.assignments_, labeled.assignments_)


def test_labels_may_be_numbers() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(["a1 b1 c1".replace("1", x) for x in "xyz"] * 4, [10, 9, 200] * 4)
    assert model.classes_.tolist() == [9, 10, 200]
    assert model.topic_names_ == ["9", "10", "200"]
    assert model.predict(["ax bx", "ay", "cz"]).tolist() == [10, 9, 200]


def test_background_topic_takes_shared_words(with_background: tw.LabeledLDA) -> None:
    corpus, phi, _ = generate(n_background=1)
    model = tw.LabeledLDA(alpha=1.0, n_background_topics=1).fit(corpus)
    assert (np.abs(model.topic_word_ - phi).sum(axis=1) / 2).max() < 0.12
    assert with_background.topic_names_ == [*NAMES, "background 1"]
    assert with_background.label_word_.shape[0] == 3
    assert with_background.transform(["the ship"]).shape == (1, 4)
    assert with_background.n_topics == 4


def test_unlabeled_documents_may_use_all_labels() -> None:
    texts = [*TEXTS, "ship law", "oven flour", "pan pan"]
    for n_background in (0, 1):
        model = tw.LabeledLDA(n_sweeps=10, n_background_topics=n_background).fit(texts, [*LABELS, None, None, None])
        allowed = model.fit_state_.compiled.allowed_topics.sets[-6:]
        assert not allowed.any()  # set 0 is all topics
    assert model.label_counts_.tolist() == [24, 36, 24]
    shares = tw.LabeledLDA(n_sweeps=30).fit(texts, [*LABELS, None, None, None]).doc_topic_counts_.toarray()
    assert shares[-3:].tolist() == [[1, 0, 1], [0, 2, 0], [0, 2, 0]]


def partly_labeled() -> tuple[list[str], list[str], list[str | None]]:
    """Texts, classes, and the classes that are known: two themes are one frequent class, the third is a rare one."""
    rng = np.random.default_rng(0)
    themes = rng.choice(NAMES, 600, p=[0.48, 0.04, 0.48])
    texts = [" ".join([*rng.choice(THEMES[theme].split(), 6), *rng.choice(["we", "say"], 2)]) for theme in themes]
    classes = ["kitchen" if theme == "kitchen" else "other" for theme in themes]
    known = {name: [n for n, own in enumerate(classes) if own == name][:count] for name, count in COUNTS.items()}
    return texts, classes, [own if n in known[own] else None for n, own in enumerate(classes)]


COUNTS = {"kitchen": 3, "other": 20}


@pytest.mark.parametrize("n_background", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_rare_label_keeps_its_topic_among_unlabeled_documents(n_background: int, seed: int) -> None:
    """Two topics explain unlabeled documents best if the two themes of the frequent class get one each."""
    texts, classes, known = partly_labeled()
    unlabeled = [n for n, own in enumerate(known) if own is None]
    model = tw.LabeledLDA(n_sweeps=30, n_background_topics=n_background, random_state=seed).fit(texts, known)
    predicted = model.predict([texts[n] for n in unlabeled])
    assert np.mean(predicted == [classes[n] for n in unlabeled]) > 0.98
    assert set(model.top_words(8)[0]) - {"we", "say"} <= set(THEMES["kitchen"].split())


@pytest.mark.parametrize("is_multilabel", [False, True])
def test_prior_of_unlabeled_documents(is_multilabel: bool) -> None:
    """Three tokens for each of the document, in the proportions of the prediction or all at the best label."""
    texts, _, known = partly_labeled()
    y = [own and [own] for own in known] if is_multilabel else known
    model = tw.LabeledLDA(n_sweeps=2, n_background_topics=1).fit([*texts, "oven flour ship law"], [*y, None])
    priors, corpus = model.fit_state_.compiled.document_priors, model.corpus_
    entries = (priors.extra, priors.topics.astype(int), priors.start.astype(int))
    added = csr_array(entries, shape=(corpus.n_docs, 3)).toarray()
    labeled = np.array([own is not None for own in [*y, None]])
    assert not added[labeled].any()
    np.testing.assert_allclose(added[~labeled].sum(axis=1), 3 * corpus.doc_lengths()[~labeled], rtol=0.03)
    n_labels = (added[:, :2] > 0).sum(axis=1)[~labeled]
    assert (n_labels[-1], n_labels.max()) == ((2, 2) if is_multilabel else (1, 1))


@pytest.mark.parametrize("beta", [0.1, "learn"])
def test_partly_labeled_training_resumes(beta: Any, tmp_path: Path) -> None:
    texts, _, known = partly_labeled()
    seeds = tw.SeedWords({"kitchen": ["oven"]})
    options: dict[str, Any] = {"beta": beta, "n_background_topics": 1, "knowledge": [seeds]}
    straight = tw.LabeledLDA(n_sweeps=40, **options).fit(texts, known)
    half = tw.LabeledLDA(n_sweeps=30, **options).fit(texts, known)
    half.save(tmp_path / "half.tw")
    for model in (half, tw.load(tmp_path / "half.tw")):
        np.testing.assert_array_equal(model.resume(10).assignments_, straight.assignments_)
    threads = tw.LabeledLDA(n_sweeps=40, n_jobs=3, **options).fit(texts, known)
    np.testing.assert_array_equal(threads.assignments_, straight.assignments_)


def test_documents_with_no_label_use_the_background() -> None:
    texts = [*TEXTS, "ship law", "oven flour"]
    model = tw.LabeledLDA(n_sweeps=10, n_background_topics=2).fit(texts, [*LABELS, [], None])
    assert model.doc_topic_counts_.toarray()[-2, :3].sum() == 0
    assert model.doc_topic_counts_.toarray()[-2, 3:].sum() == 2
    indicator = np.array([[name in labels for name in NAMES] for labels in [*LABELS, []]], dtype=float)
    unknown = np.vstack([indicator, np.full(3, np.nan)])
    other = tw.LabeledLDA(n_sweeps=10, n_background_topics=2).fit(texts, unknown)
    np.testing.assert_array_equal(other.assignments_, model.assignments_)
    free = tw.LabeledLDA(n_sweeps=10).fit(texts, [*LABELS, [], None])  # there is no background to have
    assert not free.fit_state_.compiled.allowed_topics.sets[-4:].any()


def test_likelihood_is_conditional_on_labels(with_background: tw.LabeledLDA) -> None:
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


def test_result_does_not_depend_on_threads(generated: Generated) -> None:
    one, three = (tw.LabeledLDA(n_sweeps=5, n_jobs=n).fit(generated.corpus) for n in (1, 3))
    np.testing.assert_array_equal(one.assignments_, three.assignments_)
    np.testing.assert_array_equal(one.transform(generated.corpus), three.transform(generated.corpus))
    assert one.perplexity(generated.corpus) == pytest.approx(three.perplexity(generated.corpus), rel=1e-12)
    assert one.threshold_ == three.threshold_


def test_resumed_training_equals_uninterrupted_training(generated: Generated) -> None:
    whole = tw.LabeledLDA(n_sweeps=12, n_background_topics=1).fit(generated.corpus)
    parts = tw.LabeledLDA(n_sweeps=8, n_background_topics=1, evaluate_every=4).fit(generated.corpus)
    assert parts.resume(4) is parts
    np.testing.assert_array_equal(parts.assignments_, whole.assignments_)
    assert (parts.sweeps_, parts.log_likelihood_[-1]) == (12, whole.log_likelihood_[-1])
    assert [sweep for sweep, _ in parts.log_likelihood_] == [4, 8, 12]


def test_training_stops_when_the_likelihood_converges(generated: Generated) -> None:
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
    report = model.knowledge_report(before=False)
    assert {row.kind for row in report.rows} >= {"seeds", "cannot-links", "document-labels"}
    assert [word.label for word in model.attribute("ship bread").words] == ["sea", "kitchen"]
    assert len(model.knowledge_report().rows) == len(report.rows)


def test_knowledge_may_change_between_runs() -> None:
    model = tw.LabeledLDA(n_sweeps=5).fit(TEXTS, LABELS)
    model.set_params(knowledge=[tw.SeedWords({"sea": ["oven"]}, hard=True)])
    with pytest.warns(ContradictionWarning, match="document labels hold"):
        model.resume(1)
    assert model.topic_names_ == NAMES
    both = [labels == ["sea", "kitchen"] for labels in LABELS]
    oven = model.vocabulary_.tolist().index("oven")
    tokens = (model.corpus_.tokens == oven) & np.repeat(both, model.corpus_.doc_lengths())
    assert (model.assignments_[tokens] == 2).all()
    with pytest.warns(UnknownWordsWarning, match="left out.*: sea"), pytest.warns(UnknownWordsWarning, match="'boat'"):
        model.set_params(knowledge=[tw.SeedWords({"sea": ["boat"]})]).resume(1)
    model.resume(1)  # and it is not said again


def test_changed_parameters_take_effect_at_the_next_fit() -> None:
    model = tw.LabeledLDA(n_sweeps=3, n_background_topics=1).fit(TEXTS, LABELS)
    model.set_params(n_background_topics=2).resume(1)
    assert model.n_topics == 4
    found = model.threshold_
    assert model.set_params(label_prior="flat").threshold_ != found
    assert model.set_params(label_prior="frequency").threshold_ != found
    assert model.set_params(label_prior="words").threshold_ == found


def test_rejects_knowledge_of_unknown_topics() -> None:
    with pytest.raises(InputError, match="background topics: got 'kitchens'"):
        tw.LabeledLDA(knowledge=[tw.SeedWords({"kitchens": ["bread"]})]).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="knowledge must be a list"):
        tw.LabeledLDA(knowledge=[7]).fit(TEXTS, LABELS)
    seeds = tw.SeedWords({"background 1": ["oven"]}, weight=50.0)
    model = tw.LabeledLDA(knowledge=[seeds], n_background_topics=1, n_sweeps=10).fit(TEXTS, LABELS)
    oven = model.topic_word_counts_[:, [model.vocabulary_.tolist().index("oven")]].toarray().ravel()
    assert oven[3] > 0.9 * oven.sum()


# ---------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("parameter", "value", "got"),
    [
        ("n_background_topics", -1, -1),
        ("n_sweeps", 0, 0),
        ("alpha", "learn", "learn"),
        ("alpha", [0.1, 0.1], (2,)),
        ("beta", -1.0, -1.0),
        ("threshold", 0, 0),
        ("threshold", "best", "best"),
        ("label_prior", "even", "even"),
        ("tol", -1.0, -1.0),
        ("n_jobs", 0, 0),
    ],
)
def test_rejects_invalid_parameters(parameter: str, value: Any, got: Any) -> None:
    with raises_input(parameter, got=got):
        tw.LabeledLDA(**{parameter: value}).fit(TEXTS, LABELS)


def test_a_tolerance_needs_the_likelihood() -> None:
    with raises_input("evaluate_every", got=0):
        tw.LabeledLDA(tol=0.1, evaluate_every=0).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([["sea"]], "1 entries but X has 60"),
        ([[]] * 60, "at least one label: no document"),
        ([None] * 60, "at least one label: no document"),
        ("sea", "one entry per document: got str"),
        ([["sea", None]] * 60, "without None or NaN"),
        ([[{}]] * 60, "hashable labels"),
        ([{"sea": 1}] * 60, "hashable labels"),
        (np.full((60, 2), 2), "0, 1 or NaN"),
        ([["1"], [1]] * 30, "labels must differ as text: got '1' twice"),
    ],
)
def test_rejects_invalid_labels(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.LabeledLDA(n_sweeps=1).fit(TEXTS, y)


def test_rejects_label_named_like_the_background() -> None:
    labels = [["background 1"], *LABELS[1:]]
    assert tw.LabeledLDA(n_sweeps=1).fit(TEXTS, labels).classes_[0] == "background 1"
    with pytest.raises(InputError, match="'background 1'"):
        tw.LabeledLDA(n_sweeps=1, n_background_topics=1).fit(TEXTS, labels)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (["moon"], "labels of the model, such as 'court', 'kitchen', 'sea': got 'moon'"),
        ("sea", "candidates must be a list"),
        ([["sea"]], "1 lists but X has 2"),
        ([[], ["sea"]], "at least one label"),
        ([], "at least one label"),
        (7, "candidates must be a list"),
    ],
)
def test_rejects_invalid_candidates(labeled: tw.LabeledLDA, candidates: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        labeled.predict(["ship", "law"], candidates)


def test_rejects_other_invalid_use(labeled: tw.LabeledLDA) -> None:
    with pytest.raises(InputError, match="2 columns but the model has 3"):
        labeled.perplexity(["ship"], np.array([[0, 1]]))
    with raises_input("method", got="best"):
        labeled.perplexity(["ship"], method="best")
    with pytest.warns(UnknownWordsWarning), pytest.raises(InputError, match="no document has words"):
        labeled.perplexity(["zzz"])
    with raises_input("top", got=0):
        labeled.rank(["ship"], top=0)
    single = tw.LabeledLDA(n_sweeps=1).fit(TEXTS, [labels[0] for labels in LABELS])
    with raises_input("top", got=2):
        single.predict(["ship"], top=2)


def test_comma_separated_labels_give_a_warning() -> None:
    texts = ["ship sea", "bread oven", "ship bread"] * 2
    with pytest.warns(TopicwrightWarning, match="1 of 3 labels look like several in one, such as 'sea; kitchen'"):
        tw.LabeledLDA(n_sweeps=2).fit(texts, ["sea", "kitchen", "sea; kitchen"] * 2)
    tw.LabeledLDA(n_sweeps=2).fit(texts, ["sea, near", "sea, far", "kitchen; small"] * 2)


def test_labels_without_words_give_a_warning() -> None:
    texts, y = ["ship wave tide"] * 6, [["sea", "water"], ["sea"]] * 3
    with pytest.warns(TopicwrightWarning, match="1 label got no words, since others explain .*: water$"):
        model = tw.LabeledLDA(n_sweeps=200, alpha=0.001, evaluate_every=0).fit(texts, y)
    assert any("1 label got no words" in note for note in model.knowledge_report(before=False).notes)
    model.resume(1)  # which says it no second time
