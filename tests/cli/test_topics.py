import csv
import io
import json

import pytest

import topicwright as tw
from topicwright.cli import _console

SPELT_OUT = ["[bold]red[/]", r"esc\u001b[31mape", r"c1\u009bcontrol", ":smile:"]


def test_the_table(invoke, model):
    lines = invoke("topics", model, "--words", 3).out.splitlines()
    assert lines[0].split() == ["topic", "share", "of", "words", "top", "words"]
    assert len(lines) == 4
    for line, words in zip(lines[1:], tw.load(model).top_words(3)):
        assert line.endswith("  " + " ".join(words))


def test_some_topics_in_order(invoke, model):
    out = invoke("topics", model, "-t", 2, "-t", 0).out
    assert [line.split()[0] for line in out.splitlines()] == ["topic", "0", "2"]


@pytest.mark.parametrize("asked", [["--json"], ["--format", "json"]])
def test_json(invoke, model, asked):
    topics = invoke("topics", model, *asked, "--words", 2).json
    assert [topic["topic"] for topic in topics] == [0, 1, 2]
    assert sum(topic["weight"] for topic in topics) == pytest.approx(1)
    assert [[entry["word"] for entry in topic["words"]] for topic in topics] == tw.load(model).top_words(2)


def test_some_topics_in_each_format(invoke, model):
    whole = {layout: invoke("topics", model, "-f", layout).out for layout in ("csv", "json", "mallet")}
    some = {layout: invoke("topics", model, "-f", layout, "-t", 1).out for layout in whole}
    assert json.loads(some["json"]) == json.loads(whole["json"])[1:2]
    rows = list(csv.reader(io.StringIO(whole["csv"])))
    assert list(csv.reader(io.StringIO(some["csv"]))) == [rows[0], *(row for row in rows[1:] if row[0] == "1")]
    assert some["mallet"] == whole["mallet"].splitlines(keepends=True)[1]


@pytest.mark.parametrize("layout", ["table", "csv", "json", "mallet"])
def test_a_file_has_what_standard_output_has(invoke, model, tmp_path, layout):
    expected = invoke("topics", model, "-f", layout).out
    assert invoke("topics", model, "-f", layout, "-o", "out") == (0, "", "")
    assert (tmp_path / "out").read_text() == expected


def test_words_are_shown_as_they_are_and_never_obeyed(invoke, counts_model):
    out = invoke("topics", counts_model).out
    assert all(word in out for word in SPELT_OUT)


@pytest.mark.parametrize("layout", ["table", "csv", "json", "mallet"])
def test_no_control_character_reaches_a_screen(invoke, counts_model, monkeypatch, layout):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr(_console, "_PLAIN", {**_console._PLAIN, "color_system": None})
    out = invoke("topics", counts_model, "-f", layout).out
    assert all(word in out for word in SPELT_OUT)
    assert not set(out) & {"\x1b", "\x9b"}


def test_programs_get_words_unchanged(invoke, counts_model):
    words = {entry["word"] for topic in invoke("topics", counts_model, "--json").json for entry in topic["words"]}
    assert words == set(tw.load(counts_model).vocabulary_)
