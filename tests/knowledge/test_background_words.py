"""Background words: exact, in reports, in knowledge and model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import ContradictionWarning, UnknownWordsWarning
from topicwright.knowledge import parse_knowledge, serialize_knowledge

from ..assertions import raises_input
from ..sampling.enumeration import p_value
from .test_exactness import A, B, C, agrees, by_document, by_word, fixed, product, tiny

# ---------------------------------------------------------------------- the sampler, against enumeration


def test_background_words() -> None:
    corpus = tiny()
    item = tw.BackgroundWords(["a"], topic=2)
    agrees(corpus, [item], fixed(corpus, by_word(corpus, {A: {2}})))
    wrong = fixed(corpus, by_word(corpus, {A: {0, 2}}))
    assert p_value(corpus.visits(knowledge=[item]), wrong) < 1e-6


def test_background_words_with_labels_and_seeds() -> None:
    """Labels x and y are topics 0 and 1, and "background 1" is topic 2."""
    corpus = tiny()
    items = [
        tw.DocumentLabels([["x", "y"], None], background=1),
        tw.BackgroundWords(["b"], topic="background 1"),
        tw.SeedWords({"y": ["c"], "background 1": ["c"]}, hard=True),
    ]
    ratio = product(by_document(corpus, {0: {0, 1, 2}}), by_word(corpus, {B: {2}, C: {1, 2}}))
    agrees(corpus, items, fixed(corpus, ratio))


# ---------------------------------------------------------------------- in a model


def test_the_words_are_in_the_background_topic_only(corpus: tw.Corpus) -> None:
    model = tw.LDA(4, n_sweeps=10, knowledge=[tw.BackgroundWords(["ship", "judge"])]).fit(corpus)
    assert model.topic_names_ == ["background", "1", "2", "3"]
    words = [list(model.vocabulary_).index(word) for word in ("ship", "judge")]
    assert not model.topic_word_counts_.toarray()[1:, words].any()
    rows = model.knowledge_report().rows
    assert sorted(row.what for row in rows) == ["judge → background", "ship → background"]
    for row in rows:
        assert (row.kind, row.now, row.satisfied) == ("background-words", 1.0, True)
        assert row.before is not None
        assert [str(topic) for topic in row.topics] == ["background (100%)"]


def test_labels_hold_where_they_exclude_the_background(corpus: tw.Corpus) -> None:
    word = corpus.words(0)[0]
    items = [tw.DocumentLabels({0: "sea"}), tw.BackgroundWords([word])]
    with pytest.warns(ContradictionWarning, match="background words and document labels leave no topic"):
        model = tw.LDA(3, n_sweeps=5, knowledge=items).fit(corpus)
    sea = model.topic_names_.index("sea")
    assert (model.assignments_[: len(corpus.doc(0))] == sea).all()
    row = next(row for row in model.knowledge_report(before=False).rows if row.kind == "background-words")
    assert row.satisfied  # all tokens that no label claims are in the background
    assert row.now < 1


def test_unknown_words_are_left_out(corpus: tw.Corpus) -> None:
    model = tw.LDA(3, n_sweeps=1, knowledge=[tw.BackgroundWords(["submarine"])])
    with pytest.warns(UnknownWordsWarning, match="a word of the background words is not in the vocabulary"):
        model.fit(corpus)
    assert model.knowledge_report(before=False).rows == []


@pytest.mark.parametrize("words", ["ship", 5, [5]])
def test_words_must_be_a_list(corpus: tw.Corpus, words: object) -> None:
    item = tw.BackgroundWords(words)  # type: ignore[arg-type]
    assert repr(item).startswith("BackgroundWords(")
    with raises_input("words", got=words):
        tw.LDA(3, n_sweeps=1, knowledge=[item]).fit(corpus)


# ---------------------------------------------------------------------- files


ITEMS = [
    tw.BackgroundWords(["copyright", "no", "1984"]),
    tw.BackgroundWords(["copyright"], topic="boilerplate"),
    tw.BackgroundWords([], topic=7),
    tw.BackgroundWords(["copyright"], topic="7"),
]


@pytest.mark.parametrize("item", ITEMS, ids=repr)
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_knowledge_file_stores_them(tmp_path: Path, item: tw.BackgroundWords, suffix: str) -> None:
    tw.write_knowledge([item], tmp_path / f"knowledge.{suffix}")
    (read,) = tw.read_knowledge(tmp_path / f"knowledge.{suffix}")
    assert isinstance(read, tw.BackgroundWords)
    assert vars(read) == vars(item)


def test_the_short_form(tmp_path: Path) -> None:
    (tmp_path / "knowledge.yaml").write_text("background-words: [copyright, on]\n")
    (read,) = tw.read_knowledge(tmp_path / "knowledge.yaml")
    assert vars(read) == {"words": ["copyright", "on"], "topic": "background"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("background-words: copyright\n", ", line 1: background-words must be a mapping"),
        ("background-words:\n  words: copyright\n", ", line 2: background-words, words must be a list of words"),
        ("background-words: {words: [a], topic: -1}\n", "topic's number, 0 or more"),
        ("background-words: {topic: x}\n", "the key 'words' is missing"),
    ],
)
def test_invalid_sections_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "knowledge.yaml").write_text(text)
    with raises_input(match=message):
        tw.read_knowledge(tmp_path / "knowledge.yaml")


def test_a_model_file_stores_them(corpus: tw.Corpus, tmp_path: Path) -> None:
    item = tw.BackgroundWords(["ship"], topic="sea")
    model = tw.LDA(3, n_sweeps=5, knowledge=[item]).fit(corpus)
    for include_corpus in (True, False):
        model.save(tmp_path / "model.tw", include_corpus=include_corpus)
        loaded = tw.load(tmp_path / "model.tw")
        assert [vars(item) for item in loaded.knowledge] == [vars(item)]
        assert loaded.topic_names_ == ["sea", "1", "2"]
        assert loaded.knowledge_report(before=False).rows == model.knowledge_report(before=False).rows
    model.save(tmp_path / "model.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "model.tw").resume(3).assignments_, model.resume(3).assignments_)


def test_plain_data_is_the_same_after_a_round_trip() -> None:
    data = serialize_knowledge(ITEMS)
    assert serialize_knowledge(parse_knowledge(data)) == data
