"""``topicwright stream``: training, output and errors."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import shlex
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import topicwright as tw
from topicwright.cli._console import messages
from topicwright.cli.stream.command import StreamModelOptions
from topicwright.cli.stream.output import _LineFile
from topicwright.streaming import Line, Source

from ...models.online.test_model import state_of
from ...streaming.conftest import json_lines
from ..conftest import Outcome, on_terminal


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# ---------------------------------------------------------------------- learning


def test_trains_a_model_from_a_file(invoke: Any, source: Path) -> None:
    done = invoke("stream", source, "-m", "m.tw")
    model = tw.load("m.tw")
    assert done == (
        0,
        "",
        f"m.tw starts with the first line of {source}\n"
        f"read {source} to its end, line 60: {model.n_docs_seen_} documents, 3 labels, "
        f"{len(model.vocabulary_)} words in m.tw\n",
    )
    records = [json.loads(line) for line in source.read_text().splitlines()]
    texts, labels = [record["text"] for record in records], [record["labels"] for record in records]
    expected = tw.OnlineLabeledLDA(stop_words="english").partial_fit(texts, labels)
    assert state_of(model) == state_of(expected)
    assert model.field_ == "labels"


def test_same_command_resumes(invoke: Any, source: Path) -> None:
    content = source.read_text().splitlines(keepends=True)
    source.write_text("".join(content[:25]))
    command = ["stream", source, "-m", "m.tw", "--particles", 3, "--alpha", 0.2, "--beta", 0.05, "--seed", 7]
    command += ["--redraws", 2, "--reservoir", 100, "--forgetting", 0.99, "--unlabelled", "likely"]
    invoke(*command)
    source.write_text("".join(content))
    assert "and continues after line 25 of" in invoke(*command).err
    model = tw.load("m.tw")
    assert model.n_docs_seen_ + model.n_skipped_ == 60
    given = {"n_particles": 3, "alpha": 0.2, "beta": 0.05, "random_state": 7, "rejuvenate_per_label": 2.0}
    given |= {"reservoir": 100, "forgetting": 0.99, "unlabeled": "likely"}
    assert {name: getattr(model, name) for name in given} == given
    refused = invoke("stream", source, "-m", "m.tw", "--alpha", 0.3).refused()
    assert refused.startswith("m.tw was created with --alpha 0.2, not 0.3: leave it out")


@pytest.mark.parametrize(
    ("option", "parameter"),
    [
        ("particles", "n_particles"),
        ("alpha", "alpha"),
        ("beta", "beta"),
        ("redraws", "rejuvenate_per_label"),
        ("reservoir", "reservoir"),
        ("unlabeled", "unlabeled"),
        ("seed", "random_state"),
    ],
)
def test_the_help_has_the_defaults_of_the_library(option: str, parameter: str) -> None:
    info = get_type_hints(StreamModelOptions, include_extras=True)[option].__metadata__[0]
    expected = str(tw.OnlineLabeledLDA().get_params()[parameter])
    topics = str(tw.OnlineLDA().get_params().get({"redraws": "rejuvenate"}.get(option, parameter), expected))
    assert info.show_default == (expected if topics == expected else f"{expected}, or {topics} with --topics")


def test_vocabulary_stop_words_and_knowledge(invoke: Any, source: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("ship\nlaw\n\nbread\n")
    (tmp_path / "stop.txt").write_text("law\n")
    (tmp_path / "known.yaml").write_text("seeds:\n  sea: [ship]\n")
    command = ["stream", source, "-m", "m.tw", "--vocabulary", "words.txt", "--stop-words", "stop.txt"]
    command += ["--knowledge", "known.yaml", "--paper"]
    assert invoke(*command).code == 0
    assert invoke(*command).code == 0
    model = tw.load("m.tw")
    assert model.vocabulary_.tolist() == ["ship", "law", "bread"]
    assert dict(zip(model.vocabulary_, model.topic_word_counts_.sum(axis=0)))["law"] == 0
    assert (model.n_particles, model.combine, model.classes_[0]) == (10, "best", "sea")
    for name, content in {"words.txt": "ship\n", "stop.txt": "sea\n", "known.yaml": "seeds:\n  sea: [wave]\n"}.items():
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(content)
        assert "m.tw was created with another --" in invoke(*command).refused()
        (tmp_path / name).write_text(before)
    invoke("stream", source, "-m", "other.tw")
    assert "as with --paper" in invoke("stream", source, "-m", "other.tw", "--paper").refused()
    invoke("stream", source, "-m", "more.tw", "--paper", "--particles", 3)
    refused = invoke("stream", source, "-m", "more.tw", "--paper").refused()
    assert "--particles 3, not 10 as with --paper" in refused


def test_field_options(invoke: Any, tmp_path: Path) -> None:
    lines = tmp_path / "s.jsonl"
    lines.write_text('{"body": "red apple", "tags": "fruit"}\n')
    invoke("stream", lines, "-m", "m.tw", "--text-field", "body", "--label-field", "tags")
    lines.write_text('{"body": "red apple", "tags": "fruit"}\n{"body": "green grass", "tags": ["lawn"]}\n')
    invoke("stream", lines, "-m", "m.tw", "--text-field", "body")  # the field of labels is remembered
    assert tw.load("m.tw").classes_.tolist() == ["fruit", "lawn"]


def test_pruning(invoke: Any, source: Path) -> None:
    invoke("stream", source, "-m", "m.tw", "--reservoir", 0, "--prune-every", 59, "--prune-below", 5)
    assert not any(word.startswith("extra") for word in tw.load("m.tw").vocabulary_[:-1])


# ---------------------------------------------------------------------- telling


def test_progress_lines_without_a_terminal(invoke: Any, source: Path) -> None:
    err = invoke("stream", source, "-m", "m.tw", "--status", 0.001, "--every", 20).err.splitlines()
    at_20 = [line for line in err if line.startswith("line 20 (")]
    at_40 = [line for line in err if line.startswith("line 40 (")]
    for part in ("documents, ", "words, ", " without labels", "perplexity ", "particles 8, effective "):
        assert part in at_20[0]
    assert "2 labels, new: " in at_20[0]
    assert at_20[0].endswith("saved at line 20")
    assert "3 labels, new: court" in at_40[0]


def test_bad_lines(invoke: Any, source: Path) -> None:
    good = source.read_bytes()
    source.write_bytes(b"bad\n" * 3 + b'{"text": 1}\n\xff\xfe\n' + good + b"[]\n" + b'{"text": "cut o')
    done = invoke("stream", source, "-m", "m.tw", "--bad-lines", "bad.txt")
    assert done.code == 0
    shown = [line for line in done.err.splitlines() if line.startswith("bad line: ")]
    assert shown[0] == f"bad line: {source}, line 1: malformed JSON: Expecting value: line 1 column 1 (char 0)"
    assert shown[-1].startswith(f"bad line: {source}, line 5: text must be UTF-8: got byte 0xff; iconv")
    assert "more bad lines are counted, not shown" in done.err
    assert "the last line is incomplete" in done.err
    assert Path("bad.txt").read_bytes() == b"bad\n" * 3 + b'{"text": 1}\n\xff\xfe\n[]\n'
    assert tw.load("m.tw").stream_.progress.n_bad == 6


def test_json_output(invoke: Any, source: Path) -> None:
    with source.open("a") as file:
        file.write("bad\n")
    done = invoke("stream", source, "-m", "m.tw", "--json", "-q", "--every", 25, "--status", 0.001)
    assert done.err == ""
    told = events(done.out)
    kinds = [event["event"] for event in told]
    assert kinds[0] == "started"
    assert kinds.count("saved") == 3
    assert {"event": "bad_line", "line": 61, "left": False}.items() <= told[kinds.index("bad_line")].items()
    assert kinds[-1] == "end"
    end, model = told[-1], tw.load("m.tw")
    assert (end["line"], end["byte"]) == (61, source.stat().st_size)
    assert (end["documents"], end["skipped"]) == (model.n_docs_seen_, model.n_skipped_)
    assert end["perplexity"] == model.running_perplexity_
    assert end["saved"] == {"line": 61, "byte": end["byte"]}


def test_progress_block_on_a_terminal(source: Path, tmp_path: Path) -> None:
    shown = on_terminal("stream", source, "-m", tmp_path / "m.tw", "--status", "0.001", "--every", "10")
    for part in ("read", "documents", "words", "labels", "perplexity", "particles", "saved at line"):
        assert part in shown
    assert "\x1b[1A" in shown  # it is drawn over
    assert "to its end, line 60" in shown


def test_alerts_do_not_change_the_model(invoke: Any, source: Path, whole: bytes) -> None:
    assert invoke("stream", source, "-m", "m.tw", "--no-alerts").code == 0
    model, watched = tw.load("m.tw"), tw.load("whole.tw")
    assert state_of(model) == state_of(watched)
    assert watched.stream_.monitor_state
    assert not model.stream_.monitor_state
    refused = invoke("stream", source, "-m", "m.tw", "--no-alerts", "--alerts", "a.jsonl").refused()
    assert refused == "--alerts and --no-alerts contradict each other: pass one of them"


# ---------------------------------------------------------------------- what can go wrong


def test_a_full_disk(shell: Any, invoke: Any, source: Path, tmp_path: Path) -> None:
    content = source.read_text().splitlines(keepends=True)
    source.write_text("".join(content[:20]))
    invoke("stream", source, "-m", "m.tw", "-q")
    before = (tmp_path / "m.tw").read_bytes()
    source.write_text("".join(content))

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = shell("stream", source, "-m", "m.tw", "--every", 10, preexec_fn=no_room)
    assert done.code == 2
    warning = "warning: m.tw: cannot write the file: File too large; it is saved up to line 20; learning continues"
    assert done.err.count(warning) == 1
    assert done.err.endswith(
        f"m.tw is saved up to line 20 of {source}\nerror: m.tw: cannot write the file: File too large\n"
    )
    assert (tmp_path / "m.tw").read_bytes() == before


def test_rotated_file(invoke: Any, source: Path) -> None:
    invoke("stream", source, "-m", "m.tw")
    source.rename(source.with_suffix(".1"))
    source.write_text("".join(json_lines(5, seed=3)))
    refused = invoke("stream", source, "-m", "m.tw").refused()
    assert refused.startswith(
        f"{source} is shorter than the file of this name that was read up to line 60: if the file was moved"
    )
    source.write_text("".join(json_lines(100, seed=3)))
    assert f"{source} is not the file of this name" in invoke("stream", source, "-m", "m.tw").refused()
    source.write_text("".join(json_lines(5, seed=3)))
    invoke("stream", source, "-m", "m.tw", "--new-source")
    assert tw.load("m.tw").n_docs_read_ == 65
    invoke("stream", source, "-m", "m.tw", "--new-source")
    assert tw.load("m.tw").n_docs_read_ == 70


@pytest.mark.parametrize("name", ["my news.csv", "my news.csv.gz", "my news.parquet"])
def test_rejects_file_that_is_not_line_based(invoke: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("body,tag\nred apple,fruit\n")
    refused = invoke("stream", name, "-m", "m.tw").refused()
    convert = f": convert it with topicwright convert '{name}'"
    assert refused.endswith(f"{convert} 'my news.jsonl' --label-field NAME")
    (tmp_path / "my news.jsonl").touch()
    refused = invoke("stream", name, "-m", "m.tw", "--text-field", "body", "--label-field", "tag").refused()
    assert refused.endswith(f"{convert} 'my news-lines.jsonl' --text-field body --label-field tag")


def test_csv_converts_to_a_stream(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("body,tag\nred apple,fruit\n")
    refused = invoke("stream", "t.csv", "-m", "m.tw", "--text-field", "body", "--label-field", "tag").refused()
    command = shlex.split(refused.partition("convert it with topicwright ")[2])
    assert invoke(*command).code == 0
    assert "1 document, 1 label, 2 words in m.tw" in invoke("stream", "t.jsonl", "-m", "m.tw").err


def test_misspelled_label_field(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"text": "red apple", "tags": ["fruit"]}\n')
    refused = invoke("stream", "t.jsonl", "-m", "m.tw", "--label-field", "tagz", "-q").refused()
    assert refused == "t.jsonl: no record has a field 'tagz'; its fields are: text, tags"


def test_source_without_documents(invoke: Any, source: Path) -> None:
    source.write_text(re.sub(r'"labels": \[.*?\]', '"labels": []', source.read_text()))
    refused: Outcome = invoke("stream", source, "-m", "m.tw", "-q")
    assert refused.refused() == (
        f"no line of {source} had a text with words and labels, so there is no model: got 60 lines, "
        "60 of them without labels, 0 bad; --topics N learns topics without labels"
    )
    assert not Path("m.tw").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["SOURCE"], "missing option '--model'"),
        (["SOURCE", "-m", "-"], "a model cannot be written to standard output"),
        (["SOURCE", "-m", "SOURCE"], "the output must not be an input"),
        (["SOURCE", "-m", "m.tw", "--bad-lines", "SOURCE"], "the output must not be an input"),
        (["SOURCE", "-m", "m.tw", "--bad-lines", "-"], "bad lines cannot be written to standard output"),
        (["SOURCE", "-m", "nowhere/m.tw"], "nowhere does not exist"),
        (["absent.jsonl", "-m", "m.tw"], "cannot read absent.jsonl: No such file or directory"),
        (["SOURCE", "-m", "MODEL"], "needs an OnlineLabeledLDA model"),
        (["SOURCE", "-m", "DOCUMENTS"], "exists and is not a model"),
        (["SOURCE", "-m", "m.tw", "--alpha", "0"], "alpha must be a number from"),
        (["SOURCE", "-m", "m.tw", "--every", "0"], "--every must be an integer of at least 1"),
        (["SOURCE", "-m", "m.tw", "--vocabulary", "absent.txt"], "cannot read absent.txt"),
        (["-", "-m", "m.tw", "--follow"], "standard input cannot be followed"),
        (["s.jsonl.gz", "-m", "m.tw", "--follow"], "a compressed file cannot be followed"),
    ],
)
def test_error_messages(invoke: Any, request: Any, source: Path, arguments: list[str], sentence: str) -> None:
    source.with_name("s.jsonl.gz").write_bytes(gzip.compress(source.read_bytes()))
    places = {"SOURCE": "source", "MODEL": "model", "DOCUMENTS": "documents"}
    given = [request.getfixturevalue(places[word]) if word in places else word for word in arguments]
    assert sentence in invoke("stream", *given, "-q").refused()


def test_stored_position_matches_the_source(invoke: Any, source: Path) -> None:
    """The stored offset is a byte offset of the file."""
    invoke("stream", source, "-m", "m.tw")
    (place,) = tw.load("m.tw").stream_.progress.places
    with Source(source) as opened:
        opened.find_position([])
        last = [line for line in opened if isinstance(line, Line)][-1]
    assert last.position == place
    assert place.offset == os.path.getsize(source)


def test_partly_written_line_gives_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    messages.cache_clear()
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5, hard))
    try:
        _LineFile(tmp_path / "bad.txt").add(b"a bad line")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
    assert "bad.txt: File too large; lines are missing there" in capsys.readouterr().err
