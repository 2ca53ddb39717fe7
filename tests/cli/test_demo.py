import re
import shlex
import subprocess
from pathlib import Path

import pytest

import topicwright as tw
from topicwright.cli._app import app
from topicwright.cli.demo import next_steps

from .conftest import COMMAND


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [*COMMAND, "demo", "-k", "6", "-n", "12"], capture_output=True, text=True, cwd=folder, timeout=120, check=True
    )
    return folder, done.stdout, done.stderr


def test_demo_output(page):
    folder, out, err = page
    assert "Traceback" not in err
    corpus = tw.load(folder / "topicwright-demo.tw").corpus_
    assert "Topics in the documentation of numpy, scipy, sklearn" in out
    assert f"{corpus.n_docs:,} docstrings, {corpus.n_tokens:,} words, {corpus.n_words:,} distinct words" in out
    assert "log-likelihood per word, by sweep" in out
    assert re.search(r"coherence \(NPMI\) -?0\.\d{3}, diversity [01]\.\d\d", out)
    assert "topicwright-demo.tw (" in out


def test_the_largest_topics_come_first(page):
    _, out, _ = page
    shares = [float(share) for share in re.findall(r"(\d+\.\d)%", out)]
    assert len(shares) == 6
    assert shares == sorted(shares, reverse=True)


def test_suggested_commands_run(page, monkeypatch):
    pytest.importorskip("nicegui", reason="the explorer is one of them: pip install 'topicwright[explorer]'")
    folder, out, _ = page
    monkeypatch.chdir(folder)
    steps = next_steps(Path("topicwright-demo.tw"))
    assert all(f"\n  {step}\n" in out for step in steps)
    show, html, explore, find, resume = steps
    assert explore == "topicwright explore topicwright-demo.tw"  # tests/explorer have more of it
    for step in (show, html, resume.replace("--sweeps 200", "--sweeps 1")):
        assert not app(shlex.split(step)[1:], standalone_mode=False)
    command = find.replace("topicwright ", " ".join(COMMAND) + " ", 1)
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "1 document, 3 words; the model does not know 0 (0.0%)\n")


def test_suggested_commands_use_the_invoked_program(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", [".venv/bin/topicwright", "demo"])
    assert next_steps(Path("d.tw"))[0] == ".venv/bin/topicwright topics d.tw --words 20"


def test_suggested_paths_are_quoted():
    assert all("'my models/d.tw'" in step for step in next_steps(Path("my models/d.tw")))


def test_invalid_output_fails_before_training(invoke):
    assert "nowhere does not exist" in invoke("demo", "-o", "nowhere/m.tw").refused()
