import numpy as np
import pytest

import topicwright as tw


def test_disk_backend_equals_library(invoke, documents, tmp_path):
    options = ("fit", documents, "-k", 3, "-n", 6, "-q", "--stop-words", "none")
    folder = tmp_path / "run"
    outcome = invoke(*options, "-o", "m.tw", "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder)
    assert outcome == (0, "", "")
    corpus = tw.Corpus.from_jsonl(documents)
    expected = tw.LDA(3, n_sweeps=6).fit(corpus, backend=tw.DiskBackend(3))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, expected.assignments_)

    again = ("fit", "-", *options[2:])  # nothing is read before that is said
    outcome = invoke(*again, "-o", "m.tw", "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder)
    assert outcome.code == 2
    assert "already has a run" in outcome.err
    more = ("fit", documents, "-k", 3, "-n", 9, "-q", "--stop-words", "none", "-o", "m.tw")
    assert invoke(*more, "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder, "--resume").code == 0
    longer = tw.LDA(3, n_sweeps=9).fit(corpus, backend=tw.DiskBackend(3, in_memory=0))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, longer.assignments_)
    assert tw.Corpus.open(folder / "corpus").ids == corpus.ids  # stored while the texts were read


def test_temporary_folder_is_removed(invoke, documents, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    outcome = invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 2, "-q", "--backend", "disk", "--in-memory", 0)
    assert outcome == (0, "", "")
    assert invoke("fit", "BAD.jsonl", "-o", "m.tw", "--backend", "disk").code == 2
    assert not any((tmp_path / "temporary").iterdir())
    options = {"stop_words": "english"}
    expected = tw.LDA(3, n_sweeps=2).fit(tw.Corpus.from_jsonl(documents, **options), backend=tw.DiskBackend())
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, expected.assignments_)


def test_rejects_resuming_a_missing_run(invoke, documents):
    command = ["fit", documents, "-o", "m.tw", "-k", "3", "-n", "2", "--backend", "disk", "--checkpoint-dir", "run"]
    begins = "there is no run in run to continue: this one starts with the first sweep\n"
    assert begins in invoke(*command, "--resume").err
    assert "there is no run" not in invoke(*command, "--resume").err


def test_rounds(invoke, documents):
    options = ("fit", documents, "-k", 60, "-n", 4, "-q", "--stop-words", "none", "-o", "m.tw", "--backend", "disk")
    assert invoke(*options, "--shards", 2, "--rounds", 1) == (0, "", "")
    corpus = tw.Corpus.from_jsonl(documents)
    one, more = (tw.LDA(60, n_sweeps=4).fit(corpus, backend=tw.DiskBackend(2, n_rounds=n)) for n in (1, None))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, one.assignments_)
    assert (one.assignments_ != more.assignments_).any()


def test_counts_go_the_same_way(invoke, tmp_path):
    (tmp_path / "c.ldac").write_text("2 0:3 1:2\n1 1:4\n" * 5)
    outcome = invoke(
        "fit", "c.ldac", "-o", "m.tw", "-k", 2, "-n", 2, "-q", "--backend", "disk", "--checkpoint-dir", "run"
    )
    assert outcome == (0, "", "")
    assert tw.Corpus.open("run/corpus").n_tokens == 45


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "auto"], "--address needs --backend disk or ray"),
        (["--resume"], "--resume needs --backend disk or ray"),
        (["--backend", "disk", "--address", "auto"], "--address needs --backend ray"),
        (["--backend", "disk", "--cpus-per-worker", 2], "--cpus-per-worker needs --backend ray"),
        (["--backend", "disk", "--max-restarts", 2], "--max-restarts needs --backend ray"),
        (["--backend", "disk", "--rounds", 256], "--rounds must be an integer from 1 to 255: got 256"),
        (["--backend", "ray", "--in-memory", 2], "--in-memory needs --backend disk"),
        (["--backend", "ray", "--address", "auto"], "--address needs --checkpoint-dir"),
        (["--backend", "disk", "--resume"], "--resume needs --checkpoint-dir"),
    ],
)
def test_rejects_incompatible_options(invoke, documents, options, message):
    outcome = invoke("fit", documents, "-o", "m.tw", *options)
    assert outcome.code == 2
    assert message in outcome.err
