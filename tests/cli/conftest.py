"""Runs of commands in this process (fast) or in a subprocess, and small files for both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import topicwright as tw
from topicwright.cli._app import app
from topicwright.cli._console import messages

from ..conftest import THEMES
from ..streaming.conftest import json_lines

COMMAND = [sys.executable, "-m", "topicwright"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def refused(self) -> str:
        """Error message, without the common prefix."""
        assert self.code == 2, self
        assert self.out == "", self.out
        assert self.err.startswith("error: "), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("error: ").removesuffix("\n")


Invoke = Callable[..., Outcome]


def lines(text: str) -> list[Any]:
    """Parsed JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def on_terminal(*arguments: Any, **environment: str) -> str:
    """Output of a command on a terminal of 80 columns."""
    import pty  # which not every system has

    reader, writer = pty.openpty()
    own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdin=writer, stdout=writer, stderr=writer, env={**own, **size, **environment}
    )
    os.close(writer)
    shown = b""
    with suppress(OSError):  # how Linux tells that the other end is closed
        while chunk := os.read(reader, 65536):
            shown += chunk
    os.close(reader)
    assert process.wait(30) == 0
    return shown.decode().replace("\r\n", "\n")


_COMPILING = "compiling this kind of model (first run only)\n"  # told where kernels are not cached yet


@pytest.fixture
def invoke(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    messages.cache_clear()

    def run(*arguments: Any) -> Outcome:
        capsys.readouterr()
        code = app(list(map(str, arguments)), standalone_mode=False, prog_name="topicwright")
        out, err = capsys.readouterr()
        return Outcome(code or 0, out, err.replace(_COMPILING, ""))

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Invoke:
    """Run a command in a subprocess, as a shell does."""

    def run(*arguments: Any, stdin: str = "", **options: Any) -> Outcome:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            cwd=tmp_path,
            **options,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.replace(_COMPILING, ""))

    return run


