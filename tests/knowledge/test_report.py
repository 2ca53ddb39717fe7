"""Knowledge reports: numbers worked out by hand, every kind, and models from files."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright.errors import ContradictionWarning, UnknownWordsWarning
from topicwright.evaluation import coherence
from topicwright.knowledge import compile_knowledge
from topicwright.knowledge.evaluation import EvaluationContext, ModelCounts, evaluate_knowledge
from topicwright.knowledge.report import KnowledgeCost, KnowledgeReport, ReportRow, TopicFraction, advice_lines

from ..assertions import raises_input

# Six words in three documents; the topic of each token stands below it.
CORPUS = tw.Corpus(
    np.array([0, 0, 1, 1, 0, 2, 2, 1, 3, 3, 4]), np.array([0, 4, 8, 11]), list("abcdef"), ids=("x", "y", "z")
)
TOPICS = np.array([0, 1, 1, 1, 0, 2, 2, 0, 2, 2, 0], np.uint32)


def trained(assignments: np.ndarray, n_topics: int = 3) -> ModelCounts:
    ones = np.ones(len(assignments), np.int64)
    owner = np.repeat(np.arange(CORPUS.n_docs), CORPUS.doc_lengths())
    words = csr_array((ones, (CORPUS.tokens, assignments)), shape=(CORPUS.n_words, n_topics))
    docs = csr_array((ones, (owner, assignments)), shape=(CORPUS.n_docs, n_topics))
    return ModelCounts(words, docs, assignments)


def rows_of(*items: Any, before: np.ndarray | None = None) -> list[ReportRow]:
    known = compile_knowledge(items, CORPUS, 3)
    case = EvaluationContext(CORPUS, known, trained(TOPICS), None if before is None else trained(before))
    return evaluate_knowledge(items, case)[0]


def figures(*items: Any) -> list[tuple[str, float, bool | None]]:
    return [(row.what, pytest.approx(row.now, nan_ok=True), row.satisfied) for row in rows_of(*items)]


# ---------------------------------------------------------------------- figures by hand


def test_links_of_words():
    # a: topics 0, 1, 0; b: 1, 1, 0; c: 2, 2; d: 2, 2; f never occurs
    assert figures(tw.MustLinks([("a", "b"), ("a", "c"), ("c", "d"), ("a", "f")])) == [
        ("a – b", 2 / 3, True),
        ("a – c", 0.0, False),
        ("c – d", 1.0, True),
        ("a – f", math.nan, None),
    ]
    assert figures(tw.CannotLinks([("a", "b"), ("a", "c")])) == [("a – b", 2 / 3, False), ("a – c", 0.0, True)]


def test_topics_supporting_a_link():
    first, second = rows_of(tw.MustLinks([("a", "b"), ("a", "c")]))
    assert first.topics == (TopicFraction(0, None, pytest.approx(1 / 3)), TopicFraction(1, None, pytest.approx(1 / 3)))
    assert second.topics == ()


def test_links_of_documents():
    # x: topics 0, 1, 1, 1; y: 0, 2, 2, 0; z: 2, 2, 0
    assert figures(tw.DocumentLinks([("x", "y"), ("y", 2)])) == [("x – y", 0.25, False), ("y – z", 5 / 6, True)]


def test_seeds():
    seeds = tw.SeedWords({0: ["a", "e"], 1: ["a"], 2: ["b", "c", "f"]})
    assert figures(seeds) == [
        ("a → 0, 1", 1.0, True),  # most tokens of topic 1 are of another word
        ("e → 0", 1.0, False),  # topic 0 has one token that is not of its seeds
        ("b → 2", 0.0, False),
        ("c → 2", 1.0, True),  # two of four tokens are of other words
        ("f → 2", math.nan, None),
    ]
    assert figures(tw.SeedWords({2: ["a"]})) == [("a → 2", 0.0, False)]
    assert figures(tw.SeedWords({1: ["b"]}, hard=True)) == [("b → 1", 2 / 3, False)]


def test_seeds_are_compared_with_the_nearest_topic():
    # the same topics under other numbers, but for the last token
    before = np.array([2, 0, 0, 0, 2, 1, 1, 2, 1, 1, 1])
    row, other = rows_of(tw.SeedWords({1: ["b"], 0: ["e"]}), before=before)
    assert (row.before, row.now) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (other.before, other.now) == (1.0, 1.0)


def test_labels_of_documents_and_sentences():
    labels = tw.DocumentLabels({"x": "p", "y": ["p", "q"], "z": None})
    assert compile_knowledge([labels], CORPUS, 3).topics.numbers == {"p": 0, "q": 1}
    assert figures(labels) == [
        ("p (2 documents, 8 tokens)", 3 / 8, False),
        ("q (1 document, 4 tokens)", 2 / 4, False),
    ]
    sentences = tw.SentenceLabels([("x", (2, 4), "q"), ("z", (0, 1), "q")])
    assert compile_knowledge([sentences], CORPUS, 3).topics.numbers == {"q": 0}
    assert figures(sentences) == [("q (2 sentences, 3 tokens)", 0.0, False)]


def test_violations_forced_by_other_constraints_are_excused():
    # Sentence labels are nearer than labels of documents, and labels are nearer than hard seeds.
    document, sentence = tw.DocumentLabels({"x": "p"}), tw.SentenceLabels([("x", (1, 4), "q")])
    hard = tw.SeedWords({2: ["a"]}, hard=True)
    (row,) = rows_of(document)
    assert (row.now, row.satisfied) == (0.25, False)
    rows = rows_of(document, sentence, hard)
    assert [(row.now, row.satisfied) for row in rows[:2]] == [(0.25, True), (1.0, True)]
    assert (rows[2].now, rows[2].satisfied) == (0.0, False)  # "a" in y is free to follow its seed, and does not


# ---------------------------------------------------------------------- of a model


@pytest.fixture(scope="module")
def known() -> list[Any]:
    return [
        tw.MustLinks([("ship", "wave"), ("bread", "oven")], firmness=None),
        tw.CannotLinks([("ship", "bread")]),
        tw.SeedWords({"court": ["judge"]}),
        tw.DocumentLabels({0: "sea", 3: "sea"}),
        tw.DocumentLinks([(1, 4)]),
    ]


@pytest.fixture(scope="module")
def model(corpus: tw.Corpus, known: list[Any]) -> tw.LDA:
    return tw.LDA(n_topics=5, n_sweeps=30, knowledge=known).fit(corpus)


def test_every_kind_has_its_rows(model):
    report = model.knowledge_report(before=False)
    assert [row.kind for row in report.rows] == [
        *["must-links"] * 2,
        "cannot-links",
        "seeds",
        "document-labels",
        "document-links",
    ]
    assert all(row.before is None for row in report.rows)
    kinds = set(report.satisfied)
    assert {kind: report.satisfied[kind] + report.violated[kind] for kind in kinds} == {
        "must-links": 2,
        "cannot-links": 1,
        "seeds": 1,
        "document-labels": 1,
        "document-links": 1,
    }
    assert report.rows[4].satisfied


def test_baseline_is_the_same_training_without_knowledge(model, corpus):
    plain = tw.LDA(n_topics=5, n_sweeps=30).fit(corpus)
    given = model.knowledge_report(before=plain).rows
    assert model.knowledge_report().rows == given
    assert given[0].before is not None
    assert given[4].before is None  # labels are not compared


def test_baseline_is_trained_once(corpus, known):
    model = tw.LDA(n_topics=5, n_sweeps=4, knowledge=known).fit(corpus)
    sweeps: list[int] = []
    for _ in range(2):
        model.knowledge_report(on_sweep=lambda sweep: sweeps.append(sweep.number))
    assert sweeps == [1, 2, 3, 4]
    model.resume(1).knowledge_report(on_sweep=lambda sweep: sweeps.append(sweep.number))
    assert sweeps[4:] == [1, 2, 3, 4, 5]


def test_an_interrupted_baseline_is_noted_and_not_stored(corpus, known):
    model = tw.LDA(n_topics=5, n_sweeps=4, knowledge=known).fit(corpus)
    report = model.knowledge_report(on_sweep=lambda sweep: sweep.number < 2)
    assert report.notes == ("the model without knowledge was stopped after 2 of 4 sweeps",)
    assert model.knowledge_report().notes == ()


def test_rejects_invalid_baselines(model):
    with raises_input("before", got="no"):
        model.knowledge_report(before="no")
    with raises_input("before", match="model of the same corpus"):
        model.knowledge_report(before=tw.LDA(2, n_sweeps=1).fit(["one two", "two three"]))


def test_a_model_without_knowledge(corpus):
    report = tw.LDA(n_topics=3, n_sweeps=1).fit(corpus).knowledge_report()
    assert report.rows == []
    assert str(report) == "this model has no knowledge"
    assert repr(report) == "<KnowledgeReport: this model has no knowledge>"


def test_contradictions_unknown_words_and_kinds_without_evaluation(corpus):
    items = [tw.MustLinks([("ship", "wave"), ("wave", "sail"), ("ship", "boat")]), tw.CannotLinks([("ship", "sail")])]
    model = tw.LDA(n_topics=3, n_sweeps=2, knowledge=items)
    with pytest.warns(UnknownWordsWarning, match="boat"), pytest.warns(ContradictionWarning):
        model.fit(corpus)
    report = model.knowledge_report(before=False)
    assert report.contradictions == (
        "sail and ship are kept apart by a cannot-link, and joined by a chain of must-links",
    )
    assert report.notes == ("a word of the must-links is not in the vocabulary and left out: 'boat'",)
    assert "contradiction: sail and ship" in str(report)


# ---------------------------------------------------------------------- how it looks


ROWS = [
    ReportRow(
        "must-links",
        f"w{n} – <v>",
        0.125,
        n / 30,
        n >= 15,
        (TopicFraction(3, None, 0.25), TopicFraction(1, "sea", 0.1)),
    )
    for n in range(30)
]
REPORT = KnowledgeReport([*ROWS, ReportRow("seeds", "f → 2", None, math.nan, None, ())])


def test_as_text():
    lines = str(REPORT).splitlines()
    assert lines[0] == "must-links: 15 of 30 hold, 0.48 on average (0.12 without knowledge)"
    assert lines[1].split() == ["holds", "what", "before", "now", "topics"]
    assert lines[2] == "  no     w0 – <v>   0.12    0.00  3 (25%), sea (10%)"
    assert [line.split()[0] for line in lines[2:22]] == ["no"] * 15 + ["yes"] * 5
    assert lines[22] == "  … and 10 more"
    assert lines[24:] == [
        "seeds: 0 of 0 hold; 1 without tokens",
        "  holds  what   before  now        topics",
        "  –      f → 2  –       no tokens",
    ]


def test_repr():
    summary = (
        "must-links: 15 of 30 hold, 0.48 on average (0.12 without knowledge); seeds: 0 of 0 hold; 1 without tokens"
    )
    assert repr(REPORT) == f"<KnowledgeReport: {summary}>"
    assert repr(KnowledgeReport(ROWS[:1], ("a", "b"))).endswith("; 2 contradictions>")


def test_as_html():
    page = REPORT._repr_html_()
    assert page.count("<table>") == 2
    assert "<td>w0 – &lt;v&gt;</td><td>0.12</td><td>0.00</td><td>3 (25%), sea (10%)</td>" in page


def test_as_data():
    data = json.loads(json.dumps(REPORT.to_dict(), allow_nan=False))
    assert (data["satisfied"], data["violated"]) == ({"must-links": 15, "seeds": 0}, {"must-links": 15, "seeds": 0})
    assert data["rows"][0] == {
        "kind": "must-links",
        "what": "w0 – <v>",
        "before": 0.125,
        "now": 0.0,
        "satisfied": False,
        "topics": [{"topic": 3, "name": None, "share": 0.25}, {"topic": 1, "name": "sea", "share": 0.1}],
        "advice": "",
    }
    assert data["cost"] is None
    assert (data["rows"][-1]["now"], data["rows"][-1]["satisfied"]) == (None, None)


ADVISED = KnowledgeReport(
    [row._replace(advice="not needed; <why>" if n < 5 else f"reason {n}") for n, row in enumerate(ROWS[15:])],
    cost=KnowledgeCost((1000.0, 1020.0), 0.01, (0.1, 0.05), 0.02),
)


def test_rows_with_the_same_advice_share_a_line():
    lines = str(ADVISED).splitlines()
    assert lines[0].endswith("; advice on 15")
    first = lines.index("  advice:")
    assert lines[first + 1] == "    w15 – <v> · w16 – <v> · w17 – <v> and 2 more: not needed; <why>"
    assert lines[first + 2] == "    w20 – <v>: reason 5"
    assert lines[first + 11] == "    … and 1 more"
    assert advice_lines(ADVISED, "must-links", None)[-1] == "w29 – <v>: reason 14"
    assert "<li>w20 – &lt;v&gt;: reason 5</li>" in ADVISED._repr_html_()
    assert "advice" not in str(REPORT)


def test_rows_with_advice_come_before_those_without():
    rows = [row._replace(advice="reason" if n == 25 else "") for n, row in enumerate(ROWS)]
    shown = [row.what for row in KnowledgeReport(rows).first("must-links")]
    assert shown[14:17] == ["w14 – <v>", "w25 – <v>", "w15 – <v>"]  # the first fifteen do not hold


COST = (
    "knowledge has a cost: perplexity 1,000 → 1,020 (+2.0%), coherence (NPMI) 0.100 → 0.050; "
    "another random seed may change them by 1.0% and 0.020"
)


def test_cost_is_part_of_every_form():
    assert str(ADVISED).splitlines()[-1] == COST
    assert COST in ADVISED._repr_html_()
    data = json.loads(json.dumps(ADVISED.to_dict()))
    assert data["rows"][0]["advice"] == "not needed; <why>"
    assert data["cost"] == {
        "perplexity": [1000, 1020],
        "perplexity_noise": 0.01,
        "coherence": [0.1, 0.05],
        "coherence_noise": 0.02,
    }
    assert ADVISED.to_frame()["advice"].tolist() == [row.advice for row in ADVISED.rows]


@pytest.mark.parametrize(
    ("perplexity", "coherence", "outcome"),
    [
        (1009, 0.09, "knowledge has no clear cost"),
        (991, 0.11, "knowledge has no clear cost"),
        (1011, 0.1, "knowledge has a cost"),
        (1000, 0.07, "knowledge has a cost"),
        (985, 0.1, "knowledge improves the topics"),
        (1000, 0.13, "knowledge improves the topics"),
        (1011, 0.13, "knowledge has a cost and a gain"),
        (985, -0.07, "knowledge has a cost and a gain"),
    ],
)
def test_cost_in_words(perplexity, coherence, outcome):
    cost = KnowledgeCost((1000, perplexity), 0.01, (0.1, coherence), 0.02)
    assert str(cost).startswith(f"{outcome}: perplexity 1,000 → ")


def test_signs_in_the_cost():
    cost = str(KnowledgeCost((1000, 985), 0.01, (-0.004, -0.0001), 0.02))
    assert "1,000 → 985 (−1.5%), coherence (NPMI) −0.004 → 0.000;" in cost
    assert "(+0.0%)" in str(KnowledgeCost((1000, 999.9), 0.01, (0.1, 0.1), 0.02))


def test_cost_of_a_model(model, corpus, known):
    plain = tw.LDA(n_topics=5, n_sweeps=30).fit(corpus)
    cost = model.knowledge_report(before=plain).cost
    assert cost.perplexity == (plain.perplexity(corpus), model.perplexity(corpus))
    window = None if corpus.tokenizer is not None else 0
    assert cost.coherence == pytest.approx([coherence(own, corpus, window=window) for own in (plain, model)])
    assert model.knowledge_report(before=False).cost is None
    for other in (tw.LDA(n_topics=6, n_sweeps=30), tw.LDA(n_topics=5, n_sweeps=29)):
        assert model.knowledge_report(before=other.fit(corpus)).cost is None  # knowledge is not the only difference


def test_as_a_frame(model):
    frame = model.knowledge_report(before=False).to_frame()
    assert list(frame.columns) == list(ReportRow._fields)
    assert frame["kind"].value_counts()["must-links"] == 2
    assert json.dumps(model.knowledge_report().to_dict(), allow_nan=False)


def test_more_links_than_one_batch():
    rng = np.random.default_rng(0)
    corpus = tw.Corpus(
        rng.integers(0, 2000, 200_000).astype(np.int32), np.arange(0, 200_001, 100), [f"w{n}" for n in range(2000)]
    )
    pairs = {(min(a, b), max(a, b)) for a, b in rng.integers(0, 2000, (20_000, 2)).tolist() if a != b}
    links = tw.MustLinks([(f"w{a}", f"w{b}") for a, b in sorted(pairs)])
    assignments = rng.integers(0, 100, 200_000).astype(np.uint32)
    counts = csr_array((np.ones(200_000, np.int64), (corpus.tokens, assignments)), shape=(2000, 100))
    rows, _ = evaluate_knowledge(
        [links],
        EvaluationContext(corpus, compile_knowledge([links], corpus, 100), ModelCounts(counts, None, assignments)),
    )
    assert [row.what for row in rows] == [f"w{a} – w{b}" for a, b in sorted(pairs)]
    shares = counts.toarray() / counts.sum(axis=1)[:, None]
    expected = [np.minimum(shares[a], shares[b]).sum() for a, b in sorted(pairs)]
    np.testing.assert_allclose([row.now for row in rows], expected)
