import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score

import topicwright as tw
from topicwright.evaluation import coherence, diversity, reliability


def test_the_training_corpus(invoke, model):
    answer = invoke("evaluate", model, "--json").json
    fitted = tw.load(model)
    assert answer == {
        "model": str(model),
        "topics": 3,
        "empty_topics": 0,
        "sweeps": 40,
        "log_likelihood": fitted.log_likelihood_[-1][1],
        "coherence": {name: coherence(fitted, fitted.corpus_, name) for name in ("npmi", "c_v", "umass")},
        "diversity": diversity(fitted),
    }


def test_held_out_documents(invoke, model, documents, texts):
    answer = invoke("evaluate", model, documents, "--left-to-right", "--json").json["held_out"]
    fitted = tw.load(model)
    assert answer == {
        "documents": 60,
        "tokens": 720,
        "unknown": 0,
        "perplexity": fitted.perplexity(texts),
        "perplexity_left_to_right": fitted.perplexity(texts, method="left-to-right"),
    }


def test_table_equals_json(invoke, model, documents):
    answer = invoke("evaluate", model, documents, "--json").json
    rows = [line.split() for line in invoke("evaluate", model, documents).out.splitlines()]
    figures = {" ".join(row[: 2 if row[0] == "coherence" else 1]): row for row in rows}
    assert figures["coherence npmi"][2] == f"{answer['coherence']['npmi']:.4f}"
    assert figures["diversity"][1] == f"{answer['diversity']:.4f}"
    assert figures["perplexity"][1] == f"{answer['held_out']['perplexity']:,.1f}"


def test_reference_corpus(invoke, model, tmp_path, texts):
    (tmp_path / "other.txt").write_text("\n".join(reversed(texts)) + "\nship oven judge")
    answer = invoke("evaluate", model, "--reference", "other.txt", "--json").json
    other = tw.Corpus.from_text_file("other.txt", stop_words="english")
    assert answer["coherence"]["npmi"] == pytest.approx(coherence(tw.load(model), other))


def test_words_missing_in_reference_corpus_are_reported_once(invoke, model, tmp_path):
    (tmp_path / "other.txt").write_text("ship wave sail\n")
    err = invoke("evaluate", model, "--reference", "other.txt", "--json").err
    assert err.count("topic words never occur in the corpus") == 1


def test_compact_model_needs_a_reference_corpus(invoke, compact_model, documents):
    done = invoke("evaluate", compact_model)
    assert "pass one with --reference" in done.err
    assert "coherence" not in done.out
    assert invoke("evaluate", compact_model, "--json").json["coherence"] is None
    assert invoke("evaluate", compact_model, "--reference", documents, "--json").json["coherence"]["npmi"] > 0


def test_topics_of_one_word_have_no_coherence(invoke, tmp_path):
    (tmp_path / "t.txt").write_text("ship\n")
    invoke("fit", "t.txt", "-o", "m.tw", "-k", 1, "-n", 1)
    assert invoke("evaluate", "m.tw").err == "coherence needs topics of two words or more, and this model has none\n"


def test_empty_topics_are_left_out(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 1000, "-n", 2, "-q")
    answer = invoke("evaluate", "m.tw", "--json").json
    assert answer["empty_topics"] > 0
    assert -1 <= answer["coherence"]["npmi"] <= 1


def test_counts_have_no_order_of_words(invoke, counts_model):
    fitted = tw.load(counts_model)
    answer = invoke("evaluate", counts_model, "--json").json
    topics = [words for words in fitted.top_words(10) if len(words) > 1]
    assert answer["coherence"]["npmi"] == coherence(topics, fitted.corpus_, window=0)


# ---------------------------------------------------------------------- predictions


