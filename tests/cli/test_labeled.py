"""Labeled models on the command line, trained in batch and from a stream."""

import csv
import json
import re

import numpy as np
import pytest
from sklearn.metrics import f1_score

import topicwright as tw
from topicwright.errors import UnknownWordsWarning

from ..conftest import THEMES
from .conftest import OF_LABELS, lines, tags_of, with_labels

NAMES = sorted(THEMES)


def test_fit_then_explain_labels(shell, reviews):
    """Each command in a subprocess."""
    done = shell("fit", reviews, "-o", "m.tw", "-n", "20", "--labels", "tags")
    assert (done.code, done.out) == (0, "")
    *before, saved = done.err.splitlines()
    assert "labels: 3, up to 2 per document; 4 documents have none, and are skipped" in before
    assert re.fullmatch(
        r"saved m\.tw: 3 topics, 76 documents, 20 sweeps \(.* s\), log-likelihood -\d\.\d+ per token; "
        r"predicts labels with a share of at least 0\.\d+",
        saved,
    )
    done = shell("predict", "m.tw", "-f", "text", stdin="ship and wave\nthe judge bakes bread\n")
    assert [(line["id"], sorted(line["prediction"])) for line in lines(done.out)] == [
        (1, ["sea"]),
        (2, ["court", "kitchen"]),
    ]
    assert done.err == "2 documents, 5 words; the model does not know 1 (20.0%)\n"
    done = shell("explain", "m.tw", "-f", "text", stdin="The ship and a wave\n")
    head = "  label  share of words  probability of the label for each word\n"
    pattern = rf"1  sea \(p = 0\.\d+\)\n{head}  sea  +\d+%  ship \d\.\d\d  wave \d\.\d\d\n\n"
    assert re.fullmatch(pattern, done.out)


# ---------------------------------------------------------------------- fit and resume


def test_same_result_as_the_library(invoke, reviews):
    invoke("fit", reviews, "-o", "m.tw", "-n", 10, "--labels", "tags", "--background", 2, "--stop-words", "none")
    corpus = tw.Corpus.from_jsonl(reviews, labels="tags")
    corpus = corpus.select([row for row, labels in enumerate(corpus.labels) if labels])
    expected = tw.LabeledLDA(n_background_topics=2, n_sweeps=10).fit(corpus)
    model = tw.load("m.tw")
    np.testing.assert_array_equal(model.assignments_, expected.assignments_)
    assert model.topic_names_ == expected.topic_names_ == [*NAMES, "background 1", "background 2"]
    assert model.field_ == "tags"
    assert model.threshold_ == expected.threshold_
    assert (model.alpha, model.beta, tw.load("m.tw").n_sweeps) == (expected.alpha, expected.beta, 10)


def test_unlabeled_documents_use_all_labels(invoke, reviews):
    done = invoke("fit", reviews, "-o", "m.tw", "-n", 5, "--labels", "tags", "--unlabelled", "any")
    assert "labels: 3, up to 2 per document; 4 documents have none, and may have any" in done.err.splitlines()
    assert tw.load("m.tw").corpus_.n_docs == 80


def test_words_that_only_skipped_documents_have_are_not_learned(invoke, tmp_path):
    (tmp_path / "t.csv").write_text("text,kind\nship wave,sea\nrobot ship,\nbread oven,kitchen\n")
    done = invoke("fit", "t.csv", "-o", "m.tw", "-n", 3, "--labels", "kind")
    assert "labels: 2, one per document (kitchen, sea); one document has none, and is skipped" in done.err.splitlines()
    assert sorted(tw.load("m.tw").vocabulary_) == ["bread", "oven", "ship", "wave"]


