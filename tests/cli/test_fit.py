import json
import shutil

import numpy as np
import pytest

import topicwright as tw
from topicwright.steering import Hide, Steering

from ..conftest import THEMES


def test_fit_then_every_other_command(shell, documents, tmp_path):
    """One path through the commands, each in a subprocess."""
    done = shell("fit", documents, "-o", "m.tw", "--topics", "3", "--sweeps", "40")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("read 60 documents: 720 words, 24 distinct words\nsaved m.tw: 3 topics, 60 documents")

    tops = [
        {entry["word"] for entry in topic["words"]} for topic in shell("topics", "m.tw", "--json", "--words", "8").json
    ]
    assert sorted(map(sorted, tops)) == sorted(sorted(words.split()) for words in THEMES.values())

    done = shell("transform", "m.tw", documents)
    assert done.err == "60 documents, 720 words; the model does not know 0 (0.0%)\n"
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [f"d{i}" for i in range(60)]

    assert shell("evaluate", "m.tw", documents, "--json").json["held_out"]["documents"] == 60

    assert shell("convert", "m.tw", "topics.csv").err == "wrote topics.csv\n"
    assert (tmp_path / "topics.csv").read_text().startswith("topic,weight,rank,word,probability\n")

    assert "50 sweeps" in shell("resume", "m.tw", "--sweeps", "10").err
    assert tw.load(tmp_path / "m.tw").sweeps_ == 50


def test_standard_input(shell, documents, tmp_path):
    done = shell("fit", "-", "-f", "jsonl", "-o", "m.tw", "-k", "3", "-n", "5", "-q", stdin=documents.read_text())
    assert done == (0, "", "")
    assert tw.load(tmp_path / "m.tw").corpus_.n_docs == 60


def test_options_reach_the_model(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 4, "-n", 7, "--alpha", 0.5, "--beta", 0.2, "--seed", 9)
    model = tw.load("m.tw")
    assert (model.n_topics, model.sweeps_, model.beta_, model.seed_) == (4, 7, 0.2, 9)
    assert model.alpha_.tolist() == [0.5] * 4
    assert (model.corpus_.ids[3], model.corpus_.labels[3]) == ("d3", ("sea",))


def test_priors_can_be_learned(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 40, "--alpha", "learn", "--beta", "learn")
    model = tw.load("m.tw")
    assert (model.alpha, model.beta) == ("learn", "learn")
    assert all(model.alpha_ != 5 / 3)
    assert model.beta_ != 0.01


def test_same_result_as_the_library(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 10, "--stop-words", "none")
    expected = tw.LDA(3, n_sweeps=10).fit(tw.Corpus.from_jsonl(documents))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, expected.assignments_)


def test_vocabulary_options(invoke, tmp_path):
    (tmp_path / "t.txt").write_text("the red apple\nthe green apple\nthe red red grass\n")
    (tmp_path / "stop.txt").write_text("grass\n\n green \n")

    def words(*options):
        assert invoke("fit", "t.txt", "-o", "m.tw", "-k", 1, "-n", 1, *options).code == 0
        return tw.load("m.tw").vocabulary_.tolist()

    assert words() == ["apple", "grass", "green", "red"]
    assert words("--stop-words", "none") == ["apple", "grass", "green", "red", "the"]
    assert words("--stop-words", "stop.txt") == ["apple", "red", "the"]
    assert words("--min-df", 2) == ["apple", "red"]
    assert words("--min-df", 0.5, "--stop-words", "none", "--max-df", 0.9) == ["apple", "red"]
    assert words("--max-words", 1) == ["red"]


def test_ngrams(invoke, tmp_path):
    (tmp_path / "t.txt").write_text("new york\nnew york\n")
    invoke("fit", "t.txt", "-o", "m.tw", "-k", 1, "-n", 1, "--ngrams", 2)
    assert tw.load("m.tw").vocabulary_.tolist() == ["new", "new york", "york"]


def test_field_options(invoke, tmp_path):
    (tmp_path / "t.csv").write_text("body,tag,key\nred apple,fruit,a1\n")
    names = ["--text-field", "body", "--label-field", "tag", "--id-field", "key"]
    invoke("fit", "t.csv", "-o", "m.tw", "-k", 1, "-n", 1, *names)
    corpus = tw.load("m.tw").corpus_
    assert (corpus.ids, corpus.labels) == (("a1",), (("fruit",),))


def test_bad_lines_can_be_skipped(invoke, bad_lines):
    done = invoke("fit", bad_lines, "-o", "m.tw", "-k", 1, "-n", 1, "--on-error", "skip")
    assert done.code == 0
    assert f"warning: skipped 2 bad lines of {bad_lines}; the first: {bad_lines}, line 2" in done.err


def test_a_compact_model_has_no_documents(invoke, model, compact_model):
    assert compact_model.stat().st_size < model.stat().st_size
    assert tw.load(compact_model).corpus_.n_docs == 0


