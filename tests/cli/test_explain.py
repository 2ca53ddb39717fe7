import json

import pytest

import topicwright as tw

from ..conftest import THEMES
from .conftest import lines


def test_explains_the_predicted_class(invoke, classifier, documents, texts):
    answer = lines(invoke("explain", classifier, documents, "-d", 60, "--json").out)
    predicted = lines(invoke("predict", classifier, documents).out)
    assert [line["id"] for line in answer] == [f"d{i}" for i in range(60)]
    for line, beside, text in zip(answer, predicted, texts):
        assert line["prediction"] == beside["prediction"]
        reasons, rival = line["reasons"]
        assert reasons["what"] == beside["prediction"] != rival["what"]
        assert reasons["score"] > rival["score"]
        assert reasons["probability"] == pytest.approx(beside["probability"], rel=1e-6)
        contributions = sum(topic["contribution"] for topic in reasons["topics"])
        assert reasons["score"] == pytest.approx(reasons["intercept"] + contributions)
        assert {word["word"] for word in reasons["words"]} <= set(text.split())


def test_same_result_as_the_library(invoke, classifier, documents, texts):
    classes = [option for name in sorted(THEMES) for option in ("-c", name)]
    line = invoke("explain", classifier, documents, "-d", 1, *classes, "--top", 3, "--json", "-q").json
    expected = tw.load(classifier).explain(texts[0], top=3, n_labels=3).to_dict()
    expected["reasons"].sort(key=lambda reasons: reasons["what"])
    assert line == json.loads(json.dumps({"id": "d0", "prediction": "sea", "n_unknown": 0, **expected}))
    line = invoke("explain", classifier, documents, "-d", 1, "--top", 3, "--json", "-q").json
    assert line["reasons"] == json.loads(json.dumps(tw.load(classifier).explain(texts[0], top=3).to_dict()["reasons"]))


def test_text_page(invoke, classifier, documents):
    out = invoke("explain", classifier, documents, "--id", "d2", "--top", 1, "-c", "court").out
    title, head, topic, other_head, word, last = out.removesuffix("\n").split("\n")
    [reasons] = invoke("explain", classifier, documents, "--id", "d2", "--top", 1, "-c", "court", "--json").json[
        "reasons"
    ]
    assert title == f"d2  court  score {reasons['score']:.4g}, probability {reasons['probability']:.3g}"
    assert head.split() == ["contribution", "topic", "(share", "of", "words)", "top", "words"]
    assert topic.split()[0] == f"{reasons['topics'][0]['contribution']:+.3g}"
    assert set(topic.split()[4:]) == set(reasons["topics"][0]["words"]) < set(THEMES["court"].split())
    assert other_head.split() == ["contribution", "word", "for", "it", "count"]
    [best] = reasons["words"]
    assert word.split() == [f"{best['contribution']:+.3g}", "█" * 12, best["word"], str(best["times"])]
    assert last == ""


def test_explains_another_class(invoke, classifier, documents):
    title, _, topic, *_ = invoke("explain", classifier, documents, "--id", "d0", "-c", "court").out.splitlines()
    assert title.startswith("d0  court  score -")
    assert title.endswith("; predicted is sea")
    assert topic.split()[0].startswith("-")


def test_binary_classes_have_opposite_contributions(invoke, binary, reviews):
    for line in lines(invoke("explain", binary, reviews, "-d", 8, "-c", "land", "-c", "water", "--json").out):
        land, water = line["reasons"]
        assert (land["what"], water["what"]) == ("land", "water")
        assert land["score"] == -water["score"]
        assert line["prediction"] == ("land" if land["score"] > 0 else "water")
        assert [t["contribution"] for t in land["topics"]] == [-t["contribution"] for t in water["topics"]]
        assert sorted(w["contribution"] for w in land["words"]) == sorted(-w["contribution"] for w in water["words"])


def test_several_labels(invoke, tagger, reviews):
    answer = lines(invoke("explain", tagger, reviews, "-d", 20, "--json").out)
    assert [line["prediction"] for line in answer] == [
        line["prediction"] for line in lines(invoke("predict", tagger, reviews).out)[:20]
    ]
    assert [[one["what"] for one in line["reasons"]][:-1] for line in answer] == [line["prediction"] for line in answer]


def test_regression(invoke, regressor, reviews):
    line = invoke("explain", regressor, reviews, "-d", 1, "--json", "-q").json
    [reasons] = line["reasons"]
    assert line["prediction"] == pytest.approx(reasons["score"])
    added = sum(topic["contribution"] for topic in reasons["topics"])
    assert reasons["score"] == pytest.approx(reasons["intercept"] + added)
    assert f"r0  {reasons['score']:.4g}  from a mean of 3\n" in invoke("explain", regressor, reviews).out


def test_selects_documents_by_number_or_id(invoke, classifier, documents):
    done = invoke("explain", classifier, documents, "--json")
    assert [line["id"] for line in lines(done.out)] == [f"d{i}" for i in range(5)]
    assert done.err == "there are more documents: see them with --documents N, or one of them with --id ID\n"
    assert invoke("explain", classifier, documents, "-d", 60).err == ""
    done = invoke("explain", classifier, documents, "--json", "--id", "d50", "--id", "d7")
    assert ([line["id"] for line in lines(done.out)], done.err) == (["d7", "d50"], "")
    done = invoke("explain", classifier, documents, "--json", "--id", "d7", "--id", "d70")
    assert [line["id"] for line in lines(done.out)] == ["d7"]
    assert (done.code, done.err) == (2, f"error: {documents}: there is no document with the id 'd70'\n")


@pytest.mark.parametrize("fixture", ["classifier", "binary", "tagger", "regressor"])
def test_document_of_unknown_words(invoke, request, fixture, tmp_path):
    (tmp_path / "t.txt").write_text("\nrobot\n")
    path = request.getfixturevalue(fixture)
    out = invoke("explain", path, "t.txt").out
    why = "  no word that the model knows\n\n"
    assert out == f"1  no prediction\n{why}2  no prediction  1 unknown word\n{why}"
    [first, second] = lines(invoke("explain", path, "t.txt", "--json").out)
    nothing = [] if fixture == "tagger" else None
    assert first == {"id": 1, "prediction": nothing, "n_unknown": 0, "reasons": []}
    assert second == {"id": 2, "prediction": nothing, "n_unknown": 1, "reasons": []}


def test_markup_in_words_is_escaped(invoke, counts_model, tmp_path):
    fitted = tw.load(counts_model)
    tw.MedLDAClassifier(2, n_sweeps=5).fit(fitted.corpus_, ["\x1b[31mred", "[bold]"]).save(tmp_path / "m.tw")
    out = invoke("explain", "m.tw", counts_model.with_name("counts.ldac"), "-c", "\x1b[31mred", "-c", "[bold]").out
    assert "\x1b" not in out
    assert all(word in out for word in (r"esc\u001b[31mape", ":smile:", r"\u001b[31mred", "[bold]"))