def test_resume_continues_training(invoke, reviews):
    options = ["--labels", "tags", "--background", 1, "-q"]
    invoke("fit", reviews, "-o", "m.tw", "-n", 10, *options)
    invoke("fit", reviews, "-o", "whole.tw", "-n", 15, *options)
    answer = invoke("resume", "m.tw", "-n", 5, "--json", "-q").json
    resumed, whole = tw.load("m.tw"), tw.load("whole.tw")
    np.testing.assert_array_equal(resumed.assignments_, whole.assignments_)
    assert (answer["predicts"], answer["sweeps"], answer["topics"]) == ("labels", 15, 4)
    assert answer["threshold"] == resumed.threshold_ == whole.threshold_
    assert resumed.field_ == "tags"


def test_knowledge_and_labels(invoke, reviews, tmp_path):
    (tmp_path / "k.yaml").write_text("must-links: [[ship, wave]]\n")
    done = invoke("fit", reviews, "-o", "m.tw", "-n", 5, "--labels", "tags", "--knowledge", "k.yaml")
    assert "must-links: 1 of 1 hold" in done.err
    assert "ship" in invoke("report", "m.tw", "--no-before").out


# ---------------------------------------------------------------------- topics


@OF_LABELS
def test_the_table_of_labels(invoke, request, fixture):
    path = request.getfixturevalue(fixture)
    model = tw.load(path)
    head, *rows = invoke("topics", path, "-w", 3).out.splitlines()
    assert head.split() == ["topic", "label", "documents", "share", "of", "words", "top", "words"]
    for row, label, count, words in zip(rows, model.classes_, model.label_counts_, model.top_words(3)):
        assert row.split()[1:3] == [label, str(count)]
        assert row.endswith(" ".join(words))
        assert set(words) < set(THEMES[label].split())
    assert len(rows) == 3


def test_selected_labels_and_background(invoke, with_background):
    rows = invoke("topics", with_background, "-l", "sea", "-l", "background 1").out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["2", "3"]
    assert re.match(r"    3  background 1 +[█▏▎▍▌▋▊▉]", rows[1])
    topics = invoke("topics", with_background, "--json").json
    assert [(topic["name"], topic["documents"]) for topic in topics] == [
        *zip(NAMES, tw.load(with_background).label_counts_.tolist()),
        ("background 1", None),
    ]
    assert invoke("topics", with_background, "--json", "-l", "kitchen").json == topics[1:2]


# ---------------------------------------------------------------------- transform and predict


@OF_LABELS
def test_shares_of_labels(invoke, request, reviews, fixture):
    path = request.getfixturevalue(fixture)
    model, (texts, _) = tw.load(path), tags_of(reviews)
    answer = lines(invoke("transform", path, reviews).out)
    for line, shares in zip(answer, model.transform(texts)):
        expected = zip(model.get_feature_names_out(), shares)
        assert dict(line["labels"]) == {name: round(share, 6) for name, share in expected if share >= 0.01}
    header, *rows = csv.reader(invoke("transform", path, reviews, "--to", "csv", "--dense").out.splitlines())
    assert header == ["id", *model.get_feature_names_out()]
    assert [sum(map(float, row[1:])) for row in rows] == pytest.approx([1.0] * 80, abs=1e-5)


@OF_LABELS
def test_labels_of_new_documents(invoke, request, reviews, fixture):
    path = request.getfixturevalue(fixture)
    model, (texts, _) = tw.load(path), tags_of(reviews)
    answer = lines(invoke("predict", path, reviews, "--batch", 7).out)
    assert [set(line["prediction"]) for line in answer] == [set(labels) for labels in model.predict(texts)]
    assert {len(line["prediction"]) for line in answer} == {1, 2}
    for line, ranked in zip(answer, model.rank(texts)):
        best = ranked[: len(line["prediction"])]
        assert line["prediction"] == [label for label, _ in best]
        np.testing.assert_allclose(line["probability"], [chance for _, chance in best], rtol=1e-6)


def test_one_label_a_document(invoke, one_each, documents, texts):
    answer = lines(invoke("predict", one_each, documents).out)
    assert [line["prediction"] for line in answer] == tw.load(one_each).predict(texts).tolist() == [*THEMES] * 20
    assert all(0.5 < line["probability"] < 1 for line in answer)


