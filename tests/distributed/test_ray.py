"""Shards on Ray: the same bytes as in this process, also when processes are killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw
from topicwright import ClusterError, InputError
from topicwright.distributed import driver as block_counts
from topicwright.distributed import ray_backend
from topicwright.distributed.driver import BlockCounts
from topicwright.distributed.ray_backend import private_settings
from topicwright.models.fit_state import build_problem

from ..assertions import raises_input
from . import custom_knowledge
from .runs import LINKS_BETWEEN, assert_same, lda

QUICK_TO_SEE = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 4,
}
LITTLE_WITH_THE_DRIVER = {"max_direct_call_object_size": 500}  # so that counts, though few, lie on nodes
STORE = 80 * 2**20
LEARNED = {"alpha": "learn", "beta": "learn"}


class KillableWorker(ray_backend.Worker):
    """A worker that kills itself at the step named in a file."""

    def call(self, method: str, *arguments: Any) -> Any:
        if method == "node":
            import ray

            return ray.get_runtime_context().get_node_id()
        if method not in ("step", "add"):
            return super().call(method, *arguments)
        before, after, adding = (
            Path(self._shard_arguments[0]) / f"die-{when}-{self._shard_arguments[1]}"
            for when in ("before", "after", "adding")
        )
        self._die_if_ordered(adding if method == "add" else before)
        result = super().call(method, *arguments)
        self._die_if_ordered(after)
        return result

    def _die_if_ordered(self, order: Path) -> None:
        if order.exists():
            order.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Any]:
    """A head without processors and three nodes of one each, all on the loopback interface."""
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'topicwright[cluster]'")
    from ray.cluster_utils import Cluster

    with private_settings() as ray:
        for module in (__name__, custom_knowledge.__name__):  # which workers can't import, as they can't a script
            ray.cloudpickle.register_pickle_by_value(sys.modules[module])
        settings = {"_system_config": QUICK_TO_SEE | LITTLE_WITH_THE_DRIVER}
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False, **settings}
        started = Cluster(initialize_head=True, head_node_args=head)
        try:
            for _ in range(3):
                started.add_node(num_cpus=1, object_store_memory=STORE)
            ray.init(address=started.address, log_to_driver=False, logging_level="ERROR")
            processes = psutil.Process().children(recursive=True)
            yield started
            processes += psutil.Process().children(recursive=True)
        finally:
            ray.shutdown()
            started.shutdown()
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not alive


def on_ray(folder: Path, n_shards: int = 2, **options: Any) -> tw.RayBackend:
    return tw.RayBackend(n_shards=n_shards, checkpoint_dir=folder, **{"sweep_timeout": 300.0, **options})


@pytest.mark.smoke
def test_same_bytes_as_in_one_process_with_links_and_learned_priors(
    ray_cluster: Any, news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_counts, "_FEW_SHARDS", 2)
    options = {**LEARNED, "knowledge": [tw.MustLinks([("ship", "wave")])]}
    model = lda(**options).fit(news, backend=on_ray(tmp_path, n_shards=3))
    assert_same(model, lda(**options).fit(news, backend=tw.DiskBackend(3)))


def test_same_bytes_as_in_one_process_with_labels(ray_cluster: Any, news: tw.Corpus, tmp_path: Path) -> None:
    labels = [["sea"] if d % 2 else ["land", "sea"] for d in range(news.n_docs)]
    backends = (on_ray(tmp_path), tw.DiskBackend(2))
    assert_same(*(tw.LabeledLDA(n_sweeps=5).fit(news, labels, backend=backend) for backend in backends))


def test_same_bytes_as_in_one_process_with_classes(ray_cluster: Any, news: tw.Corpus, tmp_path: Path) -> None:
    classes = ["sea" if d % 2 else "land" for d in range(news.n_docs)]
    backends = (on_ray(tmp_path), tw.DiskBackend(2))
    one, other = (tw.MedLDAClassifier(4, n_sweeps=6).fit(news, classes, backend=backend) for backend in backends)
    assert_same(one, other)
    assert (one.coef_ == other.coef_).all()


@pytest.mark.slow
def test_same_bytes_with_custom_code(ray_cluster: Any, news: tw.Corpus, tmp_path: Path) -> None:
    """Custom factors and losses, and one-vs-rest."""
    options = {"knowledge": [custom_knowledge.opening(), *LINKS_BETWEEN], "n_sweeps": 6}
    model = lda(**options).fit(news, backend=on_ray(tmp_path / "factor"))
    assert_same(model, lda(**options).fit(news, backend=tw.DiskBackend(2)))
    classes = [["sea", "land", "sky"][d % 3] for d in range(news.n_docs)]
    by_class = [
        tw.MedLDAClassifier(
            n_topics=4,
            n_sweeps=5,
            loss=custom_knowledge.Squared(2.0),
            word_weights=True,
            strategy="one-vs-rest",
            random_state=0,
        ).fit(news, classes, backend=backend)
        for backend in (on_ray(tmp_path / "loss"), tw.DiskBackend(2))
    ]
    for one, other in zip(*(model.estimators_ for model in by_class)):
        assert_same(one, other)
        assert (one.coef_ == other.coef_).all()
        assert (one.word_coef_ == other.word_coef_).all()


def test_a_loss_that_cannot_be_pickled(ray_cluster: Any, news: tw.Corpus, tmp_path: Path) -> None:
    loss = custom_knowledge.Squared()
    loss.lock = threading.Lock()  # type: ignore[attr-defined]
    numbers = [float(d % 2) for d in range(news.n_docs)]
    with pytest.raises(InputError, match=r"Squared cannot be pickled"):
        tw.MedLDARegressor(4, n_sweeps=3, loss=loss).fit(news, numbers, backend=on_ray(tmp_path))


@pytest.mark.parametrize(
    "knowledge",
    [pytest.param([], id="nothing"), pytest.param(LINKS_BETWEEN, id="linked documents", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_worker_killed_before_or_after_its_checkpoint(
    ray_cluster: Any, news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, knowledge: Any
) -> None:
    monkeypatch.setattr(ray_backend, "Worker", KillableWorker)
    orders = []

    def on_sweep(report: Any) -> None:
        if report.number in (1, 4):
            orders.append(tmp_path / f"die-{when}-{report.number % 2}")
            orders[-1].touch()

    options = {"n_sweeps": 8, "knowledge": knowledge}
    model = lda(**options).fit(news, backend=on_ray(tmp_path), on_sweep=on_sweep)
    assert len(orders) == 2
    assert not any(order.exists() for order in orders)
    assert_same(model, lda(**options).fit(news, backend=tw.DiskBackend(2)))


def test_worker_killed_while_summing(
    ray_cluster: Any, news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its sums are recomputed from the topics of all shards."""
    monkeypatch.setattr(ray_backend, "Worker", KillableWorker)
    recounts = watch(monkeypatch)
    order = tmp_path / "die-adding-1"
    model = lda(n_sweeps=6).fit(
        news,
        backend=on_ray(tmp_path, n_rounds=1),
        on_sweep=lambda report: order.touch() if report.number == 3 else None,
    )
    assert not order.exists()
    assert recounts
    assert_same(model, lda(n_sweeps=6).fit(news, backend=tw.DiskBackend(2, n_rounds=1)))


