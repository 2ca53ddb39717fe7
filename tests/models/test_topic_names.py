"""Names of topics: given after training, saved, and shown wherever topics are."""

from __future__ import annotations

import copy
import io

import pytest

import topicwright as tw
from topicwright.io.export import export
from topicwright.views import topics_over_time

from ..assertions import raises_input
from ..conftest import themed_texts

TEXTS = themed_texts(30)
SEEDS = tw.SeedWords({"sea": ["ship", "wave"]})


def fitted(**options):
    return tw.LDA(n_topics=4, n_sweeps=10, **options).fit(TEXTS)


def through_a_file(model, folder, **options):
    model.save(folder / "m.tw", **options)
    return tw.load(folder / "m.tw")


@pytest.mark.parametrize("include_corpus", [True, False])
@pytest.mark.parametrize("knowledge", [[], [SEEDS], [SEEDS, tw.TopicNames({2: "food"})]])
def test_names_survive_save_resume_and_copies(knowledge, include_corpus, tmp_path):
    model = fitted(knowledge=knowledge)
    assert model.rename_topics({3: "sport", 1: "  law \n and order "}) is model
    first = "sea" if knowledge else "0"
    food = "food" if len(knowledge) > 1 else "2"
    names = [first, "law and order", food, "sport"]
    assert model.topic_names_ == names
    loaded = through_a_file(model, tmp_path, include_corpus=include_corpus)
    assert loaded.topic_names_ == names
    assert copy.deepcopy(model).topic_names_ == names
    loaded.rename_topics({"sport": "games"})
    again = through_a_file(loaded, tmp_path, include_corpus=include_corpus)
    assert again.topic_names_ == [*names[:3], "games"]
    if include_corpus:
        assert again.resume(2).topic_names_ == [*names[:3], "games"]
        assert model.assignments_.tolist() == loaded.assignments_.tolist()


def test_training_goes_on_as_without_names(tmp_path):
    plain, named = fitted(knowledge=[SEEDS]), fitted(knowledge=[SEEDS])
    named.rename_topics({2: "x"})
    assert plain.resume(5).assignments_.tolist() == named.resume(5).assignments_.tolist()


def test_names_that_knowledge_refers_to_stay_its_own():
    model = fitted(knowledge=[tw.TopicNames({2: "sea"}), SEEDS])
    assert model.topic_names_ == ["0", "1", "sea", "3"]
    with raises_input("names", match="topic 2 is called 'sea' by labels, seeds or other knowledge"):
        model.rename_topics({2: "ocean"})
    model.rename_topics({0: "law"})
    assert model.resume(2).topic_names_ == ["law", "1", "sea", "3"]
    labeled = tw.LabeledLDA(n_sweeps=5, n_background_topics=1).fit(TEXTS, [["a"], ["b"], ["c"]] * 10)
    with raises_input("names", match="topic 0 is called 'a' by"):
        labeled.rename_topics({"a": "b"})


def test_names_can_be_swapped_and_removed():
    model = fitted().rename_topics({0: "a", 1: "b"})
    assert model.rename_topics({0: "b", 1: "a"}).topic_names_ == ["b", "a", "2", "3"]
    assert model.rename_topics({"a": None}).topic_names_ == ["b", "1", "2", "3"]
    assert model.rename_topics({0: "0"}).topic_names_ is None
    assert model.get_feature_names_out().tolist() == ["lda0", "lda1", "lda2", "lda3"]
    assert model.knowledge == []


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({0: ""}, "names must be names that are not empty, or None: got ''"),
        ({0: " "}, "names that are not empty"),
        ({0: 7}, "names that are not empty, or None: got 7"),
        ({0: "x", 1: "x"}, "topics 0 and 1 would both be called 'x'"),
        ({0: "old"}, "topics 0 and 3 would both be called 'old'"),
        ({0: "2"}, "not the number of another topic"),
        ({0: "x" * 201}, "at most 200 characters: got 201"),
        ({4: "x"}, "names must be an integer from 0 to 3: got 4"),
        ({-1: "x"}, "from 0 to 3"),
        ({True: "x"}, "names must be an integer"),
        ({"odl": "x"}, "present names of topics: got 'odl'; did you mean 'old'"),
        ({3: "x", "old": "y"}, "names must name each topic once"),
        (["a"], r"names must be a mapping of topics to names: got \['a'\]; write {3: 'sport'}"),
    ],
)
def test_rejects_bad_names_and_changes_nothing(names, message):
    model = fitted().rename_topics({3: "old"})
    with raises_input("names", match=message):
        model.rename_topics(names)
    assert model.topic_names_ == ["0", "1", "2", "old"]


def test_names_may_be_assigned_as_a_whole_only(tmp_path):
    model = fitted()
    model.topic_names_ = ["a", "b", None, "d"]
    assert through_a_file(model, tmp_path).topic_names_ == ["a", "b", "2", "d"]
    with raises_input("topic_names_", match=r"can't be assigned: write model.rename_topics\({1: 'x'}\)"):
        model.topic_names_[1] = "x"
    with raises_input("topic_names_", match="must be a list of 4 names"):
        model.topic_names_ = ["a"]
    model.topic_names_ = None
    assert model.topic_names_ is None


def test_names_are_shown_everywhere():
    corpus = tw.Corpus.from_texts(TEXTS, dates=[2000 + i % 10 for i in range(30)])
    model = tw.LDA(n_topics=4, n_sweeps=10).fit(corpus).rename_topics({3: "sport"})
    assert model.get_feature_names_out().tolist() == ["lda0", "lda1", "lda2", "sport"]
    assert list(model.set_output(transform="pandas").transform(TEXTS[:2]).columns) == ["lda0", "lda1", "lda2", "sport"]
    assert model.topic_info()[3].name == "sport"
    assert {row.topic_name for row in model.document_info() if row.topic == 3} <= {"sport"}
    assert "sport" in repr(topics_over_time(model))
    assert "sport" in model._repr_html_()
    assert "sport" in model.plot_topic("sport").axes[0].get_title(loc="left")
    page, table = io.StringIO(), io.StringIO()
    model.write_report(page)
    export(model, table, "topics-csv")
    assert "sport" in page.getvalue()
    assert "3,sport," in table.getvalue()


def test_models_of_all_kinds(tmp_path):
    y = ["a", "b", "c"] * 10
    for strategy in ("shared", "one-vs-rest"):
        model = tw.MedLDAClassifier(n_topics=3, n_sweeps=5, strategy=strategy).fit(TEXTS, y)
        assert through_a_file(model.rename_topics({1: "x"}), tmp_path).topic_names_ == ["0", "x", "2"]
    assert model.estimators_[0].topic_names_ == ["0", "x", "2"]
    session = tw.Steering(fitted().rename_topics({1: "x"}))
    assert session.model.topic_names_ == ["0", "x", "2", "3"]
