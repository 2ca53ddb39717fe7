"""Scripts that run on their own: all of them import, and those that use internals of the library run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import topicwright as tw
from benchmarks.scripts import cluster, links_coherence

SCRIPTS = sorted(path.stem for path in Path(cluster.__file__).parent.glob("[!_]*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_import(name: str) -> None:
    assert f"python -m benchmarks.scripts.{name}" in (import_module(f"benchmarks.scripts.{name}").__doc__ or "")


def test_cluster_measures_time_and_traffic(corpus: tw.Corpus) -> None:
    sweeps = cluster.measure(corpus, tw.DiskBackend(n_shards=2), n_topics=3, n_sweeps=2)
    assert len(sweeps) == 2
    assert all(sweep.sent > 0 and sweep.received > 0 for sweep in sweeps)


def test_links_coherence_measures_a_model(corpus: tw.Corpus) -> None:
    model = tw.LDA(2, n_sweeps=5, random_state=0).fit(corpus)
    assert set(links_coherence.measure(model, corpus, [("goal", "team")])) == {
        "npmi",
        "umass",
        "umass top 20",
        "agreement",
    }
