"""StreamMonitor: parameters, independence of batches, saving, and that it does not change the model."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, ModelFileError
from topicwright.streaming.monitor import drift
from topicwright.streaming.monitor.monitor import Alert, StreamMonitor

from ...models.online.test_model import KINDS, state_of

VOCABULARY = [f"{a}{b}" for a in "bcdfghjklmnprstvwz" for b in ("ak", "el", "im", "on", "ur", "eth", "oll")]
Stream = tuple[list[str], list[Any]]


class Themes:
    """Labels with their own words beside common ones; documents have one or two labels."""

    def __init__(self, n_labels: int = 8, seed: int = 1, length: int = 30) -> None:
        self.rng = np.random.default_rng(seed)
        self.length = length
        self.names = [f"theme{k}" for k in range(n_labels)]
        common = 1 / np.arange(1, len(VOCABULARY) + 1)
        own = self.rng.dirichlet(np.full(len(VOCABULARY), 0.05), n_labels)
        self.words = 0.5 * common / common.sum() + 0.5 * own

    def labels(self) -> list[int]:
        return sorted(self.rng.choice(len(self.names), self.rng.integers(1, 3), replace=False).tolist())

    def document(self, labels: list[int]) -> str:
        """Words of these labels, whose shares vary."""
        p = self.rng.dirichlet(np.ones(len(labels))) @ self.words[labels]
        return " ".join(self.rng.choice(VOCABULARY, self.rng.integers(5, 2 * self.length), p=p))

    def stream(self, n: int) -> Stream:
        """Documents with the right labels."""
        rows = [self.labels() for _ in range(n)]
        return [self.document(row) for row in rows], [[self.names[k] for k in row] for row in rows]


def eventful(n: int = 700, seed: int = 3) -> Stream:
    """A stream with wrong labels, a drifting label, an emerging theme, and unlabeled documents."""
    themes = Themes(6, seed, length=20)
    texts, labels = themes.stream(n)
    for row in range(0, n, 25):
        labels[row] = [themes.names[row % 6]]
    for row in range(n // 2, n):
        if row % 12 == 0:
            texts[row] += " quark lepton boson gluon"
        if "theme1" in labels[row]:
            texts[row] = " ".join(["zebra", "lion", "giraffe", "camel", "goat"] * 3)
        if row % 11 == 0:
            labels[row] = None
    return texts, labels


SETTINGS: dict[str, Any] = {"window": 150, "block": 15, "mislabeled": 0.05, "drift": 0.01, "candidate": 0.01}
TEXTS, LABELS = eventful()


def learned(monitor: StreamMonitor, size: int, first: int = 0, last: int = len(TEXTS)) -> list[Alert]:
    """Alerts of some documents of the stream, in batches of this size."""
    alerts = []
    for start in range(first, last, size):
        end = min(start + size, last)
        alerts += monitor.learn(TEXTS[start:end], LABELS[start:end])
    return alerts


# ---------------------------------------------------------------------- cutting


@pytest.mark.parametrize("kind", [*KINDS, "small window"])
def test_result_does_not_depend_on_batches(kind: str) -> None:
    parameters = {"window": 3} if kind == "small window" else KINDS[kind]
    whole = StreamMonitor(tw.OnlineLabeledLDA(**parameters), **SETTINGS)
    alerts = learned(whole, 1000)
    if kind == "defaults":
        assert {alert.kind for alert in alerts} == {"mislabelled", "drift", "candidate"}
    for size in (1, 7, 100):
        pieces = StreamMonitor(tw.OnlineLabeledLDA(**parameters), **SETTINGS)
        assert learned(pieces, size) == alerts, size
        assert pieces.trends() == whole.trends(), size


def test_document_alerts_are_immediate() -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    kinds = set()
    for row in range(len(TEXTS)):
        for alert in learned(monitor, 1, row, row + 1):
            kinds.add(alert.kind)
            assert alert.document == row if alert.kind == "mislabelled" else row % 50 == 49
    assert kinds == {"mislabelled", "drift", "candidate"}


def test_monitoring_does_not_change_the_model() -> None:
    alone, monitored = tw.OnlineLabeledLDA(unlabeled="likely"), tw.OnlineLabeledLDA(unlabeled="likely")
    alone.partial_fit(TEXTS, LABELS)
    StreamMonitor(monitored, **SETTINGS).learn(TEXTS, LABELS)
    assert state_of(monitored) == state_of(alone)
    assert monitored.new_labels_ == alone.new_labels_
    assert monitored.predict(TEXTS[:3]) == alone.predict(TEXTS[:3])


# ---------------------------------------------------------------------- stopping


@pytest.mark.parametrize("stop", [0, 1, 49, 50, 237, 400, 650])
def test_saved_monitor_continues_identically(stop: int, tmp_path: Path) -> None:
    whole = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    alerts = learned(whole, 1000)
    first = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    before = learned(first, 30, 0, stop)
    model = first.model
    state = first.state()
    if stop:
        model.stream_.monitor_state = state
        model.save(tmp_path / "stream.tw")
        model = tw.load(tmp_path / "stream.tw")
        state = model.stream_.monitor_state
    second = StreamMonitor.from_state(model, state)
    assert before + learned(second, 50, stop) == alerts
    assert second.trends() == whole.trends()
    assert all((part == second.state()[name]).all() for name, part in whole.state().items())


def test_a_state_does_not_change_when_the_monitor_continues() -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    learned(monitor, 100, 0, 220)
    state = monitor.state()
    copies = {name: part.copy() for name, part in state.items()}
    learned(monitor, 100, 220, 420)
    assert all((part == copies[name]).all() for name, part in state.items())


def test_model_may_be_pruned_during_monitoring() -> None:
    texts, labels = list(TEXTS), list(LABELS)
    for row in range(0, 300, 10):
        texts[row] += f" rare{chr(97 + row // 10 % 26)} once{chr(97 + row % 26)}"
    texts[40], labels[40] = "rarea", ["gone"]
    one, other = (StreamMonitor(tw.OnlineLabeledLDA(reservoir=0), **SETTINGS) for _ in range(2))
    for monitor in (one, other):
        monitor.learn(texts[:330], labels[:330])
        pruned = monitor.model.prune(min_count=8)
        assert pruned.words > 10
        assert pruned.labels == 1
    other = StreamMonitor.from_state(other.model, other.state())
    alerts = one.learn(texts[330:], labels[330:])
    assert other.learn(texts[330:], labels[330:]) == alerts
    assert {alert.kind for alert in alerts} == {"mislabelled", "drift", "candidate"}
    assert {alert.label for alert in alerts if alert.kind == "drift"} == {"theme1"}
    assert one.state()["before"].shape == one.model.vocabulary_.shape


def test_a_monitor_can_start_with_a_fitted_model() -> None:
    model = tw.OnlineLabeledLDA().partial_fit(*Themes(6).stream(400))
    monitor = StreamMonitor(model)
    texts, labels = Themes(6).stream(300)
    monitor.learn(texts, labels)
    alerts = monitor.learn(["zeth " * 3 + texts[0]], [labels[0]])
    assert monitor.n_docs_seen == 301
    assert alerts == []
    assert monitor._stats.n_docs == 700


# ---------------------------------------------------------------------- bounds


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "_MAX_DOCUMENTS", 60)
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    rare = [[f"rare{row}"] for row in range(300)]
    monitor.learn(TEXTS[:300], [labels if row % 2 else rare[row] for row, labels in enumerate(LABELS[:300])])
    assert sum(map(len, monitor._drift.histories.values())) <= 60
    assert len(monitor._stats.window) == SETTINGS["window"]
    assert len(monitor._scores.scores) <= SETTINGS["window"]


def test_label_history_is_an_even_sample() -> None:
    history = drift.LabelHistory(10)
    for row in range(5000):
        history.add(row)  # type: ignore[arg-type]
    assert list(history.recent) == list(range(4990, 5000))
    assert 20 <= len(history.sample) <= 40
    assert history.sample[0] < 200
    assert history.sample[-1] > 4790
    assert len(set(np.diff(history.sample))) == 1


# ---------------------------------------------------------------------- what it takes and gives


def test_alerts_serialize_and_describe_themselves() -> None:
    alerts = learned(StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS), 100)
    for alert in alerts:
        record = json.loads(json.dumps(dataclasses.asdict(alert)))
        assert record["kind"] == alert.kind
        assert record["words"] == list(alert.words)
        assert isinstance(alert.score, float)
        assert "\n" not in str(alert)
        assert str(alert).startswith(("document ", "label theme1 has changed: more of ", f"{alert.n_documents} doc"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        alerts[0].kind = "other"  # type: ignore[misc]


def test_alerts_use_document_ids() -> None:
    monitor, named = (StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS) for _ in range(2))
    numbers = [alert.document for alert in learned(monitor, 100)]
    names = [alert.document for alert in named.learn(TEXTS, LABELS, ids=(f"d{row}" for row in range(len(TEXTS))))]
    assert names == [None if number is None else f"d{number}" for number in numbers]
    odd = StreamMonitor(tw.OnlineLabeledLDA())
    odd.learn(TEXTS[:3], LABELS[:3], ids=[np.int64(3), None, ("a", 1)])
    assert [document.name for document in odd._stats.window] == [3, "None", "('a', 1)"]
    assert StreamMonitor.from_state(odd.model, odd.state())._stats.window[0].name == 3


@pytest.mark.parametrize(
    ("setting", "kind"), [("mislabeled", "mislabelled"), ("drift", "drift"), ("candidate", "candidate")]
)
def test_kinds_of_alerts_can_be_disabled(setting: str, kind: str) -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **{**SETTINGS, setting: 0})
    assert kind not in {alert.kind for alert in learned(monitor, 100)}


@pytest.mark.parametrize(
    ("name", "value"), [("window", 10), ("block", 1), ("mislabeled", 0.5), ("drift", -1), ("candidate", "often")]
)
def test_settings_are_checked(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"{name} must be .* got {value!r}"):
        StreamMonitor(tw.OnlineLabeledLDA(), **{name: value})


def test_earlier_names_are_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="use topicwright.StreamMonitor"):
        assert tw.Watch is StreamMonitor
    with pytest.warns(DeprecationWarning, match="mislabeled="):
        assert StreamMonitor(tw.OnlineLabeledLDA(), mislabelled=0.01).mislabeled == 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["aa bb", "cc"], [["x"], ["y"]], ["one"]), "ids has 1 entries but there are 2 documents"),
        ((["aa bb", "cc"], [["x"], ["y"]], "ab"), "ids must be a list .*: got str"),
        ((["aa bb", "cc"], [["1"], [1]]), "labels must differ as text"),
        ((["aa bb", "cc"], [["x"]]), "1 entries but X has 2"),
    ],
)
def test_invalid_input_leaves_the_monitor_unchanged(arguments: tuple[Any, ...], message: str) -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA())
    monitor.learn(["aa bb"], [["x"]])
    with pytest.raises(InputError, match=message):
        monitor.learn(*arguments)
    assert monitor.n_docs_seen == monitor.model.n_docs_seen_ == 1


def test_documents_without_words_or_labels_are_accepted() -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(unlabeled="likely"), window=50, block=5, drift=0.1, candidate=0.1)
    assert monitor.learn(["", "the sea", ""] * 100, [["sea"], None, ["land"]] * 100) == []
    assert monitor.learn([""] * 200, [["sea"]] * 200) == []
    assert monitor.n_docs_seen == 500
    assert monitor.trends().rising == ()


# ---------------------------------------------------------------------- damaged states


def _damaged(state: dict[str, Any], name: str, how: str) -> dict[str, Any]:
    array = state[name].copy()
    if how == "missing":
        return {other: part for other, part in state.items() if other != name}
    if how == "short":
        return {**state, name: array[:-1]}
    if how == "large":
        array.flat[-1] = 2**31 - 2
    if how == "negative":
        array.flat[-1] = -3
    if how == "nan":
        array.flat[0] = np.nan
    return {**state, name: array}


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("settings.bytes", "short"),
        ("counters", "negative"),
        ("numbers", "nan"),
        ("numbers", "short"),
        ("scores", "nan"),
        ("before", "short"),
        ("told", "missing"),
        ("said.labels", "large"),
        ("said.labels", "negative"),
        ("said.counts", "short"),
        ("said.rest", "nan"),
        ("said.totals", "short"),
        ("documents.words", "large"),
        ("documents.times", "short"),
        ("documents.labels", "large"),
        ("documents.offsets", "large"),
        ("documents.label_offsets", "short"),
        ("window", "large"),
        ("waiting", "negative"),
        ("drift.labels", "large"),
        ("drift.numbers", "negative"),
        ("drift.recent", "large"),
        ("drift.sample_offsets", "short"),
    ],
)
def test_rejects_damaged_state(name: str, how: str) -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    learned(monitor, 100, 0, 420)
    with pytest.raises(ModelFileError, match=name.removesuffix(".bytes").split("_")[0]):
        StreamMonitor.from_state(monitor.model, _damaged(monitor.state(), name, how))


def test_rejects_state_of_another_model() -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **SETTINGS)
    learned(monitor, 100, 0, 120)
    with pytest.raises(ModelFileError, match="must have shape"):
        StreamMonitor.from_state(tw.OnlineLabeledLDA().fit(["aa bb"], [["x"]]), monitor.state())