def watch(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Steps at which counts are computed again."""
    seen: list[Any] = []
    recount = BlockCounts.recount

    def seen_recount(self: BlockCounts, step: int) -> None:
        seen.append(step)
        recount(self, step)

    monkeypatch.setattr(BlockCounts, "recount", seen_recount)
    return seen


def test_worker_lost_too_often_is_an_error(
    ray_cluster: Any, news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_backend, "Worker", KillableWorker)

    def on_sweep(report: Any) -> None:
        (tmp_path / "die-after-1").touch()

    with pytest.raises(ClusterError, match="shard 1 was lost more than max_restarts=0 times"):
        lda(n_sweeps=5).fit(news, backend=on_ray(tmp_path, max_restarts=0), on_sweep=on_sweep)
    (tmp_path / "die-after-1").unlink(missing_ok=True)
    resumed = lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(2, checkpoint_dir=tmp_path), resume=True)
    assert_same(resumed, lda(n_sweeps=5).fit(news, backend=tw.DiskBackend(2)))


def test_rejects_storage_that_is_not_shared(ray_cluster: Any, news: tw.Corpus, tmp_path: Path) -> None:
    engine = on_ray(tmp_path / "run").start(lda_job(news), n_jobs=1)
    try:
        (tmp_path / "run").rename(tmp_path / "elsewhere")
        with pytest.raises(ClusterError, match="storage that all nodes share"):
            engine._workers.call([0], "sizes", [0])
    finally:
        engine.close()


def lda_job(news: tw.Corpus) -> Any:
    model = lda(n_sweeps=1).fit(news)
    model.assignments_, model.sweeps_ = None, 0
    return build_problem(model)


@pytest.mark.slow
def test_nodes_removed_with_and_without_free_capacity(
    ray_cluster: Any, news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three nodes two are used: one may go. When the next goes, there is an error, and then a new node."""
    import ray

    monkeypatch.setattr(ray_backend, "Worker", KillableWorker)
    workers: list[ray_backend.RayWorkers] = []
    make = ray_backend.RayWorkers.__init__

    def remember(self: Any, *arguments: Any) -> None:
        make(self, *arguments)
        workers.append(self)

    monkeypatch.setattr(ray_backend.RayWorkers, "__init__", remember)

    def remove_node_of_a_worker() -> None:
        (model_folder,) = ray.get([workers[-1].actors[0].call.remote("node")])
        ray_cluster.remove_node(
            next(node for node in ray_cluster.list_all_nodes() if node.node_id == model_folder), False
        )

    recounts = watch(monkeypatch)
    model = lda(n_sweeps=8).fit(
        news,
        backend=on_ray(tmp_path / "spare"),
        on_sweep=lambda report: remove_node_of_a_worker() if report.number == 3 else None,
    )
    plain = lda(n_sweeps=8).fit(news, backend=tw.DiskBackend(2))
    assert_same(model, plain)
    assert recounts  # counts went down with the node

    seen = []

    def remove_then_count(report: Any) -> None:
        seen.append(time.monotonic())
        if report.number == 3:
            remove_node_of_a_worker()
            workers[-1]._timeout = 8.0  # and not before: on a busy machine a worker takes longer to start

    with pytest.raises(ClusterError, match=r"within sweep_timeout=8 seconds: 2 workers need 2 CPUs"):
        lda(n_sweeps=8).fit(news, backend=on_ray(tmp_path / "none"), on_sweep=remove_then_count)
    assert len(seen) == 3
    ray_cluster.add_node(num_cpus=1, object_store_memory=STORE)
    assert_same(lda(n_sweeps=8).fit(news, backend=on_ray(tmp_path / "none"), resume=True), plain)


def test_invalid_parameters(news: tw.Corpus) -> None:
    for options, parameter in [
        ({"cpus_per_worker": 0}, "cpus_per_worker"),
        ({"max_restarts": -2}, "max_restarts"),
        ({"sweep_timeout": 0}, "sweep_timeout"),
        ({"address": "auto"}, "checkpoint_dir"),
        ({"n_shards": 0}, "n_shards"),
    ]:
        with raises_input(parameter):
            lda().fit(news, backend=tw.RayBackend(**options))  # type: ignore[arg-type]
