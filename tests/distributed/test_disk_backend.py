"""Training on shards in this process: one shard equals the plain sampler, and threads do not matter."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright import ClusterError, InputError
from topicwright.distributed import driver as block_counts
from topicwright.distributed.disk_backend import LocalWorkers
from topicwright.distributed.protocol import CountsLostError
from topicwright.distributed.shard import Shard
from topicwright.errors import TopicwrightWarning
from topicwright.models.fit_state import continue_training

from ..assertions import raises_input
from ..conftest import themed_texts
from .runs import CutOffError, assert_same, driver_lost_before, lda

LEARNED = {"alpha": "learn", "beta": "learn"}
LINKS = [
    tw.MustLinks([("ship", "wave")]),
    tw.CannotLinks([("bread", "judge")]),
    tw.MustLinks([("law", "jury")], firmness=None),
]
SEEDS = [tw.SeedWords({"sea": ["ship", "tide"]}), tw.SeedWords({"court": ["judge"]}, hard=True)]


@pytest.mark.parametrize(
    "options", [{}, LEARNED, {"knowledge": LINKS}, {"knowledge": SEEDS}, {"knowledge": [*LINKS, *SEEDS]}]
)
def test_one_shard_equals_the_plain_sampler(news: tw.Corpus, options: dict[str, Any]) -> None:
    model = lda(**options).fit(news, backend=tw.DiskBackend(1))
    assert_same(model, lda(**options).fit(news))
    np.testing.assert_array_equal(model.transform(["ship wave"]), lda(**options).fit(news).transform(["ship wave"]))


@pytest.mark.parametrize("background", [0, 1])
def test_one_labeled_shard_equals_the_plain_sampler(background: int) -> None:
    texts = themed_texts(40)
    labels = [[("a", "b", "c")[i % 3], *["d"] * (i % 2)] for i in range(40)]
    options = {"n_background_topics": background, "n_sweeps": 15}
    plain = tw.LabeledLDA(**options).fit(texts, labels)
    sharded = tw.LabeledLDA(**options).fit(texts, labels, backend=tw.DiskBackend(1))
    assert_same(sharded, plain)
    assert sharded.predict(texts) == plain.predict(texts)


@pytest.mark.parametrize("options", [LEARNED, {"knowledge": [*LINKS, *SEEDS]}])
def test_result_does_not_depend_on_threads_or_memory(news: tw.Corpus, options: dict[str, Any]) -> None:
    usual = lda(**options).fit(news, backend=tw.DiskBackend(3))
    for n_jobs, in_memory in ((1, 0), (3, 1)):
        other = lda(**options, n_jobs=n_jobs).fit(news, backend=tw.DiskBackend(3, in_memory=in_memory))
        assert_same(other, usual)


def test_shards_learn_shared_topics(news: tw.Corpus) -> None:
    """Each theme has a topic that holds most of its words, in all shards."""
    model = lda(n_topics=3).fit(news, backend=tw.DiskBackend(6, n_rounds=3))
    theme = (np.arange(90) % 3).repeat(12)
    for own in range(3):
        topics = model.assignments_[theme == own]
        assert np.bincount(topics).max() > 0.9 * len(topics)


def test_sizes_of_topics_in_many_shards_are_summed_by_one(news: tw.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    model = lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(4))
    monkeypatch.setattr(block_counts, "_FEW_SHARDS", 3)
    assert_same(lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(4)), model)


def test_labels_on_several_shards() -> None:
    texts = themed_texts(60)
    names = ("sea", "kitchen", "court")
    labels = [[names[i % 3], names[(i // 3) % 3]] for i in range(60)]
    model = tw.LabeledLDA(n_sweeps=30).fit(texts, labels, backend=tw.DiskBackend(4))
    again = tw.LabeledLDA(n_sweeps=30, n_jobs=2).fit(texts, labels, backend=tw.DiskBackend(4, in_memory=0))
    assert_same(model, again)
    own = {model.topic_names_[k] for d in range(60) for k in model.doc_topic_counts_[[d], :].indices}
    assert own == set(names)
    for d in range(60):
        assert {model.topic_names_[k] for k in model.doc_topic_counts_[[d], :].indices} <= set(labels[d])


def test_more_sweeps_on_shards_from_a_model(news: tw.Corpus) -> None:
    model = lda(n_sweeps=10).fit(news)
    continue_training(model, 5, backend=tw.DiskBackend(1))
    assert_same(model, lda(n_sweeps=10).fit(news).resume(5))


# ---------------------------------------------------------------------- runs that are cut off


def cut_off_after(sweep: int) -> Any:
    def on_sweep(report: Any) -> None:
        if report.number == sweep:
            raise CutOffError

    return on_sweep


@pytest.fixture(scope="module")
def learned(news: tw.Corpus) -> tw.LDA:
    return lda(**LEARNED).fit(news, backend=tw.DiskBackend(3))


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_number_of_rounds_is_at_most_the_number_of_shards(news: tw.Corpus, n_rounds: int) -> None:
    model = lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(4, n_rounds=n_rounds))
    same = lda(n_sweeps=5, n_jobs=2).fit(news, backend=tw.DiskBackend(4, n_rounds=n_rounds, in_memory=0))
    assert_same(same, model)
    assert model.topic_word_counts_.sum() == news.n_tokens
    assert_same(
        lda(n_sweeps=3).fit(news, backend=tw.DiskBackend(2)),
        lda(n_sweeps=3).fit(news, backend=tw.DiskBackend(2, n_rounds=9)),
    )


@pytest.mark.parametrize("call", [1, 2, 4, 8, 11, 85])
def test_driver_killed_between_steps(news: tw.Corpus, learned: tw.LDA, tmp_path: Path, call: int) -> None:
    """In the first sweep too, where some shards have begun and others have not."""
    backend = tw.DiskBackend(3, checkpoint_dir=tmp_path / "run")
    with driver_lost_before(call):
        lda(**LEARNED).fit(news, backend=backend)
    assert_same(lda(**LEARNED).fit(news, backend=backend, resume=True), learned)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_lost_counts_are_recomputed(news: tw.Corpus, monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    """Before a step, after some shards have done it, and when the driver asks for all counts."""
    usual = lda(**LEARNED).fit(news, backend=tw.DiskBackend(3, n_rounds=rounds))
    submit, fetch = LocalWorkers.submit, LocalWorkers.fetch
    at_times = {"step": cycle([False] * 22 + [True]), "fetch": cycle([False] * 4 + [True])}
    lost = set()

    def lose_at_times(method: str) -> None:
        if next(at_times[method]):
            lost.add(method)
            raise CountsLostError

    def asked(self: Any, shards: Any, method: str, given: Any, n_results: int) -> Any:
        if method == "step":
            lose_at_times(method)
            submit(self, shards[:1], method, given[:1], n_results)
            lose_at_times(method)
        return submit(self, shards, method, given, n_results)

    def fetched(self: Any, references: Any) -> Any:
        lose_at_times("fetch")
        return fetch(self, references)

    monkeypatch.setattr(LocalWorkers, "submit", asked)
    monkeypatch.setattr(LocalWorkers, "fetch", fetched)
    assert_same(lda(**LEARNED).fit(news, backend=tw.DiskBackend(3, n_rounds=rounds)), usual)
    assert lost == {"step", "fetch"}


def test_repeatedly_lost_counts_are_an_error(news: tw.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*arguments: Any) -> Any:
        raise CountsLostError

    monkeypatch.setattr(Shard, "add", lose)
    with pytest.raises(ClusterError, match="lost 10 times in one sweep"):
        lda().fit(news, backend=tw.DiskBackend(2, n_rounds=1))


@pytest.mark.parametrize("sweep", [1, 29])
def test_resumed_run_equals_uninterrupted_run(news: tw.Corpus, learned: tw.LDA, tmp_path: Path, sweep: int) -> None:
    backend = tw.DiskBackend(3, checkpoint_dir=tmp_path / "run")
    with pytest.raises(CutOffError):
        lda(**LEARNED).fit(news, backend=backend, on_sweep=cut_off_after(sweep))
    seen: list[int] = []
    resumed = lda(**LEARNED).fit(news, backend=backend, resume=True, on_sweep=lambda report: seen.append(report.number))
    assert seen[0] == sweep  # whose result was not recorded
    assert_same(resumed, learned)


def test_resumed_run_converges_at_the_same_sweep(tmp_path: Path) -> None:
    texts = themed_texts(40)
    labels = [[("a", "b", "c")[i % 3], "d"] for i in range(40)]
    options: dict[str, Any] = {"n_sweeps": 60, "tol": 0.02, "evaluate_every": 2}
    whole = tw.LabeledLDA(**options).fit(texts, labels, backend=tw.DiskBackend(2))
    assert whole.converged_
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path)
    with pytest.raises(CutOffError):
        tw.LabeledLDA(**options).fit(texts, labels, backend=backend, on_sweep=cut_off_after(whole.sweeps_ - 1))
    resumed = tw.LabeledLDA(**options).fit(texts, labels, backend=backend, resume=True)
    assert resumed.converged_
    assert_same(resumed, whole)


def test_resume_starts_a_missing_run_and_loads_a_finished_one(news: tw.Corpus, tmp_path: Path) -> None:
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path / "run")
    first = lda(n_sweeps=10).fit(news, backend=backend, resume=True)
    assert_same(lda(n_sweeps=10).fit(news, backend=backend, resume=True), first)
    longer = lda(n_sweeps=20).fit(news, backend=backend, resume=True)
    assert_same(longer, lda(n_sweeps=20).fit(news, backend=tw.DiskBackend(2)))
    with pytest.warns(TopicwrightWarning, match="19 sweeps are done already, more than the 5 requested"):
        shorter = lda(n_sweeps=5).fit(news, backend=backend, resume=True)
    assert shorter.sweeps_ == 19  # the last sweep is asked for again only by those who want it
    there = lda(n_sweeps=19).fit(news, backend=tw.DiskBackend(2))
    np.testing.assert_array_equal(shorter.assignments_, there.assignments_)


def test_run_is_not_overwritten_or_confused_with_another(news: tw.Corpus, tmp_path: Path) -> None:
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path)
    lda(n_sweeps=2).fit(news, backend=backend)
    with raises_input("checkpoint_dir", match="already has a run"):
        lda(n_sweeps=2).fit(news, backend=backend)
    with pytest.raises(InputError, match=r"n_topics \(5 there, 6 here\) differs"):
        lda(n_topics=6).fit(news, backend=backend, resume=True)
    with pytest.raises(InputError, match="corpus differs"):
        lda().fit(news.select(np.arange(60)), backend=backend, resume=True)
    with pytest.raises(InputError, match=r"random_state \(3 there, 4 here\) differs"):
        lda(random_state=4).fit(news, backend=backend, resume=True)
    with pytest.raises(InputError, match="knowledge differs"):
        lda(knowledge=LINKS).fit(news, backend=backend, resume=True)
    with pytest.raises(InputError, match="alpha, beta differ"):
        lda(alpha=5.0, beta=0.3).fit(news, backend=backend, resume=True)
    with pytest.raises(InputError, match=r"n_shards \(2 there, 3 here\), n_rounds \(2 there, 3 here\) differ"):
        lda().fit(news, backend=tw.DiskBackend(3, checkpoint_dir=tmp_path), resume=True)


def test_incomplete_sharding_is_repeated(news: tw.Corpus, tmp_path: Path) -> None:
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path)
    lda(n_sweeps=2).fit(news, backend=backend)
    (tmp_path / "run.tw").unlink()
    assert_same(lda(n_sweeps=3).fit(news, backend=backend), lda(n_sweeps=3).fit(news, backend=tw.DiskBackend(2)))


@pytest.mark.parametrize("name", ["shard-000001/mine.txt", "shard-000001"])
def test_unrelated_files_are_never_removed(news: tw.Corpus, tmp_path: Path, name: str) -> None:
    lda(n_sweeps=2).fit(news, backend=tw.DiskBackend(1, checkpoint_dir=tmp_path))
    (tmp_path / "run.tw").unlink()
    mine = [tmp_path / name, tmp_path / "shard-mine" / "data", tmp_path / "topics-mine.npy"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    backend = tw.DiskBackend(1, checkpoint_dir=tmp_path)
    with pytest.raises(InputError, match="shard-000001 has the name of a shard, but is none"):
        lda(n_sweeps=2).fit(news, backend=backend)
    mine.pop(0).rename(tmp_path / "elsewhere")
    lda(n_sweeps=2).fit(news, backend=backend)
    lda(n_sweeps=3).fit(news, backend=backend, resume=True)
    assert all(path.read_text() == "mine" for path in mine)


def test_topics_stay_on_disk_where_the_folder_is_kept(news: tw.Corpus, tmp_path: Path) -> None:
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path)
    first = lda(n_sweeps=3).fit(news, backend=backend)
    kept = first.assignments_.copy()
    assert "doc_topic_counts_" not in first.__dict__  # until somebody asks
    longer = lda(n_sweeps=6).fit(news, backend=backend, resume=True)
    np.testing.assert_array_equal(first.assignments_, kept)
    assert (longer.assignments_ != kept).any()
    assert len(list(tmp_path.glob("topics-*.npy"))) == 1
    first.save(tmp_path / "m.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "m.tw").resume(2).doc_topic_, first.resume(2).doc_topic_)


def test_corpus_on_disk(news: tw.Corpus, tmp_path: Path) -> None:
    np.save(tmp_path / "tokens.npy", news.tokens)
    tokens = np.load(tmp_path / "tokens.npy", mmap_mode="r")
    mapped = tw.Corpus(tokens, news.offsets, news.vocabulary)
    assert np.shares_memory(mapped.tokens, tokens)
    model = lda(n_sweeps=5).fit(mapped, backend=tw.DiskBackend(3, in_memory=0))
    assert_same(model, lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(3)))


def test_temporary_folders_are_removed(news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lda(n_sweeps=2).fit(news, backend=tw.DiskBackend(2))
    with pytest.raises(CutOffError):
        lda().fit(news, backend=tw.DiskBackend(2), on_sweep=cut_off_after(1))
    assert list(tmp_path.iterdir()) == []


def test_numpy_integers(news: tw.Corpus) -> None:
    numbers = {"n_rounds": np.int64(2), "in_memory": np.int32(0)}
    model = lda(n_sweeps=3).fit(news, backend=tw.DiskBackend(np.int64(3), **numbers))  # type: ignore[arg-type]
    assert_same(model, lda(n_sweeps=3).fit(news, backend=tw.DiskBackend(3, n_rounds=2)))


def test_backend_repr_shows_parameters() -> None:
    assert repr(tw.DiskBackend(3, in_memory=0)) == "DiskBackend(n_shards=3, in_memory=0)"
    assert repr(tw.RayBackend("auto", checkpoint_dir="run")).startswith("RayBackend(address='auto', n_shards=4, ")


def test_invalid_parameters(news: tw.Corpus, tmp_path: Path) -> None:
    for n_shards in (0, -1, 1.5, True):
        with raises_input("n_shards"):
            lda().fit(news, backend=tw.DiskBackend(n_shards))  # type: ignore[arg-type]
    with raises_input("n_rounds", match="from 1 to 255"):
        lda().fit(news, backend=tw.DiskBackend(2, n_rounds=300))
    with raises_input("in_memory"):
        lda().fit(news, backend=tw.DiskBackend(2, in_memory=-1, checkpoint_dir=tmp_path / "run"))
    assert not (tmp_path / "run").exists()
    with raises_input("backend"):
        lda().fit(news, backend="ray")
    with raises_input("backend", got=tw.DiskBackend):
        lda().fit(news, backend=tw.DiskBackend)
    with raises_input("resume"):
        lda().fit(news, resume=True)
    with raises_input("checkpoint_dir", match="needs checkpoint_dir"):
        lda().fit(news, backend=tw.DiskBackend(2), resume=True)


def test_more_shards_than_documents() -> None:
    texts = ["cats purr", "dogs bark"]
    model = tw.LDA(2, n_sweeps=5).fit(texts, backend=tw.DiskBackend(8))
    assert model.topic_word_counts_.sum() == 4
