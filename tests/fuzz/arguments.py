"""Random options and values for every command: a documented exit code, and no file damaged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

import topicwright as tw

from .attack import Attack, DataLossError, WrongResultError, pick
from .command_runner import CommandResult, preload, run
from .targets import documents, empty_folder, model_file

GOOD = {
    "demo": "-o demo.tw -k 3 -n 2",
    "fit": "docs.jsonl -o new.tw -k 3 -n 3",
    "resume": "lda.tw -n 2",
    "update": "lda.tw docs.jsonl -n 2",
    "stream": "docs.jsonl -m new.tw",
    "explore": "lda.tw --port 0 --no-browser",
    "topics": "lda.tw",
    "transform": "lda.tw docs.jsonl",
    "predict": "classifier.tw docs.jsonl",
    "explain": "labeled.tw docs.jsonl",
    "evaluate": "lda.tw docs.jsonl",
    "serve": "lda.tw --port 0",
    "links": "docs.jsonl -o links.yaml",
    "report": "knowledge.tw",
    "convert": "docs.jsonl out.ldac",
    "corpus": "docs.jsonl",
}
NUMBERS = [
    "0",
    "1",
    "2",
    "7",
    "-1",
    "0.5",
    "-0.5",
    "1e-320",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "2147483647",
    "2147483648",
    "4294967296",
    "18446744073709551616",
    "x",
]
WORDS = [
    "learn",
    "english",
    "none",
    "skip",
    "likely",
    "stop",
    "hinge",
    "logistic",
    "disk",
    "jsonl",
    "csv",
    "tsv",
    "json",
    "text",
    "parquet",
    "mallet",
    "uci",
    "ldac",
    "table",
    "topics-csv",
    "mallet-state",
    "pyldavis",
    "month",
    "year",
    "labels",
    "text",
    "id",
    "sea",
    "ship",
    "127.0.0.1",
    "localhost",
    "300.1.1.1",
]
STRANGE = [
    "",
    " ",
    "-",
    "--",
    "é\u0301",
    "\u202e",
    "\udc80",
    "a" * 5000,
    "*",
    "../..",
    "a\nb",
    "\x1b[31m",
    "{}",
    "[[",
    "0x10",
]
MODELS = ("lda", "counts", "classifier", "regressor", "labeled", "stream", "knowledge")
FILES = [
    *(f"{kind}.tw" for kind in MODELS),
    *[
        "docs.jsonl",
        "docs.csv",
        "noise.bin",
        "empty.jsonl",
        "known.yaml",
        "folder",
        "missing.jsonl",
        "new.tw",
        "folder/new.tw",
        "nowhere/new.tw",
    ],
    *("/dev/null", "/dev/full"),
]
_SERVERS = {"serve", "explore"}
_WRITES_MODELS = {"demo", "fit", "resume", "update", "stream", "explore"}


def commands() -> dict[str, Any]:
    """All commands of the command line by name."""
    from typer.main import get_command

    from topicwright.cli._app import app

    command: Any = get_command(app)
    return dict(command.commands)


class RandomArguments(Attack):
    """A valid command with arguments added, changed, removed or swapped."""

    name = "arguments"
    weight = 4.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._verbs = commands()
        preload(folder)

    def run_case(self, rng: np.random.Generator) -> None:
        verb = pick(rng, self._verbs)
        words = [verb, *self._arguments(verb, rng)]
        self.description = repr(words)
        folder = empty_folder(self.folder, self.name)
        write_files(folder, self.folder)
        before = contents(folder)
        stdin = pick(rng, [b"", b"red green\n", b'{"text": "ship", "labels": ["sea"]}\n', rng.bytes(50)])
        ended = run(words, folder, 1.5 if verb in _SERVERS else 5.0, stdin=stdin)
        check_files(verb, ended, before, folder)
        ended.check()

    def _arguments(self, verb: str, rng: np.random.Generator) -> list[str]:
        words = GOOD[verb].split() if rng.random() < 0.8 else []
        for _ in range(int(rng.integers(4))):
            option = pick(rng, self._verbs[verb].params)
            if option.param_type_name == "argument":
                words.append(any_value(rng))
            else:
                words += [pick(rng, option.opts), *([] if getattr(option, "is_flag", False) else [any_value(rng)])]
        if words and rng.random() < 0.3:
            words[int(rng.integers(len(words)))] = any_value(rng)
        if words and rng.random() < 0.2:
            del words[int(rng.integers(len(words)))]
        return [word.replace("\0", "") for word in words]


def any_value(rng: np.random.Generator) -> str:
    """A number, a name, a file or an unusual string."""
    return str(pick(rng, pick(rng, [NUMBERS, WORDS, FILES, STRANGE])))


def write_files(folder: Path, targets: Path) -> None:
    """Create the files that arguments may name."""
    for kind in MODELS:
        shutil.copy(model_file(targets, kind), folder / f"{kind}.tw")
    shutil.copy(documents(targets), folder / "docs.jsonl")
    (folder / "docs.csv").write_text("text,labels,id\nship wave,sea,1\nbread,kitchen,2\n")
    (folder / "noise.bin").write_bytes(bytes(range(256)) * 4)
    (folder / "empty.jsonl").touch()
    (folder / "known.yaml").write_text("must-links: [[ship, wave]]\nseeds: {sea: [ship]}\n")
    (folder / "folder").mkdir()


def contents(folder: Path) -> dict[str, bytes]:
    """Bytes of all files except the command's own input and output."""
    names = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in (".in", ".out", ".err")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


def check_files(verb: str, ended: CommandResult, before: dict[str, bytes], folder: Path) -> None:
    """Require unchanged files after an error, models that load, and no temporary files."""
    after = contents(folder)
    if gone := sorted(set(before) - set(after)):
        raise DataLossError(f"gone after exit code {ended.code}: {gone}")
    changed = [name for name, data in before.items() if after[name] != data]
    if ended.code == 2 and verb != "stream" and changed:
        raise DataLossError(f"changed after an error: {changed}: {ended.err[-500:]}")
    left = [name for name in after if ".topicwright-" in name]
    if left and ended.code != 143:  # SIGTERM ends a process at once where nobody handles it
        raise WrongResultError(f"left behind after exit code {ended.code}: {left}: {ended.err[-500:]}")
    for name in changed if verb in _WRITES_MODELS else []:
        if name.endswith(".tw"):
            check_loads(folder / name)


def check_loads(path: Path) -> None:
    """Require that a replaced model file loads."""
    try:
        tw.load(path)
    except tw.ModelFileError as error:
        raise DataLossError(f"a model was replaced by an invalid file: {error}") from error
