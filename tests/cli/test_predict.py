"""``fit --predict`` and ``predict``."""

import csv
import json

import numpy as np
import pytest

import topicwright as tw

from ..conftest import THEMES
from .conftest import lines


def texts_of(path):
    return [record["text"] for record in lines(path.read_text())]


def test_fit_then_predict(shell, documents):
    """Each command in a subprocess."""
    done = shell("fit", documents, "-o", "m.tw", "-k", "3", "-n", "20", "--predict", "labels")
    assert (done.code, done.out) == (0, "")
    assert "\nto predict: 3 classes (court, kitchen, sea)\nsaved m.tw: 3 topics, 60 documents, 20 sweeps" in done.err

    done = shell("predict", "m.tw", "-f", "text", stdin="ship and wave\nthe judge of a robot\n")
    assert [(line["id"], line["prediction"]) for line in lines(done.out)] == [(1, "sea"), (2, "court")]
    assert done.err == "2 documents, 4 words; the model does not know 1 (25.0%)\n"


# ---------------------------------------------------------------------- fit


def test_same_result_as_the_library(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 10, "--stop-words", "none", "--predict", "labels")
    expected = tw.MedLDAClassifier(3, n_sweeps=10).fit(tw.Corpus.from_jsonl(documents))
    model = tw.load("m.tw")
    np.testing.assert_array_equal(model.assignments_, expected.assignments_)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_defaults_match_the_model(invoke, documents, reviews):
    help_page = " ".join(invoke("fit", "--help-all").out.split())
    names = ("n_topics", "n_sweeps", "beta", "C", "loss")
    for kind, file, options in (
        (tw.MedLDAClassifier, documents, ["--predict", "labels"]),
        (tw.MedLDARegressor, reviews, ["--predict", "stars", "--numbers"]),
    ):
        invoke("fit", file, "-o", "m.tw", *options)
        model, expected = tw.load("m.tw"), kind()
        assert [getattr(model, name) for name in names] == [getattr(expected, name) for name in names]
        assert model.alpha_.sum() == pytest.approx(0.4 * model.corpus_.n_tokens / model.corpus_.n_docs)
    both = "with --predict or --labels"
    for shown in (
        "100; with --predict 40",
        f"200; {both} 50",
        f"0.01; {both} 0.1",
        "hinge; with --numbers epsilon_insensitive",
    ):
        assert f"[default: {shown}]" in help_page
    assert "[default: 0.1; with --predict by length]" in help_page
    assert "[default: 1.6, or more if classes have few documents; with logistic 50, with --numbers 16]" in help_page
    assert (tw.LDA().n_topics, tw.LDA().n_sweeps, tw.LDA().alpha, tw.LDA().beta) == (100, 200, 0.1, 0.01)


def test_regression_losses(invoke, reviews):
    invoke("fit", reviews, "-o", "m.tw", "-k", 3, "-n", 3, "--predict", "stars", "--numbers", "--loss", "squared")
    assert tw.load("m.tw").loss == "squared"


def test_options_reach_the_model(invoke, documents):
    priors = ["--alpha", 0.5, "--beta", 0.2, "--seed", 9]
    losses = ["--cost", 3, "--margin", 5, "--word-weights"]
    invoke("fit", documents, "-o", "m.tw", "-k", 4, "-n", 7, "--predict", "labels", *losses, *priors)
    model = tw.load("m.tw")
    assert model.word_weights is True
    assert (model.n_topics, model.sweeps_, model.C, model.margin, model.loss) == (4, 7, 3.0, 5.0, "hinge")
    assert (model.alpha_[0], model.beta_, model.seed_) == (0.5, 0.2, 9)
    invoke("fit", documents, "-o", "m.tw", "-k", 4, "-n", 7, "--predict", "labels", "--loss", "logistic")
    assert tw.load("m.tw").loss == "logistic"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--predict", "tags"], "to predict: 3 labels, up to 2 per document; 4 documents have none"),
        (["--predict", "place"], "to predict: 2 classes (land, water); 4 documents have none"),
        (["--predict", "stars", "--numbers"], "to predict: numbers from 1 to 5, 3 on average; 4 documents have none"),
    ],
)
def test_reports_prediction_targets(invoke, reviews, options, sentence):
    assert sentence in invoke("fit", reviews, "-o", "m.tw", "-k", 3, "-n", 3, *options).err.splitlines()


