"""Links, seeds and labels: their effect on a model, their errors and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import ContradictionWarning, UnknownWordsWarning
from topicwright.knowledge import compile_knowledge
from topicwright.knowledge.lookup import find_words

from ..assertions import raises_input


def fit(corpus: Any, *knowledge: Any, n_topics: int = 3, **options: Any) -> tw.LDA:
    return tw.LDA(n_topics, knowledge=list(knowledge), n_sweeps=options.pop("n_sweeps", 60), **options).fit(corpus)


def shares(model: tw.LDA, word: str) -> np.ndarray:
    """Where a word's tokens are."""
    counts = model.topic_word_counts_.toarray()[:, list(model.vocabulary_).index(word)]
    return counts / counts.sum()


def agreement(model: tw.LDA, one: str, other: str) -> float:
    return float(np.minimum(shares(model, one), shares(model, other)).sum())


# ---------------------------------------------------------------------- effect


def test_must_links_join_words_that_never_cooccur(corpus: tw.Corpus) -> None:
    assert agreement(fit(corpus), "ship", "judge") < 0.1
    assert agreement(fit(corpus, tw.MustLinks([("ship", "judge")], firmness=0.99)), "ship", "judge") > 0.9
    potential = fit(corpus, tw.MustLinks([("ship", "judge")], strength=0.1, firmness=None))
    assert agreement(potential, "ship", "judge") > 0.5


def test_firmness_ranges_from_none_to_hard(corpus: tw.Corpus) -> None:
    """More firmness is more agreement, in the mean over links and seeds; at 0 it is the model without links."""
    links = [("ship", "judge"), ("bread", "wave"), ("crime", "oven")]
    means = []
    for firmness in (0, 0.9, 0.95, 1):
        models = [fit(corpus, tw.MustLinks(links, firmness=firmness), random_state=seed) for seed in range(4)]
        means.append(np.mean([agreement(model, *link) for model in models for link in links]))
    assert means == sorted(means)
    assert means[-1] - means[0] > 0.8
    np.testing.assert_array_equal(fit(corpus).assignments_, fit(corpus, tw.MustLinks(links, firmness=0)).assignments_)


def test_cannot_links_separate_words_that_cooccur(corpus: tw.Corpus) -> None:
    assert agreement(fit(corpus), "ship", "sail") > 0.8
    model = fit(corpus, tw.CannotLinks([("ship", "sail")], strength=0.1), n_topics=6, alpha=1.0)
    assert agreement(model, "ship", "sail") < 0.5


def test_seeds_name_their_topics_and_persist(corpus: tw.Corpus) -> None:
    seeds = tw.SeedWords({"law": ["judge", "jury"], "food": ["bread"]})
    model = fit(corpus, seeds, n_sweeps=200)
    assert model.topic_names_ == ["law", "food", "2"]
    assert shares(model, "judge")[0] > 0.9
    assert shares(model, "lawyer")[0] > 0.9  # what goes with a seed follows it
    assert shares(model, "bread")[1] > 0.9


def test_topics_may_be_given_by_index(corpus: tw.Corpus) -> None:
    model = fit(corpus, tw.SeedWords({2: ["judge"], "sea": ["ship"]}))
    assert model.topic_names_ == ["sea", "1", "2"]
    assert shares(model, "judge")[2] > 0.9
    assert shares(model, "ship")[0] > 0.9


def test_hard_seeds_are_in_no_other_topic(corpus: tw.Corpus) -> None:
    model = fit(corpus, tw.SeedWords({0: ["judge", "ship"]}, hard=True), n_sweeps=5)
    np.testing.assert_array_equal(shares(model, "judge"), [1, 0, 0])
    np.testing.assert_array_equal(shares(model, "ship"), [1, 0, 0])


def test_known_topics_affect_phi_and_new_documents(corpus: tw.Corpus) -> None:
    model = fit(corpus, tw.KnownTopics({0: {"judge": 30}}, weight=2.0))
    word = list(model.vocabulary_).index("judge")
    components = model.topic_word_counts_.toarray() + 0.01
    components[0, word] += 60
    np.testing.assert_allclose(model.components_, components)
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert model.transform(["judge judge"]).argmax() == 0


def test_labeled_documents_use_only_their_labels(corpus: tw.Corpus) -> None:
    labels = [["sea", "kitchen"] if d % 2 else None for d in range(corpus.n_docs)]
    model = fit(corpus, tw.DocumentLabels(labels))
    assert model.topic_names_ == ["kitchen", "sea", "2"]
    counts = model.doc_topic_counts_.toarray()
    assert (counts[1::2, 2] == 0).all()
    assert counts[::2, 2].sum() > 0


