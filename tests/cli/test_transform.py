import csv
import gzip

import numpy as np
import pytest

import topicwright as tw

from .conftest import lines


def test_the_topics_of_documents(invoke, model, documents, texts):
    expected = tw.load(model).transform(texts)
    answer = lines(invoke("transform", model, documents).out)
    assert [line["id"] for line in answer] == [f"d{i}" for i in range(60)]
    for line, shares in zip(answer, expected):
        weights = [weight for _, weight in line["topics"]]
        assert weights == sorted(weights, reverse=True)
        assert all(weight >= 0.01 for weight in weights)
        assert dict(line["topics"]) == {k: round(share, 6) for k, share in enumerate(shares) if share >= 0.01}


@pytest.mark.parametrize("batch", [1, 7, 60, 1000])
def test_result_does_not_depend_on_batch_size(invoke, model, documents, batch):
    assert invoke("transform", model, documents, "--batch", batch).out == invoke("transform", model, documents).out


def test_full_topic_distribution(invoke, model, documents, texts):
    answer = lines(invoke("transform", model, documents, "--dense").out)
    shares = np.array([line["topics"] for line in answer])
    np.testing.assert_allclose(shares, tw.load(model).transform(texts), atol=1e-6)


def test_largest_topics_only(invoke, model, documents):
    every = lines(invoke("transform", model, documents, "--min-weight", 0).out)
    answer = lines(invoke("transform", model, documents, "--min-weight", 0, "--top", 2).out)
    assert [line["topics"] for line in answer] == [line["topics"][:2] for line in every]
    refused = invoke("transform", model, documents, "--dense", "--top", 2).refused()
    assert refused == "--dense writes all topics and --top some of them: pass one of the two"


def test_a_threshold(invoke, model, documents):
    answer = lines(invoke("transform", model, documents, "--min-weight", 0.5).out)
    assert all(len(line["topics"]) == 1 for line in answer)


def test_csv_by_the_suffix(invoke, model, documents, tmp_path):
    assert invoke("transform", model, documents, "-o", "out.csv", "-q") == (0, "", "")
    header, *rows = csv.reader((tmp_path / "out.csv").read_text().splitlines())
    answer = lines(invoke("transform", model, documents).out)
    assert header == ["id", "topic", "probability"]
    assert [(name, int(k), float(weight)) for name, k, weight in rows] == [
        (line["id"], k, weight) for line in answer for k, weight in line["topics"]
    ]


def test_compressed_output(invoke, model, documents, tmp_path):
    for name in ("out.csv", "out.csv.gz"):
        assert invoke("transform", model, documents, "-o", name, "-q") == (0, "", "")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == (tmp_path / "out.csv").read_bytes()


def test_full_topic_distribution_as_csv(invoke, model, documents):
    header, *rows = csv.reader(invoke("transform", model, documents, "--to", "csv", "--dense").out.splitlines())
    assert header == ["id", "topic_0", "topic_1", "topic_2"]
    assert [sum(map(float, row[1:])) for row in rows] == pytest.approx([1.0] * 60, abs=1e-5)


def test_unknown_words_are_summarized_once(invoke, model, tmp_path):
    (tmp_path / "t.txt").write_text("ship wave robot\nrobot\n\n")
    done = invoke("transform", model, "t.txt", "--batch", 1)
    assert done.err == "3 documents, 4 words; the model does not know 2 (50.0%); documents without a known word: 2\n"
    assert [line["id"] for line in lines(done.out)] == [1, 2, 3]


def test_results_before_an_invalid_line_are_written(invoke, model, bad_lines):
    done = invoke("transform", model, bad_lines)
    assert done.code == 2
    assert done.err.startswith(f"error: {bad_lines}, line 2: 'text' must be a string: got int (to leave such lines out")
    assert [line["id"] for line in lines(done.out)] == [1]


def test_output_is_written_atomically(invoke, model, bad_lines, tmp_path):
    assert invoke("transform", model, bad_lines, "-o", "out.jsonl").code == 2
    assert list(tmp_path.iterdir()) == []


def test_bad_lines_can_be_skipped_and_are_counted(invoke, model, bad_lines):
    done = invoke("transform", model, bad_lines, "--on-error", "skip")
    assert done.code == 0
    assert [line["id"] for line in lines(done.out)] == [1, 4]
    assert done.err == (
        f"warning: skipped 2 bad lines of {bad_lines}; the first: {bad_lines}, line 2: 'text' must be a string: "
        "got int\n2 documents, 4 words; the model does not know 1 (25.0%)\n"
    )


@pytest.mark.parametrize("batch", [1, 1000])
def test_counts_for_a_model_of_counts(invoke, counts_model, batch):
    source = counts_model.with_name("counts.ldac")
    done = invoke("transform", counts_model, source, "--batch", batch)
    assert [line["id"] for line in lines(done.out)] == [1, 2]
    assert done.err == "2 documents, 13 words; the model does not know 0 (0.0%)\n"


def test_compact_model_is_sufficient(invoke, compact_model, documents, model):
    assert len(lines(invoke("transform", compact_model, documents).out)) == 60
