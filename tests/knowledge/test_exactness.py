"""Every kind of knowledge, alone and combined: visits of the sampler to each state, against enumeration.

Labels, seeds and other fixed potentials have a posterior. Links do not, because their potential depends on the counts:
the oracle is then the stationary distribution of the chain that the conditionals define (SC-LDA's own sampler).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import topicwright as tw
from topicwright.knowledge import register_factor, scale_topic

from ..sampling.enumeration import Tiny, p_value, predicted_labels

Rest = list[tuple[int, int, int]]  # word, document, topic of every other token
Ratio = Callable[[int, int, Rest], float]

A, B, C = 0, 1, 2
DOCS = [[A, B, A], [B, C]]


def tiny(docs: list[list[int]] = DOCS, n_topics: int = 3) -> Tiny:
    return Tiny(docs, n_topics, 0.5, 0.3)


def links(corpus: Tiny, pairs: list[tuple[int, int]], floors: Any, power: float) -> Ratio:
    """Π max(λ_u, n_ku) / λ_u over the partners u of the token's word, to the power of 1 or −1; ``floors`` by word."""

    def ratio(i: int, k: int, rest: Rest) -> float:
        g = 1.0
        for pair in pairs:
            if int(corpus.tokens[i]) in pair:
                partner = pair[0] if pair[1] == int(corpus.tokens[i]) else pair[1]
                count = sum(1 for w, _, kk in rest if w == partner and kk == k)
                g *= (max(floors[partner], count) / floors[partner]) ** power
        return g

    return ratio


def neighbors(corpus: Tiny, pairs: list[tuple[int, int]], floors: Any) -> Ratio:
    """The same with counts of the linked documents."""

    def ratio(i: int, k: int, rest: Rest) -> float:
        g, d = 1.0, int(corpus.doc_of[i])
        for pair in pairs:
            if d in pair:
                other = pair[0] if pair[1] == d else pair[1]
                g *= max(floors[other], sum(1 for _, dd, kk in rest if dd == other and kk == k)) / floors[other]
        return g

    return ratio


def only(allowed: Callable[[int], set[int] | None]) -> Ratio:
    """1 on the topics that token i may have, 0 elsewhere."""

    def ratio(i: int, k: int, rest: Rest) -> float:
        topics = allowed(i)
        return float(topics is None or k in topics)

    return ratio


def product(*ratios: Ratio) -> Ratio:
    return lambda i, k, rest: float(np.prod([ratio(i, k, rest) for ratio in ratios]))


def by_document(corpus: Tiny, allowed: dict[int, set[int]]) -> Ratio:
    return only(lambda i: allowed.get(int(corpus.doc_of[i])))


def by_word(corpus: Tiny, allowed: dict[int, set[int]]) -> Ratio:
    return only(lambda i: allowed.get(int(corpus.tokens[i])))


def agrees(corpus: Tiny, knowledge: list[Any], exact: np.ndarray, seed: int = 0) -> None:
    assert p_value(corpus.visits(knowledge=knowledge, seed=seed), exact) > 0.001


def all_words(floor: float) -> dict[int, float]:
    return {A: floor, B: floor, C: floor}


ONES = all_words(1.0)
LINKS = {
    "must, as in the paper": (tw.MustLinks([("a", "b")], firmness=None), [(A, B)], ONES, 1.0),
    "must, a larger strength": (tw.MustLinks([("a", "b")], 1.4, firmness=None), [(A, B)], all_words(1.4), 1.0),
    "must, a strength below one": (tw.MustLinks([("a", "b", 0.4)], firmness=None), [(A, B)], all_words(0.4), 1.0),
    "cannot, as in the paper": (tw.CannotLinks([("a", "b")], firmness=None), [(A, B)], ONES, -1.0),
    "cannot, a strength of its own": (tw.CannotLinks([("b", "a", 1.4)], firmness=None), [(A, B)], all_words(1.4), -1.0),
    "cannot, a strength below one": (tw.CannotLinks([("a", "b")], 0.4, firmness=None), [(A, B)], all_words(0.4), -1.0),
    "a chain": (tw.MustLinks([("a", "b"), ("b", "c")], firmness=None), [(A, B), (B, C)], ONES, 1.0),
    "a chain of cannot": (
        tw.CannotLinks([("a", "b"), ("b", "c")], 0.7, firmness=None),
        [(A, B), (B, C)],
        all_words(0.7),
        -1.0,
    ),
    "cannot, most draws rejected": (
        tw.CannotLinks([("a", "b", "c")], 0.03, firmness=None),
        [(A, B), (B, C), (A, C)],
        all_words(0.03),
        -1.0,
    ),
    "a group": (tw.MustLinks([("a", "b", "c")], firmness=None), [(A, B), (B, C), (A, C)], ONES, 1.0),
    "half firm": (tw.CannotLinks([("a", "b")], 0.5, firmness=0.5), [(A, B)], all_words(1.25), -1.0),
    "not firm at all": (tw.MustLinks([("a", "b")], firmness=0), [], ONES, 1.0),
}


