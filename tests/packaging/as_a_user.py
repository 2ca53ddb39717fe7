"""A user's first minutes: ``scripts/packages`` runs this in clean environments that have the package and nothing else.

Each step raises where something is not as it should be.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import topicwright as tw
from topicwright.io.export import to_gensim

TEXTS = [
    "the ship sails on a wave",
    "bread and butter from the oven",
    "waves and tide carry a ship",
    "flour, butter, dough",
]
DOCUMENTS = Path("texts.jsonl.gz")


def installed() -> None:
    """The installed wheel is tested, not the source tree."""
    assert Path(sysconfig.get_path("purelib")) in Path(tw.__file__).parents, tw.__file__


def check_training_and_saving() -> None:
    model = tw.LDA(n_topics=2, n_sweeps=20, random_state=0).fit(TEXTS * 20)
    assert model.doc_topic_.shape == (80, 2)
    model.save("model.tw")
    again = tw.load("model.tw")
    assert (again.topic_word_ == model.topic_word_).all()
    assert (again.transform(TEXTS) == model.transform(TEXTS)).all()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell finds it."""
    program = Path(sysconfig.get_path("scripts"), "topicwright")
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def output_of(*arguments: str) -> str:
    done = command(*arguments)
    assert done.returncode == 0, done
    assert "Error" not in done.stderr, done
    return done.stdout


def commands() -> None:
    assert output_of("--version") == f"topicwright {tw.__version__}\n"
    with gzip.open(DOCUMENTS, "wt") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS * 10)
    output_of("fit", str(DOCUMENTS), "--topics", "2", "--output", "shell.tw", "--max-df", "1.0", "--quiet")
    assert "ship" in output_of("topics", "shell.tw")
    assert len(output_of("transform", "shell.tw", str(DOCUMENTS)).splitlines()) == 40
    output_of("report", "shell.tw", "--html", "report.html")
    assert "<style>" in Path("report.html").read_text()


def demo() -> None:
    assert len(tw.datasets.load_docstrings()) > 1000
    output_of("demo", "--topics", "5", "--sweeps", "3")
    assert tw.load("topicwright-demo.tw").n_topics == 5


def what_is_missing() -> None:
    """What needs an extra output_of which, in Python and in the shell."""
    model: Any = tw.load("model.tw")
    for extra, use in {
        "files": lambda: tw.Corpus.from_parquet("texts.parquet"),
        "plots": model.plot_map,
        "explorer": lambda: tw.explore(model),
        "cluster": lambda: tw.LDA(2).fit(TEXTS, backend=tw.RayBackend()),
        "gensim": lambda: to_gensim(model),
    }.items():
        check_missing_extra(extra, use)
    for extra, verb in {"serve": "serve", "explorer": "explore"}.items():
        done = command(verb, "model.tw")
        assert (done.returncode, done.stdout) == (2, ""), done
        assert f"pip install 'topicwright[{extra}]'" in done.stderr, done


def check_missing_extra(extra: str, use: Callable[[], Any]) -> None:
    said = ""
    try:
        use()
    except tw.MissingExtraError as error:
        said = str(error)
    assert f"pip install 'topicwright[{extra}]'" in said, f"[{extra}]: {said or 'nothing was said; is it installed?'}"


if __name__ == "__main__":
    for step in (installed, check_training_and_saving, commands, demo, what_is_missing):
        print(f"  {step.__name__.replace('_', ' ')}", flush=True)
        step()
    print(f"  all well on Python {sys.version.split()[0]}")
