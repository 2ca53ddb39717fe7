from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.assertions import raises_input

from benchmarks.lda import PROGRAMS, LDAOptions, plots, report, run
from benchmarks.lda._programs import Gensim, Task
from benchmarks.lda.memory import peak_memory
from benchmarks.lda.results import LDAResult, ProgramRecord, Track, Turn
from topicwright.corpus.corpus import Corpus

from .helpers import call, check_comes_back, images, printed


@pytest.fixture(scope="module")
def result(corpus: Corpus) -> LDAResult:
    """Every installed program, with gensim reported as missing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gensim, "missing", lambda: "not installed")
        return run(LDAOptions(n_topics=3, n_sweeps=7, every=3, repeats=2, threads=2, memory=False), corpus)


def test_contestants_run_every_sweep_in_turns(result: LDAResult) -> None:
    for contestant in result.contestants:
        for track in contestant.tracks:
            expected = [1, 1, 1] if contestant.variational else [3, 3, 1]
            assert [turn.n_sweeps for turn in track.turns] == expected
        assert [track.seed for track in contestant.tracks] == [0, 1]


def test_programs_that_can_also_run_on_two_threads(result: LDAResult) -> None:
    assert result.find("topicwright", threads=2) is not None
    assert result.find("cpp", threads=2) is None


def test_results_do_not_depend_on_threads(result: LDAResult) -> None:
    one, two = (result.find("topicwright", threads=n) for n in (1, 2))
    assert one is not None
    assert two is not None
    assert one.final("log_likelihood") == two.final("log_likelihood")


def test_missing_program_is_reported_with_reason(result: LDAResult) -> None:
    assert result.missing["gensim"] == "not installed"
    assert "gensim is left out: not installed" in result.notes


def test_the_table_has_a_row_for_each_contestant(result: LDAResult) -> None:
    text = printed(report, result)
    for contestant in result.contestants:
        assert contestant.name in text


def test_json_holds_every_turn_and_the_summary(result: LDAResult, tmp_path: Path) -> None:
    result.save(tmp_path / "result.json")
    read = json.loads((tmp_path / "result.json").read_text())
    ours = read["contestants"][0]
    assert ours["program"] == "topicwright"
    assert len(ours["tracks"]) == 2
    assert set(read["summary"][0]["log_likelihood_at_sweeps"]) == {"3", "7"}


def test_plot_is_an_image(result: LDAResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert images(plots, result, tmp_path) == ["lda"]


def test_json_round_trip(result: LDAResult, tmp_path: Path) -> None:
    check_comes_back(result, report, tmp_path / "out.json")


def test_a_ratio_compares_turns_of_the_same_round() -> None:
    """A machine that is ten times slower in one round affects both, and the ratio is unchanged."""
    slow = [1.0, 1.0, 1.0, 10.0, 1.0, 10.0]
    ours = ProgramRecord("topicwright", 1, False, 9, [Track("", 1, 0, 0.0, [Turn(1, s, s, -1.0, None) for s in slow])])
    theirs = ProgramRecord(
        "tomotopy", 1, False, 9, [Track("", 1, 0, 0.0, [Turn(1, 3 * s, s, -1.0, None) for s in slow])]
    )
    result = LDAResult({}, {"every": 1, "n_sweeps": 6}, {}, [ours, theirs], {})
    assert result.ratios(ours) == pytest.approx([3.0, 3.0, 3.0])


def test_rates_are_medians_and_ratios_of_them() -> None:
    def contestant(name: str, seconds: list[float]) -> ProgramRecord:
        turns = [Turn(2, cpu, cpu, -1.0 / (i + 1), None) for i, cpu in enumerate(seconds)]
        return ProgramRecord(name, 1, False, 100, [Track(name, 1, 0, 0.0, turns)])

    ours, theirs = (
        contestant("topicwright", [4.0, 2.0, 1.0, 1.0]),
        contestant("tomotopy", [4.0, 4.0, 2.0, 2.0]),
    )
    result = LDAResult({}, {"every": 2, "n_sweeps": 8}, {}, [ours, theirs], {})
    assert ours.rate() == (100 + 200) / 2
    assert ours.rate(late=True) == 200
    assert result.ratio(ours) == 2.0
    assert result.summary(ours)["ratio_to_tomotopy_quartiles"] == [2.0, 2.0]
    assert ours.value_at("log_likelihood", "n_sweeps", 3) == pytest.approx(-0.75)
    assert ours.value_at("log_likelihood", "cpu", 3.0) is None  # before the first turn's end
    assert result.second_marks() == [4.0, 8.0]


@pytest.mark.parametrize(
    ("options", "parameter", "got"),
    [
        ({"programs": ("mallet",)}, "programs", "mallet"),
        ({"programs": ()}, "programs", "none"),
        ({"n_sweeps": 0}, "n_sweeps", 0),
        ({"seed": -1}, "seed", -1),
        ({"alpha": -1.0}, "alpha", -1.0),
    ],
)
def test_rejects_invalid_options(options: dict[str, Any], parameter: str, got: Any) -> None:
    with raises_input(parameter, got=got):
        LDAOptions(**options)


def test_a_prior_must_be_a_number() -> None:
    with raises_input("alpha"):
        LDAOptions(alpha=float("nan"))


def test_one_thread_comes_before_several(corpus: Corpus) -> None:
    few = LDAOptions(n_topics=2, n_sweeps=1, programs=("topicwright",), threads=8, memory=False)
    assert [one.name for one in run(few, corpus).contestants] == ["topicwright", "topicwright × 8"]


def test_held_out_documents_must_have_the_same_words(corpus: Corpus) -> None:
    other = Corpus(np.array([0]), np.array([0, 1]), np.array(["a"], dtype=object))
    with raises_input("held_out", got=1):
        run(LDAOptions(), corpus, other)


@pytest.mark.parametrize("name", ["tomotopy", "cpp"])
def test_memory_grows_with_the_corpus(name: str) -> None:
    if reason := PROGRAMS[name].missing():
        pytest.skip(reason)
    n = 1_000_000
    words = np.array([f"w{i}" for i in range(50)], dtype=object)
    large = Corpus(np.arange(n) % 50, np.arange(0, n + 1, 1000), words)
    peak = peak_memory(name, Task(large, 2, 0.1, 0.01, seed=0))
    assert peak is not None
    assert peak > 4 * n  # a topic for each token, at the least


# ---------------------------------------------------------------------- the command

TEXTS = ["the cats purr and the dogs bark", "stocks and bonds rise and fall"] * 30
SHORT = ["--n-topics", 2, "--sweeps", 4, "--every", 2, "--programs", "topicwright", "--no-memory"]


def test_the_command_reads_a_file_and_writes_json(tmp_path: Path) -> None:
    source, output = tmp_path / "texts.txt", tmp_path / "out.json"
    source.write_text("\n".join(TEXTS))
    done = call("lda", "--corpus", source, *SHORT, "--json", output)
    assert done.exit_code == 0, done.output
    assert "topicwright" in done.stdout
    read = json.loads(output.read_text())
    assert read["corpus"]["n_words"] == 8  # "the", "and" are stop words
    assert read["parameters"]["n_sweeps"] == 4


def test_split_file_selects_held_out_documents(tmp_path: Path) -> None:
    source, output = tmp_path / "texts.jsonl", tmp_path / "out.json"
    parts = ["test" if d % 5 == 0 else "train" for d in range(len(TEXTS))]
    source.write_text("".join(json.dumps({"text": t, "split": part}) + "\n" for t, part in zip(TEXTS, parts)))
    done = call("lda", "--corpus", source, "--split", "split", *SHORT, "--json", output)
    assert done.exit_code == 0, done.output
    sizes = json.loads(output.read_text())["corpus"]
    assert (sizes["n_docs"], sizes["n_held_out_docs"]) == (48, 12)


def test_help_has_an_example() -> None:
    done = call("lda", "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