def test_json_output(invoke, documents):
    done = invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 10, "--json", "-q")
    assert done.err == ""
    seconds, likelihood = (done.json[name] for name in ("seconds", "log_likelihood"))
    assert seconds >= 0
    assert likelihood == tw.load("m.tw").log_likelihood_[-1][1]
    assert done.json == {
        "model": "m.tw",
        "documents": 60,
        "tokens": 720,
        "words": 24,
        "topics": 3,
        "sweeps": 10,
        "log_likelihood": likelihood,
        "seconds": seconds,
        "interrupted": False,
    }


def test_library_warnings_are_printed(invoke, documents):
    err = invoke("fit", documents, "-o", "m.tw", "-k", 1000, "-n", 1).err
    assert "\nwarning: --topics is 1,000, but there are only 720 tokens: most topics will be empty\n" in err


@pytest.mark.parametrize("output", [None, "more.tw"])
def test_resume_continues_training(invoke, documents, output):
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 10)
    invoke("fit", documents, "-o", "whole.tw", "-k", 3, "-n", 15)
    done = invoke("resume", "m.tw", "-n", 5, "--json", *([] if output is None else ["-o", output]))
    assert done.json["sweeps"] == 15
    resumed, whole = tw.load(output or "m.tw"), tw.load("whole.tw")
    np.testing.assert_array_equal(resumed.assignments_, whole.assignments_)
    assert output is None or tw.load("m.tw").sweeps_ == 10


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "DOCUMENTS", "-o", "m.tw"],
        ["resume", "m.tw"],
        ["resume", "MODEL", "-o", "m.tw"],
        ["demo", "-o", "m.tw"],
        ["explore", "DOCUMENTS", "-o", "m.tw", "--no-browser"],
    ],
)
def test_steered_model_is_not_overwritten(invoke, documents, model, tmp_path, command):
    shutil.copy(model, tmp_path / "m.tw")
    with Steering.open(tmp_path / "m.tw") as steering:
        steering.add(Hide(1))
    before = (tmp_path / "m.tw").read_bytes()
    given = [{"DOCUMENTS": documents, "MODEL": model}.get(word, word) for word in command]
    refused = invoke(*given).refused()
    assert refused.startswith("m.tw was steered, and the steps in m.tw.steps belong to it")
    assert (tmp_path / "m.tw").read_bytes() == before
    assert invoke("resume", "m.tw", "-n", "1", "-o", "other.tw", "-q").code == 0


def test_other_files_are_not_overwritten(invoke, documents, model, tmp_path):
    (tmp_path / "mine.jsonl").write_text('{"text": "red"}')
    for command in (["fit", documents], ["resume", model], ["demo"], ["explore", documents, "--no-browser"]):
        refused = invoke(*command, "-o", "mine.jsonl").refused()
        assert refused == "mine.jsonl exists and is not a model: choose another name, so that it is not lost"
    for command in (["report", model], ["explain", model, documents]):
        refused = invoke(*command, "--html", "mine.jsonl").refused()
        assert refused == "mine.jsonl exists and is not a page: choose another name, so that it is not lost"
    assert (tmp_path / "mine.jsonl").read_text() == '{"text": "red"}'
    (tmp_path / "empty").touch()
    for _ in range(2):  # an empty file, and then a model under a name of any kind
        assert invoke("fit", documents, "-o", "empty", "-k", "2", "-n", "1", "-q").code == 0
        assert invoke("report", model, "--html", "page.html", "-q").code == 0


@pytest.mark.parametrize("field", ["text", "id"])
def test_nearly_unique_label_field_gives_a_warning(invoke, documents, field):
    done = invoke("fit", documents, "-o", "m.tw", "--predict", field, "-k", "2", "-n", "3")
    assert f"warning: the field {field!r} has " in done.err
    assert "classes for 60 documents: classes with few documents cannot be learned\n" in done.err
    assert max(map(len, done.err.splitlines())) < 400


def test_missing_label_field(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "ship sea", "group": "a"}')
    (tmp_path / "k.yaml").write_text("document-labels: true\n")
    refused = invoke("fit", "t.jsonl", "-o", "m.tw", "--knowledge", "k.yaml", "-q").refused()
    assert refused.endswith("the documents have none: name their field with --label-field")
    command = ["fit", "t.jsonl", "-o", "m.tw", "--knowledge", "k.yaml", "-q", "-k", "2", "-n", "1"]
    assert invoke(*command, "--label-field", "group").code == 0


def test_converged_training_replaces_the_earlier_model(invoke, documents, model, tmp_path):
    shutil.copy(model, tmp_path / "m.tw")
    assert invoke("fit", documents, "-o", "m.tw", "-k", "2", "-n", "3", "-q").code == 0
    assert tw.load("m.tw").n_topics == 2
    assert not (tmp_path / "m.partial.tw").exists()