@pytest.mark.parametrize(
    ("fixture", "what"), [("classifier", "classes"), ("tagger", "labels"), ("regressor", "numbers")]
)
def test_json_output(invoke, request, fixture, what):
    path = request.getfixturevalue(fixture)
    answer = invoke("resume", path, "-n", 1, "-o", "m.tw", "--json", "-q").json
    assert (answer["predicts"], answer["sweeps"]) == (what, 41)


def test_resume_continues_training(invoke, reviews):
    options = ["-k", 3, "--predict", "stars", "--numbers", "-q"]
    invoke("fit", reviews, "-o", "m.tw", "-n", 10, *options)
    invoke("fit", reviews, "-o", "whole.tw", "-n", 15, *options)
    invoke("resume", "m.tw", "-n", 5)
    resumed, whole = tw.load("m.tw"), tw.load("whole.tw")
    np.testing.assert_array_equal(resumed.assignments_, whole.assignments_)
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)


def test_knowledge_and_predictions(invoke, reviews, tmp_path):
    (tmp_path / "k.yaml").write_text("must-links: [[ship, wave]]\n")
    done = invoke("fit", reviews, "-o", "m.tw", "-k", 3, "-n", 5, "--predict", "place", "--knowledge", "k.yaml")
    assert "must-links: 1 of 1 hold" in done.err
    assert invoke("report", "m.tw", "--no-before").code == 0


def test_counts_have_labels_beside_them(invoke, counts_model, tmp_path):
    for name in ("counts.ldac", "counts.vocab.txt"):
        (tmp_path / name).write_bytes(counts_model.with_name(name).read_bytes())
    (tmp_path / "counts.docs.jsonl").write_text('{"kind": "long"}\n{"kind": "short"}\n')
    options = ["-k", 2, "-n", 5, "--stop-words", "none", "--predict", "kind"]
    assert invoke("fit", "counts.ldac", "-o", "m.tw", *options).code == 0
    assert {line["prediction"] for line in lines(invoke("predict", "m.tw", "counts.ldac").out)} <= {"long", "short"}
    assert (
        invoke("evaluate", "m.tw", "counts.ldac", "--predict", "kind", "--json").json["predictions"]["documents"] == 2
    )


# ---------------------------------------------------------------------- predict


def test_classes(invoke, classifier, documents, texts):
    model = tw.load(classifier)
    answer = lines(invoke("predict", classifier, documents).out)
    assert [line["id"] for line in answer] == [f"d{i}" for i in range(60)]
    assert [line["prediction"] for line in answer] == model.predict(texts).tolist() == [*THEMES] * 20
    chances = model.predict_proba(texts).max(axis=1)
    np.testing.assert_allclose([line["probability"] for line in answer], chances, rtol=1e-6)


def test_two_classes_and_probabilities(invoke, binary, reviews):
    model, texts = tw.load(binary), texts_of(reviews)
    answer = lines(invoke("predict", binary, reviews).out)
    assert [line["prediction"] for line in answer] == model.predict(texts).tolist()
    chances = [line["probability"] for line in answer]
    np.testing.assert_allclose(chances, model.predict_proba(texts).max(axis=1), rtol=1e-6)
    assert min(chances) >= 0.5


def test_two_classes_and_scores(invoke, reviews):
    """A model without calibration has no probabilities."""
    records = [record for line in reviews.read_text().splitlines() if "place" in (record := json.loads(line))]
    model = tw.MedLDAClassifier(3, n_sweeps=20, calibrate=False)
    model.fit([record["text"] for record in records], [record["place"] for record in records]).save("m.tw")
    texts, answer = texts_of(reviews), lines(invoke("predict", "m.tw", reviews).out)
    assert [line["prediction"] for line in answer] == model.predict(texts).tolist()
    np.testing.assert_allclose([line["score"] for line in answer], np.abs(model.decision_function(texts)), rtol=1e-6)
    for line in lines(invoke("predict", "m.tw", reviews, "--top", 2).out):
        (_, score), (_, other) = line["top"]
        assert score == -other