@pytest.mark.parametrize("threshold", [0.02, 0.9])
def test_a_threshold(invoke, labeled, reviews, threshold):
    model, (texts, _) = tw.load(labeled).set_params(threshold=threshold), tags_of(reviews)
    answer = lines(invoke("predict", labeled, reviews, "--threshold", threshold).out)
    assert [set(line["prediction"]) for line in answer] == [set(labels) for labels in model.predict(texts)]


def test_label_prior(invoke, tmp_path):
    """A word of both labels follows the prior."""
    records = [{"text": "ship wave tide", "labels": "sea"}] * 5 + [
        {"text": "jury court ship", "labels": ["law", "sea"]}
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "unknown.jsonl").write_text('{"text": "no word that it knows"}\n{"text": "court"}')
    model = with_labels(tmp_path / "m.tw", tmp_path / "t.jsonl", "labels")
    for prior in ("frequency", "flat"):
        fitted = tw.load(model).set_params(label_prior=prior)
        with pytest.warns(UnknownWordsWarning):
            expected = fitted.predict_proba(["no word that it knows"])[0]
        nothing, said = lines(invoke("predict", model, "unknown.jsonl", "--top", "2", "--label-prior", prior).out)
        assert sorted(chance for _, chance in said["top"]) == pytest.approx(sorted(fitted.predict_proba(["court"])[0]))
        assert (nothing["top"], nothing["n_unknown"]) == ([], 2)
        assert (expected[0] == expected[1]) == (prior == "flat")
        figures = invoke("evaluate", model, "t.jsonl", "--json", "--label-prior", prior).json["held_out"]
        known = tw.load(model).set_params(label_prior=prior)
        texts, labels = [record["text"] for record in records], [["sea"]] * 5 + [["law", "sea"]]
        assert figures["perplexity"] == pytest.approx(known.perplexity(texts, labels))


def test_the_best_labels(invoke, labeled, reviews):
    model, (texts, _) = tw.load(labeled), tags_of(reviews)
    answer = lines(invoke("predict", labeled, reviews, "--top", 2).out)
    for line, ranked in zip(answer, model.rank(texts, top=2)):
        assert line["top"] == [[label, pytest.approx(chance, rel=1e-6)] for label, chance in ranked]


@pytest.mark.parametrize("as_file", [True, False])
def test_candidates(invoke, labeled, reviews, tmp_path, as_file):
    (tmp_path / "some.txt").write_text("court\n\nsea\n")
    given = ["--candidates", "some.txt" if as_file else "court, sea"]
    expected = tw.load(labeled).predict(tags_of(reviews)[0], candidates=["court", "sea"])
    answer = lines(invoke("predict", labeled, reviews, *given).out)
    assert [set(line["prediction"]) for line in answer] == [set(labels) for labels in expected]
    for line in lines(invoke("predict", labeled, reviews, *given, "--top", 3).out):
        assert sorted(label for label, _ in line["top"]) == ["court", "sea"]
        assert sum(chance for _, chance in line["top"]) == pytest.approx(1)


# ---------------------------------------------------------------------- evaluate


@OF_LABELS
def test_evaluation_metrics(invoke, request, reviews, fixture):
    path = request.getfixturevalue(fixture)
    model, (texts, labels) = tw.load(path), tags_of(reviews)
    told = [(text, own) for text, own in zip(texts, labels) if own]
    texts, labels = zip(*told)
    answer = invoke("evaluate", path, reviews, "--json").json
    assert answer["held_out"]["labelled_documents"] == 76
    assert answer["held_out"]["perplexity"] == pytest.approx(model.perplexity(texts, labels))
    figures = answer["predictions"]
    truth, said = ([[name in own for name in NAMES] for own in rows] for rows in (labels, model.predict(texts)))
    for average in ("micro", "macro"):
        assert figures[f"{average}_f1"] == pytest.approx(f1_score(truth, said, average=average))
    right = [ranked[0].label in own for ranked, own in zip(model.rank(texts), labels)]
    assert figures["precision_at"] == {"1": np.mean(right), "3": pytest.approx(np.mean(truth))}
    shown = invoke("evaluate", path, reviews).out
    assert f"given their labels, which 76 documents have: 80 documents, {answer['held_out']['tokens']:,} words" in shown
    assert f"{figures['micro_f1']:.4f}   all labels" in shown


