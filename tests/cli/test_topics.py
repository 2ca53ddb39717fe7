import csv
import io
import json

import pytest

import topicwright as tw
from topicwright.cli import _console

from ..conftest import THEMES

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


def test_markup_in_words_is_escaped(invoke, counts_model):
    out = invoke("topics", counts_model).out
    assert all(word in out for word in SPELT_OUT)


@pytest.mark.parametrize("layout", ["table", "csv", "json", "mallet"])
def test_control_characters_are_escaped(invoke, counts_model, monkeypatch, layout):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr(_console, "_PLAIN", {**_console._PLAIN, "color_system": None})
    out = invoke("topics", counts_model, "-f", layout).out
    assert all(word in out for word in SPELT_OUT)
    assert not set(out) & {"\x1b", "\x9b"}


def test_machine_readable_output_is_not_escaped(invoke, counts_model):
    words = {entry["word"] for topic in invoke("topics", counts_model, "--json").json for entry in topic["words"]}
    assert words == set(tw.load(counts_model).vocabulary_)


# ---------------------------------------------------------------------- classes and weights of topics


def test_the_class_of_each_topic(invoke, classifier):
    head, *lines = invoke("topics", classifier).out.splitlines()
    assert head.split()[:2] == ["topic", "class"]
    model = tw.load(classifier)
    for line, weights, words in zip(lines, model.coef_.T, model.top_words(10)):
        name, weight = line.split()[1:3]
        assert (name, weight) == (model.classes_[weights.argmax()], f"{weights.max():+.3g}")
        assert set(words) == set(THEMES[name].split())


def test_topic_without_class_and_empty_topic(invoke, tagger, tmp_path):
    model = tw.load(tagger)
    model.coef_[:, 0] = -1.0
    model.save(tmp_path / "m.tw")
    assert invoke("topics", "m.tw", "-t", 0).out.splitlines()[1].split()[1] == "none"
    (tmp_path / "t.csv").write_text("text,kind\nship,sea\nbread,kitchen\n")
    invoke("fit", "t.csv", "-o", "e.tw", "-k", 9, "-n", 5, "--predict", "kind")
    rows = [line.split() for line in invoke("topics", "e.tw").out.splitlines()[1:]]
    assert {row[1] for row in rows if row[-1] in ("ship", "bread")} <= {"sea", "kitchen"}
    assert [row[1:] for row in rows if row[-1] not in ("ship", "bread")].count(["0.0%"]) >= 7


def test_binary_classes_split_topics(invoke, binary):
    model = tw.load(binary)
    rows = [line.split() for line in invoke("topics", binary).out.splitlines()[1:]]
    for row, weight in zip(rows, model.coef_[0]):
        assert row[1:3] == ["water" if weight > 0 else "land", f"{abs(weight):+.3g}"]


def test_topic_weights_of_a_regression(invoke, regressor):
    head, *lines = invoke("topics", regressor).out.splitlines()
    assert head.split()[:2] == ["topic", "weight"]
    assert [line.split()[1] for line in lines] == [f"{weight:+.3g}" for weight in tw.load(regressor).coef_]


@pytest.mark.parametrize("fixture", ["classifier", "binary", "regressor"])
def test_weights_as_json(invoke, request, fixture):
    path = request.getfixturevalue(fixture)
    model = tw.load(path)
    rows = model.coef_.reshape(-1, 3)
    expected = {"y": rows[0]} if fixture == "regressor" else dict(zip(model.classes_, rows))
    if fixture == "binary":
        expected = {"land": -rows[0], "water": rows[0]}
    topics = invoke("topics", path, "--json").json
    assert [topic["coef"] for topic in topics] == [{name: row[k] for name, row in expected.items()} for k in range(3)]
    assert invoke("topics", path, "--json", "-t", 2).json == topics[2:]


def test_one_vs_rest(invoke, one_vs_rest):
    lines = invoke("topics", one_vs_rest, "-w", 3).out.splitlines()
    titles = [line for line in lines if "from the rest" in line]
    assert titles == [f"topics that tell {name} from the rest" for name in ("court", "kitchen", "sea")]
    for part, (title, _, *rows) in zip(tw.load(one_vs_rest).estimators_, (lines[i : i + 5] for i in (0, 5, 10))):
        assert [row.split()[0] for row in rows] == ["0", "1", "2"]
        for row, words, weight in zip(rows, part.top_words(3), part.coef_[0]):
            assert row.endswith(" ".join(words))
            assert not words or (title.split()[3] if weight > 0 else "the rest") in row


def test_names_given_in_python(invoke, model, tmp_path):
    tw.load(model).rename_topics({1: "sport"}).save(tmp_path / "named.tw")
    table = invoke("topics", tmp_path / "named.tw").out.splitlines()
    assert "sport" in table[2]
    assert [topic["name"] for topic in invoke("topics", tmp_path / "named.tw", "--json").json] == ["0", "sport", "2"]
    assert invoke("topics", tmp_path / "named.tw", "--label", "sport", "--json").json[0]["topic"] == 1


def test_the_manifest(invoke, model, tmp_path):
    manifest = tw.load(model).manifest_
    assert invoke("topics", model, "--manifest").out == f"{manifest!r}\n"
    assert invoke("topics", model, "--manifest", "--json").json == manifest.to_dict()
    invoke("topics", model, "--manifest", "-o", tmp_path / "m.txt")
    assert manifest.digest in (tmp_path / "m.txt").read_text()
    old = tw.load(model)
    old.manifest_ = None
    old.save(tmp_path / "old.tw")
    assert invoke("topics", tmp_path / "old.tw", "--manifest").out.startswith("no manifest: ")
    assert invoke("topics", tmp_path / "old.tw", "--manifest", "--json").json is None