@pytest.mark.parametrize("name", LINKS)
def test_word_links(name: str) -> None:
    item, pairs, floors, power = LINKS[name]
    corpus = tiny()
    agrees(corpus, [item], corpus.stationary(links(corpus, pairs, floors, power)))


def test_soft_must_links() -> None:
    """Two a, two b, one c. Firmness 0.5 is a ratio of 1, as many pseudo-counts as a word has tokens."""
    corpus = tiny()
    exact = corpus.stationary(at_start=corpus.shared_counts({(A, B): 1.0, (B, A): 1.0}))
    agrees(corpus, [tw.MustLinks([("a", "b")], firmness=0.5)], exact)


def test_firm_must_links() -> None:
    """Firmness 0.75 is a ratio of 3, or 1.5 with λ = 2; the more frequent word, or the later one, has 1 at most."""
    corpus = tiny()
    chain = {(A, B): 1.5, (B, A): 1.0, (B, C): 2.0, (C, B): 1.5}
    item = tw.MustLinks([("a", "b", 2.0), ("b", "c")], firmness=0.75)
    seen = corpus.visits(knowledge=[item])
    assert p_value(seen, corpus.stationary(at_start=corpus.shared_counts(chain))) > 0.001
    assert p_value(seen, corpus.stationary(at_start=corpus.shared_counts({**chain, (C, B): 1.2}))) < 1e-6


def test_small_pseudo_counts_are_left_out() -> None:
    """With a floor of 0.4, one token of three is below it. The word of two tokens gets two thirds for each of three."""
    corpus = tiny([[A, A, B], [B, B]])
    shares = {(A, B): 2 / 3, (B, A): 1.5}
    seen = corpus.visits(knowledge=[tw.MustLinks([("a", "b")], firmness=0.5)], floor=0.4)
    assert p_value(seen, corpus.stationary(at_start=corpus.shared_counts(shares, floor=0.4))) > 0.001
    assert p_value(seen, corpus.stationary(at_start=corpus.shared_counts(shares))) < 1e-6


def test_wrong_word_links_are_detected() -> None:
    corpus = tiny()
    visits = corpus.visits(knowledge=[tw.CannotLinks([("a", "b")], 1.4, firmness=None)])
    for floors, power in ((1.3, -1.0), (1.4, 1.0), (1.4, 0.0)):
        wrong = corpus.stationary(links(corpus, [(A, B)], all_words(floors), power))
        assert p_value(visits, wrong) < 1e-6


def fixed(corpus: Tiny, ratio: Ratio) -> np.ndarray:
    """The posterior with a potential that depends on no count."""
    with np.errstate(divide="ignore"):
        return corpus.posterior(lambda z: float(sum(np.log(ratio(i, k, [])) for i, k in enumerate(z))))


def test_document_labels() -> None:
    corpus = tiny()
    labels = tw.DocumentLabels([["x", "y"], None])
    agrees(corpus, [labels], fixed(corpus, by_document(corpus, {0: {0, 1}})))


def test_every_document_labeled_with_a_background() -> None:
    corpus = tiny()
    labels = tw.DocumentLabels({0: "x", 1: ["y"]}, background=1)
    agrees(corpus, [labels], fixed(corpus, by_document(corpus, {0: {0, 2}, 1: {1, 2}})))


