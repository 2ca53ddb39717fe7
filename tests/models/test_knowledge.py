"""Models with knowledge: saved, loaded, resumed, and with changed knowledge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import topicwright as tw
from topicwright.errors import ContradictionWarning, InputError, TopicwrightWarning, UnknownWordsWarning
from topicwright.io import read_model, write_model
from topicwright.knowledge import register_factor, scale_topic


class FavoriteTopic(NamedTuple):
    topic: Any


def scale_favorite(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    scale_topic(multipliers, factor.topic, 2.0)


register_factor(FavoriteTopic, scale_favorite)


@pytest.fixture(scope="module")
def labeled(corpus: tw.Corpus) -> tw.Corpus:
    """The themes, with ids, labels of some and links."""
    labels = [["sea"] if n % 6 == 0 else None for n in range(60)]
    return replace(corpus, ids=tuple(f"d{n}" for n in range(60)), labels=tuple(labels), links=[(0, 3), (1, 4)])


def every_kind() -> list[Any]:
    return [
        tw.SeedWords({"kitchen": ["bread"], 6: ["law"]}, weight=0.3),
        tw.MustLinks([("ship", "wave"), ("bread", "oven", "flour", 3.0)], 2.0, firmness=0.7),
        tw.CannotLinks([("ship", "bread")], firmness=None),
        tw.SeedWords({"court": ["judge"]}, hard=True),
        tw.DocumentLabels(background=1),
        tw.DocumentLabels({"d1": "kitchen", 2: ["court", "sea"]}),
        tw.SentenceLabels([(7, (0, 3), "kitchen"), ("d8", [2, 4], ["court", "sea"])]),
        tw.DocumentLinks(),
        tw.DocumentLinks([("d9", 12)], 3.0),
        tw.MustLinks([("judge", "law")]),
    ]


def saved(model: tw.LDA, folder: Path, **options: Any) -> tw.LDA:
    model.save(folder / "m.tw", **options)
    loaded: tw.LDA = tw.load(folder / "m.tw")
    return loaded


# ---------------------------------------------------------------------- saved and loaded


def test_loaded_model_resumes_identically(labeled, tmp_path):
    whole = tw.LDA(n_topics=7, n_sweeps=12, knowledge=every_kind()).fit(labeled)
    part = saved(tw.LDA(n_topics=7, n_sweeps=8, knowledge=every_kind()).fit(labeled), tmp_path)
    assert part.topic_names_ == whole.topic_names_ == ["kitchen", "court", "sea", "background 1", "4", "5", "6"]
    assert list(map(repr, part.knowledge)) == list(map(repr, every_kind()))
    saved(part.resume(2), tmp_path).resume(2).save(tmp_path / "again.tw")
    again = tw.load(tmp_path / "again.tw")
    assert again.assignments_.tobytes() == whole.assignments_.tobytes()
    np.testing.assert_array_equal(again.topic_word_, whole.topic_word_)
    np.testing.assert_array_equal(again.transform(["ship bread law"]), whole.transform(["ship bread law"]))
    assert again.knowledge_report().rows == whole.knowledge_report().rows


def test_compact_model_keeps_words_and_names(labeled, tmp_path):
    model = tw.LDA(n_topics=7, n_sweeps=5, knowledge=every_kind()).fit(labeled)
    loaded = saved(model, tmp_path, include_corpus=False)
    assert loaded.topic_names_ == model.topic_names_
    np.testing.assert_array_equal(loaded.topic_word_, model.topic_word_)
    np.testing.assert_array_equal(loaded.components_, model.components_)
    np.testing.assert_array_equal(loaded.transform(["ship bread law"]), model.transform(["ship bread law"]))
    assert loaded.perplexity(["ship bread law"]) == model.perplexity(["ship bread law"])
    assert loaded.top_words() == model.top_words()
    again = saved(loaded, tmp_path, include_corpus=False)
    np.testing.assert_array_equal(again.topic_word_, model.topic_word_)
    assert list(map(repr, again.knowledge)) == list(map(repr, loaded.knowledge))
    kinds = {"must-links", "cannot-links", "seeds"}
    rows = [row for row in model.knowledge_report(before=False).rows if row.kind in kinds]
    report = loaded.knowledge_report(before=False)
    unknown = {"satisfied": None, "advice": ""}  # without documents less can be said
    assert [row._replace(**unknown) for row in report.rows] == [row._replace(**unknown) for row in rows]
    assert len(report.notes) == 3
    with pytest.raises(InputError, match="before=True needs the training corpus"):
        loaded.knowledge_report()


def test_warnings_are_not_repeated_after_loading(corpus, tmp_path):
    items = [tw.MustLinks([("ship", "boat"), ("ship", "wave"), ("wave", "sail")]), tw.CannotLinks([("ship", "sail")])]
    model = tw.LDA(n_topics=3, n_sweeps=2, knowledge=items)
    with pytest.warns(UnknownWordsWarning, match="boat"), pytest.warns(ContradictionWarning, match="chain"):
        model.fit(corpus)
    model.resume(1)  # a warning is an error in these tests
    loaded = saved(model, tmp_path).resume(1)
    assert loaded.knowledge_report(before=False).contradictions
    assert saved(model, tmp_path, include_corpus=False).knowledge_report(before=False).contradictions
    loaded.knowledge = [*loaded.knowledge, tw.MustLinks([("bread", "loaf")])]
    with pytest.warns(UnknownWordsWarning, match="'loaf'") as caught:
        loaded.resume(1)
    assert len(caught) == 1


def test_file_without_knowledge_loads(corpus, tmp_path):
    tw.LDA(n_topics=3, n_sweeps=2).fit(corpus).save(tmp_path / "m.tw")
    assert not any(name.startswith("knowledge") for name in read_model(tmp_path / "m.tw").arrays)
    model = tw.load(tmp_path / "m.tw")
    assert (list(model.knowledge), model.topic_names_, model.knowledge_report().rows) == ([], None, [])
    model.resume(1)


def test_topics_keep_their_stored_indices(corpus, tmp_path):
    """Also if later versions assign indices to names differently."""
    import json

    from topicwright.io import pack_strings, unpack_strings

    tw.LDA(n_topics=4, n_sweeps=2, knowledge=[tw.SeedWords({"sea": ["ship"]})]).fit(corpus).save(tmp_path / "m.tw")
    file = read_model(tmp_path / "m.tw")
    said = json.loads(unpack_strings(file.arrays, "knowledge")[0])
    said["topics"] = {"sea": 3}
    arrays = {**file.arrays, **pack_strings([json.dumps(said)], "knowledge")}
    write_model(tmp_path / "m.tw", "lda", file.meta, arrays)
    assert tw.load(tmp_path / "m.tw").resume(1).topic_names_ == ["0", "1", "2", "sea"]


# ---------------------------------------------------------------------- what a file can't hold


def test_custom_knowledge_must_be_given_again(corpus, tmp_path):
    def items() -> list[Any]:
        own = tw.CustomFactor(lambda corpus, topics: FavoriteTopic(np.uint64(topics.number("mine"))), topics=["mine"])
        return [own, tw.SeedWords({"sea": ["ship"]})]

    whole = tw.LDA(n_topics=4, n_sweeps=8, knowledge=items()).fit(corpus)
    model = tw.LDA(n_topics=4, n_sweeps=5, knowledge=items()).fit(corpus)
    loaded = saved(model, tmp_path)
    assert loaded.topic_names_ == model.topic_names_ == ["mine", "sea", "2", "3"]
    np.testing.assert_array_equal(loaded.topic_word_, model.topic_word_)
    assert "CustomFactor knowledge is not in this report" in loaded.knowledge_report(before=False).notes[0]
    with pytest.raises(InputError, match=r"trained with CustomFactor knowledge, .* model\.knowledge = \[\.\.\.\]"):
        loaded.resume(3)
    with pytest.raises(InputError, match="trained with CustomFactor knowledge"):
        clone(loaded).fit(corpus)
    assert saved(loaded, tmp_path).knowledge[0].name == "CustomFactor"
    loaded.knowledge = items()
    np.testing.assert_array_equal(loaded.resume(3).assignments_, whole.assignments_)


def test_model_with_unstorable_knowledge_can_be_saved(corpus, tmp_path):
    odd = tw.MustLinks([("ship", "wave"), ("unheard", "unheard")])  # a link that no file would take
    with pytest.warns(UnknownWordsWarning):
        model = tw.LDA(n_topics=3, n_sweeps=2, knowledge=[odd]).fit(corpus)
    assert saved(model, tmp_path).knowledge[0].name == "MustLinks"


# ---------------------------------------------------------------------- changed


def test_changed_knowledge_takes_effect_on_resume(labeled):
    model = tw.LDA(n_topics=5, n_sweeps=10, knowledge=[tw.SeedWords({"sea": ["ship"]})]).fit(labeled)
    assert model.topic_names_[0] == "sea"
    model.set_params(knowledge=[tw.SeedWords({"kitchen": ["bread"]}, hard=True), tw.DocumentLabels()])
    model.resume(1)
    assert model.topic_names_ == ["sea", "kitchen", "2", "3", "4"]  # the sea stays where it was
    assert model.word_prior_ is None
    report = model.knowledge_report(before=False)
    assert [(row.kind, row.now) for row in report.rows] == [("seeds", 1.0), ("document-labels", 1.0)]
    model.set_params(knowledge=[]).resume(1)
    assert (model.topic_names_, model.knowledge_report().rows) == (None, [])


def test_invalid_knowledge_leaves_the_model_unchanged(corpus):
    model = tw.LDA(n_topics=3, n_sweeps=5, knowledge=[tw.SeedWords({"sea": ["ship"]})]).fit(corpus)
    before = model.assignments_.copy()
    model.set_params(knowledge=[tw.SeedWords({n: ["ship"] for n in ("a", "b", "c", "d")})])
    with pytest.raises(InputError, match="n_topics must be at least 4"):
        model.resume(1)
    np.testing.assert_array_equal(model.assignments_, before)
    assert model.topic_names_ == ["sea", "1", "2"]
    assert [row.what for row in model.knowledge_report(before=False).rows] == ["ship → sea"]


def test_knowledge_must_be_a_list(corpus):
    with pytest.raises(InputError, match=r"must be a list .* got MustLinks\(1 links\); write .*=\[MustLinks\(…\)\]"):
        tw.LDA(n_topics=3, knowledge=tw.MustLinks([("ship", "wave")])).fit(corpus)


def test_topic_that_lost_its_seeds_gives_a_warning(corpus, recwarn):
    model = tw.LDA(n_topics=4, knowledge=[tw.SeedWords({"sea": ["ship", "wave"]})], n_sweeps=20).fit(corpus)
    assert not recwarn.list
    alone = tw.SeedWords({"alone": ["ahoy"]})
    texts = ["ship wave tide", "bread oven flour"] * 20 + ["ahoy ahoy"] * 10
    model.set_params(knowledge=[alone])
    with pytest.warns(TopicwrightWarning, match="did not form: 'alone' has hardly any other words than ahoy"):
        model.fit(texts)
    (row,) = model.knowledge_report(before=False).rows  # the report sees it, too
    assert (row.now, row.satisfied) == (1.0, False)
    assert row.advice == "its topic has hardly any other words; add seeds that occur with other words"
    recwarn.clear()
    model.resume(1)
    labels = tw.DocumentLabels([["kitchen"]] * len(texts))
    model.set_params(knowledge=[alone, labels]).fit(texts)
    assert not recwarn.list


def test_seeded_topic_without_known_words_is_left_out(corpus):
    seeds = tw.SeedWords({"health": ["zzzz"], "sea": ["ship"]})
    left_out = pytest.warns(
        UnknownWordsWarning, match="1 seeded topic left out, with no seed in the vocabulary: health"
    )
    with left_out, pytest.warns(UnknownWordsWarning, match="'zzzz'"):
        model = tw.LDA(n_topics=3, knowledge=[seeds], n_sweeps=5).fit(corpus)
    assert model.topic_names_ == ["sea", "1", "2"]


@pytest.mark.parametrize("begin", ["fit", "resume"])
def test_failed_training_leaves_the_model_unchanged(begin):
    texts = ["ship sea wind", "law court jury"] * 5
    lda, same = (tw.LDA(2, n_sweeps=5, random_state=0).fit(texts) for _ in range(2))
    lda.knowledge = [tw.SeedWords({7: ["ship"]})]
    with pytest.raises(InputError, match="from 0 to 1: got 7"):
        lda.fit(["other words here", "and there"]) if begin == "fit" else lda.resume(3)
    lda.knowledge = []

    def fail(sweep):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        lda.fit(texts[:3], on_sweep=fail) if begin == "fit" else lda.resume(3, on_sweep=fail)
    assert lda.corpus_.n_docs == 10
    assert lda.resume(2).assignments_.tolist() == same.resume(2).assignments_.tolist()


def test_failed_first_training_leaves_the_model_unfitted():
    lda = tw.LDA(2, knowledge=[tw.SeedWords({7: ["ship"]})])
    with pytest.raises(InputError):
        lda.fit(["ship sea wind"])
    with pytest.raises(NotFittedError):
        lda.transform(["ship"])


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        ([tw.MustLinks], r"got MustLinks; write MustLinks\(…\)"),
        ("known.yaml", r"write knowledge=tw.read_knowledge\('known.yaml'\)"),
    ],
)
def test_rejects_other_types_as_knowledge(knowledge: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.LDA(2, knowledge=knowledge).fit(["ship sea"])


@pytest.mark.parametrize("links", ["god jesus", ("god", "jesus"), ["god", "jesus"]])
def test_rejects_links_that_are_not_pairs(links: Any) -> None:
    for kind in (tw.MustLinks, tw.CannotLinks):
        with pytest.raises(InputError, match=r"must be a list of pairs of words, such as \[\('ship', 'boat'\)\]: got"):
            kind(links)
