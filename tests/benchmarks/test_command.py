from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from topicwright.benchmarks.command import app

TEXTS = ["the cats purr and the dogs bark", "stocks and bonds rise and fall"] * 30


def test_the_command_reads_a_file_and_writes_json(tmp_path: Path) -> None:
    pytest.importorskip("topicwright.corpus.formats")
    source, output = tmp_path / "texts.txt", tmp_path / "out.json"
    source.write_text("\n".join(TEXTS))
    options = ["--n-topics", "2", "--sweeps", "4", "--every", "2", "--programs", "topicwright", "--no-memory"]
    done = CliRunner().invoke(app, ["lda", "--corpus", str(source), *options, "--json", str(output)])
    assert done.exit_code == 0, done.output
    assert "topicwright" in done.stdout
    read = json.loads(output.read_text())
    assert read["corpus"]["n_words"] == 8  # "the", "and" are stop words
    assert read["parameters"]["n_sweeps"] == 4


def test_a_split_says_which_documents_are_held_out(tmp_path: Path) -> None:
    source, output = tmp_path / "texts.jsonl", tmp_path / "out.json"
    parts = ["test" if d % 5 == 0 else "train" for d in range(len(TEXTS))]
    source.write_text("".join(json.dumps({"text": t, "split": part}) + "\n" for t, part in zip(TEXTS, parts)))
    options = ["--n-topics", "2", "--sweeps", "2", "--every", "2", "--programs", "topicwright", "--no-memory"]
    command = ["lda", "--corpus", str(source), "--split", "split", *options, "--json", str(output)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    sizes = json.loads(output.read_text())["corpus"]
    assert (sizes["n_docs"], sizes["n_held_out_docs"]) == (48, 12)


def test_help_has_an_example() -> None:
    done = CliRunner().invoke(app, ["lda", "--help"])
    assert done.exit_code == 0
    assert "Example" in done.stdout
