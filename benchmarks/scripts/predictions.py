"""Predictions on test documents: our classifiers with default parameters, and linear models on TF-IDF vectors.

    python -m benchmarks.scripts.predictions --data reuters movies --json predictions.jsonl
    python -m benchmarks.scripts.predictions --show predictions.jsonl

Linear models have the default parameters of scikit-learn, and where documents have several labels also predict the
label with the largest score. CPU seconds are those of reading the texts and fitting. The files are expected where
``reference_corpora`` expects them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, label_ranking_average_precision_score, r2_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import SVR, LinearSVC, LinearSVR

import topicwright as tw

from .reference_corpora import data_file

FILES = {
    "20 Newsgroups": "20newsgroups.jsonl.xz",
    "Reuters": "reuters21578.jsonl.xz",
    "arXiv": "arxiv100k.jsonl.xz",
    "delicious": "delicious.jsonl.xz",
    "movie classes": "movie_scale.jsonl.xz",
    "movie ratings": "movie_scale.jsonl.xz",
}
SEVERAL, ONE, NUMBER = "labels", "class", "number"
FIGURES = {ONE: ["accuracy"], SEVERAL: ["micro F1", "macro F1", "LRAP"], NUMBER: ["R2"]}


class Data(NamedTuple):
    """Training and test documents, and what to predict."""

    kind: str
    texts: list[str]
    targets: list[Any]
    test_texts: list[str]
    test_targets: list[Any]


def load(name: str) -> Data:
    """A data set in its published split; of arXiv every fourth abstract, and of movie reviews every fourth for test."""
    with lzma.open(data_file(FILES[name]), "rt", encoding="utf8") as lines:
        records = [record for record in map(json.loads, lines) if record["labels"]]
    if name == "arXiv":
        records = [records[n] for n in np.random.default_rng(0).permutation(np.arange(0, len(records), 4))]
        is_test = np.arange(len(records)) >= 20_000
    elif name.startswith("movie"):
        is_test = np.arange(len(records)) % 4 == 3
    else:
        records = [record for record in records if record["split"] in ("train", "test")]
        is_test = np.array([record["split"] == "test" for record in records])
    texts = [record["text"].split("\n\n", 1)[-1] if name == "20 Newsgroups" else record["text"] for record in records]
    if name == "movie ratings":
        kind, targets = NUMBER, [record["rating"] for record in records]
    elif name == "movie classes":
        kind, targets = ONE, [str(record["class3"]) for record in records]
    elif name == "20 Newsgroups":
        kind, targets = ONE, [record["labels"][0] for record in records]
    else:
        kind, targets = SEVERAL, [record["labels"] for record in records]
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    return Data(
        kind,
        [texts[n] for n in train],
        [targets[n] for n in train],
        [texts[n] for n in test],
        [targets[n] for n in test],
    )


def linear(estimator: Any, *, counts: bool = False) -> Callable[[str], Any]:
    """Pipeline of words and a linear model; one model for each label if there are several."""
    vectorizer = CountVectorizer() if counts else TfidfVectorizer(sublinear_tf=True)
    return lambda kind: make_pipeline(vectorizer, OneVsRestClassifier(estimator) if kind == SEVERAL else estimator)


def models(kind: str) -> dict[str, Callable[[str], Any]]:
    """Models for a kind of target by name."""
    if kind == NUMBER:
        return {
            "linear SVR": linear(LinearSVR()),
            "SVR": linear(SVR()),
            "ridge": linear(Ridge()),
            "MedLDARegressor": lambda kind: tw.MedLDARegressor(random_state=0, n_jobs=1, evaluate_every=0),
        }
    return {
        "linear SVM": linear(LinearSVC()),
        "logistic regression": linear(LogisticRegression(max_iter=1000)),
        "naive Bayes": linear(MultinomialNB(), counts=True),
        "MedLDAClassifier": lambda kind: tw.MedLDAClassifier(random_state=0, n_jobs=1, evaluate_every=0),
        "LabeledLDA": lambda kind: tw.LabeledLDA(random_state=0, n_jobs=1, evaluate_every=0),
    }


def measure(data: Data, new_model: Callable[[str], Any]) -> dict[str, float]:
    """CPU seconds of fit, and the figures on test documents."""
    model = new_model(data.kind)
    targets: Any = data.targets
    classes = MultiLabelBinarizer().fit(data.targets) if data.kind == SEVERAL else None
    is_ours = not hasattr(model, "steps")
    if classes is not None and not is_ours:
        targets = classes.transform(targets)
    if is_ours and isinstance(model, tw.LabeledLDA) and data.kind == ONE:
        targets = [[target] for target in targets]
    started = time.process_time()
    model.fit(data.texts, targets)
    seconds = time.process_time() - started
    if data.kind == NUMBER:
        return {"seconds": seconds, "R2": r2_score(data.test_targets, model.predict(data.test_texts))}
    if data.kind == ONE:
        predicted = model.predict(data.test_texts)
        found = [own[0] if isinstance(own, (list, tuple)) and own else str(own) for own in predicted]
        return {"seconds": seconds, "accuracy": accuracy_score(data.test_targets, found)}
    assert classes is not None
    scores = _scores(model, data.test_texts, classes.classes_)
    known = set(classes.classes_)
    truth = classes.transform([[label for label in own if label in known] for own in data.test_targets])
    if is_ours:
        chosen = classes.transform(model.predict(data.test_texts))
    else:
        chosen = (scores > (0.5 if hasattr(model[-1], "predict_proba") else 0.0)).astype(int)
        chosen[np.arange(len(chosen)), scores.argmax(axis=1)] = 1
    return {
        "seconds": seconds,
        "micro F1": f1_score(truth, chosen, average="micro", zero_division=0),
        "macro F1": _macro_f1(truth, chosen),
        "LRAP": label_ranking_average_precision_score(truth, scores),
    }


def _scores(model: Any, texts: list[str], labels: Iterable[str]) -> NDArray[np.float64]:
    scores = getattr(model, "predict_proba" if hasattr(model, "predict_proba") else "decision_function")(texts)
    column = {label: n for n, label in enumerate(getattr(model, "classes_", labels))}
    order = [column[label] for label in labels] if not hasattr(model, "steps") else slice(None)
    return np.asarray(scores)[:, order]


def _macro_f1(truth: NDArray[Any], chosen: NDArray[Any]) -> float:
    """Mean F1 of the labels that occur or are predicted."""
    used = np.flatnonzero((truth + chosen).any(axis=0))
    return float(f1_score(truth[:, used], chosen[:, used], average="macro", zero_division=0))


def show(path: Path) -> None:
    """Print a table for each data set."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    for name in dict.fromkeys(run["data"] for run in runs):
        own = [run for run in runs if run["data"] == name]
        figures = FIGURES[own[0]["kind"]]
        print(f"| {name} | {' | '.join(figures)} | CPU s |\n| --- |{' ---: |' * (len(figures) + 1)}")
        for run in own:
            cells = [f"{run[figure]:.3f}" for figure in figures]
            print(f"| {run['model']} | {' | '.join(cells)} | {run['seconds']:.1f} |")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=list(FILES), default=list(FILES))
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--json", type=Path, default=Path("predictions.jsonl"))
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return
    for name in options.data:
        data = load(name)
        for model, new_model in models(data.kind).items():
            if options.models and model not in options.models:
                continue
            run = {"data": name, "kind": data.kind, "model": model, **measure(data, new_model)}
            with options.json.open("a") as file:
                file.write(json.dumps(run) + "\n")
            print(run, flush=True)


if __name__ == "__main__":
    main()