def test_one_label_determines_the_topics() -> None:
    corpus = tiny()
    agrees(corpus, [tw.DocumentLabels(["y", ["x", "z"]])], fixed(corpus, by_document(corpus, {0: {1}, 1: {0, 2}})))


def test_sentence_labels() -> None:
    corpus = tiny()
    sentences = tw.SentenceLabels([(0, (1, 3), ["y", "z"])])
    agrees(corpus, [sentences], fixed(corpus, only(lambda i: {0, 1} if i in (1, 2) else None)))


def test_hard_seeds() -> None:
    corpus = tiny()
    seeds = tw.SeedWords({"x": ["a"], 2: ["a", "b"]}, hard=True)
    agrees(corpus, [seeds], fixed(corpus, by_word(corpus, {A: {0, 2}, B: {2}})))


@pytest.mark.parametrize("weight", [0.8, 30.0])
def test_soft_seeds(weight: float) -> None:
    corpus = tiny()
    seeds = tw.SeedWords({"x": ["a"], 2: ["a", "c"]}, weight=weight)
    exact = fixed(corpus, corpus.with_seeds({0: [A], 2: [A, C]}, weight))
    agrees(corpus, [seeds], exact)
    assert p_value(corpus.visits(knowledge=[seeds]), tiny().posterior()) < 1e-6
    without_document_priors = fixed(tiny(), tiny().with_seeds({0: [A], 2: [A, C]}, weight))
    assert p_value(corpus.visits(knowledge=[seeds]), without_document_priors) < 1e-6


def test_soft_seeds_with_one_prior_a_word() -> None:
    corpus = Tiny(DOCS, 3, 0.5, np.array([0.1, 0.5, 0.9]))
    agrees(corpus, [tw.SeedWords({1: ["b"]}, weight=1.0)], fixed(corpus, corpus.with_seeds({1: [B]}, 1.0)))


def test_pull_of_soft_seeds() -> None:
    """Two items of which one has a pull of its own: both numbers add up."""
    corpus = tiny()
    knowledge = [tw.SeedWords({"x": ["a"]}, weight=3.0, pull=0.5), tw.SeedWords({"x": ["a"]}, weight=1.0)]
    agrees(corpus, knowledge, fixed(corpus, corpus.with_seeds({0: [A]}, 4.0, pull=1.5)))
    pull_ignored = tiny()
    exact = fixed(pull_ignored, pull_ignored.with_seeds({0: [A]}, 4.0))
    assert p_value(corpus.visits(knowledge=knowledge), exact) < 1e-6


@pytest.mark.parametrize("pull", [5.0, 30.0])
def test_labels_pull_the_documents_without_any(pull: float) -> None:
    """The last document has the words of a label, and the third those of no label."""
    docs, labels = [[A, B], [A], [C, C], [A, A]], [["x", "y"], ["y"], None, None]
    corpus = tiny(docs)
    added = predicted_labels(docs, [{0, 1}, {1}, None, None], 3, 3)
    assert added[3, 1] > 0.1 > added[2].max()
    corpus.alphas += pull * added
    exact = fixed(corpus, by_document(corpus, {0: {0, 1}, 1: {1}}))
    agrees(corpus, [tw.DocumentLabels(labels, pull=pull)], exact)
    assert p_value(corpus.visits(knowledge=[tw.DocumentLabels(labels, pull=0)]), exact) < 1e-6


@pytest.mark.parametrize("with_seeds", [False, True])
def test_predicted_labels_of_an_unlabeled_document(with_seeds: bool) -> None:
    """They are a prior of its topics, in addition to that of seeds, beside a document that is restricted."""
    corpus = tiny()
    knowledge: list[Any] = [tw.DocumentLabels([["x"], None], background=1)]
    ratio = by_document(corpus, {0: {0, 1}})
    if with_seeds:
        knowledge.append(tw.SeedWords({"x": ["b"]}, weight=1.5))
        ratio = product(ratio, corpus.with_seeds({0: [B]}, 1.5))
    predicted = np.array([[0.0, 0.0, 0.0], [0.0, 0.7, 4.2]])
    corpus.alphas += predicted
    visits = corpus.visits(knowledge=knowledge, document_priors=predicted)
    assert p_value(visits, fixed(corpus, ratio)) > 0.001
    corpus.alphas -= predicted
    assert p_value(visits, fixed(corpus, ratio)) < 1e-6


