"""Output that is not UTF-8, as under LC_ALL=C: drawn in ASCII, other characters escaped."""

import io
import json
import os

import pytest

from topicwright.cli._console import accept_any_text, bar, chart

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def foreign(tmp_path):
    words = ["café", "日本", "ship", "😀"]
    records = [{"id": f"…{n}", "text": "café 日本 ship ship", "labels": ["été"], "mood": words} for n in range(3)]
    path = tmp_path / "foreign.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path.name


@pytest.fixture
def ascii_shell(shell):
    return lambda *arguments: shell(*arguments, env={**os.environ, **C_LOCALE})


def test_pages(ascii_shell, foreign):
    outcome = ascii_shell("corpus", foreign, "--documents", "1")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.isascii()
    assert "ship      6          3  ############ 100.0%" in outcome.out
    assert outcome.out.splitlines()[-1].startswith("...0")
    assert r"caf\u00e9" in outcome.out


def test_json_is_unchanged(shell, ascii_shell, foreign):
    told = ["corpus", foreign, "--json", "--label-field", "mood"]
    spelled = ascii_shell(*told)
    assert spelled.out.isascii()
    assert spelled.json == shell(*told).json
    assert (
        json.loads(ascii_shell("transform", fitted_of(ascii_shell, foreign), foreign).out.splitlines()[0])["id"] == "…0"
    )


def fitted_of(ascii_shell, source):
    assert ascii_shell("fit", source, "-o", "m.tw", "-k", "2", "-n", "1", "-q").code == 0
    return "m.tw"


def test_messages(ascii_shell, model):
    refused = ascii_shell("predict", model, "naïve.jsonl").refused()
    assert "train a model with topicwright fit ... --predict FIELD" in refused


@pytest.mark.parametrize("verb", ["fit", "stream", "topics"])
def test_help(ascii_shell, verb):
    outcome = ascii_shell(verb, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Options:" in outcome.out
    assert r"\u" not in outcome.out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_drawings_have_an_ascii_form(encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    lines = [bar(n / 16, 2) for n in range(17)] + chart([(0, 0), (1, 1), (2, 0)], width=20, height=4)
    accept_any_text(stream).write("\n".join(lines))
    stream.seek(0)
    drawn = stream.read()
    assert drawn.isascii()
    assert "\\u" not in drawn
    assert [len(line) for line in drawn.split("\n")] == [len(line) for line in lines]
    assert drawn.startswith("  \n")
    assert "##\n" in drawn


def test_utf_8_output_is_unchanged():
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    assert accept_any_text(stream) is stream
