"""The runner: a saved model has learned from exactly the lines up to its stored position."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.models.online.state import SourcePosition
from topicwright.streaming import BadLine, Runner, Saved, SaveFailed, Source, SourceRotated, Started, Status
from topicwright.streaming import runner as runner_module

from ..models.online.test_interruption import ctrl_c_within
from ..models.online.test_model import state_of, stream_of
from .conftest import json_lines


def new_model(**options: Any) -> tw.OnlineLabeledLDA:
    return tw.OnlineLabeledLDA(**{"n_particles": 2, "reservoir": 200, **options})


def run(source: Path, path: Path, model: Any = None, **options: Any) -> list[Any]:
    """Resume the model file or create it; returns the events."""
    events: list[Any] = []
    model = model or (tw.load(path) if path.exists() else new_model())
    with Source(source, follow=options.pop("follow", False)) as opened:
        events.append(Runner(model, opened, path, on_event=events.append, **options).run())
    return events


def of_kind(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_runner_equals_partial_fit(lines: Path, tmp_path: Path) -> None:
    events = run(lines, tmp_path / "m.tw", batch_size=7)
    texts, labels = stream_of(300, without=0.1)
    assert state_of(tw.load(tmp_path / "m.tw")) == state_of(new_model().partial_fit(texts, labels))
    status = events[-1]
    assert (status.documents + status.skipped, status.bad_lines, status.position.lines) == (300, 4, 305)
    assert status.labels == status.n_new_labels == 3
    assert sorted(status.new_labels) == ["court", "kitchen", "sea"]
    assert status.size == status.position.offset == lines.stat().st_size
    assert status.saved == status.position
    assert status.documents_per_second > 0
    model = tw.load(tmp_path / "m.tw")
    assert status.perplexity == model.running_perplexity_
    assert (status.vocabulary, status.words) == (len(model.vocabulary_), model.n_tokens_seen_)


def test_invalid_lines_are_reported_by_number(lines: Path, tmp_path: Path) -> None:
    lines.write_bytes(lines.read_bytes() + b'\xff\n{"text": "ship", "labels": {"sea": 1}}\n' + b"[" * 100_000 + b"\n")
    bad = of_kind(run(lines, tmp_path / "m.tw"), BadLine)
    assert [line.number for line in bad] == [1, 9, 101, 251, 306, 307, 308]
    reasons = [line.reason.removeprefix(f"{lines}, line {line.number}: ") for line in bad]
    assert reasons[:5] == [
        "malformed JSON: Expecting value: line 1 column 1 (char 0)",
        "'text' must be a string: got int",
        "a line must be a JSON object: got list; an array can't be read, only one object a line: jq -c '.[]' makes "
        "such lines",
        "no field 'text' (text='NAME' names another); its fields are: labels",
        "text must be UTF-8: got byte 0xff; iconv -f latin1 -t utf-8 may convert it",
    ]
    assert bad[0].data == b"not JSON"


def test_overlong_line(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    source.write_text('{"text": "ship", "labels": ["sea"]}\n' + '{"text": "' + "x" * 200 + '"}\n')
    with Source(source, max_line_bytes=100) as opened:
        events: list[Any] = []
        status = Runner(new_model(), opened, tmp_path / "m.tw", on_event=events.append).run()
    assert [line.reason for line in of_kind(events, BadLine)] == [f"{source}, line 2: the line is too long: 213 bytes"]
    assert (status.documents, status.bad_lines) == (1, 1)


def test_saved_model_matches_the_position(lines: Path, tmp_path: Path) -> None:
    """At every checkpoint, counts of documents and invalid lines match the lines up to the position."""
    content, checked = lines.read_text().splitlines(), []

    def score(event: Any) -> None:
        if isinstance(event, Saved):
            reading = tw.load(tmp_path / "m.tw").stream_.progress
            lines_read = content[: event.position.lines]
            n_bad = sum(line.startswith(("not", '{"text": 3', "[", '{"labels')) for line in lines_read)
            model = tw.load(tmp_path / "m.tw")
            assert reading.places == (event.position,)
            assert reading.n_bad == n_bad
            assert model.n_docs_read_ == len([line for line in lines_read if line]) - n_bad
            checked.append(event.position.lines)

    with Source(lines) as opened:
        Runner(new_model(), opened, tmp_path / "m.tw", every=13, batch_size=5, on_event=score).run()
    assert len(checked) == 300 // 13 + 1
    assert checked[-1] == 305


def test_checkpoints_by_time(lines: Path, tmp_path: Path) -> None:
    assert len(of_kind(run(lines, tmp_path / "a.tw", seconds=1e-9, batch_size=10), Saved)) >= 30
    assert len(of_kind(run(lines, tmp_path / "b.tw", seconds=None), Saved)) == 1
    assert of_kind(run(lines, tmp_path / "b.tw", seconds=1e-9), Saved) == []  # there is nothing new


def test_rejects_unsupported_labels(tmp_path: Path) -> None:
    model = new_model().fit(["ship"], [[3]])
    source = tmp_path / "s.jsonl"
    records = [{"text": "law", "labels": [label]} for label in ("court", "3", "sea", "3", "court")]
    source.write_text("".join(json.dumps(record) + "\n" for record in records) + "\nbad\n")
    events = run(source, tmp_path / "m.tw", model)
    line_3 = b'{"text": "law", "labels": ["3"]}'
    assert [(line.number, line.data) for line in of_kind(events, BadLine)] == [(7, b"bad"), (2, line_3), (4, line_3)]
    assert "line 2: labels must differ as text: got '3' and 3" in of_kind(events, BadLine)[1].reason
    assert (events[-1].documents, events[-1].bad_lines, events[-1].position.lines) == (4, 3, 7)
    assert tw.load(tmp_path / "m.tw").stream_.progress.n_bad == 3


def test_incomplete_last_line_is_left(tmp_path: Path) -> None:
    source, first, second = tmp_path / "s.jsonl", *json_lines(2, without=0)
    source.write_text(first + second[:-9])
    events = run(source, tmp_path / "m.tw")
    assert [line.is_incomplete for line in of_kind(events, BadLine)] == [True]
    assert (events[-1].documents, events[-1].bad_lines, events[-1].position.lines) == (1, 0, 1)
    source.write_text(first + second.rstrip("\n"))
    assert run(source, tmp_path / "m.tw")[-1].documents == 2
    source.write_text(first + second + first)
    events = run(source, tmp_path / "m.tw")
    assert (events[-1].documents, events[-1].bad_lines, events[-1].position.lines) == (3, 0, 3)


def test_several_sources_in_turn(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_text("".join(json_lines(30, 1)))
    second.write_text("".join(json_lines(30, 2)))
    n_read = []
    for source in (first, second, first, second, first):
        status = run(source, tmp_path / "m.tw")[-1]
        n_read.append(status.documents + status.skipped)
    assert n_read == [30, 60, 60, 60, 60]
    with first.open("a") as file:
        file.writelines(json_lines(2, 3))
    events = run(first, tmp_path / "m.tw")
    assert (events[0].position.lines, events[-1].documents + events[-1].skipped) == (30, 62)
    assert of_kind(events, Started) == [Started(events[0].position, status.documents)]
    assert [position.name for position in tw.load(tmp_path / "m.tw").stream_.progress.places] == [
        str(second),
        str(first),
    ]


def test_saving_again_keeps_the_position(lines: Path, tmp_path: Path) -> None:
    run(lines, tmp_path / "m.tw")
    model = tw.load(tmp_path / "m.tw")
    model.partial_fit(["ship"], [["sea"]]).save(tmp_path / "m.tw")
    assert of_kind(run(lines, tmp_path / "m.tw"), Saved) == []
    assert tw.load(tmp_path / "m.tw").n_docs_seen_ == model.n_docs_seen_


def test_source_without_documents_writes_no_model(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    source.write_text('{"text": "ship"}\nbad\n{"text": "", "labels": ["sea"]}\n')
    status = run(source, tmp_path / "m.tw", every=1)[-1]
    assert (status.documents, status.skipped, status.bad_lines, status.saved) == (1, 1, 1, None)
    assert not (tmp_path / "m.tw").exists()
    assert run(source, tmp_path / "m.tw", new_model(unlabeled="likely"))[-1].skipped == 1


def test_damaged_source_is_read_up_to_the_damage(tmp_path: Path) -> None:
    import gzip

    source = tmp_path / "s.jsonl.gz"
    source.write_bytes(gzip.compress("".join(json_lines(3000)).encode())[:-2000])
    with pytest.raises(InputError, match="damaged or cut short"):
        run(source, tmp_path / "m.tw", seconds=None)
    model = tw.load(tmp_path / "m.tw")
    assert 1000 < model.n_docs_read_ == model.stream_.progress.places[-1].lines < 3000


def test_stops_on_request(lines: Path, tmp_path: Path) -> None:
    calls = iter(range(10**6))
    status = run(lines, tmp_path / "m.tw", stop=lambda: next(calls) == 57)[-1]
    assert status.position.lines == status.saved.lines == 58
    run(lines, tmp_path / "m.tw")
    run(lines, tmp_path / "whole.tw")
    assert (tmp_path / "m.tw").read_bytes() == (tmp_path / "whole.tw").read_bytes()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Ctrl-C may come between the opening of a file and its "with"
def test_ctrl_c_at_any_time(lines: Path, tmp_path: Path) -> None:
    """The model stays consistent: after saving, no line is learned twice and none is skipped."""
    run(lines, tmp_path / "whole.tw")
    path, rng, position = tmp_path / "m.tw", np.random.default_rng(0), None
    while position is None or position.lines < 305:
        model = tw.load(path) if path.exists() else new_model()
        with Source(lines) as opened:
            runner = Runner(model, opened, path, every=50, batch_size=20)
            with pytest.raises(KeyboardInterrupt), ctrl_c_within(rng.uniform(0, 0.01)):
                runner.run()
            assert runner.checkpoint()
            position = runner.status().saved
    assert path.read_bytes() == (tmp_path / "whole.tw").read_bytes()


@pytest.fixture
def small_files() -> Iterator[Any]:
    """A disk on which files cannot exceed a size, until it has space again."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_stream_continues_on_a_full_disk(
    lines: Path, tmp_path: Path, small_files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "_RETRY_SECONDS", 0.0)
    path, events = tmp_path / "m.tw", []

    def score(event: Any) -> None:
        events.append(event)
        kinds = [type(event) for event in events if isinstance(event, (Saved, SaveFailed))]
        if kinds == [Saved]:
            before.append(path.read_bytes())
            small_files(1000)
        if kinds == [Saved, SaveFailed, SaveFailed]:
            assert path.read_bytes() == before[0]
            assert list(tmp_path.glob(".*")) == []
            small_files(resource.getrlimit(resource.RLIMIT_FSIZE)[1])

    before: list[bytes] = []
    with Source(lines) as opened:
        status = Runner(new_model(), opened, path, every=20, on_event=score).run()
    failed = of_kind(events, SaveFailed)
    assert len(failed) == 2
    assert failed[0].last == of_kind(events, Saved)[0].position
    assert "cannot write the file" in str(failed[0].error)
    assert status.saved.lines == 305
    run(lines, tmp_path / "whole.tw")
    assert path.read_bytes() == (tmp_path / "whole.tw").read_bytes()