def test_several_labels(invoke, tagger, reviews):
    model, texts = tw.load(tagger), texts_of(reviews)
    answer = lines(invoke("predict", tagger, reviews).out)
    assert [set(line["prediction"]) for line in answer] == [set(labels) for labels in model.predict(texts)]
    assert {len(line["prediction"]) for line in answer} == {1, 2}
    for line, chances in zip(answer, model.predict_proba(texts)):
        assert line["probability"] == sorted(line["probability"], reverse=True)
        best = np.sort(chances)[::-1][: len(line["probability"])]
        np.testing.assert_allclose(line["probability"], best, rtol=1e-6)


def test_regression(invoke, regressor, reviews):
    answer = lines(invoke("predict", regressor, reviews).out)
    expected = tw.load(regressor).predict(texts_of(reviews))
    np.testing.assert_allclose([line["prediction"] for line in answer], expected, rtol=1e-6)
    assert set(answer[0]) == {"id", "prediction", "n_unknown"}


def test_several_targets(invoke, documents, texts, tmp_path):
    model = tw.MedLDARegressor(3, n_sweeps=5).fit(texts, [[1.0, -1.0], [2.0, 0.0], [3.0, 5.0]] * 20)
    model.save(tmp_path / "m.tw")
    answer = lines(invoke("predict", "m.tw", documents).out)
    np.testing.assert_allclose([line["prediction"] for line in answer], model.predict(texts), rtol=1e-6)
    assert invoke("predict", "m.tw", documents, "--to", "csv").out.splitlines()[1].count("|") == 1


@pytest.mark.parametrize("top", [2, 3, 9])
def test_the_best_classes(invoke, classifier, documents, texts, top):
    chances = tw.load(classifier).predict_proba(texts)
    answer = lines(invoke("predict", classifier, documents, "--top", top).out)
    for line, row in zip(answer, chances):
        assert [name for name, _ in line["top"]] == [sorted(THEMES)[k] for k in np.argsort(-row)[:top]]
        np.testing.assert_allclose([chance for _, chance in line["top"]], np.sort(row)[::-1][:top], rtol=1e-6)
    header, *rows = csv.reader(invoke("predict", classifier, documents, "--top", top, "--to", "csv").out.splitlines())
    assert header == ["id", "class", "probability"]
    assert [(*row[:2], float(row[2])) for row in rows] == [
        (line["id"], *pair) for line in answer for pair in line["top"]
    ]


@pytest.mark.parametrize(
    ("fixture", "columns"),
    [
        ("classifier", ["id", "prediction", "probability", "n_unknown"]),
        ("binary", ["id", "prediction", "probability", "n_unknown"]),
        ("tagger", ["id", "prediction", "probability", "n_unknown"]),
        ("regressor", ["id", "prediction", "n_unknown"]),
    ],
)
def test_csv_equals_json(invoke, request, reviews, tmp_path, fixture, columns):
    path = request.getfixturevalue(fixture)
    assert invoke("predict", path, reviews, "-o", "out.csv", "-q") == (0, "", "")
    header, *rows = csv.reader((tmp_path / "out.csv").read_text().splitlines())
    assert header == columns
    cells = [list(line.values()) for line in lines(invoke("predict", path, reviews).out)]
    assert rows == [
        ["|".join(map(str, cell)) if isinstance(cell, list) else str(cell) for cell in row] for row in cells
    ]


@pytest.mark.parametrize("batch", [1, 7])
def test_result_does_not_depend_on_batch_size(invoke, tagger, reviews, batch):
    assert invoke("predict", tagger, reviews, "--batch", batch).out == invoke("predict", tagger, reviews).out


