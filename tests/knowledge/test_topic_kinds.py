"""Forbidden words, known topics, topics of documents, names of topics: exact, in files, in reports; errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import ContradictionWarning, InputError, UnknownWordsWarning
from topicwright.knowledge import parse_knowledge, serialize_knowledge
from topicwright.knowledge.io.files import read_knowledge_file

from ..assertions import raises_input
from ..sampling.enumeration import Tiny, p_value
from .test_exactness import A, B, C, agrees, by_word, fixed, product, tiny

# ---------------------------------------------------------------------- the sampler, against enumeration


def test_forbidden_words() -> None:
    corpus = tiny()
    item = tw.ForbiddenWords({0: ["a"], 2: ["a", "b"]})
    exact = fixed(corpus, by_word(corpus, {A: {1}, B: {0, 1}}))
    agrees(corpus, [item], exact)
    wrong = fixed(corpus, by_word(corpus, {A: {1}}))
    assert p_value(corpus.visits(knowledge=[item]), wrong) < 1e-6


def test_known_topics() -> None:
    corpus = tiny()
    known = tw.KnownTopics({0: {"a": 3, "b": 0.5}, 2: {"c": 1}}, weight=2)
    for topic, word, more in ((0, A, 6.0), (0, B, 1.0), (2, C, 2.0)):
        corpus.betas[topic, word] += more
    agrees(corpus, [known], corpus.posterior())
    assert p_value(corpus.visits(knowledge=[known]), tiny().posterior()) < 1e-6


def drawn(corpus: Tiny, topics: dict[int, set[int]], weight: float) -> Any:
    return lambda i, k, rest: weight if k in topics.get(int(corpus.doc_of[i]), ()) else 1.0


def test_topics_of_documents() -> None:
    corpus = tiny()
    item = tw.DocumentTopics({0: 2, 1: [0, 1]}, weight=3)
    agrees(corpus, [item], fixed(corpus, drawn(corpus, {0: {2}, 1: {0, 1}}, 3.0)))
    wrong = fixed(corpus, drawn(corpus, {0: {2}, 1: {0, 1}}, 2.0))
    assert p_value(corpus.visits(knowledge=[item]), wrong) < 1e-6


def test_all_kinds_with_a_named_topic() -> None:
    """The name takes index 1; topics with other indices do not move."""
    corpus = tiny()
    items = [tw.DocumentTopics({0: "x"}, 3), tw.ForbiddenWords({"x": ["a"]}), tw.TopicNames({1: "x"})]
    ratio = product(drawn(corpus, {0: {1}}, 3.0), by_word(corpus, {A: {0, 2}}))
    agrees(corpus, items, fixed(corpus, ratio))


# ---------------------------------------------------------------------- where they meet others


def test_labels_hold_when_no_topic_remains(corpus: tw.Corpus) -> None:
    labels = tw.DocumentLabels({0: "sea", 1: "kitchen"})
    word = corpus.words(0)[0]
    with pytest.warns(ContradictionWarning, match="forbidden words and document labels leave no topic for"):
        lda = tw.LDA(3, n_sweeps=5, knowledge=[labels, tw.ForbiddenWords({"sea": [word]})]).fit(corpus)
    topic = lda.topic_names_.index("sea")
    inside = int(lda.topic_word_counts_[topic, list(lda.vocabulary_).index(word)])
    assert inside == corpus.words(0).count(word)
    row = next(row for row in lda.knowledge_report(before=False).rows if row.kind == "forbidden-words")
    assert row.satisfied is False


def test_names_keep_their_numbers(corpus: tw.Corpus) -> None:
    items = [tw.SeedWords({"sea": ["ship"], 0: ["law"]}), tw.TopicNames({3: "sea", 1: "bread"})]
    lda = tw.LDA(4, n_sweeps=5, knowledge=items).fit(corpus)
    assert lda.topic_names_ == ["0", "bread", "2", "sea"]
    seeds, ship = lda.fit_state_.compiled.seeds, list(lda.vocabulary_).index("ship")
    assert seeds.topics[seeds.start[ship]] == 3


def test_result_does_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    tokens, offsets = rng.integers(0, 500, 1_700_000).astype(np.int32), np.arange(0, 1_700_001, 1000)
    corpus = tw.Corpus(tokens, offsets, [f"w{n}" for n in range(500)])
    known = [tw.ForbiddenWords({1: ["w3"]}), tw.DocumentTopics({7: 2, 900: 0}), tw.KnownTopics({0: {"w1": 9}})]
    one, two = (tw.LDA(4, n_sweeps=2, knowledge=known, n_jobs=jobs).fit(corpus) for jobs in (1, 2))
    assert np.array_equal(one.assignments_, two.assignments_)
    assert one.topic_word_counts_[1, 3] == 0


# ---------------------------------------------------------------------- files


KINDS = [
    tw.ForbiddenWords({"sea": ["bread", "no"], 4: ["1984"]}),
    tw.ForbiddenWords({"7": ["bread"]}),
    tw.KnownTopics({"sea": {"ship": 3, "1984": 0.5}, 2: {"no": 1}}, weight=2.5),
    tw.KnownTopics({"7": {"ship": 3}}),
    tw.DocumentTopics({"d1": "sea", 7: [3, "4"]}, 8),
    tw.TopicNames({0: "sea", 7: "no", 12: "1984"}),
]


@pytest.mark.parametrize("item", KINDS, ids=lambda item: str(serialize_knowledge([item])))
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_file_round_trip(tmp_path: Path, item: Any, suffix: str) -> None:
    tw.write_knowledge([item], tmp_path / f"known.{suffix}")
    (back,) = tw.read_knowledge(tmp_path / f"known.{suffix}")
    assert vars(back) == vars(item)
    assert read_knowledge_file(tmp_path / f"known.{suffix}").steps is None


def test_short_forms(tmp_path: Path) -> None:
    (tmp_path / "known.yaml").write_text(
        "forbidden-words:\n  7: [bank, on]\n"
        "known-topics:\n  topics:\n    hockey: {puck: 120, 1984: 2}\n"
        "document-topics:\n  topics: {d1: hockey, 5: 7}\n"
        "topic-names: {7: no}\n"
    )
    forbidden, known, about, names = tw.read_knowledge(tmp_path / "known.yaml")
    assert forbidden.words == {7: ["bank", "on"]}
    assert (known.words, known.weight) == ({"hockey": {"puck": 120, "1984": 2}}, 10.0)
    assert about.topics == {"d1": "hockey", 5: 7}
    assert names.names == {7: "no"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"forbidden-words": {7: "bank"}}, "must be a list of words"),
        ({"forbidden-words": [7]}, "must be a mapping of topics to lists of words"),
        ({"known-topics": {"hockey": {"puck": 1}}}, "unknown key 'hockey'"),
        ({"known-topics": {"topics": {"hockey": ["puck"]}}}, "must be a mapping of words to counts"),
        ({"known-topics": {"topics": {"hockey": {"puck": 0}}}}, "must be a positive number"),
        ({"document-topics": {"topics": {"d1": None}}}, "must be the name or number of a topic"),
        ({"document-topics": {"topics": {"d1": "sea"}, "weight": -1}}, "must be a positive number"),
        ({"topic-names": {"sea": "kitchen"}}, "must be a topic's number"),
        ({"topic-names": {1: "sea", 2: "sea"}}, "two topics have the same name"),
        ({"steps": {"log": []}}, "the key 'base' is missing"),
        ({"steps": [1]}, "must be a mapping"),
    ],
)
def test_invalid_sections_are_named(data: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_knowledge(data)


def test_saved_model_resumes_identically(corpus: tw.Corpus, tmp_path: Path) -> None:
    corpus = replace(corpus, ids=tuple(f"d{n}" for n in range(60)))
    items = [tw.ForbiddenWords({1: ["ship"]}), tw.KnownTopics({"sea": {"wave": 9}}), tw.TopicNames({3: "sea"})]
    lda = tw.LDA(5, n_sweeps=5, knowledge=[*items, tw.DocumentTopics({"d4": "sea"})]).fit(corpus)
    lda.save(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    assert loaded.topic_names_ == ["0", "1", "2", "sea", "4"]
    assert np.array_equal(loaded.resume(3).assignments_, lda.resume(3).assignments_)
    lda.save(tmp_path / "small.tw", include_corpus=False)
    small = tw.load(tmp_path / "small.tw")
    assert [type(item).__name__ for item in small.knowledge][:3] == ["ForbiddenWords", "KnownTopics", "TopicNames"]
    assert np.array_equal(small.topic_word_, lda.topic_word_)


# ---------------------------------------------------------------------- reports and errors


def test_reports(corpus: tw.Corpus) -> None:
    items = [tw.ForbiddenWords({1: ["ship", "law"]}), tw.KnownTopics({"sea": {"wave": 90, "ship": 80}})]
    lda = tw.LDA(5, n_sweeps=10, knowledge=[*items, tw.DocumentTopics({4: "sea"}, 1e6), tw.TopicNames({2: "x"})])
    report = lda.fit(corpus).knowledge_report()
    rows = {(row.kind, row.what): row for row in report.rows}
    assert rows["forbidden-words", "ship ↛ 1"].satisfied
    assert rows["forbidden-words", "law ↛ 1"].now == 1
    sea = lda.topic_names_.index("sea")
    share = lda.doc_topic_counts_[4, sea] / 12
    assert rows["document-topics", "4 → sea"].now == pytest.approx(share)
    assert rows["document-topics", "4 → sea"].satisfied is bool(share >= 0.5)
    counts = lda.topic_word_counts_[[sea], :].toarray().ravel() / lda.topic_word_counts_[[sea], :].sum()
    place = {word: n for n, word in enumerate(lda.vocabulary_)}
    overlap = min(counts[place["wave"]], 90 / 170) + min(counts[place["ship"]], 80 / 170)
    assert rows["known-topics", "sea (2 words)"].now == pytest.approx(overlap)
    assert report.notes == ()
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("item", "parameter", "message"),
    [
        (tw.ForbiddenWords({0: ["ship"], 1: ["ship"]}), "words", "forbidden in every topic"),
        (tw.ForbiddenWords(["ship"]), "words", "mapping of topics .* got list"),
        (tw.ForbiddenWords({0: "ship"}), "words", "of topic 0 must be a list"),
        (tw.ForbiddenWords({9: ["ship"]}), None, "number from 0 to 1: got 9"),
        (tw.KnownTopics({0: ["ship"]}), "words", "mapping of topics to word counts"),
        (tw.KnownTopics({0: {7: 1}}), "words", "of topic 0 must be a list"),
        (tw.KnownTopics({0: {"ship": -1}}), "words", "the count of 'ship'"),
        (tw.KnownTopics({0: {"ship": 1}}, weight=0), "weight", "positive number"),
        (tw.DocumentTopics([(0, 1)]), "topics", "mapping of documents .* got list"),
        (tw.DocumentTopics({99: 1}), None, "row from 0 to 59: got 99"),
        (tw.DocumentTopics({0: 1}, weight=np.inf), "weight", "positive number"),
        (tw.DocumentTopics({0: 1}, weight=1e10), "weight", "below 1,000,000,000"),
        (tw.TopicNames({0: "x", 1: "x"}), "names", "different names"),
        (tw.TopicNames(["x"]), "names", "mapping of topic numbers"),
        (tw.TopicNames({"1": "x"}), "names", "mapping of topic numbers"),
        (tw.TopicNames({2: "x"}), None, "number from 0 to 1: got 2"),
    ],
)
def test_invalid_arguments_are_named(corpus: tw.Corpus, item: Any, parameter: str | None, message: str) -> None:
    assert repr(item).startswith(f"{type(item).__name__}(")  # an invalid item has a repr
    with raises_input(parameter, match=message):
        tw.LDA(2, n_sweeps=1, knowledge=[item]).fit(corpus)


def test_unknown_words_give_warnings(corpus: tw.Corpus) -> None:
    known = [tw.ForbiddenWords({0: ["submarine"]}), tw.KnownTopics({1: {"shark": 2}})]
    with pytest.warns(UnknownWordsWarning) as warned:
        tw.LDA(2, n_sweeps=1, knowledge=known).fit(corpus)
    assert len(warned) == 2
