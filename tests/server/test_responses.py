"""Each path and type of model, compared with the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")

import topicwright as tw
from topicwright.cli._app import app
from topicwright.server import schemas
from topicwright.server.requests import RequestLimits
from topicwright.server.service import Service

from .conftest import MODELS, NAMES, Server

Serving = Callable[..., Server]
DOCUMENTS = [{"id": "a1", "text": "A ship, a ship on the wave!"}, {"id": "b2", "text": "bread <b>and</b> the judge"}]
PREDICTING = [kind for kind in MODELS if kind not in ("lda", "counts")]
LABELED = ["labeled", "stream"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """JSON output of a command for the documents."""
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps({**document, "labels": ["court"]}) + "\n" for document in DOCUMENTS))

    def run(verb: str, model: Path, *options: str, documents: bool = True) -> Any:
        assert not app([verb, str(model), *([str(path)] if documents else []), *options], standalone_mode=False)
        text = capsys.readouterr().out
        return [json.loads(line) for line in text.splitlines()] if documents else json.loads(text)

    return run


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind != "one-vs-rest"])
def test_topics_equal_the_command_line(serving, shell, model_file, kind: str) -> None:
    answer = serving(kind).ask("/topics?words=4").json()
    assert answer == shell("topics", model_file(kind), "--json", "--words", "4", documents=False)
    assert [schemas.Topic.model_validate(topic).topic for topic in answer] == list(range(len(answer)))
    assert len(answer[0]["words"]) == 4


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind not in ("one-vs-rest", "counts")])
@pytest.mark.parametrize(
    ("asked", "options"),
    [({}, ["--top", "5"]), ({"top": None}, []), ({"top": 1}, ["--top", "1"]), ({"dense": True}, ["--dense"])],
)
def test_transform_equals_the_command_line(
    serving, shell, model_file, kind: str, asked: Any, options: list[str]
) -> None:
    answer = serving(kind).ask("/transform", {"documents": DOCUMENTS, **asked}).json()
    schemas.TransformResponse.model_validate(answer)
    assert answer["documents"] == shell("transform", model_file(kind), "--quiet", *options)
    assert (answer["words"], answer["unknown"]) == (9, 4)


@pytest.mark.parametrize(
    ("asked", "n"), [({}, 5), ({"top": 2}, 2), ({"top": None}, 12), ({"min_weight": 0.9}, 0), ({"dense": True}, 12)]
)
def test_transform_returns_the_largest_topics(asked: Any, n: int) -> None:
    """Of a short document every topic has some share, by its prior."""
    service = Service(tw.LDA(12, alpha=1.0, n_sweeps=2, random_state=0).fit(["ship wave oven"] * 9), RequestLimits())
    task = service.transform(schemas.TransformRequest(documents=["ship wave"], **asked))
    [record] = [json.loads(one.line) for one in task.results(task.documents)]
    assert len(record["topics"]) == n


@pytest.mark.parametrize("kind", PREDICTING)
def test_predict_equals_the_command_line(serving, shell, model_file, kind: str) -> None:
    answer = serving(kind).ask("/predict", {"documents": DOCUMENTS}).json()
    schemas.PredictResponse.model_validate(answer)
    assert answer["documents"] == shell("predict", model_file(kind), "--quiet")


@pytest.mark.parametrize("kind", [kind for kind in PREDICTING if kind != "regressor"])
def test_the_best_classes(serving, shell, model_file, kind: str) -> None:
    answer = serving(kind).ask("/predict", {"documents": DOCUMENTS, "top": 2}).json()
    schemas.PredictResponse.model_validate(answer)
    assert answer["documents"] == shell("predict", model_file(kind), "--quiet", "--top", "2")
    assert [len(document["top"]) for document in answer["documents"]] == [2, 2]


@pytest.mark.parametrize("kind", PREDICTING)
def test_explain_equals_the_command_line(serving, shell, model_file, kind: str) -> None:
    answer = serving(kind).ask("/explain", {"documents": DOCUMENTS, "top": 3}).json()
    schemas.ExplainResponse.model_validate(answer)
    assert answer["documents"] == shell("explain", model_file(kind), "--quiet", "--json", "--top", "3")


@pytest.mark.parametrize("kind", LABELED)
@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"classes": ["sea"]}, ["--class", "sea"]),
        ({"candidates": ["sea", "court"]}, ["--candidates", "sea,court"]),
        ({"own_labels": True}, ["--own-labels", "--label-field", "labels"]),
        ({"snippets": True, "length": 2, "top": 2}, ["--snippets", "--length", "2", "--top", "2"]),
    ],
)
def test_labels_of_words(serving, shell, model_file, kind: str, asked: Any, options: list[str]) -> None:
    documents = [{**document, "labels": ["court"]} for document in DOCUMENTS]
    answer = serving(kind).ask("/explain", {"documents": documents, **asked}).json()
    schemas.ExplainResponse.model_validate(answer)
    assert answer["documents"] == shell("explain", model_file(kind), "--quiet", "--json", *options)


@pytest.mark.parametrize("kind", LABELED)
def test_threshold_applies_to_one_request(serving, shell, model_file, kind: str) -> None:
    server = serving(kind)
    before = server.ask("/predict", {"documents": DOCUMENTS}).json()
    strict = server.ask("/predict", {"documents": DOCUMENTS, "threshold": 0.9}).json()
    assert strict["documents"] == shell("predict", model_file(kind), "--quiet", "--threshold", "0.9")
    assert strict != before
    assert server.ask("/predict", {"documents": DOCUMENTS}).json() == before


def test_numeric_classes_may_be_given_as_numbers(serving: Serving) -> None:
    [document] = serving("binary").ask("/explain", {"documents": ["a ship"], "classes": [0, "1"]}).json()["documents"]
    assert [reasons["what"] for reasons in document["reasons"]] == [0, 1]


def test_selected_topics(serving: Serving) -> None:
    server = serving("labeled")
    assert [topic["name"] for topic in server.ask("/topics?label=sea&topic=0").json()] == ["court", "sea"]
    assert [topic["topic"] for topic in server.ask("/topics?start=1&count=2").json()] == [1, 2]
    assert server.ask("/topics?start=9").json() == []


def test_documents_may_be_texts_words_or_empty(serving: Serving) -> None:
    server = serving("lda")
    documents = ["ship wave", {"text": "ship wave"}, {"words": ["ship", "wave"], "id": 7}]
    answer = server.ask("/transform", {"documents": documents}).json()["documents"]
    assert [document["id"] for document in answer] == [1, 2, 7]
    assert answer[0]["topics"] == answer[1]["topics"] == answer[2]["topics"]
    assert server.ask("/transform", {"documents": []}).json() == {"documents": [], "words": 0, "unknown": 0}


def test_count_model_accepts_words(serving: Serving) -> None:
    server = serving("counts")
    assert server.ask("/model").json()["takes"] == "words"
    assert server.ask("/transform", {"documents": [{"words": ["x0", "x1"]}]}).json()["words"] == 2
    status, reason = server.refused("/transform", {"documents": ["x0 x1"]})
    assert (status, reason) == (
        409,
        'this model was trained on counts, not on texts: send documents as {"words": [...]}',
    )


@pytest.mark.parametrize("kind", MODELS)
def test_model_reports_its_capabilities(serving, kind: str) -> None:
    server = serving(kind)
    about = server.ask("/model").json()
    schemas.ModelResponse.model_validate(about)
    assert about == server.ask("/").json()
    assert about["kind"] in ("LDA", "MedLDAClassifier", "MedLDARegressor", "LabeledLDA", "OnlineLabeledLDA")
    assert (about["classes"] is None) == (kind in ("lda", "counts", "regressor"))
    document = {"words": ["ship"]}
    for path in ("/transform", "/predict", "/explain"):
        answer = server.ask(path, {"documents": [document]})
        assert answer.status_code == (200 if path in about["can"] else 409)
    assert server.ask("/topics").status_code == (200 if "/topics" in about["can"] else 409)


@pytest.mark.parametrize(
    ("kind", "path", "asked", "reason"),
    [
        ("lda", "/predict", {}, "this model makes no predictions: use /transform"),
        ("lda", "/explain", {}, "this model makes no predictions: use /transform"),
        ("one-vs-rest", "/transform", {}, "this model has separate topics for each class"),
        ("regressor", "/predict", {"top": 2}, "top needs a classifier"),
        ("regressor", "/explain", {"classes": ["sea"]}, "classes needs a classifier"),
        ("classifier", "/predict", {"candidates": ["sea"]}, "candidates needs a model of labels: train one with"),
        ("classifier", "/predict", {"threshold": 0.5}, "threshold needs a model of labels: train one with"),
        ("classifier", "/explain", {"snippets": True}, "snippets needs a model of labels: train one with"),
        ("classifier", "/explain", {"own_labels": True}, "own_labels needs a model of labels: train one with"),
    ],
)
def test_rejects_unsupported_requests(serving, kind: str, path: str, asked: Any, reason: str) -> None:
    status, said = serving(kind).refused(path, {"documents": ["a ship"], **asked})
    assert status == 409
    assert said.startswith(reason)


@pytest.mark.parametrize(
    ("path", "asked", "reason"),
    [
        ("/predict", {"candidates": ["moon"]}, "the model has no label 'moon': it has court, kitchen, sea"),
        ("/explain", {"classes": ["moon"]}, "the model has no label 'moon': it has court, kitchen, sea"),
        ("/explain", {"length": 3}, "length needs snippets"),
        ("/predict", {"top": 1, "threshold": 0.1}, "top and threshold exclude each other"),
    ],
)
def test_rejects_unknown_names(serving, path: str, asked: Any, reason: str) -> None:
    status, said = serving("labeled").refused(path, {"documents": ["a ship"], **asked})
    assert status == 422
    assert said.startswith(reason)


def test_concurrent_requests_equal_sequential_requests(serving: Serving) -> None:
    server = serving("labeled", "--jobs", "2")
    requests = [{"documents": [f"ship {name} bread judge wave"] * (n % 3 + 1)} for n, name in enumerate(NAMES * 4)]
    alone = [server.ask("/predict", request).json() for request in requests]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda request: server.ask("/predict", request).json(), requests))
    assert together == alone


def test_chunking_does_not_change_results(serving: Serving) -> None:
    texts = [f"ship {'wave ' * (n % 5)} bread" for n in range(200)]
    server = serving("classifier")
    whole = server.ask("/predict", {"documents": texts}).json()["documents"]
    assert [document["id"] for document in whole] == list(range(1, 201))
    one = server.ask("/predict", {"documents": [texts[133]]}).json()["documents"][0]
    assert {**one, "id": 134} == whole[133]


def test_markup_in_documents_is_not_returned_as_markup(serving: Serving) -> None:
    answer = serving("labeled").ask("/explain", {"documents": ["<script>alert('ship')</script>"]})
    assert "<" not in answer.text
    assert answer.json()["documents"][0]["text"] == "<script>alert('ship')</script>"
