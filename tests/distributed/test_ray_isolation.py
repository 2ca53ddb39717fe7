"""A Ray cluster started for one fit: private, and stopped with the driver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw

from .runs import assert_same, lda

DRIVER = """
import json, os, signal, sys
import numpy as np
import topicwright as tw

corpus, folder, out, dies = sys.argv[1:]
arrays = np.load(corpus)
documents = tw.Corpus(arrays["tokens"], arrays["offsets"], [str(w) for w in range(arrays["n_words"])])

def on_sweep(report):
    if report.number == 3:
        import psutil
        started = psutil.Process().children(recursive=True)
        listening = {c.laddr.ip for p in [psutil.Process(), *started] for c in listens(p)}
        facts = {"pids": [[p.pid, p.create_time()] for p in started], "listening": sorted(listening)}
        open(out, "w").write(json.dumps(facts))
        if dies == "dies":
            os.kill(os.getpid(), signal.SIGKILL)

def listens(process):
    import psutil
    try:
        return [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    except psutil.NoSuchProcess:
        return []

if dies == "lives":
    import ray  # which then has seen other settings than those that it will have
backend = tw.RayBackend(n_shards=2, checkpoint_dir=folder)
model = tw.LDA(5, n_sweeps=30, random_state=3, evaluate_every=10, alpha="learn")
model.fit(documents, backend=backend, resume=True, on_sweep=on_sweep)
assert not {"RAY_AUTH_TOKEN", "RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED"} & set(os.environ)
model.save(out + ".tw", include_corpus=True)
tw.LDA(5, n_sweeps=2).fit(documents, backend=tw.RayBackend(n_shards=2))  # a second Ray in one process
"""


def drive(corpus: Path, folder: Path, out: Path, supervision: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(corpus), str(folder), str(out), supervision],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(tw.__file__).parents[1])},
    )
    assert out.exists(), done.stderr
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, json.loads(out.read_text())


@pytest.mark.ray
def test_a_killed_driver_is_resumed_and_leaves_nothing_behind(
    news: tw.Corpus, tmp_path: Path, must_end: list[Any]
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'topicwright[cluster]'")
    corpus = tmp_path / "corpus.npz"
    np.savez(corpus, tokens=news.tokens, offsets=news.offsets, n_words=news.n_words)
    code, meta = drive(corpus, tmp_path / "run", tmp_path / "first.json", "dies")
    assert code == -signal.SIGKILL
    assert len(meta["pids"]) > 3
    assert meta["listening"]
    assert all(ip in ("127.0.0.1", "::ffff:127.0.0.1", "::1") for ip in meta["listening"])
    must_end += meta["pids"]

    code, meta = drive(corpus, tmp_path / "run", tmp_path / "second.json", "lives")
    assert code == 0
    must_end += meta["pids"]
    resumed = tw.load(tmp_path / "second.json.tw")
    assert_same(resumed, lda(alpha="learn").fit(news, backend=tw.DiskBackend(2)))


def test_missing_ray_is_reported(news: tw.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(tw.MissingExtraError, match=r"pip install 'topicwright\[cluster\]'"):
        lda().fit(news, backend=tw.RayBackend())


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9", "nowhere"])
def test_unreachable_address(news: tw.Corpus, tmp_path: Path, address: str) -> None:
    with pytest.raises(tw.ClusterError, match=f"no Ray cluster answers at {address}: start one"):
        lda().fit(news, backend=tw.RayBackend(address, checkpoint_dir=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_auto_without_a_cluster(news: tw.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")  # as of one that is gone
    with pytest.raises(tw.ClusterError, match=r"no Ray cluster answers at auto \(127.0.0.1:9\)"):
        lda().fit(news, backend=tw.RayBackend("auto", checkpoint_dir=tmp_path))


def test_ray_is_imported_only_when_it_is_used() -> None:
    code = "import sys, topicwright as tw; tw.RayBackend(); tw.LDA; assert 'ray' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