def test_failed_saves_are_retried_later(lines: Path, tmp_path: Path, small_files: Any) -> None:
    run(lines, tmp_path / "before.tw")  # which compiles what is not in the cache
    small_files(1000)
    events: list[Any] = []
    with Source(lines) as opened:
        runner = Runner(new_model(), opened, tmp_path / "m.tw", every=20, on_event=events.append)
        with pytest.raises(OSError, match="cannot write the file"):
            runner.run()
    assert len(of_kind(events, SaveFailed)) == 1


def test_failing_last_checkpoint_is_an_error(lines: Path, tmp_path: Path, small_files: Any) -> None:
    run(lines, tmp_path / "before.tw")
    small_files(1000)
    with pytest.raises(OSError, match="cannot write the file"):
        run(lines, tmp_path / "m.tw", every=100)


def test_followed_file_is_rotated(tmp_path: Path) -> None:
    log, documents = tmp_path / "log", json_lines(9, without=0)
    log.write_text("".join(documents[:3]) + documents[3][:5])
    events: list[Any] = []

    def steps() -> Iterator[bool]:
        yield False
        with log.open("a") as file:
            file.write(documents[3][5:])
        yield False
        log.rename(tmp_path / "log.1")
        log.write_text("".join(documents[4:6]))
        while not any(isinstance(event, Status) and event.documents == 6 for event in events):
            yield False
        log.write_text("")
        log.write_text(documents[6])
        while not any(isinstance(event, Status) and event.documents == 7 for event in events):
            yield False
        while True:
            yield True

    asked = steps()
    with Source(log, follow=True) as opened:
        runner = Runner(
            new_model(), opened, tmp_path / "m.tw", on_event=events.append, stop=lambda: next(asked), status_every=0.0
        )
        status = runner.run()
    assert [turn.was_truncated for turn in of_kind(events, SourceRotated)] == [False, True]
    assert any(event.is_waiting for event in of_kind(events, Status))
    assert (status.documents, status.position.lines) == (7, 1)
    with log.open("a") as file:
        file.writelines(documents[7:])
    assert run(log, tmp_path / "m.tw")[-1].documents == 9
    expected = new_model().partial_fit(
        [json.loads(line)["text"] for line in documents], [json.loads(line)["labels"] for line in documents]
    )
    assert state_of(tw.load(tmp_path / "m.tw")) == state_of(expected)


