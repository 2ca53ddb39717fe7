"""Updates of LDA: identity of topics, the weight of the past, knowledge, files and interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.knowledge import register_factor, scale_topic
from topicwright.models.update.inputs import weighted_counts

SEA, KITCHEN, SPORT = ["ship", "sails", "sea", "boat"], ["bread", "oven", "flour", "loaf"], ["ball", "goal", "team"]
SETTINGS: dict[str, Any] = {"n_topics": 3, "n_sweeps": 40, "random_state": 1}


def texts(n: int, *subjects: list[str], seed: int = 0, length: int = 8) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(subjects[i % len(subjects)], length)) for i in range(n)]


OLD = texts(60, SEA, KITCHEN)
NEW = texts(30, [*SEA, "harbor"], [*KITCHEN, "yeast"], seed=1)


def fitted(**options: Any) -> Any:
    return tw.LDA(**{**SETTINGS, **options}).fit(OLD)


def topic_of(model: Any, word: str) -> int:
    return int(model.topic_word_counts_[:, [model.vocabulary_.tolist().index(word)]].toarray().argmax())


def state(model: Any) -> dict[str, Any]:
    return {
        name: value for name, value in vars(model).items() if name not in ("components_", "topic_word_", "doc_topic_")
    }


# ---------------------------------------------------------------------- topics, words, counts


TWO = {"n_topics": 2}


@pytest.mark.parametrize(
    "options", [TWO, {**TWO, "one_topic_per_document": True}, {**TWO, "alpha": "learn", "beta": "learn"}]
)
def test_topics_keep_their_numbers_and_words_follow_the_old_ones(options: dict[str, Any]) -> None:
    model = fitted(**options)
    sea, old_words, old_counts = topic_of(model, "ship"), model.vocabulary_.tolist(), model.topic_word_counts_.toarray()
    report = model.update(NEW, n_sweeps=10, max_topics=2)
    assert topic_of(model, "ship") == sea == topic_of(model, "harbor")
    assert model.vocabulary_.tolist() == [*old_words, "harbor", "yeast"]
    assert report.new_words == ["harbor", "yeast"]
    own = np.zeros((2, len(model.vocabulary_)), np.int64)
    np.add.at(own, (model.assignments_.astype(int), model.corpus_.tokens), 1)
    np.testing.assert_array_equal(model.topic_word_counts_.toarray()[:, : len(old_words)] - old_counts, own[:, :-2])
    assert model.doc_topic_.shape == (30, 2)
    assert model.sweeps_ == 50
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert model.transform(["ship harbor"]).argmax() == sea
    assert model.perplexity(NEW) < 12


def test_an_update_is_better_on_new_documents_than_none() -> None:
    heldout = texts(30, [*SEA, "harbor"], [*KITCHEN, "yeast"], seed=2)
    model = fitted()
    model.update(NEW)
    other = tw.LDA(**SETTINGS).fit([*OLD, *NEW])
    assert model.perplexity(heldout) < 1.05 * other.perplexity(heldout)


@pytest.mark.parametrize(("memory", "weight"), [(1.0, 1.0), (0.25, 0.25), (0.0, 0.0), (15, 0.25), (600, 1.0)])
def test_memory_is_the_weight_of_the_past(memory: float | int, weight: float) -> None:
    model = fitted()
    before = model.topic_word_counts_.toarray()
    report = model.update(NEW, memory=memory, n_sweeps=3)
    assert report.weight == weight
    past = model.earlier_.words.toarray()[:, : before.shape[1]]
    np.testing.assert_allclose(past.sum(axis=1), before.sum(axis=1) * weight, atol=1)
    assert np.all(np.abs(past - before * weight) < 1)
    assert abs(model.earlier_.documents.sum() - 60 * weight) <= 1.5


def test_topics_start_where_they_were_and_are_trained_again() -> None:
    """With all documents and no memory, an update is a fit that keeps the numbers of topics."""
    for seed in range(4):
        model = fitted(n_topics=2, random_state=seed)
        sea, sweeps = topic_of(model, "ship"), []
        report = model.update([*OLD, *NEW], memory=0.0, n_sweeps=6, on_sweep=sweeps.append)
        assert topic_of(model, "ship") == sea == topic_of(model, "harbor")
        assert model.earlier_.words.sum() == 0
        assert model.topic_word_counts_.sum() == model.corpus_.n_tokens
        assert report.new_topics == []
        assert [(sweep.number, sweep.last) for sweep in sweeps] == [(40 + n, 46) for n in range(1, 7)]


@pytest.mark.parametrize("memory", [0.5, 30])
def test_stopping_in_the_first_sweep_still_forgets(memory: float | int, tmp_path: Path) -> None:
    model = fitted(knowledge=[tw.MustLinks([("ship", "boat")])])
    model.update(NEW, memory=memory, on_sweep=lambda sweep: False)
    assert model.sweeps_ == 41
    assert model.interrupted_
    np.testing.assert_allclose(model.earlier_.words.sum(), 240, atol=2)
    assert model.topic_word_counts_.sum() == model.earlier_.words.sum() + model.corpus_.n_tokens
    model.save(tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw").resume(3)
    np.testing.assert_array_equal(again.assignments_, model.resume(3).assignments_)


def test_a_sliding_window_stays_bounded() -> None:
    model = fitted()
    for seed in range(5):
        model.update(texts(30, SEA, KITCHEN, seed=seed), memory=40, n_sweeps=2)
        assert model.earlier_.documents.sum() <= 42
    assert model.topic_word_counts_.sum() < 80 * 8


def test_rounding_keeps_the_sum_of_each_topic() -> None:
    from scipy.sparse import csr_array

    counts = csr_array(np.random.default_rng(0).integers(0, 3, (20, 300)))
    for weight in (0.1, 0.5, 0.9):
        kept = weighted_counts(counts, weight)
        np.testing.assert_allclose(kept.sum(axis=1), counts.sum(axis=1) * weight, atol=0.51)
        assert kept.data.min() > 0


def test_words_left_out_on_purpose_do_not_come_back() -> None:
    model = fitted()
    model.update([f"{text} everywhere" for text in NEW], n_sweeps=2)
    assert "everywhere" not in model.vocabulary_
    model.update(["ship rare", *NEW], n_sweeps=2)
    assert "rare" not in model.vocabulary_
    model.update(["ship rare", *NEW], n_sweeps=2, min_df=1)
    assert "rare" in model.vocabulary_


@pytest.mark.parametrize("kind", ["words", "corpus", "counts"])
def test_kinds_of_documents(kind: str) -> None:
    corpus = tw.Corpus.from_texts(NEW)
    if kind == "counts":
        model = tw.LDA(**SETTINGS).fit(tw.Corpus.from_texts(OLD).to_matrix())
        model.update(tw.Corpus.from_texts(OLD[:10]).to_matrix(), n_sweeps=2)
        assert model.corpus_.n_docs == 10
        return
    model = fitted()
    model.update(corpus if kind == "corpus" else [text.split() for text in NEW], n_sweeps=2)
    assert model.vocabulary_.tolist()[-2:] == ["harbor", "yeast"]
    assert model.transform(["Ship, sea!"]).shape == (1, 3)  # the tokenizer is still that of the model


# ---------------------------------------------------------------------- the same answer


def test_same_seed_same_answer_on_any_number_of_threads() -> None:
    models = [fitted(n_jobs=n_jobs) for n_jobs in (1, 1, 3)]
    reports = [model.update(NEW, n_sweeps=5) for model in models]
    for model in models[1:]:
        np.testing.assert_array_equal(model.assignments_, models[0].assignments_)
    assert repr(reports[0]) == repr(reports[1]) == repr(reports[2])


@pytest.mark.parametrize("include_corpus", [True, False])
@pytest.mark.parametrize("options", [{}, {"one_topic_per_document": True}])
def test_updates_of_a_file_equal_updates_in_memory(tmp_path: Path, include_corpus: bool, options: Any) -> None:
    model = fitted(knowledge=[tw.MustLinks([("ship", "boat")]), tw.TopicNames({1: "one"})], **options)
    paths = [tmp_path / name for name in ("base.tw", "a.tw", "b.tw")]
    model.save(paths[0], include_corpus=include_corpus)
    for number, path in enumerate(paths[1:]):
        again = tw.load(paths[0]) if number else model
        again.update(NEW, memory=40, n_sweeps=4)
        again.save(path)
        again = tw.load(path) if number else again
        again.update(texts(20, SEA, SPORT, seed=5), n_sweeps=4)
        again.resume(2)
        again.save(path)
    assert paths[1].read_bytes() == paths[2].read_bytes()
    loaded = tw.load(paths[1])
    np.testing.assert_array_equal(loaded.topic_word_counts_.toarray(), again.topic_word_counts_.toarray())
    assert [update["documents"] for update in loaded.updates_] == [30, 20]
    assert loaded.topic_names_ == ["0", "one", "2", *loaded.topic_names_[3:]]


def test_memory_in_documents_needs_to_know_how_many_there_were(tmp_path: Path) -> None:
    path = Path(__file__).parents[1] / "compatibility" / "files_0_1" / "lda.tw"
    tw.load(path).save(tmp_path / "small.tw", include_corpus=False)
    model: Any = tw.load(tmp_path / "small.tw")
    model.update([" ".join(model.vocabulary_[:5])] * 4, memory=10, n_sweeps=2)
    assert model.earlier_.documents.sum() <= 12
    model.earlier_ = model.earlier_._replace(documents=model.earlier_.documents * 0)
    model.assignments_ = None
    with pytest.raises(InputError, match="how many documents"):
        model.update([" ".join(model.vocabulary_[:5])] * 4, memory=10)


def test_resume_continues_an_update() -> None:
    one, other = fitted(), fitted()
    one.update(NEW, n_sweeps=7, max_topics=3)
    other.update(NEW, n_sweeps=3, max_topics=3)
    other.resume(4)
    np.testing.assert_array_equal(one.assignments_, other.assignments_)


# ---------------------------------------------------------------------- knowledge


class Favor(NamedTuple):
    topic: int


def favor(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    scale_topic(multipliers, factor.topic, 5.0)


register_factor(Favor, favor)


def test_knowledge_about_words_and_topics_stays() -> None:
    knowledge = [
        tw.MustLinks([("ship", "boat")]),
        tw.CannotLinks([("ship", "bread")]),
        tw.SeedWords({"kitchen": ["oven"]}),
        tw.ForbiddenWords({0: ["loaf"]}),
        tw.CustomFactor(lambda corpus, topics: Favor(topics.number("kitchen")), topics=["kitchen"]),
        tw.DocumentTopics({0: 1}),
        tw.TopicNames({2: "rest"}),
    ]
    model = fitted(knowledge=knowledge, n_topics=4)
    names = model.topic_names_
    model.update(NEW, n_sweeps=3, max_topics=4)
    assert model.topic_names_ == names
    kinds = [type(item).__name__ for item in model.knowledge]
    assert kinds == ["MustLinks", "CannotLinks", "SeedWords", "ForbiddenWords", "CustomFactor", "TopicNames"]
    assert model.resume(1).topic_names_ == names
    rows = model.knowledge_report()
    assert {row.kind for row in rows.rows} >= {"must-links", "seeds"}
    assert "updated" in str(rows)


def test_links_count_earlier_documents() -> None:
    """The rarer word follows the other, and the past counts in what is rare."""
    model = fitted(knowledge=[tw.MustLinks([("ship", "boat")])])
    old = dict(zip(model.vocabulary_.tolist(), model.corpus_.word_counts().tolist()))
    model.update(["ship sea"] * 3 + ["boat sea"], n_sweeps=1, max_topics=3)
    shared = model.fit_state_.compiled.shared_word_counts
    ship, boat = (model.vocabulary_.tolist().index(word) for word in ("ship", "boat"))
    share = shared.share[int(shared.start[ship])]
    assert shared.sources[int(shared.start[ship])] == boat
    assert share == pytest.approx((old["ship"] + 3) / (old["boat"] + 1) / 3)


def test_labels_of_new_documents_get_new_topics() -> None:
    labels = [["sea"], ["kitchen"]] * 30
    corpus = tw.Corpus.from_texts(OLD, labels=labels)
    model: Any = tw.LDA(**SETTINGS, knowledge=[tw.DocumentLabels()]).fit(corpus)
    assert model.topic_names_ == ["kitchen", "sea", "2"]
    model.update(texts(20, SEA, SPORT), [["sea"], ["sport"]] * 10, n_sweeps=3, max_topics=4)
    assert model.topic_names_ == ["kitchen", "sea", "2", "sport"]
    assert topic_of(model, "ball") == 3
    assert len(model.alpha_) == model.n_topics == 4
    model.update(texts(20, SEA, SPORT), n_sweeps=3, max_topics=4)  # without labels
    assert model.topic_names_ == ["kitchen", "sea", "2", "sport"]


def test_a_steered_model_is_updated_and_steered_on(tmp_path: Path) -> None:
    from topicwright.steering import MergeTopics, Pin, Rename, SplitTopic, Steering, Together

    steering: Any = Steering(fitted())
    sea = topic_of(steering.model, "ship")
    for step in (Rename(sea, "at sea"), Together(("ship", "boat")), Pin(sea)):
        steering.add(step)
    steering.update(3)
    model = steering.model
    model.update(NEW, n_sweeps=5, max_topics=3)
    assert model.topic_names_[sea] == "at sea"
    past = model.earlier_.words.sum()
    model.save(tmp_path / "sea.tw")
    again: Any = Steering.open(tmp_path / "sea.tw")
    other = next(topic for topic in range(3) if topic != sea)
    again.add(Rename(other, "food"))
    again.update(2)
    assert again.model.topic_names_[sea] == "at sea"
    assert again.model.topic_names_[other] == "food"
    again.add(MergeTopics(sea, (other,)))
    assert again.model.topic_word_counts_.sum() == model.topic_word_counts_.sum()
    assert again.model.topic_word_counts_[[other], :].sum() == 0
    again.undo()
    again.add(SplitTopic(sea, ("ship", "boat")))
    steered = again.model
    assert steered.topic_word_counts_.sum() == model.topic_word_counts_.sum()
    ship = model.vocabulary_.tolist().index("ship")
    assert steered.topic_word_counts_[sea, ship] == 0
    assert steered.topic_word_counts_[3, ship] == model.topic_word_counts_[sea, ship]
    assert model.earlier_.words.sum() == past
    again.close()
    reopened = Steering.open(tmp_path / "sea.tw")
    np.testing.assert_array_equal(reopened.model.topic_word_counts_.toarray(), steered.topic_word_counts_.toarray())
    reopened.close()


# ---------------------------------------------------------------------- interruption and errors


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_all_or_nothing(error: type[BaseException]) -> None:
    model = fitted(knowledge=[tw.MustLinks([("ship", "boat")])])
    before, words = state(model), model.topic_word_counts_.toarray()

    def fail(sweep: Any) -> None:
        raise error

    with pytest.raises(error):
        model.update(NEW, on_sweep=fail)
    after = state(model)
    assert before.keys() == after.keys()
    assert all(after[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.topic_word_counts_.toarray(), words)
    assert model.resume(1).corpus_.n_docs == 60


def test_stopping_keeps_a_usable_model() -> None:
    model = fitted()
    model.update(NEW, on_sweep=lambda sweep: sweep.number < 43)
    assert model.interrupted_
    assert model.sweeps_ == 43
    assert model.updates_[0]["sweeps"] == 3
    assert model.doc_topic_.shape == (30, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": -0.5}, "memory must be a share"),
        ({"memory": 0}, "memory must be"),
        ({"memory": True}, "memory must be"),
        ({"memory": "all"}, "memory must be"),
        ({"n_sweeps": 0}, "n_sweeps must be"),
        ({"max_topics": 2}, "max_topics must be"),
        ({"min_df": 0}, "min_df must be"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    model = fitted()
    with pytest.raises(InputError, match=message):
        model.update(NEW, **options)
    assert model.corpus_.n_docs == 60


def test_documents_without_words() -> None:
    with pytest.raises(InputError, match="nothing to learn from"):
        fitted().update(["", "zzz"])
    with pytest.raises(InputError, match="features"):
        fitted().update(np.ones((2, 3), np.int64))