def test_soft_seeds_and_linked_documents() -> None:
    """Both add pseudo-counts to a document."""
    corpus = tiny([[A, B, A], [B, C]], 3)
    knowledge = [tw.SeedWords({1: ["b"]}, weight=1.5), tw.DocumentLinks([(0, 1)], firmness=0.75)]
    seeds = corpus.with_seeds({1: [B]}, 1.5)
    shared = shared_document_counts(corpus, {(0, 1): 4.5, (1, 0): 2.0})
    agrees(corpus, knowledge, corpus.stationary(product(seeds, shared)))


THREE_DOCS = [[A, B], [B, C], [A, C]]


def test_document_links() -> None:
    corpus = tiny(THREE_DOCS, 2)
    for strength in (1.0, 0.5, 1.5):
        item = tw.DocumentLinks([(0, 1), (1, 2)], strength, firmness=None)
        exact = corpus.stationary(neighbors(corpus, [(0, 1), (1, 2)], dict.fromkeys(range(3), strength)))
        agrees(corpus, [item], exact)


def shared_document_counts(corpus: Tiny, shares: dict[tuple[int, int], float]) -> Ratio:
    """(n_dk + a_k + Σ_e share n_ek) / (n_dk + a_k): document d shares counts of document e; ``shares`` by (d, e)."""

    def ratio(i: int, k: int, rest: Rest) -> float:
        d = int(corpus.doc_of[i])
        own = corpus.alphas[d, k] + sum(1 for _, dd, kk in rest if dd == d and kk == k)
        shared = sum(
            share * sum(1 for _, dd, kk in rest if dd == source and kk == k)
            for (target, source), share in shares.items()
            if target == d
        )
        return float((own + shared) / own)

    return ratio


def test_soft_document_links() -> None:
    """Firmness 0.75 is a ratio of 3: the document of two words gets 2 counts for 1, that of three words 4.5 for 1."""
    corpus = tiny([[A, B, A], [B, C]], 3)
    exact = corpus.stationary(shared_document_counts(corpus, {(0, 1): 4.5, (1, 0): 2.0}))
    agrees(corpus, [tw.DocumentLinks([(0, 1)], firmness=0.75)], exact)
    corpus = tiny(THREE_DOCS, 2)
    shares = {(0, 1): 0.5, (1, 0): 0.5, (1, 2): 0.5, (2, 1): 0.5}
    item = tw.DocumentLinks([(0, 1), (1, 2)], 2.0, firmness=0.5)
    agrees(corpus, [item], corpus.stationary(shared_document_counts(corpus, shares)))
    assert p_value(corpus.visits(knowledge=[item]), corpus.posterior()) < 1e-6


def test_soft_links_of_documents_and_words_with_labels() -> None:
    corpus = tiny([[A, B, A], [B, C]], 3)
    knowledge = [
        tw.DocumentLinks([(0, 1)], firmness=0.75),
        tw.MustLinks([("a", "b")], firmness=0.5),
        tw.DocumentLabels([["x", "y"], None]),
    ]
    ratio = product(
        shared_document_counts(corpus, {(0, 1): 4.5, (1, 0): 2.0}),
        by_document(corpus, {0: {0, 1}}),
    )
    words = corpus.shared_counts({(A, B): 1.0, (B, A): 1.0})
    agrees(corpus, knowledge, corpus.stationary(ratio, at_start=words))


class Preference(NamedTuple):
    """A token's odds of having a topic, by its position in the corpus."""

    topic: int
    odds: Any


