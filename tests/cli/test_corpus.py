"""``topicwright corpus``: summary of a corpus before training."""

import json

import pytest


@pytest.fixture
def mixed(tmp_path):
    """Documents of which one has no word left, one no label and no date, and one no id."""
    records = [
        {"id": "a", "text": "the ship and the wave, the ship", "labels": ["sea"], "when": "2019-05-03", "stars": 2},
        {"id": "b", "text": "the and of", "labels": ["sea", "law"], "when": "2020", "stars": 4.5},
        {"text": "bread ship", "stars": 3},
    ]
    (tmp_path / "mixed.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return "mixed.jsonl"


def test_json_summary(invoke, mixed):
    assert invoke("corpus", mixed, "--json", "-w", "2", "--date-field", "when", "--target-field", "stars").json == {
        "source": mixed,
        "documents": 3,
        "tokens": 5,
        "words": 3,
        "empty": {"documents": 1, "first": ["b"]},
        "lengths": {"least": 0, "5%": 0, "25%": 0, "median": 2, "75%": 3, "95%": 3, "most": 3},
        "top_words": [{"word": "ship", "count": 3, "documents": 2}, {"word": "bread", "count": 1, "documents": 1}],
        "labels": {"without": 1, "documents": {"sea": 2, "law": 1}},
        "dates": {"without": 1, "first": "2019-05-03", "last": "2020-01-01"},
        "targets": {"without": 0, "least": 2.0, "most": 4.5},
        "first": [
            {"id": "a", "length": 3, "labels": ["sea"], "words": ["ship", "wave", "ship"]},
            {"id": "b", "length": 0, "labels": ["sea", "law"], "words": []},
            {"id": "line-3", "length": 2, "labels": [], "words": ["bread", "ship"]},
        ],
    }


def test_text_summary(invoke, mixed):
    outcome = invoke("corpus", mixed, "--date-field", "when", "--target-field", "stars", "-d", "1")
    assert (outcome.code, outcome.err) == (0, "")
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert "documents 3 1 of them without words: b" in lines
    assert "length 2 words in the median document; least 0, 5% 0, 25% 0, 75% 3, 95% 3, most 3" in lines
    assert "labels 2 one document has none" in lines
    assert "dates 2 from 2019-05-03 to 2020-01-01; one document has none" in lines
    assert "numbers 3 from 2 to 4.5" in lines
    assert "ship 3 2 ████████ 66.7%" in lines
    assert lines[-1] == "a sea 3 ship wave ship"


def test_vocabulary_options_match_fit(invoke, documents):
    options = ["--min-df", "5", "--max-words", "9"]
    seen = invoke("corpus", documents, "--json", *options).json
    learned = invoke("fit", documents, "-o", "m.tw", "-k", "2", "-n", "1", "--json", *options).json
    assert [seen[name] for name in ("documents", "tokens", "words")] == [
        learned[name] for name in ("documents", "tokens", "words")
    ]


def test_counts(invoke, counts_model):
    out = invoke("corpus", counts_model.with_name("counts.ldac"), "--stop-words", "none").out
    assert r"esc\u001b[31mape" in out


def test_long_list_of_labels_is_truncated(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text("".join(f'{{"text": "red", "labels": "{n:02}"}}\n' for n in range(17)))
    assert "and 2 more: see them with --json" in invoke("corpus", "t.jsonl").out
    assert len(invoke("corpus", "t.jsonl", "--json").json["labels"]["documents"]) == 17


def test_standard_input(shell):
    assert "documents    2   each has words" in shell("corpus", "-", "-f", "text", stdin="red apple\ngreen\n").out


def test_empty_corpus(invoke, tmp_path):
    (tmp_path / "empty.txt").touch()
    assert invoke("corpus", "empty.txt").refused() == "empty.txt: the file contains no documents"
