"""Outputs replace results of the same command, and no other file unless --force is passed."""

import gzip
from pathlib import Path

import pytest

import topicwright as tw
from topicwright.corpus.formats.counts import sidecar_path

from ..conftest import THEMES, themed_texts

FOREIGN = {
    "text": "Notes of many months\n",
    "csv": "id,text\n1,a ship\n",
    "jsonl": '{"id": "a1", "text": "a ship"}\n',
    "json": '[\n{"text": "a ship"}\n]\n',
    "yaml": "# words to link\nmust-links:\n- [ship, boat]\n",
    "binary": b"\x00\xff\x01",
}
COMMANDS = {
    "transform": ["transform", "{model}", "{documents}", "-q", "-o"],
    "transform as CSV": ["transform", "{model}", "{documents}", "-q", "--to", "csv", "-o"],
    "transform, all topics": ["transform", "{model}", "{documents}", "-q", "--dense", "--to", "csv", "-o"],
    "predict": ["predict", "{classifier}", "{documents}", "-q", "-o"],
    "predict as CSV": ["predict", "{classifier}", "{documents}", "-q", "--to", "csv", "-o"],
    "topics": ["topics", "{model}", "-o"],
    "topics as CSV": ["topics", "{model}", "-f", "csv", "-o"],
    "topics as JSON": ["topics", "{model}", "-f", "json", "-o"],
    "topics for MALLET": ["topics", "{model}", "-f", "mallet", "-o"],
    "links": ["links", "{documents}", "-q", "-o"],
}


@pytest.fixture(params=COMMANDS)
def command(request, model, classifier, documents):
    files = {"model": model, "classifier": classifier, "documents": documents}
    return [str(part).format(**files) for part in COMMANDS[request.param]]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    path = tmp_path_factory.mktemp("classifier") / "classifier.tw"
    labels = [list(THEMES)[i % 3] for i in range(30)]
    tw.MedLDAClassifier(3, n_sweeps=5, random_state=0).fit(themed_texts(30), labels).save(path)
    return path


@pytest.mark.parametrize("kind", FOREIGN)
def test_other_files_are_not_replaced(invoke, command, kind):
    contents = FOREIGN[kind] if isinstance(FOREIGN[kind], bytes) else FOREIGN[kind].encode()
    path = Path("out")
    path.write_bytes(contents)
    assert invoke(*command, path) == (
        2,
        "",
        "error: out exists and was not written by this command: choose another name, or pass --force to replace it\n",
    )
    assert path.read_bytes() == contents
    assert invoke(*command, path, "--force").code == 0
    assert path.read_bytes() != contents


def test_results_are_replaced(invoke, command):
    for _ in range(2):
        assert invoke(*command, "out").code == 0
    Path("out").write_bytes(b"")
    assert invoke(*command, "out").code == 0
    assert Path("out").stat().st_size


def test_compressed_results_are_recognized(invoke, model, documents):
    for _ in range(2):
        assert invoke("transform", model, documents, "-q", "-o", "out.jsonl.gz").code == 0
    Path("out.jsonl.gz").write_bytes(gzip.compress(b"a text\n"))
    assert invoke("transform", model, documents, "-q", "-o", "out.jsonl.gz").code == 2


def test_edited_links_are_not_replaced(invoke, documents):
    assert invoke("links", documents, "-q", "-o", "links.yaml").code == 0
    with open("links.yaml", "a") as file:
        file.write("# checked on Monday\n")
    assert invoke("links", documents, "-q", "-o", "links.yaml").code == 2


def test_convert_replaces_no_file(invoke, model, documents):
    assert invoke("convert", model, "topics.csv", "-q").code == 0
    assert invoke("convert", model, "topics.csv", "-q").code == 2
    assert invoke("convert", model, "topics.csv", "-q", "--force").code == 0
    beside = sidecar_path(Path("counts.mtx"), "vocab")
    beside.write_text("mine\n")
    result = invoke("convert", documents, "counts.mtx", "-q")
    assert result.code == 2
    assert f"{beside} exists" in result.err
    assert not Path("counts.mtx").exists()