def test_results_before_an_invalid_line_are_written(invoke, classifier, bad_lines):
    done = invoke("predict", classifier, bad_lines)
    assert done.code == 2
    assert done.err.startswith(f"error: {bad_lines}, line 2: 'text' must be a string: got int (to leave such lines out")
    assert [line["prediction"] for line in lines(done.out)] == ["sea"]


def test_numeric_classes_and_unknown_words(invoke, texts, tmp_path):
    tw.MedLDAClassifier(3, n_sweeps=10).fit(texts[:40], [int("ship" in text) for text in texts[:40]]).save("m.tw")
    (tmp_path / "t.txt").write_text("ship ship\nrobot\n")
    first, second = lines(invoke("predict", "m.tw", "t.txt").out)
    assert first["prediction"] == 1
    assert second == {"id": 2, "prediction": None, "probability": None, "n_unknown": 1}


def test_compact_model_is_sufficient(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 20, "--predict", "labels", "--no-corpus")
    assert [line["prediction"] for line in lines(invoke("predict", "m.tw", documents).out)] == [*THEMES] * 20


# ---------------------------------------------------------------------- topics of its own for each class


def test_one_vs_rest(invoke, one_vs_rest, documents, texts):
    model = tw.load(one_vs_rest)
    answer = lines(invoke("predict", one_vs_rest, documents).out)
    assert [line["prediction"] for line in answer] == model.predict(texts).tolist()
    figures = invoke("evaluate", one_vs_rest, documents, "--json").json
    assert figures["topics"] == 9
    assert figures["predictions"]["accuracy"] == model.score(texts, [*THEMES] * 20)
    assert "perplexity" not in invoke("evaluate", one_vs_rest, documents).out
    assert invoke("explain", one_vs_rest, documents, "-d", 1).out.startswith("d0  sea  score ")
    assert invoke("resume", one_vs_rest, "-n", 1, "-o", "more.tw").code == 0


def test_documents_of_single_words_are_evaluated(invoke, classifier, tmp_path):
    (tmp_path / "words.jsonl").write_text('{"text": "ship", "labels": "sea"}\n{"text": "jury", "labels": "court"}\n')
    done = invoke("evaluate", classifier, "words.jsonl", "--json")
    assert done.json["predictions"]["accuracy"] == 1.0
    assert "perplexity" not in done.json["held_out"]
    assert "warning: perplexity needs documents of two known words or more, and there are none" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["transform", "MODEL", "DOCUMENTS"],
        ["topics", "MODEL", "--json"],
        ["report", "MODEL"],
        ["convert", "MODEL", "x.csv"],
    ],
)
def test_commands_that_need_shared_topics(invoke, one_vs_rest, documents, arguments):
    given = [{"MODEL": one_vs_rest, "DOCUMENTS": documents}.get(word, word) for word in arguments]
    assert invoke(*given).refused() == (
        f"{one_vs_rest} has separate topics for each class, which this command cannot use: "
        "topics (as a table), predict, explain and evaluate can"
    )


# ---------------------------------------------------------------------- wrong use

