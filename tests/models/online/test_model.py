"""OnlineLabeledLDA: input, fitted attributes, and independence of batches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import topicwright as tw
from topicwright.corpus import Document
from topicwright.errors import CorpusNotStoredError, InputError
from topicwright.models.batch import BatchTopicModel
from topicwright.models.online.state import counts_of

from ...assertions import raises_input

WORDS = {
    "sea": ["ship", "wave", "sail", "port", "salt"],
    "kitchen": ["bread", "oven", "salt", "flour"],
    "court": ["law", "judge", "court", "port"],
}


def stream_of(n: int, seed: int = 1, without: float = 0.0) -> tuple[list[str], list[Any]]:
    """Texts with one to three labels each, some with none; words come and go."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for row in range(n):
        own = rng.choice(list(WORDS)[: 2 + (row > n // 3)], size=rng.integers(1, 3), replace=False).tolist()
        words = [rng.choice(WORDS[rng.choice(own)]) for _ in range(rng.integers(0, 15))]
        texts.append(" ".join([*words, f"extra{chr(97 + row % 26)}"] if row % 5 == 0 else words))
        labels.append(None if rng.random() < without else own)
    return texts, labels


TEXTS, LABELS = stream_of(60)


def state_of(model: tw.OnlineLabeledLDA) -> dict[str, Any]:
    """Complete fitted state, as bytes."""
    stream = model.stream_
    return {
        **{name: part.tolist() for name, part in stream.engine.state().items()},
        "words": stream.vocabulary.ids,
        "labels": stream.label_ids,
        "label_counts": stream.label_counts,
        "recent": [(d.log_p, d.tokens.tolist(), d.labels) for d in stream.window],
        "regression": stream.regression
        and [
            part.tolist() for part in stream.regression.to_arrays(len(model.vocabulary_), len(model.classes_)).values()
        ],
        "counters": (stream.n_labeled, stream.n_skipped, stream.form),
    }


# ---------------------------------------------------------------------- cutting

KINDS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "resampled": {"n_particles": 5, "resample_below": 0.6, "rejuvenate": 3, "combine": "best"},
    "forgetting": {"forgetting": 0.95, "n_particles": 2},
    "small reservoir": {"reservoir": 50, "window": 7},
    "likely": {"unlabeled": "likely"},
    "likely, best": {"unlabeled": "likely", "combine": "best", "n_particles": 4, "resample_below": 0.7},
    "seeds": {"knowledge": [tw.SeedWords({"court": ["law"], "air": ["wing", "bread"]}, weight=2.5)]},
    "links": {
        "knowledge": [
            tw.MustLinks([("port", "wave"), ("extraf", "law"), ("salt", "nowhere")], firmness=0.5),
            tw.MustLinks([("ship", "judge", 2.0)], firmness=None),
            tw.CannotLinks([("salt", "flour"), ("extrak", "court")], 0.5, firmness=0.8),
            tw.SeedWords({"court": ["law", "salt"]}, weight=3),
        ]
    },
    "links, forgetting": {
        "knowledge": [tw.MustLinks([("port", "law"), ("wave", "extraf")]), tw.CannotLinks([("salt", "ship")])],
        "forgetting": 0.95,
        "n_particles": 5,
        "resample_below": 0.6,
        "combine": "best",
    },
    "words": {"vocabulary": ["salt", "law", "ship", "bread", "cloud"]},
    "begun as a batch": {"start": 20, "rejuvenate_per_label": 0.0, "n_particles": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_result_does_not_depend_on_batches(kind: str) -> None:
    texts, labels = stream_of(60, without=0.2)
    whole = tw.OnlineLabeledLDA(**KINDS[kind]).fit(texts, labels)
    singly = tw.OnlineLabeledLDA(**KINDS[kind])
    for text, own in zip(texts, labels):
        singly.partial_fit([text], [own])
    pieces = tw.OnlineLabeledLDA(**KINDS[kind])
    for start in range(0, 60, 7):
        pieces.partial_fit(texts[start : start + 7], labels[start : start + 7])
        if pieces.__sklearn_is_fitted__():
            pieces.predict([[pieces.vocabulary_[0]]])  # reading attributes changes nothing
    learned = tw.OnlineLabeledLDA(**KINDS[kind]).learn(zip(texts, labels), batch_size=11)
    expected = state_of(whole)
    for other in (singly, pieces, learned):
        assert state_of(other) == expected
    np.testing.assert_array_equal(singly.predict_proba(["ship law salt"]), whole.predict_proba(["ship law salt"]))


def test_texts_words_and_corpus_agree() -> None:
    pl = pytest.importorskip("polars")
    corpus = tw.Corpus.from_texts(TEXTS, labels=LABELS)
    words = [tw.Tokenizer()(text) for text in TEXTS]
    by_text = tw.OnlineLabeledLDA().fit(TEXTS, LABELS)
    assert state_of(tw.OnlineLabeledLDA().fit(words, LABELS)) == state_of(by_text)
    assert state_of(tw.OnlineLabeledLDA().fit(corpus)) == state_of(by_text)
    assert state_of(tw.OnlineLabeledLDA().fit(iter(TEXTS), iter(LABELS))) == state_of(by_text)
    assert state_of(tw.OnlineLabeledLDA().fit(pl.Series(TEXTS), pl.Series(LABELS))) == state_of(by_text)


def test_fit_discards_earlier_state() -> None:
    model = tw.OnlineLabeledLDA().fit(["cloud"], [["air"]])
    before = state_of(model.fit(TEXTS, LABELS))
    assert state_of(model.fit(TEXTS, LABELS)) == before
    assert "air" not in model.classes_
    assert state_of(clone(model).fit(TEXTS, LABELS)) == before
    assert state_of(clone(model).set_params(random_state=1).fit(TEXTS, LABELS)) != before


def test_sets_of_labels_and_their_order() -> None:
    first = tw.OnlineLabeledLDA().fit(TEXTS[:20], [sorted(own) for own in LABELS[:20]])
    second = tw.OnlineLabeledLDA().fit(TEXTS[:20], [set(own) for own in LABELS[:20]])
    assert state_of(first) == state_of(second)


# ---------------------------------------------------------------------- iterators


def test_learning_from_documents_and_from_an_iterator_that_fails() -> None:
    def fails() -> Iterator[Any]:
        yield Document("ship sea", ("sea",))
        yield ["bread", "oven"], ["kitchen"]
        yield "law", ("court",)
        raise OSError("gone")

    model = tw.OnlineLabeledLDA()
    with pytest.raises(OSError, match="gone"):
        model.learn(fails())
    assert model.n_docs_seen_ == 3
    assert model.new_labels_ == ["sea", "kitchen", "court"]
    with pytest.raises(InputError, match="Documents or pairs"):
        model.learn(["ship"])


def test_learning_from_an_asynchronous_iterator() -> None:
    async def documents() -> AsyncIterator[Any]:
        for pair in zip(TEXTS, LABELS):
            await asyncio.sleep(0)
            yield pair

    model = asyncio.run(tw.OnlineLabeledLDA().alearn(documents(), batch_size=8))
    assert state_of(model) == state_of(tw.OnlineLabeledLDA().fit(TEXTS, LABELS))


# ---------------------------------------------------------------------- what it tells


@pytest.fixture(scope="module")
def fitted() -> tw.OnlineLabeledLDA:
    return tw.OnlineLabeledLDA().fit(*stream_of(400))


def test_fitted_attributes(fitted: tw.OnlineLabeledLDA) -> None:
    texts, labels = stream_of(400)
    assert sorted(fitted.classes_) == sorted(WORDS)
    assert fitted.n_docs_seen_ == 400
    assert fitted.n_tokens_seen_ == sum(len(tw.Tokenizer()(text)) for text in texts)
    assert fitted.topic_word_counts_.sum() == pytest.approx(fitted.n_tokens_seen_)
    assert dict(zip(fitted.classes_, fitted.label_counts_)) == {
        name: sum(name in own for own in labels) for name in WORDS
    }
    np.testing.assert_allclose(fitted.topic_word_.sum(axis=1), 1)
    tops = dict(zip(fitted.classes_, fitted.top_words(3)))
    assert all(set(tops[name]) <= set(WORDS[name]) for name in WORDS)
    assert 3 < fitted.running_perplexity_ < 20
    assert fitted.n_resamplings_ == 0
    assert 1 <= fitted.effective_particles_ <= 8


def test_word_probability_is_the_mean_over_particles() -> None:
    model = tw.OnlineLabeledLDA(n_particles=4).fit(TEXTS, LABELS)
    engine, beta = model.stream_.engine, model.beta_
    n_labels, n_words = model.topic_word_counts_.shape
    of_particles = []
    for p in range(4):
        counts = np.zeros((n_labels, n_words))
        seen = engine.counts(p).toarray()
        counts[: seen.shape[0], : seen.shape[1]] = seen
        phi = (counts + beta) / (counts.sum(axis=1, keepdims=True) + beta * n_words)
        of_particles.append(phi.mean(axis=0))  # before a first word, all labels have the same share
    salt = model.vocabulary_.tolist().index("salt")
    chances = [of_particle[salt] for of_particle in of_particles]
    assert max(chances) > 1.0001 * min(chances)
    every = [model.classes_.tolist()]
    assert model.perplexity(["salt"], every, method="left-to-right") == pytest.approx(1 / np.mean(chances))
    best = tw.OnlineLabeledLDA(n_particles=4, combine="best").fit(TEXTS, LABELS)
    alone = 1 / chances[engine.best_particle]
    assert best.perplexity(["salt"], every, method="left-to-right") == pytest.approx(alone)


def test_methods_agree_with_labeled_lda(fitted: tw.OnlineLabeledLDA) -> None:
    batch = tw.LabeledLDA(n_sweeps=100).fit(*stream_of(400))
    new, known = stream_of(80, seed=5)
    assert fitted.perplexity(new, known) < 1.02 * batch.perplexity(new, known)
    assert fitted.predict(["wave sail ship ship", "judge law law court"]) == [("sea",), ("court",)]
    assert fitted.rank(["oven flour bread"], top=1)[0][0].label == "kitchen"
    np.testing.assert_allclose(fitted.transform(["law salt"]).sum(axis=1), 1)
    words = fitted.attribute("The ship has an oven.", labels=["sea", "kitchen"]).words
    assert [word.label for word in words if word.label] == ["sea", "kitchen"]
    assert fitted.snippets("flour, then ship and wave", "sea", length=3)[0].text == "ship and wave"
    assert fitted.explain("law judge").reasons[0].what == "court"
    assert fitted.get_feature_names_out().tolist() == fitted.classes_.tolist()


def test_forgetting_follows_the_stream() -> None:
    texts, labels = ["ship wave"] * 200 + ["law judge"] * 200, [["news"]] * 400
    model = tw.OnlineLabeledLDA(forgetting=0.9).fit(texts, labels)
    assert dict(zip(model.vocabulary_, model.topic_word_[0]))["ship"] < 0.01
    assert model.attribute("law").words[0].label == "news"
    steady = tw.OnlineLabeledLDA().fit(texts, labels)
    assert dict(zip(steady.vocabulary_, steady.topic_word_[0]))["ship"] == pytest.approx(0.25, abs=0.01)


def test_single_label_documents() -> None:
    model = tw.OnlineLabeledLDA().fit(["ship wave", "law judge"] * 20, ["sea", "court"] * 20)
    assert model.predict(["judge law"]).tolist() == ["court"]
    assert not model.multilabel_
    assert model.score(["ship", "law"], ["sea", "court"]) == 1
    assert model.partial_fit(["ship law"], [["sea", "court"]]).multilabel_


def test_the_papers_settings() -> None:
    model = tw.OnlineLabeledLDA.paper(random_state=3).fit(*stream_of(100))
    assert model.n_resamplings_ > 10
    best = model.stream_.engine.counts()
    assert (abs(model.topic_word_counts_ - best)).sum() == 0
    assert model.running_perplexity_ < 20


def test_batch_initialization() -> None:
    """When the first documents have come, each of their tokens is resampled many times; later ones are drawn once."""
    texts, labels = stream_of(60)
    model = tw.OnlineLabeledLDA(start=30, rejuvenate_per_label=0.0)
    redrawn = [model.partial_fit([text], [own]).stream_.engine.n_rejuvenated for text, own in zip(texts, labels)]
    n_free = sum(len(text.split()) for text, own in zip(texts[:30], labels[:30]) if len(set(own)) > 1)
    assert redrawn[:29] == [0] * 29
    assert redrawn[29:] == [100 * n_free] * 31
    assert tw.OnlineLabeledLDA(start=61, rejuvenate_per_label=0.0).fit(texts, labels).stream_.engine.n_rejuvenated == 0


def test_mean_covers_all_particles() -> None:
    model = tw.OnlineLabeledLDA(n_particles=3).fit(TEXTS, LABELS)
    mean = sum(model.stream_.engine.counts(p).toarray() for p in range(3)) / 3
    np.testing.assert_allclose(model.topic_word_counts_.toarray(), mean)
    phi = (mean + 0.1) / (mean + 0.1).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.topic_word_, phi)
    words = model.attribute(["salt"], labels=["sea", "kitchen"]).probabilities[0]
    topics = model._inference_with().topics  # their φ is the same
    assert topics.sizes.sum() == 3 * model.n_tokens_seen_
    assert words.sum() == pytest.approx(1)


# ---------------------------------------------------------------------- documents without labels


def test_documents_without_labels_are_skipped() -> None:
    model = tw.OnlineLabeledLDA().fit(["ship", "cloud wind", "bread", "rain"], [["sea"], None, ["kitchen"], []])
    assert (model.n_docs_seen_, model.n_skipped_) == (2, 2)
    assert model.vocabulary_.tolist() == ["ship", "bread"]


def test_unlabeled_documents_get_likely_labels() -> None:
    model = tw.OnlineLabeledLDA(unlabeled="likely")
    model.partial_fit(["law"], [None])  # nothing is known yet
    assert model.stream_.n_skipped == 1
    model.partial_fit(["ship wave sail", "law judge court"] * 20, [["sea"], ["court"]] * 20)
    model.partial_fit(["judge law gavel"], [None])
    assert (model.n_docs_seen_, model.n_skipped_) == (41, 1)
    assert model.label_counts_.tolist() == [20, 20]
    assert model.attribute("gavel").words[0].label == "court"


@pytest.mark.parametrize("options", [{}, {"resample_below": 0.8}, {"forgetting": 0.9, "resample_below": 0.8}])
def test_counts_of_selected_pairs(options: dict[str, Any]) -> None:
    engine = tw.OnlineLabeledLDA(n_particles=5, **options).fit(TEXTS, LABELS).stream_.engine
    labels = np.arange(engine.n_labels, dtype=np.uint32)
    words = np.arange(0, engine.n_words, 2, dtype=np.uint32)
    for particles in ([0], [3], [0, 1, 2, 3, 4]):
        expected = sum(engine.counts(p).toarray() for p in particles)[:, ::2] / len(particles)
        np.testing.assert_allclose(counts_of(engine, particles, labels, words), expected, atol=1e-12)


# ---------------------------------------------------------------------- seeds, pruning


def test_seeds_apply_from_the_start() -> None:
    seeds = tw.SeedWords({"sea": ["port"], "court": ["law"]}, weight=50)
    both = (["port law"] * 30, [["sea", "court"]] * 30)
    model = tw.OnlineLabeledLDA(knowledge=[seeds]).fit(*both)
    assert model.classes_.tolist() == ["sea", "court"]
    assert [word.label for word in model.attribute("port law").words] == ["sea", "court"]
    assert model.new_labels_ == []


@pytest.mark.parametrize("options", [{}, {"forgetting": 0.99}, {"resample_below": 0.8, "n_particles": 4}])
def test_pruning(options: dict[str, Any]) -> None:
    texts, labels = stream_of(200)
    rare = ["quark gluon"], [["physics"]]
    model = tw.OnlineLabeledLDA(reservoir=100, **options).fit(*rare).partial_fit(texts, labels)
    before = dict(zip(model.vocabulary_, model.topic_word_counts_[[1]].toarray().ravel()))
    pruned = model.prune(3)
    assert pruned.labels == 1
    assert pruned.words >= 2
    assert "physics" not in model.classes_
    after = dict(zip(model.vocabulary_, model.topic_word_counts_[[0]].toarray().ravel()))
    assert all(after[word] == pytest.approx(before[word], abs=1e-4) for word in after)
    np.testing.assert_allclose(model.stream_.engine.totals(), model.stream_.engine.counts().sum(axis=1), atol=1e-6)
    assert model.stream_.engine.n_words == len(model.vocabulary_)
    model.partial_fit(texts, labels).partial_fit(*rare)
    assert model.new_labels_ == ["physics"]
    assert model.predict(["wave sail ship ship"]) == [("sea",)]
    with raises_input("min_count", got=1e9):
        tw.OnlineLabeledLDA(reservoir=0).fit(["ship"], [["sea"]]).prune(1e9)


# ---------------------------------------------------------------------- errors

WRONG: list[dict[str, Any]] = [
    {"n_particles": 0},
    {"alpha": 0},
    {"beta": "learn"},
    {"combine": "all"},
    {"weighting": "paper"},
    {"resample_below": 2},
    {"resampling": "none"},
    {"rejuvenate": -1},
    {"rejuvenate_per_label": float("inf")},
    {"reservoir": 1.5},
    {"forgetting": 0},
    {"vocabulary": []},
    {"unlabeled": "drop"},
    {"window": 0},
    {"threshold": 2},
    {"label_prior": "even"},
]


@pytest.mark.parametrize("options", WRONG, ids=[str(next(iter(options))) for options in WRONG])
def test_rejects_invalid_parameters(options: dict[str, Any]) -> None:
    ((name, value),) = options.items()
    with raises_input(name, got=value):
        tw.OnlineLabeledLDA(**options).fit(["ship"], [["sea"]])


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        ([tw.SeedWords({"sea": ["a"]}, hard=True)], "needs soft seeds"),
        ([tw.SeedWords({"sea": "ship"})], "must be a list of words"),
        (tw.SeedWords({"sea": ["a"]}), r"write knowledge=\[SeedWords\(…\)\]"),
    ],
)
def test_rejects_invalid_seeds(knowledge: Any, message: str) -> None:
    with raises_input(match=message):
        tw.OnlineLabeledLDA(knowledge=knowledge).fit(["ship"], [["sea"]])


def test_deprecated_name_of_unlabeled() -> None:
    with pytest.warns(DeprecationWarning, match="unlabeled"):
        model = tw.OnlineLabeledLDA(unlabelled="likely")  # type: ignore[call-arg]
    assert clone(model).get_params()["unlabeled"] == "likely"
    with pytest.warns(DeprecationWarning, match="unlabeled"):
        assert model.unlabelled == "likely"


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (["ship"], [["sea"], ["kitchen"]], "2 entries but X has 1 doc"),
        ("ship", [["sea"]], "X must be a list of texts"),
        ([[1, 2]], [["sea"]], "X must be texts, lists of words or a Corpus"),
        (["ship"], "sea", "a list of labels for each document: got str"),
        (["ship", "law"], np.eye(2), "a list of labels for each document: got a matrix"),
        (["ship"], [[("sea",)]], "text, numbers or booleans"),
        (["ship", "law"], [["1"], [1]], "labels must differ as text"),
        (["ship", 3], [["air"], ["sea"]], "texts must be strings: got 3 at position 1"),
    ],
)
def test_invalid_documents_leave_the_model_unchanged(X: Any, y: Any, message: str) -> None:
    model = tw.OnlineLabeledLDA().fit(TEXTS, LABELS)
    before = state_of(model)
    with pytest.raises(InputError, match=message):
        model.partial_fit(X, y)
    with pytest.raises(InputError, match=message):
        model.fit(X, y)
    assert state_of(model) == before


def test_rejects_unsupported_methods() -> None:
    model = tw.OnlineLabeledLDA()
    with pytest.raises(NotFittedError):
        model.predict(["ship"])
    with pytest.raises(InputError, match="both words and labels"):
        model.fit(["ship"], [None])
    model.partial_fit(["", ""], [["sea"], None])
    with pytest.raises(NotFittedError):
        model.predict(["ship"])
    model.partial_fit([[], []], [["sea"], ["air"]]).partial_fit([["ship"]], [["sea"]])
    assert model.classes_.tolist() == ["sea", "air"]
    with pytest.raises(CorpusNotStoredError, match="a stream does not keep them"):
        _ = model.doc_topic_
    assert not isinstance(model, BatchTopicModel)
    assert not hasattr(model, "resume")