def test_after_a_rotation_the_new_file_is_read_from_its_start(tmp_path: Path) -> None:
    """The old one was read to its end, and the process is killed before a line of the new one is learned."""
    log = tmp_path / "log"
    log.write_text("".join(json_lines(5, without=0)))
    events: list[Any] = []

    def stop() -> bool:
        if not (tmp_path / "log.1").exists():
            log.rename(tmp_path / "log.1")
            log.touch()
        return any(isinstance(event, SourceRotated) for event in events)

    with Source(log, follow=True) as opened:
        Runner(new_model(), opened, tmp_path / "m.tw", on_event=events.append, stop=stop).run()
    assert tw.load(tmp_path / "m.tw").stream_.progress.places[-1] == SourcePosition(str(log))
    log.write_text("".join(json_lines(4, 7, without=0)))
    assert run(log, tmp_path / "m.tw")[-1].documents == 9
    assert run(tmp_path / "log.1", tmp_path / "m.tw")[-1].documents == 9


@pytest.mark.parametrize(
    "options", [{"every": 0}, {"seconds": 0}, {"batch_size": 0}, {"prune_every": 0}, {"prune_below": -1}]
)
def test_rejects_invalid_options(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        Runner(new_model(), Source("x"), tmp_path / "m.tw", **options)


# ---------------------------------------------------------------------- monitor


class Counting:
    """Monitor of a stream: an alert for every document with the word law, and the first words as trends."""

    def __init__(self, model: tw.OnlineLabeledLDA, n_seen: int = 0) -> None:
        self.model, self.n_seen = model, n_seen

    def learn(self, X: list[str], y: list[Any], ids: list[Any]) -> list[Any]:
        self.model.partial_fit(X, y)
        self.n_seen += len(X)
        return [f"alert of {name}" for name, text in zip(ids, X) if "law" in text.split()]

    def trends(self) -> Any:
        return type("Trends", (), {"rising": ["ship"], "falling": ["bread", "salt"]})

    def state(self) -> dict[str, Any]:
        return {"seen": np.array([self.n_seen])}


def test_the_monitor_is_saved_with_the_model(tmp_path: Path) -> None:
    source, records = tmp_path / "s.jsonl", [{"text": text, "labels": ["a"]} for text in ("law", "ship", "law sea")]
    records[2]["id"] = "third"
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    model = new_model()
    events = run(source, tmp_path / "m.tw", model, monitor=Counting(model))
    assert of_kind(events, str) == ["alert of 1", "alert of third"]
    assert (events[-1].rising, events[-1].falling, events[-1].alerts) == (("ship",), ("bread", "salt"), 2)
    assert tw.load(tmp_path / "m.tw").stream_.monitor_state["seen"].tolist() == [3]


def test_nothing_is_compiled_before_the_source_is_open(tmp_path, monkeypatch):
    monkeypatch.setattr(Runner, "_warm_up", lambda self: pytest.fail("too early"))
    with Source(tmp_path / "nothing.jsonl") as source, pytest.raises(InputError, match="cannot read"):
        Runner(tw.OnlineLabeledLDA(), source, tmp_path / "m.tw").run()
