"""Files, options and the command of ``python -m benchmarks medlda``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.assertions import raises_input

from benchmarks.common.datasets import Source
from benchmarks.medlda import PARTS, MedLDAOptions, Problem, run
from benchmarks.medlda.corpora import load
from benchmarks.medlda.options import parse_grid, parse_numbers, parse_settings
from topicwright.errors import InputError

from .helpers import call, write_lines
from .tiny_problems import documents, tiny_problems, without_test


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    return tiny_problems()


def test_documents_use_given_or_random_split(tmp_path: Path) -> None:
    path = write_lines(documents(30, 1), tmp_path / "all.jsonl", part=["train", "train", "train", "test", "none"])
    by_field = load(Source(str(path), split="part", min_df=1))["classes"]
    assert (by_field.train.n_docs, by_field.test.n_docs) == (18, 6)
    by_chance = load(Source(str(path), min_df=1, seed=3))["classes"]
    assert (by_chance.train.n_docs, by_chance.test.n_docs) == (24, 6)
    with pytest.raises(InputError, match="no document has 'train' in its field 'labels'"):
        load(Source(str(path), split="labels", min_df=1))


def test_test_documents_use_training_vocabulary(tmp_path: Path) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    train.write_text(
        "".join(
            json.dumps({"text": text, "labels": label}) + "\n"
            for text, label in [
                ("red red apple", "a"),
                ("red the pear", "b"),
            ]
        )
    )
    test.write_text(json.dumps({"text": "apple red plum", "labels": "a"}) + "\n")
    problem = load(Source(str(train), test=str(test), min_df=2))["classes"]
    assert problem.train.vocabulary.tolist() == ["red"]
    assert problem.test.words(0) == ["red"]
    assert problem.train.n_docs == 2


def test_a_target_makes_it_a_regression(tmp_path: Path) -> None:
    path = write_lines(documents(20, 1), tmp_path / "all.jsonl", rating=[0, 1, 2])
    (problem,) = load(Source(str(path), target="rating", min_df=1)).values()
    assert problem.kind == "targets"
    assert set(problem.y_train.tolist()) == {0.0, 1.0, 2.0}


def test_docstrings_give_one_problem_of_each_kind() -> None:
    found = load(Source())
    assert found["classes"].names == ("numpy", "scipy", "sklearn")
    assert found["labels"].n_tasks > 50
    assert found["targets"].y_train.std() > 0.1
    assert len({problem.train.n_docs for problem in found.values()}) == 1


@pytest.mark.parametrize(
    ("options", "parameter", "got"),
    [
        ({"parts": ("figure9",)}, "part", "figure9"),
        ({"topics": ()}, "topics", ()),
        ({"topics": (0,)}, "topics", (0,)),
        ({"sweeps": 2}, "sweeps", 2),
        ({"beta": 0.0}, "beta", 0.0),
        ({"peers": ("gensim",)}, "peers", "gensim"),
        ({"classes": ("a",)}, "classes", ("a",)),
        ({"loss": "squared"}, "loss", "squared"),
        ({"warm_up": -1}, "warm_up", -1),
        ({"grid": (("gamma", (1.0,)),)}, "grid", "gamma"),
        ({"grid": (("beta", (-1.0,)),)}, "grid", (-1.0,)),
        ({"grid": (("mh_steps", (1.5,)),)}, "grid", (1.5,)),
        ({"more": (("n_topics", 3),)}, "set", "n_topics"),
    ],
)
def test_options_are_checked(options: dict[str, Any], parameter: str, got: Any) -> None:
    with raises_input(parameter, got=got):
        MedLDAOptions(**options)


def test_parses_options_of_the_command_line() -> None:
    assert parse_numbers("topics", "20, 40,") == (20, 40)
    assert parse_grid(["alpha-sum=1,2"]) == (("alpha_sum", (1.0, 2.0)),)
    assert parse_settings(["a=1", "b=x"]) == (("a", 1), ("b", "x"))
    for parse, text in ((parse_grid, "beta"), (parse_settings, "class_weight")):
        with pytest.raises(InputError, match="must be like"):
            parse([text])
    with raises_input("topics", got="many"):
        parse_numbers("topics", "many")


def test_rejects_part_without_its_inputs(problems: dict[str, Problem]) -> None:
    with pytest.raises(InputError, match="figure3 needs documents with several labels per document: got classes"):
        run(MedLDAOptions(parts=("figure3",)), {"classes": problems["classes"]})
    empty = without_test(problems["classes"])
    with pytest.raises(InputError, match="documents to test on"):
        run(MedLDAOptions(parts=("figure2",)), {"classes": empty})


def test_the_command(tmp_path: Path) -> None:
    path, output = write_lines(documents(40, 1), tmp_path / "news.jsonl", rating=[0, 1, 2]), tmp_path / "out.json"
    short = ["--topics", "3", "--sweeps", 3, "--min-df", 1, "--peers", "none", "--seconds", 0.01, "--rounds", 1]
    done = call("medlda", "--corpus", path, *short, "--set", "class_weight=balanced", "--json", output)
    assert done.exit_code == 0, done.output
    assert all(title in done.stdout for title in ("Figure 1", "Figure 2", "Curves", "Speed", "Goals"))
    written = json.loads(output.read_text())["parameters"]
    assert written["parts"] == ["figure1", "figure2", "curves", "speed"]
    assert written["more"] == [["class_weight", "balanced"]]


def test_the_command_chooses(tmp_path: Path) -> None:
    path = write_lines(documents(40, 1), tmp_path / "news.jsonl", rating=[0, 1, 2])
    grid = ["--grid", "beta=0.01,0.1", "--grid", "margin=8"]
    done = call(
        "medlda",
        "--corpus",
        path,
        "--target",
        "rating",
        "--part",
        "choose",
        "--topics",
        2,
        "--sweeps",
        3,
        "--min-df",
        1,
        *grid,
    )
    assert done.exit_code == 0, done.output
    assert "--beta 0.1 --margin 8" in done.stdout
    assert "Test documents are not used" in done.stdout


def test_invalid_use_exits_with_2(tmp_path: Path) -> None:
    assert call("medlda", "--part", "figure9").exit_code == 2
    assert call("medlda", "--topics", "many").exit_code == 2
    assert call("medlda", "--corpus", tmp_path / "nowhere.jsonl").exit_code == 2
    assert call("medlda", "--target", "rating").exit_code == 2
    assert call("medlda", "--corpus", "x.jsonl", "--test", "y.jsonl", "--split", "split").exit_code == 2


def test_help_has_an_example_and_names_the_parts() -> None:
    done = call("medlda", "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert all(part in done.stdout for part in PARTS if not part.startswith("figure"))