def test_threshold_changes_metrics(invoke, labeled, reviews):
    few, many = (
        invoke("evaluate", labeled, reviews, "--json", "--threshold", share).json["predictions"]
        for share in (0.9, 0.01)
    )
    assert few["precision_at"] == many["precision_at"]
    assert few["micro_f1"] != many["micro_f1"]
    model, (texts, labels) = tw.load(labeled).set_params(threshold=0.9), tags_of(reviews)
    right = [set(said) == set(own) for said, own in zip(model.predict(texts), labels) if own]
    assert few["accuracy"] == np.mean(right)


def test_documents_without_labels_have_perplexity_too(invoke, labeled, tmp_path, reviews):
    texts = tags_of(reviews)[0]
    (tmp_path / "t.txt").write_text("\n".join(texts))
    done = invoke("evaluate", labeled, "t.txt")
    assert "held out, by completion: 80 documents" in done.out
    assert done.err == "to evaluate predictions, name the field of the true values with --predict\n"
    held_out = invoke("evaluate", labeled, "t.txt", "--left-to-right", "--json").json["held_out"]
    model = tw.load(labeled)
    assert held_out["perplexity"] == model.perplexity(texts, method="completion")
    assert held_out["perplexity_left_to_right"] == model.perplexity(texts, method="left-to-right")


