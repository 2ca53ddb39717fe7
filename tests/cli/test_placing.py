import numpy as np
import pytest

import topicwright as tw


def test_shards_from_disk_are_the_library_s(invoke, documents, tmp_path):
    options = ("fit", documents, "-k", 3, "-n", 6, "-q", "--stop-words", "none")
    folder = tmp_path / "run"
    outcome = invoke(*options, "-o", "m.tw", "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder)
    assert outcome == (0, "", "")
    corpus = tw.Corpus.from_jsonl(documents)
    expected = tw.LDA(3, n_sweeps=6).fit(corpus, backend=tw.DiskBackend(3))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, expected.assignments_)

    outcome = invoke(*options, "-o", "m.tw", "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder)
    assert outcome.code == 2
    assert "holds a run already" in outcome.err
    more = ("fit", documents, "-k", 3, "-n", 9, "-q", "--stop-words", "none", "-o", "m.tw")
    assert invoke(*more, "--backend", "disk", "--shards", 3, "--checkpoint-dir", folder, "--resume").code == 0
    longer = tw.LDA(3, n_sweeps=9).fit(corpus, backend=tw.DiskBackend(3, in_memory=0))
    np.testing.assert_array_equal(tw.load("m.tw").assignments_, longer.assignments_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "auto"], "--address goes with --backend disk or ray"),
        (["--resume"], "--resume goes with --backend disk or ray"),
        (["--backend", "disk", "--address", "auto"], "--address goes with --backend ray"),
        (["--backend", "disk", "--cpus-per-worker", 2], "--cpus-per-worker goes with --backend ray"),
        (["--backend", "ray", "--in-memory", 2], "--in-memory goes with --backend disk"),
        (["--backend", "ray", "--address", "auto"], "checkpoint_dir must be given"),
        (["--backend", "disk", "--resume"], "give checkpoint_dir"),
    ],
)
def test_options_that_do_not_go_together(invoke, documents, options, message):
    outcome = invoke("fit", documents, "-o", "m.tw", *options)
    assert outcome.code == 2
    assert message in outcome.err
