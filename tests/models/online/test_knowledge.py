"""Word links in a stream: effect on labels, comparison with a batch, saving, pruning, and unseen words."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import ContradictionWarning, InputError, ModelFileError, UnknownWordsWarning
from topicwright.io import pack_strings, read_model, write_model

from .test_model import LABELS as OWN
from .test_model import TEXTS, state_of

Knowledge = list[Any]
LABELS = ["sea", "kitchen"]


def kitchen_at_sea(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Ships are at sea and ovens in kitchens; salt and pans occur with both labels and may belong to either."""
    rng = np.random.default_rng(seed)
    own = {"sea": ["ship", "wave"], "kitchen": ["oven", "bread"], "both": ["ship", "oven", "salt", "pan", "pan"]}
    kinds = [list(own)[d % 3] for d in range(n)]
    return [" ".join(rng.choice(own[kind], 6)) for kind in kinds], [
        LABELS if kind == "both" else [kind] for kind in kinds
    ]


def share_at_sea(word: str, *knowledge: Any, **options: Any) -> float:
    """Share of a word's tokens with the label sea, averaged over several streams."""
    shares = []
    for seed in range(8):
        model = tw.OnlineLabeledLDA(knowledge=list(knowledge), random_state=seed, **options).fit(*kitchen_at_sea(120))
        counts = model.topic_word_counts_.toarray()[:, list(model.vocabulary_).index(word)]
        shares.append(counts[list(model.classes_).index("sea")] / counts.sum())
    return float(np.mean(shares))


# ---------------------------------------------------------------------- what links do


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_particles": 1, "rejuvenate_per_label": 0.0},
        {"resample_below": 0.5, "n_particles": 4},
        {"forgetting": 0.98},
        {"weighting": "drawn", "resample_below": 0.5},
    ],
    ids=str,
)
def test_links_attract_and_repel_words(options: dict[str, Any]) -> None:
    for make in (
        lambda pair: tw.MustLinks([pair], firmness=0.9),
        lambda pair: tw.MustLinks([pair], 0.1, firmness=None),
        lambda pair: tw.CannotLinks([(pair[0], "oven" if pair[1] == "ship" else "ship")], strength=0.2),
    ):
        to_sea, to_kitchen = (share_at_sea("salt", make(("salt", other)), **options) for other in ("ship", "oven"))
        assert to_sea > to_kitchen + 0.3


def test_firmer_links_hold_more() -> None:
    shares = [share_at_sea("salt", tw.MustLinks([("salt", "ship")], firmness=f), n_particles=32) for f in (0, 0.3, 0.9)]
    assert shares == sorted(shares)
    assert shares[0] == share_at_sea("salt", n_particles=32)
    assert shares[2] > shares[0] + 0.25


def test_linked_group_follows_its_seed() -> None:
    """A seed of one word, and links that join the others to it."""
    seeds = tw.SeedWords({"sea": ["ship"]}, weight=20)
    group = tw.MustLinks([("ship", "salt", "pan")], firmness=0.9)
    assert share_at_sea("pan", seeds, group) > 0.9
    assert share_at_sea("pan", seeds) < 0.8


def test_batch_agrees_with_long_rejuvenated_stream() -> None:
    """Counts of labels and words in the mean: the batch's over runs, the stream's over particles."""
    texts, labels = kitchen_at_sea(24, seed=3)
    knowledge: Knowledge = [
        tw.MustLinks([("salt", "ship")], firmness=0.4),
        tw.MustLinks([("wave", "pan", 3.0)], firmness=None),
        tw.CannotLinks([("pan", "oven")], 2.0, firmness=0.8),
    ]

    def stream(known: Knowledge) -> np.ndarray:
        """Of shape (particles, labels, words), in alphabetical order as the batch has them."""
        model = tw.OnlineLabeledLDA(knowledge=known, n_particles=400).fit(texts, labels)
        engine = model.stream_.engine
        engine.rejuvenate(200 * engine.n_tokens)
        rows, columns = np.argsort(model.classes_), np.argsort(model.vocabulary_.astype(str))
        return np.array([engine.counts(p).toarray() for p in range(400)])[:, rows][:, :, columns]

    runs = []
    for seed in range(150):
        batch = tw.LabeledLDA(alpha=0.1, beta=0.1, knowledge=knowledge, n_sweeps=40, tol=None, random_state=seed)
        batch.fit(texts, labels)
        runs.append(batch.topic_word_counts_.toarray()[:, np.argsort(batch.vocabulary_.astype(str))])
    found, plain, batches = stream(knowledge), stream([]), np.array(runs)

    def apart(one: np.ndarray, other: np.ndarray) -> float:
        error = np.sqrt(one.var(axis=0, ddof=1) / len(one) + other.var(axis=0, ddof=1) / len(other))
        return float((np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.maximum(error, 1e-9)).max())

    assert apart(found, batches) < 4.5
    assert apart(plain, batches) > 10