def test_numeric_labels(invoke, texts, tmp_path):
    numbers = [[row % 3] for row in range(60)]
    model = tw.LabeledLDA(n_sweeps=5).fit(texts, numbers)
    model.save(tmp_path / "m.tw")
    records = [{"text": text, "labels": own} for text, own in zip(texts, numbers)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    answer = invoke("evaluate", "m.tw", "t.jsonl", "--json").json
    assert answer["held_out"]["perplexity"] == pytest.approx(model.perplexity(texts, numbers))
    assert answer["predictions"]["micro_f1"] == 1
    line = invoke("explain", "m.tw", "t.jsonl", "-d", 1, "--json", "--own-labels", "-l", "0", "-q").json
    assert (line["prediction"], line["own_labels"], line["labels"][0]["label"]) == ([0], [0], 0)


def test_evaluate_shows_stream_progress(invoke, stream):
    answer = invoke("evaluate", stream, "--json").json
    model = tw.load(stream)
    assert (answer["documents"], answer["tokens"]) == (76, model.n_tokens_seen_)
    assert answer["running_perplexity"] == model.running_perplexity_
    done = invoke("evaluate", stream)
    assert "after 76 documents of a stream" in done.out
    assert done.err == "coherence needs a corpus, and this model was saved without it: pass one with --reference\n"


# ---------------------------------------------------------------------- wrong use

FIT = ["fit", "REVIEWS", "-o", "m.tw", "-n", "5", "-q", "--labels"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*FIT, "nothing"], "reviews.jsonl: no record has a field 'nothing'"),
        ([*FIT, "mood"], "no document has a label in the field 'mood', and --labels needs some"),
        ([*FIT, "tags", "-k", "3"], "--topics cannot be used with --labels, which makes every label a topic"),
        ([*FIT, "tags", "--predict", "tags"], "--predict and --labels make different kinds of models"),
        ([*FIT, "tags", "--loss", "hinge"], "--loss needs --predict FIELD"),
        ([*FIT, "tags", "--alpha", "learn"], "LabeledLDA does not learn alpha"),
        ([*FIT, "tags", "--label-field", "place"], "--labels and --label-field name two fields of labels"),
        (["fit", "REVIEWS", "-o", "m.tw", "--background", "1"], "--background needs --labels FIELD"),
        (["fit", "REVIEWS", "-o", "m.tw", "--unlabelled", "any"], "--unlabeled needs --labels FIELD"),
        (["topics", "LABELED", "-l", "air"], "no topic with the name 'air': it has court, kitchen, sea"),
        (["topics", "MODEL", "-l", "air"], "no topic with the name 'air': its topics have no names"),
        (["predict", "LABELED", "REVIEWS", "--threshold", "1"], "--threshold must be a share between 0 and 1: got 1"),
        (["predict", "LABELED", "REVIEWS", "--threshold", "0.1", "--top", "2"], "pass one of them"),
        (["predict", "ONE_EACH", "REVIEWS", "--threshold", "0.1"], "this one has one: use --top"),
        (["predict", "CLASSIFIER", "REVIEWS", "--threshold", "0.1"], "--threshold needs a model of labels"),
        (["predict", "CLASSIFIER", "REVIEWS", "--candidates", "sea"], "--candidates needs a model of labels"),
        (["predict", "LABELED", "REVIEWS", "--candidates", "sea,air"], "no label 'air': it has court, kitchen, sea"),
        (["predict", "LABELED", "REVIEWS", "--candidates", ","], "--candidates must be one or more labels: got ','"),
        (["explain", "LABELED", "REVIEWS", "--label", "air"], "no label 'air': it has court, kitchen, sea"),
        (["explain", "LABELED", "REVIEWS", "--length", "3"], "--length needs --snippets"),
        (["explain", "LABELED", "REVIEWS", "--html", "x.html", "--json"], "two output formats"),
        (["explain", "LABELED", "REVIEWS", "--html", "no/x.html"], "no does not exist"),
        (["explain", "LABELED", "REVIEWS", "--html", "LABELED"], "the output must not be an input"),
        (["explain", "CLASSIFIER", "REVIEWS", "--snippets"], "--snippets needs a model of labels"),
        (["explain", "CLASSIFIER", "REVIEWS", "--own-labels"], "--own-labels needs a model of labels"),
        (["evaluate", "CLASSIFIER", "REVIEWS", "--threshold", "0.1"], "--threshold needs a model of labels"),
        (["evaluate", "LABELED", "REVIEWS", "--labels", "mood"], "a value in the field 'mood'"),
        (["evaluate", "LABELED", "REVIEWS", "--labels", "place"], "the model knows none of the labels"),
        (["resume", "STREAM"], "is a model of a stream, which has no sweeps: continue with topicwright stream"),
        (["report", "STREAM"], "a model of a stream has none"),
        (["convert", "STREAM", "x", "--to", "doc-topics-csv"], "a stream does not keep them"),
    ],
)
def test_error_messages(invoke, request, tmp_path, arguments, sentence):
    places = ("REVIEWS", "MODEL", "CLASSIFIER", "LABELED", "ONE_EACH", "STREAM")
    given = [request.getfixturevalue(word.lower()) if word in places else word for word in arguments]
    assert sentence in invoke(*given).refused()
    assert list(tmp_path.iterdir()) == []


def test_precision_counts_no_label_without_a_known_word(invoke, tmp_path):
    records = [{"text": "ship wave tide", "labels": ["a", "b"]}] * 5 + [{"text": "jury court", "labels": ["c"]}] * 5
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    model = with_labels(tmp_path / "m.tw", tmp_path / "t.jsonl", "labels")
    new = [{"text": "jury court", "labels": ["c"]}, {"text": "nothing known", "labels": ["a"]}]
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, new)))
    figures = invoke("evaluate", model, "new.jsonl", "--json").json["predictions"]
    assert figures["precision_at"]["1"] == 0.5
    assert figures["accuracy"] == 0.5