FIT = ["fit", "REVIEWS", "-o", "m.tw", "-k", "3", "-n", "5", "-q"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*FIT, "--predict", "nothing"], "reviews.jsonl: no record has a field 'nothing'"),
        ([*FIT, "--predict", "labels"], "no document has a label in the field 'labels', and --predict needs some"),
        ([*FIT, "--predict", "mood"], "no document has a label in the field 'mood', and --predict needs some"),
        ([*FIT, "--predict", "mood", "--numbers"], "no document has a number in the field 'mood'"),
        ([*FIT, "--predict", "place", "--numbers"], "line 1: a target must be a finite number: got 'water'"),
        ([*FIT, "--predict", "stars", "--label-field", "tags"], "name two fields of labels, and only one can be read"),
        ([*FIT, "--numbers"], "--numbers needs --predict FIELD"),
        ([*FIT, "--loss", "hinge"], "--loss needs --predict FIELD"),
        ([*FIT, "--cost", "3"], "--cost needs --predict FIELD"),
        ([*FIT, "--predict", "stars", "--numbers", "--margin", "3"], "--margin is for classes"),
        (
            [*FIT, "--predict", "place", "--loss", "logistic", "--margin", "3"],
            "--margin cannot be used with --loss",
        ),
        ([*FIT, "--predict", "place", "--loss", "squared"], "loss must be one of 'hinge', 'logistic': got 'squared'"),
        ([*FIT, "--predict", "place", "--cost", "0"], "--cost must be a positive number: got 0.0"),
        ([*FIT, "--predict", "place", "--margin", "nan"], "--margin must be a positive number"),
        ([*FIT, "--predict", "place", "--alpha", "learn"], "priors are not learned"),
        ([*FIT, "--predict", "place", "-n", "0"], "--sweeps must be an integer of at least 1: got '0'"),
        (["predict", "MODEL", "REVIEWS"], "has nothing to predict: train a model with topicwright fit …"),
        (["explain", "MODEL", "REVIEWS"], "has nothing to predict: train a model with topicwright fit …"),
        (["predict", "REGRESSOR", "REVIEWS", "--top", "2"], "--top needs a classifier, and this model predicts"),
        (["predict", "CLASSIFIER"], "standard input needs a format"),
        (["predict", "CLASSIFIER", "REVIEWS", "-o", "CLASSIFIER"], "the output must not be an input"),
        (["explain", "REGRESSOR", "REVIEWS", "--class", "sea"], "--class needs a classifier"),
        (["explain", "CLASSIFIER", "REVIEWS", "--class", "air"], "no class 'air': it has court, kitchen, sea"),
        (["evaluate", "MODEL", "REVIEWS", "--predict", "tags"], "and this one does not"),
        (["evaluate", "CLASSIFIER", "--predict", "tags"], "needs a file of documents as INPUT"),
        (["evaluate", "CLASSIFIER", "REVIEWS", "--predict", "tags"], "the model predicts one class per document"),
        (
            ["evaluate", "CLASSIFIER", "REVIEWS", "--predict", "place"],
            "field 'place': the model knows none of the labels: got land, water, expected court, kitchen, sea",
        ),
        (
            ["evaluate", "CLASSIFIER", "REVIEWS", "--predict", "mood"],
            "has a value in the field 'mood'",
        ),
        (["evaluate", "REGRESSOR", "REVIEWS", "--predict", "mood"], "has a value in the field 'mood'"),
        (["evaluate", "REGRESSOR", "REVIEWS", "--predict", "place"], "a target must be a finite number: got 'water'"),
        (["evaluate", "REGRESSOR", "REVIEWS", "--predict", "nothing"], "no record has a field 'nothing'"),
    ],
)
def test_error_messages(invoke, request, tmp_path, arguments, sentence):
    places = ("REVIEWS", "MODEL", "CLASSIFIER", "REGRESSOR")
    given = [request.getfixturevalue(word.lower()) if word in places else word for word in arguments]
    assert sentence in invoke(*given).refused()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        ("text,kind\nship,a\nwave,a\n", ["kind"], "to predict classes, two or more are needed: got 'a' only"),
        ("text,kind\nship,a\nwave,\n", ["kind"], "(the class of documents without a label is unknown)"),
        ("text,stars\nship,4.5\nwave,3\n", ["stars"], "has numbers such as 4.5: add --numbers to predict numbers"),
        ("text,stars\nship,4\nwave,4\n", ["stars", "--numbers"], "different ones are needed: got 4 only"),
        ("text,stars\nship,4\nwave,four\n", ["stars", "--numbers"], "t.csv, line 3: a target must be a finite number"),
        ("text,stars\nship,4\n", ["kind"], "t.csv: no column 'kind'; its columns are: text, stars"),
    ],
)
def test_rejects_unsuitable_tables(invoke, tmp_path, table, options, sentence):
    (tmp_path / "t.csv").write_text(table)
    assert sentence in invoke("fit", "t.csv", "-o", "m.tw", "-q", "--predict", *options).refused()