@pytest.fixture(scope="session")
def documents(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty documents of three themes, with ids and labels."""
    path = tmp_path_factory.mktemp("cli") / "themes.jsonl"
    themes = list(THEMES)
    records = [{"id": f"d{i}", "text": text, "labels": [themes[i % 3]]} for i, text in enumerate(texts)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture(scope="session")
def bad_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two good lines around two bad ones."""
    path = tmp_path_factory.mktemp("cli") / "bad.jsonl"
    path.write_text('{"text": "ship and wave"}\n{"text": 3}\nnot json\n{"text": "bread and yeast"}\n')
    return path


def fitted(path: Path, source: Path, *arguments: str, size: tuple[str, ...] = ("-k", "3", "-n", "40")) -> Path:
    """A model of three topics in a file."""
    code = app(["fit", str(source), "-o", str(path), *size, "-q", *arguments], standalone_mode=False)
    assert not code
    return path


@pytest.fixture(scope="session")
def model(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Model of the themes, shared by tests."""
    return fitted(tmp_path_factory.mktemp("cli") / "themes.tw", documents)


@pytest.fixture(scope="session")
def compact_model(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without its documents."""
    return fitted(tmp_path_factory.mktemp("cli") / "compact.tw", documents, "--no-corpus")


@pytest.fixture(scope="session")
def counts_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Count model whose words contain terminal control sequences; ``counts.ldac`` lies beside it."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "counts.vocab.txt").write_text("[bold]red[/]\nesc\x1b[31mape\nc1\x9bcontrol\n:smile:\n", "utf-8")
    (folder / "counts.ldac").write_text("4 0:3 1:2 2:4 3:1\n2 0:2 2:1\n")
    return fitted(folder / "counts.tw", folder / "counts.ldac", "--stop-words", "none")


# ---------------------------------------------------------------------- models that predict something

STARS = {"sea": 1.0, "kitchen": 3.0, "court": 5.0}


@pytest.fixture(scope="session")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of one theme or two: tags are their themes, place has two classes, stars a number, mood is empty.

    Every twentieth document has no labels or targets.
    """
    path = tmp_path_factory.mktemp("cli") / "reviews.jsonl"
    rng, themes = np.random.default_rng(0), list(THEMES)
    with path.open("w") as file:
        for number in range(80):
            tags = [themes[number % 3], *([themes[(number + 1) % 3]] if number % 4 == 0 else [])]
            words = [word for tag in tags for word in rng.choice(THEMES[tag].split(), 12)]
            place = "water" if "sea" in tags else "land"
            known = {"tags": tags, "place": place, "stars": float(np.mean([STARS[tag] for tag in tags]))}
            record = {"id": f"r{number}", "text": " ".join(words), "mood": "", **(known if number % 20 != 19 else {})}
            file.write(json.dumps(record) + "\n")
    return path


@pytest.fixture(scope="session")
def classifier(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classifier of the three themes, with scores."""
    return fitted(tmp_path_factory.mktemp("cli") / "themes.tw", documents, "--predict", "labels", "--no-word-weights")


@pytest.fixture(scope="session")
def binary(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two classes, with probabilities."""
    options = ["--predict", "place", "--loss", "logistic", "--cost", "20"]
    return fitted(tmp_path_factory.mktemp("cli") / "places.tw", reviews, *options)


@pytest.fixture(scope="session")
def tagger(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classifier with several labels per document."""
    return fitted(tmp_path_factory.mktemp("cli") / "tags.tw", reviews, "--predict", "tags", "--margin", "8")


@pytest.fixture(scope="session")
def regressor(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Regression model."""
    return fitted(
        tmp_path_factory.mktemp("cli") / "stars.tw", reviews, "--predict", "stars", "--numbers", "--no-word-weights"
    )


@pytest.fixture(scope="session")
def one_vs_rest(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One-vs-rest classifier, which only the Python interface creates."""
    path = tmp_path_factory.mktemp("cli") / "ovr.tw"
    tw.MedLDAClassifier(3, strategy="one-vs-rest", n_sweeps=20).fit(tw.Corpus.from_jsonl(documents)).save(path)
    return path


# ---------------------------------------------------------------------- models whose topics are labels

OF_LABELS = pytest.mark.parametrize("fixture", ["labeled", "stream"])


def tags_of(path: Path) -> tuple[list[str], list[Any]]:
    """Texts, and the tags of those that have some."""
    records = lines(path.read_text())
    return [record["text"] for record in records], [record.get("tags") for record in records]


def with_labels(path: Path, source: Path, field: str, *arguments: str) -> Path:
    return fitted(path, source, "--labels", field, *arguments, size=("-n", "20"))


@pytest.fixture(scope="session")
def labeled(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the tags, one or two a document."""
    return with_labels(tmp_path_factory.mktemp("cli") / "tags.tw", reviews, "tags")


@pytest.fixture(scope="session")
def with_background(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a background topic."""
    return with_labels(tmp_path_factory.mktemp("cli") / "more.tw", reviews, "tags", "--background", "1")


@pytest.fixture(scope="session")
def stream(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tags, learned from a stream."""
    path = tmp_path_factory.mktemp("cli") / "stream.tw"
    model = tw.OnlineLabeledLDA().fit(*tags_of(reviews))
    model.field_ = "tags"
    model.save(path)
    return path


@pytest.fixture(scope="session")
def one_each(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of documents that have one label each."""
    return with_labels(tmp_path_factory.mktemp("cli") / "one.tw", documents, "labels")


# ---------------------------------------------------------------------- streams


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Sixty documents, six of them without labels."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json_lines(60)))
    return path


@pytest.fixture
def whole(source: Path, invoke: Invoke) -> bytes:
    """Model file of an uninterrupted stream."""
    assert invoke("stream", source, "-m", "whole.tw").code == 0
    return Path("whole.tw").read_bytes()
