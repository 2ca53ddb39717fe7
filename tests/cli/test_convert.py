import gzip
import json

import numpy as np
import pytest

import topicwright as tw
from topicwright.corpus import read_corpus


@pytest.mark.parametrize("name", ["t.jsonl", "t.ldac", "docword.t.txt.gz", "t.mallet", "t.mtx.gz"])
def test_a_corpus_in_other_formats(invoke, documents, name):
    assert invoke("convert", documents, name).code == 0
    before, after = read_corpus(documents), read_corpus(name)
    assert (before.ids, before.labels) == (after.ids, after.labels)
    np.testing.assert_array_equal(
        before.to_matrix().toarray()[:, np.argsort(before.vocabulary)],
        after.to_matrix().toarray()[:, np.argsort(after.vocabulary)],
    )


def test_reports_what_was_written(invoke, documents):
    assert invoke("convert", documents, "t.ldac").err == "wrote t.ldac, t.vocab.txt, t.docs.jsonl\n"


def test_options_select_words(invoke, tmp_path):
    (tmp_path / "t.txt").write_text("the red apple\nthe green apple\n")
    out = invoke("convert", "t.txt", "-", "--to", "jsonl", "--stop-words", "english", "--min-df", "2").out
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["apple", "apple"]


def test_targets_are_kept(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "red apple", "stars": 4}\n')
    out = invoke("convert", "t.jsonl", "-", "--to", "jsonl", "--target-field", "stars").out
    assert json.loads(out) == {"text": "red apple", "target": 4.0}


def test_standard_input(shell):
    done = shell("convert", "-", "-", "-f", "text", "--to", "mallet", stdin="red apple\n")
    assert done == (0, "0\t-\tred apple\n", "")


def test_input_is_not_overwritten_by_a_companion_file(invoke, tmp_path):
    (tmp_path / "t.docs.jsonl").write_text('{"text": "red apple"}\n')
    refused = invoke("convert", "t.docs.jsonl", "t.ldac").refused()
    assert refused == "the output must not be an input: got t.docs.jsonl for both"


@pytest.mark.parametrize(("name", "start"), [("t.csv", "topic,weight,rank"), ("t.json", '[\n{"topic": 0')])
def test_suffix_selects_model_export(invoke, model, tmp_path, name, start):
    assert invoke("convert", model, name, "--words", "2").code == 0
    assert (tmp_path / name).read_text().startswith(start)


def test_model_files_are_detected_by_content(invoke, model, tmp_path):
    (tmp_path / "renamed.bin").write_bytes(model.read_bytes())
    out = invoke("convert", "renamed.bin", "-", "--to", "mallet-topic-keys", "--words", "1").out
    words = [line.split("\t")[2].strip() for line in out.splitlines()]
    assert len(words) == 3
    assert set(words) <= set(tw.load(model).vocabulary_)


def test_the_state_of_a_model(invoke, model, tmp_path):
    invoke("convert", model, "state.gz", "--to", "mallet-state")
    packed = gzip.decompress((tmp_path / "state.gz").read_bytes()).decode()
    assert packed.splitlines()[0] == "#doc source pos typeindex type topic"
    assert invoke("convert", model, "-", "--to", "mallet-state").out == packed


def test_the_topics_of_documents(invoke, model):
    header, *rows = invoke("convert", model, "-", "--to", "doc-topics-csv").out.splitlines()
    assert header == "document,topic_0,topic_1,topic_2"
    assert len(rows) == 60
