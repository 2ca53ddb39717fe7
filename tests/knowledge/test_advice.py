"""Advice of the knowledge report: figures worked out by hand, and one sentence for each situation."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright.knowledge import compile_knowledge
from topicwright.knowledge.advice import documents_of_words, share_of_neighbors
from topicwright.knowledge.evaluation import EvaluationContext, ModelCounts, evaluate_knowledge
from topicwright.knowledge.report import ReportRow

# Three subjects with thirty documents each. "the" is in all of them, "keel" in two documents only.
SEA, KITCHEN, COURT = (
    ["ship", "sail", "wave", "the"],
    ["bread", "oven", "dough", "the"],
    ["judge", "jury", "law", "the"],
)
DOCUMENTS = [*[SEA] * 28, *[[*SEA, "keel"]] * 2, *[KITCHEN] * 30, *[COURT] * 30]
CORPUS = tw.Corpus.from_texts([" ".join(words) for words in DOCUMENTS])
SUBJECT = np.repeat([0, 1, 2], 30)
WORDS = CORPUS.vocabulary[CORPUS.tokens]
BY_SUBJECT = np.repeat(SUBJECT, CORPUS.doc_lengths())
"""Assignments that put each document in the topic of its subject."""
N_TOPICS = 4


def with_topics(**topic_of_word: int) -> np.ndarray:
    """Assignments by subject, except some words, which have a topic of their own."""
    assignments = BY_SUBJECT.copy()
    for word, topic in topic_of_word.items():
        assignments[word == WORDS] = topic
    return assignments


def counts(assignments: np.ndarray, corpus: tw.Corpus = CORPUS, n_topics: int = N_TOPICS) -> ModelCounts:
    ones, docs = np.ones(len(assignments), np.int64), np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
    words = csr_array((ones, (corpus.tokens, assignments)), shape=(corpus.n_words, n_topics))
    return ModelCounts(words, csr_array((ones, (docs, assignments)), shape=(corpus.n_docs, n_topics)), assignments)


def rows_of(*items: Any, now: np.ndarray = BY_SUBJECT, before: np.ndarray | None = BY_SUBJECT) -> list[ReportRow]:
    baseline = None if before is None else counts(before)
    context = EvaluationContext(CORPUS, compile_knowledge(items, CORPUS, N_TOPICS), counts(now), baseline)
    return evaluate_knowledge(items, context)[0]


def advice_on(*items: Any, **options: Any) -> list[str]:
    return [row.advice for row in rows_of(*items, **options)]


# ---------------------------------------------------------------------- measures


def test_share_of_neighbors_by_hand():
    corpus = tw.Corpus(np.array([0, 0, 1, 1, 0, 2, 2, 1, 3, 3, 4]), np.array([0, 4, 8, 11]), list("abcdef"))
    assignments = np.array([0, 1, 1, 1, 0, 2, 2, 0, 2, 2, 0], np.uint32)
    # a: 0, 2 and 1 of 3 other tokens; b: 2, 2 and 1 of 3; c: 1 of 3, twice; d: 1 of 2, twice; e: 0 of 2; f is absent
    expected = [1 / 3, 5 / 9, 1 / 3, 1 / 2, 0.0, 0.0]
    np.testing.assert_allclose(share_of_neighbors(corpus, assignments, 3), expected)


def test_share_of_neighbors_of_more_tokens_than_one_block():
    rng = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 3000, 1500))])
    corpus = tw.Corpus(rng.integers(0, 20, offsets[-1]).astype(np.int32), offsets, list("abcdefghijklmnopqrst"))
    assert corpus.n_tokens > 1 << 20
    assignments = rng.integers(0, 5, corpus.n_tokens).astype(np.uint32)
    total = np.zeros(20)
    for first, last in pairwise(offsets):
        own = assignments[first:last]
        shares = (np.bincount(own, minlength=5)[own] - 1) / max(last - first - 1, 1)
        np.add.at(total, corpus.tokens[first:last], shares)
    np.testing.assert_allclose(share_of_neighbors(corpus, assignments, 5), total / corpus.word_counts())


def test_documents_of_words():
    words = [CORPUS.vocabulary.tolist().index(word) for word in ("keel", "the", "jury")]
    found = documents_of_words(CORPUS, np.array(words)).toarray()
    expected = [[word in document for document in DOCUMENTS] for word in ("keel", "the", "jury")]
    np.testing.assert_array_equal(found, np.array(expected, int))


# ---------------------------------------------------------------------- links of words


@pytest.mark.parametrize(
    ("firmness", "change"),
    [
        (0.25, "raise `firmness` if they mean the same, or remove the link"),
        (0.9, "remove the link"),
        (None, "remove the link"),
    ],
)
def test_must_link_that_fails(firmness, change):
    reason = "the words are used differently (together in 0% of the documents with 'bread')"
    assert advice_on(tw.MustLinks([("ship", "bread")], firmness=firmness)) == [f"{reason}; {change}"]


def test_must_link_of_a_rare_word():
    assert advice_on(tw.MustLinks([("keel", "bread")])) == ["'keel' is too rare to tell (2 tokens)"]


@pytest.mark.parametrize(("firmness", "change"), [(0.9, "lower `firmness`"), (None, "set `firmness` below 1")])
def test_must_link_that_holds_at_a_cost(firmness, change):
    row, other = rows_of(
        tw.MustLinks([("ship", "bread"), ("sail", "wave")], firmness=firmness), now=with_topics(ship=1)
    )
    assert row.satisfied
    cost = "holds at a cost, 'ship' shares its topic with 0% of the words around it (100% without knowledge)"
    assert row.advice == f"{cost}; {change}, or remove the link"
    assert other.advice == "not needed; it holds without the link"  # though "ship" has left their documents


def test_must_link_that_helps_needs_no_advice():
    assert advice_on(tw.MustLinks([("ship", "sail")]), before=with_topics(ship=3)) == [""]


def test_nothing_is_said_of_costs_without_a_comparison():
    links = tw.MustLinks([("ship", "bread"), ("sail", "wave")])
    assert advice_on(links, now=with_topics(ship=1), before=None) == ["", ""]


@pytest.mark.parametrize("hard", [False, True])
def test_must_link_that_contradicts_seeds(hard):
    seeds = tw.SeedWords({0: ["ship"], 1: ["bread"]}, hard=hard)
    contradiction = "contradicts seeds, labels or forbidden words, which leave the words no topic in common"
    assert advice_on(tw.MustLinks([("ship", "bread")]), seeds)[0] == contradiction
    together = tw.SeedWords({0: ["ship", "bread"]}, hard=hard)
    assert advice_on(tw.MustLinks([("ship", "bread")]), together)[0].startswith("the words are used differently")


def test_cannot_links():
    links = [("ship", "sail"), ("ship", "bread"), ("judge", "jury")]
    reason = "the words are used alike (together in 100% of the documents with 'ship')"
    fails, unneeded, costs = advice_on(tw.CannotLinks(links), now=with_topics(jury=3))
    assert fails == f"{reason.replace('ship', 'sail')}; remove the link"
    assert unneeded == "not needed; it holds without the link"
    assert costs == (
        "holds at a cost, 'jury' shares its topic with 0% of the words around it (100% without knowledge); "
        "set `firmness` below 1, or remove the link"
    )
    (soft,) = advice_on(tw.CannotLinks([("ship", "sail")], firmness=0.5))
    assert soft.endswith("; raise `firmness`, or remove the link")


def test_document_links():
    links = [(0, 1), (0, 30)]
    unneeded, fails = advice_on(tw.DocumentLinks(links))
    assert unneeded == "not needed; it holds without the link"
    assert fails == "the documents have different words; raise `firmness`, or remove the link"
    assert advice_on(tw.DocumentLinks([(0, 30)], firmness=None)) == [
        "the documents have different words; remove the link"
    ]


# ---------------------------------------------------------------------- seeds


def test_seeds_of_a_topic_with_hardly_any_other_words_do_not_hold():
    (row,) = rows_of(tw.SeedWords({"alone": ["ship"]}), now=with_topics(ship=0, sail=3, wave=3, the=3, keel=3))
    assert (row.now, row.satisfied) == (1.0, False)
    assert row.advice == "its topic has hardly any other words; add seeds that occur with other words"
    (row,) = rows_of(tw.SeedWords({"sea": ["ship"]}))
    assert (row.satisfied, row.advice) == (True, "")


def test_seed_that_is_elsewhere():
    (row,) = rows_of(tw.SeedWords({2: ["ship"]}))
    assert row.advice == "most of its tokens are elsewhere; raise `weight`, or remove the seed"


def test_seed_that_is_too_common():
    now = with_topics(the=0, bread=0, oven=0, dough=0)  # more than the seeds
    sea, common = advice_on(tw.SeedWords({0: ["ship", "the"]}), now=now)
    assert sea == ""
    assert common == "too common for one topic (in 100% of all documents); use a more specific word"


def test_seed_of_another_subject():
    seeds = tw.SeedWords({"sea": ["ship", "bread"]})
    right, wrong = advice_on(seeds, now=with_topics(bread=0))
    assert (right, wrong) == ("", "check its meaning; only 0% of its documents contain another seed of the topic")
    assert advice_on(seeds, now=with_topics(bread=0), before=None)[1] == ""  # only texts and model together tell


def test_seed_that_occurs_with_the_others_is_right_even_if_another_model_has_it_elsewhere():
    assert advice_on(tw.SeedWords({"sea": ["ship", "sail"]}), before=with_topics(sail=3)) == ["", ""]


def test_seeds_that_are_too_rare_for_their_topic():
    (rare,) = advice_on(tw.SeedWords({"sea": ["keel"]}))
    assert rare == "only 8% of its topic is in documents with a seed; add more frequent seeds"


def test_topic_that_took_too_much():
    in_one_topic = np.zeros(CORPUS.n_tokens, np.int64)
    items = [tw.SeedWords({0: ["ship", "sail"]})]
    context = EvaluationContext(CORPUS, compile_knowledge(items, CORPUS, 8), counts(in_one_topic, n_topics=8))
    rows = evaluate_knowledge(items, context)[0]
    expected = "its topic has 100% of all tokens; if that is too many, use fewer or more specific seeds"
    assert [row.advice for row in rows] == [expected] * 2


def test_known_topic_that_changed():
    (row,) = rows_of(tw.KnownTopics({0: {"bread": 10, "oven": 10}}))
    assert not row.satisfied
    assert row.advice == "the topic has changed (new words are sail, ship, the); raise `weight` to keep it"
    assert advice_on(tw.KnownTopics({0: {"ship": 10, "sail": 10, "wave": 10}})) == [""]


# ---------------------------------------------------------------------- documents

RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice([SEA, KITCHEN, COURT][n % 3], 12)) for n in range(90)]
LABELS = [["sea", "kitchen", "court"][n % 3] for n in range(90)]


def labeled_rows(labels: Sequence[str | None], background: int = 0, texts: Sequence[str] = TEXTS) -> list[ReportRow]:
    """Report on labels of which all tokens are in their topics; "the" may be in the background except at sea."""
    corpus, items = tw.Corpus.from_texts(texts), [tw.DocumentLabels(labels, background=background)]
    known = compile_knowledge(items, corpus, N_TOPICS)
    assignments = np.repeat([known.topics.numbers.get(label or "", 3) for label in labels], corpus.doc_lengths())
    if background:
        at_sea = assignments == known.topics.numbers["sea"]
        assignments[(corpus.vocabulary[corpus.tokens] == "the") & ~at_sea] = known.topics.numbers["background 1"]
    return evaluate_knowledge(items, EvaluationContext(corpus, known, counts(assignments, corpus)))[0]


@pytest.mark.parametrize("background", [0, 1])
def test_documents_that_read_like_another_label(background):
    court, kitchen, sea = labeled_rows([*LABELS[:3], "court", *LABELS[4:]], background)  # document 3 is about the sea
    assert court.advice == "check 1 of 31 documents, whose words fit another label better (3 → sea)"
    assert (kitchen.advice, sea.advice) == ("", "")


def test_a_document_does_not_speak_for_its_own_label():
    own_words = " ".join(f"word{letter}" for letter in "abcdef")  # in no other document
    court, *_ = labeled_rows([*LABELS, "court"], texts=[*TEXTS, f"{TEXTS[0]} {own_words}"])
    assert court.advice == "check 1 of 31 documents, whose words fit another label better (90 → sea)"


def test_background_words_speak_for_no_label():
    labels, texts = [*LABELS, "court"], [*TEXTS, "judge" + 11 * " the"]
    assert [row.advice for row in labeled_rows(labels, 1, texts)] == [""] * 3


def test_labels_with_little_text_are_not_compared():
    labels = ["other" if n == 3 else label for n, label in enumerate(LABELS)]
    assert [row.advice for row in labeled_rows(labels)] == [""] * 4
    few = [label if n < 30 else None for n, label in enumerate(LABELS)]
    assert [row.advice for row in labeled_rows([*few[:3], "court", *few[4:]])] == [""] * 3


def test_several_labels_are_judged_together():
    both = [f"{sea} {oven}" for sea, oven in zip(TEXTS[::3], TEXTS[1::3])]
    labels = [*LABELS, *[["sea", "kitchen"]] * len(both)]
    model = tw.LDA(3, knowledge=[tw.DocumentLabels(labels)], n_sweeps=20).fit([*TEXTS, *both])
    assert [row.advice for row in model.knowledge_report(before=False).rows] == [""] * 3


def test_topics_of_documents():
    topics = {n: label for n, label in enumerate(LABELS) if n % 2}
    items = [tw.DocumentTopics({**topics, 3: "court"}, weight=1000)]
    report = tw.LDA(3, knowledge=items, n_sweeps=20).fit(TEXTS).knowledge_report(before=False)
    advice = {row.what: row.advice for row in report.rows}
    assert advice.pop("3 → court") == "check the document; its words fit 'sea' better"
    assert set(advice.values()) == {""}


def test_a_document_that_is_elsewhere():
    (row,) = rows_of(tw.DocumentTopics({0: 1}))
    assert row.advice == "most of its words are elsewhere; raise `weight`, or check the document"


# ---------------------------------------------------------------------- real corpora


@pytest.mark.data
def test_wrong_labels_and_links_in_20_newsgroups(data_directory):
    with lzma.open(data_directory / "20newsgroups.jsonl.xz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines][::6]
    texts = [document["text"].split("\n\n", 1)[-1] for document in documents]
    corpus = tw.Corpus.from_texts(texts, stop_words="english", min_df=5)
    groups = [document["labels"][0] for document in documents]
    rng, names = np.random.default_rng(0), sorted(set(groups))
    wrong = rng.choice(len(groups), 60, replace=False)
    labels = list(groups)
    for row in wrong:
        labels[row] = names[(names.index(groups[row]) + rng.integers(1, 20)) % 20]
    model = tw.LDA(20, knowledge=[tw.DocumentLabels(labels)], n_sweeps=50, random_state=0).fit(corpus)
    advice = " ".join(row.advice for row in model.knowledge_report(before=False).rows)
    assert sum(f"{row} → " in advice for row in wrong) > 20  # three documents of each label are named

    random = [tuple(map(str, rng.choice(corpus.vocabulary[:2000], 2, replace=False))) for _ in range(1000)]
    links = tw.MustLinks(sorted(set(random)), firmness=0.9)
    report = tw.LDA(50, knowledge=[links], n_sweeps=50, random_state=0).fit(corpus).knowledge_report()
    assert str(report.cost).startswith("knowledge has a cost: ")
    assert sum(row.advice.startswith("holds at a cost") for row in report.rows) > 50  # 79 of 610 that hold