# ---------------------------------------------------------------------- words that come late, and go


def linked_pairs(model: tw.OnlineLabeledLDA) -> set[tuple[str, str]]:
    """Pairs of words that the engine links."""
    links, words = model.stream_.engine.particles.links, list(model.stream_.vocabulary.ids)
    pairs = set()
    for w, group in enumerate(links.group[: len(words)].tolist()):
        for link in range(int(links.start[group]), int(links.start[group + 1])):
            pairs.add((words[w], words[links.partners[link]]))
    return pairs


def test_link_takes_effect_when_both_words_occur() -> None:
    links = tw.MustLinks([("ship", "quark"), ("ship", "pan"), ("gluon", "quark")])
    model = tw.OnlineLabeledLDA(knowledge=[links])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(*kitchen_at_sea(30))
    assert linked_pairs(model) == {("ship", "pan"), ("pan", "ship")}
    assert "quark" not in model.vocabulary_
    model.partial_fit(["quark ship"], [LABELS])
    assert linked_pairs(model) == {("ship", "pan"), ("pan", "ship"), ("ship", "quark"), ("quark", "ship")}
    model.partial_fit(["gluon"], [LABELS])
    assert ("quark", "gluon") in linked_pairs(model)


def test_links_of_unseen_words_have_no_effect() -> None:
    plain = tw.OnlineLabeledLDA().fit(*kitchen_at_sea(40))
    links = [tw.MustLinks([("ship", "quark")]), tw.CannotLinks([("gluon", "oven")])]
    state = state_of(tw.OnlineLabeledLDA(knowledge=links).fit(*kitchen_at_sea(40)))
    sizes = state.pop("sizes")
    assert state == state_of(plain)
    np.testing.assert_array_equal(sizes, plain.topic_word_counts_.sum(axis=0))