def known(path, field):
    """Documents that have a field, and its values."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return zip(*((record["text"], record[field]) for record in records if field in record))


def test_classes(invoke, binary, reviews):
    answer = invoke("evaluate", binary, reviews, "--predict", "place", "--json").json
    texts, truth = known(reviews, "place")
    said = tw.load(binary).predict(texts)
    assert answer["held_out"]["documents"] == 80
    assert answer["predictions"] == {
        "documents": 76,
        "accuracy": accuracy_score(truth, said),
        "macro_f1": pytest.approx(f1_score(truth, said, average="macro")),
        "calibration_error": reliability(
            tw.load(binary).predict_proba(texts).max(axis=1), said == np.array(truth)
        ).expected_error,
        "baseline_accuracy": max(truth.count("land"), truth.count("water")) / 76,
    }


def test_wrong_classes_are_counted(invoke, classifier, documents, tmp_path):
    """Every second document has a wrong class."""
    lines = documents.read_text().splitlines()
    turned = [line.replace('"sea"', '"court"') if number % 2 else line for number, line in enumerate(lines)]
    (tmp_path / "turned.jsonl").write_text("\n".join(turned))
    answer = invoke("evaluate", classifier, "turned.jsonl", "--json").json["predictions"]
    truth = [json.loads(line)["labels"][0] for line in turned]
    said = ["sea", "kitchen", "court"] * 20
    assert answer["accuracy"] == accuracy_score(truth, said) == 50 / 60
    assert answer["macro_f1"] == pytest.approx(f1_score(truth, said, average="macro"))


def test_several_labels(invoke, tagger, reviews):
    answer = invoke("evaluate", tagger, reviews, "--predict", "tags", "--json").json["predictions"]
    texts, truth = known(reviews, "tags")
    said = tw.load(tagger).predict(texts)
    truth, said = (
        [[name in labels for name in ("court", "kitchen", "sea")] for labels in rows] for rows in (truth, said)
    )
    assert answer == {
        "documents": 76,
        "accuracy": accuracy_score(truth, said),
        "micro_f1": pytest.approx(f1_score(truth, said, average="micro")),
        "macro_f1": pytest.approx(f1_score(truth, said, average="macro")),
        "calibration_error": reliability(tw.load(tagger).predict_proba(texts), truth).expected_error,
        "precision_at": {"1": 1.0, "3": pytest.approx(np.mean(truth))},  # of three labels, the best three are all
    }


def test_regression(invoke, regressor, reviews):
    answer = invoke("evaluate", regressor, reviews, "--predict", "stars", "--json").json["predictions"]
    texts, truth = known(reviews, "stars")
    said = tw.load(regressor).predict(texts)
    assert answer == {
        "documents": 76,
        "r2": pytest.approx(r2_score(truth, said)),
        "mean_absolute_error": pytest.approx(mean_absolute_error(truth, said)),
        "baseline_error": pytest.approx(np.abs(np.array(truth) - np.mean(truth)).mean()),
    }
    assert answer["r2"] > 0.5


def test_several_targets_with_missing_values(invoke, texts, tmp_path):
    truth = np.array([[1.0, -1.0], [2.0, 0.0], [3.0, 5.0]] * 20)
    model = tw.MedLDARegressor(3, n_sweeps=10).fit(texts, truth)
    model.save(tmp_path / "m.tw")
    rows = [[one, None] if number % 2 else [one, other] for number, (one, other) in enumerate(truth.tolist())]
    records = [{"text": text, "both": row, "none": [1, None]} for text, row in zip(texts, rows)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    answer = invoke("evaluate", "m.tw", "t.jsonl", "--predict", "both", "--json").json["predictions"]
    said = model.predict(texts)
    each = [r2_score(truth[:, 0], said[:, 0]), r2_score(truth[::2, 1], said[::2, 1])]
    assert answer["r2"] == pytest.approx(np.mean(each))
    answer = invoke("evaluate", "m.tw", "t.jsonl", "--predict", "none", "--json").json["predictions"]
    assert (answer["r2"], answer["baseline_error"]) == (None, 0)
    assert "R²" in invoke("evaluate", "m.tw", "t.jsonl", "--predict", "none").out


@pytest.mark.parametrize(
    ("fixture", "field", "names"),
    [
        ("binary", "place", ["accuracy", "F1, macro", "calibration error"]),
        (
            "tagger",
            "tags",
            ["accuracy", "F1, micro", "F1, macro", "precision at 1", "precision at 3", "calibration error"],
        ),
        ("regressor", "stars", ["R²", "mean error"]),
    ],
)
def test_the_table_has_the_predictions(invoke, request, reviews, fixture, field, names):
    arguments = ["evaluate", request.getfixturevalue(fixture), reviews, "--predict", field]
    figures = invoke(*arguments, "--json").json["predictions"]
    rows = invoke(*arguments).out.splitlines()[-len(names) :]
    assert [row.split("  ")[0] for row in rows] == names
    shown = [float(row.split("  ")[0]) for row in (row[len(name) :].lstrip() for row, name in zip(rows, names))]
    figures |= figures.pop("precision_at", {})
    assert shown == [pytest.approx(figures[key], abs=1e-4) for key in KEYS if key in figures]


KEYS = ("accuracy", "micro_f1", "macro_f1", "r2", "mean_absolute_error", "1", "3", "calibration_error")


def test_unknown_labels_give_a_warning(invoke, classifier, documents, tmp_path):
    (tmp_path / "t.jsonl").write_text(documents.read_text().replace('"court"', '"tennis"'))
    done = invoke("evaluate", classifier, "t.jsonl", "--json")
    assert done.err == "warning: the model does not know tennis: it is wrong about 20 of 60 documents\n"
    assert done.json["predictions"]["accuracy"] == 40 / 60


@pytest.mark.parametrize(("fixture", "field"), [("binary", "place"), ("tagger", "tags"), ("regressor", "stars")])
def test_model_remembers_the_label_field(invoke, request, reviews, tmp_path, fixture, field):
    path = request.getfixturevalue(fixture)
    assert tw.load(path).field_ == field
    answer = invoke("evaluate", path, reviews, "--json").json["predictions"]
    assert answer == invoke("evaluate", path, reviews, "--predict", field, "--json").json["predictions"]
    invoke("resume", path, "-n", 1, "-o", "more.tw", "-q")
    assert tw.load("more.tw").field_ == field
    (tmp_path / "t.csv").write_text("text,other\nship wave sail,3\n")
    assert "held out" in invoke("evaluate", path, "t.csv").out
    assert "no column 'other2'" in invoke("evaluate", path, "t.csv", "--predict", "other2").refused()


@pytest.mark.parametrize(("fixture", "source"), [("classifier", "reviews"), ("regressor", "documents")])
def test_documents_without_targets(invoke, request, fixture, source):
    path, reviews = request.getfixturevalue(fixture), request.getfixturevalue(source)
    done = invoke("evaluate", path, reviews)
    assert done.err == "to evaluate predictions, name the field of the true values with --predict\n"
    assert "perplexity" in done.out
    assert invoke("evaluate", path, reviews, "--json").json["predictions"] is None
    assert "predictions" not in invoke("evaluate", path, "--json").json


def test_a_reference_corpus_without_the_words(invoke, model, tmp_path):
    (tmp_path / "other.txt").write_text("zebra lion\nlion zebra\n")
    asked = ("evaluate", model, "--reference", tmp_path / "other.txt")
    assert invoke(*asked, "--json").json["coherence"] == {"npmi": -1.0, "c_v": None, "umass": None}
    assert [line.split()[2] for line in invoke(*asked).out.splitlines() if "umass" in line] == ["–"]