def _apply(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    scale_topic(multipliers, factor.topic, factor.odds[context.token])


register_factor(Preference, _apply)
PREFERENCE = tw.CustomFactor(lambda corpus, topics: Preference(topics.number("x"), np.arange(1.0, 6.0)), topics=["x"])


def preference(i: int, k: int, rest: Rest) -> float:
    return i + 1.0 if k == 0 else 1.0


def test_custom_factor() -> None:
    agrees(tiny(), [PREFERENCE], fixed(tiny(), preference))


def test_labels_links_and_soft_seeds() -> None:
    corpus = tiny()
    knowledge = [
        tw.DocumentLabels([["x", "y"], None]),
        tw.MustLinks([("a", "b")], 0.6, firmness=None),
        tw.SeedWords({"y": ["b"]}, weight=0.5),
    ]
    ratio = product(by_document(corpus, {0: {0, 1}}), links(corpus, [(A, B)], all_words(0.6), 1.0))
    ratio = product(ratio, corpus.with_seeds({1: [B]}, 0.5))
    agrees(corpus, knowledge, corpus.stationary(ratio))


def test_sentences_and_both_kinds_of_links() -> None:
    corpus = tiny(THREE_DOCS, 3)
    knowledge = [
        tw.CannotLinks([("a", "c")], 0.7, firmness=None),
        tw.SentenceLabels([(1, (0, 1), ["x", "y"])]),
        tw.DocumentLinks([(0, 2)], 0.5, firmness=None),
    ]
    ratio = product(
        links(corpus, [(A, C)], all_words(0.7), -1.0),
        only(lambda i: {0, 1} if i == 2 else None),
        neighbors(corpus, [(0, 2)], dict.fromkeys(range(3), 0.5)),
    )
    agrees(corpus, knowledge, corpus.stationary(ratio))


def test_soft_links_and_soft_seeds_in_labeled_documents() -> None:
    corpus = tiny()
    knowledge = [
        tw.MustLinks([("a", "b")], firmness=0.5),
        tw.SeedWords({"y": ["b"]}, weight=0.5),
        tw.DocumentLabels([["x", "y"], None]),
        tw.CannotLinks([("b", "c")], firmness=None),
    ]
    ratio = product(
        by_document(corpus, {0: {0, 1}}),
        links(corpus, [(B, C)], ONES, -1.0),
        corpus.with_seeds({1: [B]}, 0.5),
    )
    numbered = [knowledge[2], *knowledge[:2], knowledge[3]]  # labels first: x and y are topics 0 and 1
    words = corpus.shared_counts({(A, B): 1.0, (B, A): 1.0})
    agrees(tiny(), numbered, corpus.stationary(ratio, at_start=words))


def test_hard_seeds_must_and_cannot_links_and_a_custom_factor() -> None:
    corpus = tiny()
    knowledge = [
        PREFERENCE,
        tw.SeedWords({"x": ["a"], "y": ["a"]}, hard=True),
        tw.MustLinks([("a", "b")], firmness=None),
        tw.CannotLinks([("b", "c")], 0.5, firmness=None),
    ]
    ratio = product(
        preference,
        by_word(corpus, {A: {0, 1}}),
        links(corpus, [(A, B)], ONES, 1.0),
        links(corpus, [(B, C)], all_words(0.5), -1.0),
    )
    agrees(corpus, knowledge, corpus.stationary(ratio))


def test_rejected_draws_with_other_factors_and_allowed_topics() -> None:
    """Two topics for three words that are kept apart: most draws are rejected, and all factors scale the weights."""
    corpus = tiny(n_topics=2)
    knowledge = [
        PREFERENCE,
        tw.CannotLinks([("a", "b")], 0.03, firmness=None),
        tw.DocumentLinks([(0, 1)], 0.5, firmness=None),
        tw.SentenceLabels([(1, (0, 1), ["x", "y"])]),
        tw.CannotLinks([("b", "c"), ("a", "c")], 0.1, firmness=None),
    ]
    unbounded = product(preference, neighbors(corpus, [(0, 1)], {0: 0.5, 1: 0.5}))
    links_ab = links(corpus, [(A, B)], all_words(0.03), -1.0)
    links_c = links(corpus, [(B, C), (A, C)], all_words(0.1), -1.0)
    visits = corpus.visits(knowledge=knowledge)
    assert p_value(visits, corpus.stationary(product(unbounded, links_ab, links_c))) > 0.001
    assert p_value(visits, corpus.stationary(product(unbounded, links_ab))) < 1e-6
    assert p_value(visits, corpus.stationary(product(links_ab, links_c))) < 1e-6