def test_linked_words_outside_a_fixed_vocabulary() -> None:
    links = tw.MustLinks([("ship", "salt"), ("ship", "quark")])
    model = tw.OnlineLabeledLDA(knowledge=[links], vocabulary=["pan", "salt", "ship"])
    with pytest.warns(UnknownWordsWarning, match="a word of the must-links is not in the vocabulary.*'quark'"):
        model.fit(*kitchen_at_sea(30))
    assert linked_pairs(model) == {("ship", "salt"), ("salt", "ship")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # warned once
        model.partial_fit(*kitchen_at_sea(3))


@pytest.mark.parametrize("options", [{}, {"forgetting": 0.97}, {"resample_below": 0.8, "n_particles": 4}], ids=str)
def test_pruning_keeps_links_between_the_right_words(options: dict[str, Any], tmp_path: Path) -> None:
    """Earlier words and one linked word are pruned; it is linked again when it reappears."""
    links = [tw.MustLinks([("ship", "salt"), ("gluon", "pan")], firmness=0.9), tw.CannotLinks([("salt", "oven")])]
    model = tw.OnlineLabeledLDA(knowledge=links, reservoir=100, **options)
    model.fit(["quark gluon boson", "gluon muon"], [["physics"], ["physics"]]).partial_fit(*kitchen_at_sea(120))
    sure = {("ship", "salt"), ("salt", "ship"), ("salt", "oven"), ("oven", "salt")}
    again = {("gluon", "pan"), ("pan", "gluon")}
    assert linked_pairs(model) == sure | again
    before = dict(zip(model.vocabulary_, model.stream_.engine.state()["sizes"]))
    assert model.prune(4).words == 4
    assert linked_pairs(model) == sure
    after = dict(zip(model.vocabulary_, model.stream_.engine.state()["sizes"]))
    assert after == {word: before[word] for word in after}
    model.save(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    for one in (model, loaded):
        one.partial_fit(["pan gluon salt"], [LABELS]).partial_fit(*kitchen_at_sea(30, seed=1))
    assert linked_pairs(model) == linked_pairs(loaded) == sure | again
    assert state_of(loaded) == state_of(model)


# ---------------------------------------------------------------------- files, errors


def test_file_stores_the_initial_links(tmp_path: Path) -> None:
    links = tw.MustLinks([("ship", "salt"), ("wave", "port", "pan", 2.0)], 0.5, firmness=None)
    model = tw.OnlineLabeledLDA(knowledge=[links, tw.CannotLinks([("salt", "oven")], firmness=0.3)])
    model.fit(*kitchen_at_sea(20)).set_params(knowledge=[])  # which waits for the next stream
    model.save(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    must, cannot = loaded.knowledge
    assert (must.strength, must.firmness, cannot.firmness) == (0.5, None, 0.3)
    assert [tuple(link) for link in must.links] == [("ship", "salt"), ("wave", "port", "pan", 2.0)]
    assert state_of(loaded.partial_fit(TEXTS, OWN)) == state_of(model.partial_fit(TEXTS, OWN))
    assert state_of(loaded.fit(*kitchen_at_sea(20))) != state_of(model.fit(*kitchen_at_sea(20)))


@pytest.mark.parametrize("what", ["too small", "NaN", "missing", "too many", "both ways", "hard"])
def test_rejects_invalid_links_in_a_file(what: str, tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    model = tw.OnlineLabeledLDA(knowledge=[tw.MustLinks([("ship", "salt")])], n_particles=2)
    model.fit(*kitchen_at_sea(20)).save(path)
    file = read_model(path)
    arrays, sizes = dict(file.arrays), file.arrays["stream.sizes"].copy()
    if what in ("too small", "NaN"):
        sizes[1] = np.nan if what == "NaN" else sizes[1] - 1
    changes: dict[str, Any] = {"stream.sizes": np.append(sizes, 1.0) if what == "too many" else sizes}
    if what == "both ways":
        text = '{"must-links": [["a", "b"]], "cannot-links": [["b", "a"]]}'
        changes = pack_strings([text], "knowledge")
    if what == "hard":
        changes = pack_strings(['{"seeds": {"hard": true, "topics": {"sea": ["ship"]}}}'], "knowledge")
    arrays |= changes
    if what == "missing":
        del arrays["stream.sizes"]
    write_model(path, "online-labeled-lda", dict(file.meta), arrays)
    with pytest.raises(ModelFileError, match=r"m\.tw is damaged"):
        tw.load(path)


def test_contradictory_links() -> None:
    both = [tw.MustLinks([("ship", "salt")]), tw.CannotLinks([("salt", "ship")])]
    with pytest.raises(InputError, match="can't be both a must-link and a cannot-link: ship – salt"):
        tw.OnlineLabeledLDA(knowledge=both).fit(*kitchen_at_sea(10))
    detour = [tw.MustLinks([("ship", "salt"), ("salt", "pan")]), tw.CannotLinks([("ship", "pan")])]
    with pytest.warns(ContradictionWarning, match="joined by a chain of must-links"):
        tw.OnlineLabeledLDA(knowledge=detour).fit(*kitchen_at_sea(10))


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (tw.DocumentLabels([["sea"]]), "got DocumentLabels; pass labels"),
        (tw.DocumentLinks([(0, 1)]), "got DocumentLinks; LabeledLDA takes it"),
        (tw.SentenceLabels([(0, (0, 1), "sea")]), "got SentenceLabels; LabeledLDA takes it"),
        (tw.SeedWords({"sea": ["ship"]}, hard=True), "hard=True: use a large weight"),
        (tw.SeedWords({"sea": ["ship"]}, pull=2), "no `?pull`? on documents"),
        (7, "got int$"),
        (tw.MustLinks(5), "links must be a list of pairs of words"),
        (tw.MustLinks([("ship",)]), "a must-link must be a pair of words"),
        (tw.MustLinks(["ship salt"]), "a must-link must be a pair of words: got 'ship salt'"),
        (tw.MustLinks([("ship", "ship")]), "a word can't be linked to itself"),
        (tw.CannotLinks([("ship", "salt", 0.0)]), "strength must be a positive number"),
        (tw.MustLinks([("ship", "salt")], firmness=2), "firmness must be a number from 0 to 1"),
    ],
    ids=str,
)
def test_rejects_knowledge_unsupported_by_streams(item: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.OnlineLabeledLDA(knowledge=[item]).fit(*kitchen_at_sea(10))