def test_labels_of_the_corpus_of_a_list_and_of_a_mapping_are_the_same(texts: list[str]) -> None:
    labels = [["sea"], None, ["court", "sea"]] * 20
    own = tw.Corpus.from_texts(texts, labels=labels)
    plain = tw.Corpus.from_texts(texts, ids=[f"id {n}" for n in range(60)])
    mapping = {f"id {n}" if n % 2 else n: label for n, label in enumerate(labels) if label}
    models = [
        fit(own, tw.DocumentLabels()),
        fit(plain, tw.DocumentLabels(labels)),
        fit(plain, tw.DocumentLabels(mapping)),
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(models[0].assignments_, model.assignments_)


def test_labels_and_seeds_of_one_name_share_a_topic(corpus: tw.Corpus) -> None:
    labels = ["law" if d % 3 == 2 else None for d in range(corpus.n_docs)]
    model = fit(corpus, tw.SeedWords({"law": ["judge"]}), tw.DocumentLabels(labels))
    assert model.topic_names_ == ["law", "1", "2"]


def test_sentences_by_text_and_by_position_are_the_same() -> None:
    texts = ["The soup was hot. The waiter was slow. The soup again!"] * 8
    by_text = tw.SentenceLabels([(0, "The waiter was slow.", "service"), (1, "The soup again", ["food"])])
    by_place = tw.SentenceLabels([(0, (4, 8), "service"), (1, [8, 11], "food")])
    one, other = fit(texts, by_text), fit(texts, by_place)
    np.testing.assert_array_equal(one.assignments_, other.assignments_)
    service = one.topic_names_.index("service")
    assert (one.assignments_[4:8] == service).all()


def test_linked_documents_come_closer() -> None:
    rng = np.random.default_rng(0)
    words = [a + b for a in "bcdfgklm" for b in "aeiou"]
    texts = [" ".join(rng.choice(words[20 * (d % 2) : 20 * (d % 2) + 20], 15)) for d in range(60)]
    links = [(d, d + 1) for d in range(0, 60, 2)]  # each with one of the other kind

    def overlap(model: tw.LDA) -> float:
        theta = model.doc_topic_
        return float(np.mean([np.minimum(theta[a], theta[b]).sum() for a, b in links]))

    plain, linked = fit(texts, n_topics=4), fit(texts, tw.DocumentLinks(links, firmness=0.9), n_topics=4)
    assert overlap(linked) > overlap(plain) + 0.1
    own = tw.Corpus.from_texts(texts, links=links)
    np.testing.assert_array_equal(
        linked.assignments_, fit(own, tw.DocumentLinks(firmness=0.9), n_topics=4).assignments_
    )


# ---------------------------------------------------------------------- threads, and going on


KNOWLEDGE = {
    "soft links": [tw.MustLinks([("ship", "judge", "bread"), ("wave", "oven")])],
    "firm links": [tw.MustLinks([("ship", "judge")], firmness=None), tw.CannotLinks([("wave", "sail")])],
    "seeds": [tw.SeedWords({"law": ["judge"]}), tw.SeedWords({"food": ["bread"]}, hard=True)],
    "labels": [tw.DocumentLabels(["sea", None, ["law", "food"]] * 400)],
    "documents": [tw.DocumentLinks([(0, 1), (1, 5)]), tw.DocumentLinks([(7, 8)], firmness=None)],
}


@pytest.mark.parametrize("name", KNOWLEDGE)
def test_result_does_not_depend_on_threads_or_interruption(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.conftest import themed_texts
    from topicwright._sampling import grid

    monkeypatch.setattr(grid, "TOKENS_PER_BLOCK", 4000)  # so that there are blocks at all
    corpus = tw.Corpus.from_texts(themed_texts(1200))
    models = [fit(corpus, *KNOWLEDGE[name], n_jobs=n_jobs, n_topics=4, n_sweeps=6) for n_jobs in (1, 3)]
    models.append(fit(corpus, *KNOWLEDGE[name], n_topics=4, n_sweeps=2).resume(4))
    for model in models[1:]:
        np.testing.assert_array_equal(models[0].assignments_, model.assignments_)


def test_linked_words_share_a_block_of_the_grid() -> None:
    from topicwright._sampling.grid import make_grid

    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 100, 5000, dtype=np.int32)
    linked = rng.integers(0, 100, (30, 2))
    grid = make_grid(tokens, np.arange(0, 5001, 50), 100, 4, linked)
    blocks: dict[int, set[int]] = {}
    for row in grid.cells:
        for b, cell in enumerate(row):
            for i in range(int(cell.starts[0]), int(cell.starts[-1])):
                blocks.setdefault(int(grid.tokens[i]), set()).add(b)
    assert all(len(own) == 1 for own in blocks.values())
    assert all(blocks[a] == blocks[b] for a, b in linked.tolist())


# ---------------------------------------------------------------------- errors and warnings


def test_unknown_words_are_listed_and_left_out(corpus: tw.Corpus) -> None:
    with pytest.warns(
        UnknownWordsWarning, match="2 words of the must-links are not in the vocabulary.*'Ship', 'zebra'"
    ):
        fit(corpus, tw.MustLinks([("Ship", "wave"), ("zebra", "sail"), ("sail", "tide")]), n_sweeps=1)
    with pytest.warns(UnknownWordsWarning, match="the vocabulary has 'ship'"):
        fit(corpus, tw.MustLinks([("Ship", "wave")]), n_sweeps=1)
    with pytest.warns(UnknownWordsWarning, match="a word of the seeds is not in the vocabulary and left out: 'zebra'"):
        fit(corpus, tw.SeedWords({"sea": ["zebra", "ship"]}), n_sweeps=1)


def test_unknown_words_are_looked_up_once() -> None:
    class Counted(str):
        looks = 0

        def __hash__(self) -> int:
            Counted.looks += 1
            return super().__hash__()

    words = np.array([Counted(f"word{n}") for n in range(100)], dtype=object)
    words.setflags(write=False)
    corpus = tw.Corpus([], [0], words)
    with pytest.warns(UnknownWordsWarning, match="51 words .* the vocabulary has 'word7'"):
        found = find_words(corpus, [*(f"other{n}" for n in range(50)), "Word7", "word3"], "seed")
    assert found == {"word3": 3}
    assert Counted.looks < 5 * len(words)


def test_empty_knowledge_has_no_effect(corpus: tw.Corpus) -> None:
    with pytest.warns(UnknownWordsWarning):
        model = fit(corpus, tw.MustLinks([("x", "y")]), tw.SeedWords({"sea": ["z"]}), n_sweeps=3)
    np.testing.assert_array_equal(model.assignments_, fit(corpus, n_sweeps=3).assignments_)


def test_rejects_pair_with_both_link_types(corpus: tw.Corpus) -> None:
    with pytest.raises(tw.InputError, match=r"can't be both a must-link and a cannot-link: .* – "):
        fit(corpus, tw.MustLinks([("ship", "wave")]), tw.CannotLinks([("wave", "ship")]))


def test_a_chain_of_must_links_against_a_cannot_link_gives_a_warning(corpus: tw.Corpus) -> None:
    with pytest.warns(ContradictionWarning, match="kept apart by a cannot-link, and joined by a chain of must-links"):
        fit(corpus, tw.MustLinks([("ship", "wave"), ("wave", "sail")]), tw.CannotLinks([("ship", "sail")]), n_sweeps=1)


def test_label_overrides_a_hard_seed_with_a_warning(corpus: tw.Corpus) -> None:
    labels = ["sea" if d % 3 == 0 else None for d in range(corpus.n_docs)]
    knowledge = [tw.SeedWords({"law": ["ship"]}, hard=True), tw.DocumentLabels(labels)]
    with pytest.warns(ContradictionWarning, match=r"hard seeds and document labels leave no topic for \d+ tokens"):
        model = fit(corpus, *knowledge, n_sweeps=3)
    sea = model.topic_names_.index("sea")
    assert (np.delete(model.doc_topic_counts_.toarray()[::3], sea, axis=1) == 0).all()
    assert len(compile_knowledge(knowledge, corpus, 3).contradictions) == 1


def test_sentence_labels_override_document_labels(corpus: tw.Corpus) -> None:
    knowledge = [tw.DocumentLabels({0: "sea"}), tw.SentenceLabels([(0, (0, 2), "law")])]
    with pytest.warns(ContradictionWarning, match="document labels and sentence labels leave no topic for 2 tokens"):
        model = fit(corpus, *knowledge, n_sweeps=3)
    names = [model.topic_names_[k] for k in model.assignments_[:4]]
    assert names == ["law", "law", "sea", "sea"]


INVALID = {  # the parameter that the error names, if there is one, and a part of its message
    "link of one word": (tw.MustLinks([("ship",)]), "links", "a must-link must be a pair"),
    "link that is a word": (tw.MustLinks(["ship"]), "links", "a must-link must be a pair"),
    "link of numbers": (tw.CannotLinks([(1, 2)]), "links", "a cannot-link must be a pair"),
    "word linked to itself": (tw.MustLinks([("ship", "ship")]), "links", "got 'ship' twice"),
    "strength of zero": (tw.MustLinks([("ship", "wave")], 0), "strength", "positive number"),
    "own strength": (tw.MustLinks([("ship", "wave", -1.0)]), "strength", "got -1.0"),
    "too firm": (tw.MustLinks([("ship", "wave")], firmness=2), "firmness", "from 0 to 1"),
    "links that are no list": (tw.MustLinks(5), "links", "list of pairs of words"),
    "seeds as a list": (tw.SeedWords(["ship"]), "seeds", "mapping of topics .* got list"),
    "seeds as a word": (tw.SeedWords({"sea": "ship"}), "seeds", "of topic 'sea' must be a list"),
    "seeds as a number": (tw.SeedWords({"sea": 5}), "seeds", "of topic 'sea' must be a list"),
    "seeds of no topic": (tw.SeedWords({9: ["ship"]}), None, "number from 0 to 2: got 9"),
    "seeds without weight": (tw.SeedWords({"sea": ["ship"]}, 0), "weight", "positive number"),
    "too many names": (tw.SeedWords({name: ["ship"] for name in "abcd"}), "n_topics", "at least 4, one for each"),
    "labels of the wrong length": (tw.DocumentLabels(["sea"]), None, "one entry per document: got 1"),
    "labels that are no list": (tw.DocumentLabels(5), None, "labels must be a list"),
    "no labels": (tw.DocumentLabels(), "labels", "needs labels"),
    "label of no document": (tw.DocumentLabels({99: "sea"}), None, "row from 0 to 59: got 99"),
    "label of an unknown id": (tw.DocumentLabels({"x": "sea"}), None, "no document with the id 'x'"),
    "negative background": (tw.DocumentLabels(["a"] * 60, background=-1), "background", "at least 0"),
    "missing sentence": (tw.SentenceLabels([(0, "judge ship judge ship", "x")]), "sentences", "has no sentence"),
    "descending positions": (tw.SentenceLabels([(0, (5, 2), "x")]), "sentences", "must be from 0 to 12"),
    "sentence without a label": (tw.SentenceLabels([(0, (0, 2), [])]), "sentences", "must have a label"),
    "number as a label": (tw.SentenceLabels([(0, (0, 2), 5)]), "sentences", "must have a label"),
    "pair instead of a triple": (tw.SentenceLabels([(0, "x")]), "sentences", "must be a triple"),
    "sentences that are no list": (tw.SentenceLabels(5), "sentences", "list of triples"),
    "no links": (tw.DocumentLinks(), "edges", "needs links"),
    "link of one document": (tw.DocumentLinks([(1,)]), "edges", "pair of documents: got"),
    "document links that are no list": (tw.DocumentLinks(5), "edges", "list of pairs of documents"),
    "topic that is not listed": (
        tw.CustomFactor(lambda corpus, topics: topics.number("sea")),
        "topics",
        "called 'sea'",
    ),
    "factor that is not registered": (tw.CustomFactor((1, 2)), "factor", "register_factor: got tuple"),
    "unknown counts": (tw.CustomFactor((1, 2), reads="some"), "reads", "'own', 'words', 'any'"),
    "text": ("links", "knowledge", "list of MustLinks"),
    "class": (tw.MustLinks, "knowledge", "instead of the class"),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_arguments_are_named(name: str, corpus: tw.Corpus) -> None:
    item, parameter, message = INVALID[name]
    assert repr(tw.LDA(3, knowledge=[item]))  # an invalid item has a repr
    with raises_input(parameter, match=message):
        fit(corpus, item)


def test_custom_is_a_deprecated_name_of_custom_factor() -> None:
    with pytest.warns(DeprecationWarning, match="use topicwright.CustomFactor"):
        kind = tw.Custom
    assert kind is tw.CustomFactor
    with pytest.warns(DeprecationWarning, match="use topics="):
        assert kind(None, speaks_of=["sea"]).topics == ["sea"]


def test_rejects_soft_seeds_with_learned_beta(corpus: tw.Corpus) -> None:
    with raises_input(match="beta cannot be learned with KnownTopics"):
        fit(corpus, tw.KnownTopics({0: {"ship": 3}}), beta="learn")


def test_models_with_knowledge_can_be_cloned() -> None:
    from sklearn.base import clone

    model = clone(tw.LDA(3, knowledge=[tw.MustLinks([("a", "b")])]))
    assert list(model.knowledge[0].links) == [("a", "b")]
