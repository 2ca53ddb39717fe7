"""Tables of results: a list that is displayed as a table."""

from __future__ import annotations

import builtins
import copy
import json
import pickle
from typing import Any, NamedTuple

import pytest

from topicwright import MissingExtraError
from topicwright._utils.table import Table


class Thing(NamedTuple):
    word: str
    share: float
    many: tuple[str, ...] = ()
    nothing: None = None


class Nested(NamedTuple):
    word: str
    inner: dict[str, int]

    def record(self) -> dict[str, Any]:
        return {"word": self.word, **self.inner}


THINGS = [Thing("sea", 0.25, ("a", "b")), Thing("<b>\x1b[31m", 0.0625)]


def test_is_a_list_of_its_rows() -> None:
    table = Table(THINGS, "things")
    assert table == THINGS
    assert (len(table), table[0], table[-1].word) == (2, THINGS[0], THINGS[1].word)
    assert json.loads(json.dumps(table)) == [["sea", 0.25, ["a", "b"], None], ["<b>\x1b[31m", 0.0625, [], None]]
    for again in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert again == table
        assert repr(again) == repr(table)


def test_text_has_columns_with_values_and_no_control_characters() -> None:
    assert repr(Table(THINGS, "things")).splitlines() == [
        "things",
        "word      share  many",
        "sea       25 %   a b",
        "<b>\ufffd[31m  6.2 %",
    ]
    assert repr(Table(THINGS, "things")[:1]).splitlines() == [
        "things (1 of 2)",
        "word  share  many",
        "sea   25 %   a b",
    ]
    assert repr(Table([], "things", Thing._fields)) == "things"


def test_long_tables_are_cut() -> None:
    lines = repr(Table([Thing(f"w{n}" * 100, 0.0) for n in range(50)])).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "… and 30 more; to_frame() has all"
    assert max(map(len, lines)) < 80


def test_html_is_escaped_and_has_bars_of_shares() -> None:
    page = Table(THINGS, "<i>")._repr_html_()
    assert "<i>" not in page
    assert "&lt;b&gt;" in page
    assert [f"width:{n}px" in page for n in (60, 15)] == [True, True]
    assert Table([], "things", Thing._fields)._repr_html_().count("<td") == 0


def test_data_frame() -> None:
    frame = Table(THINGS).to_frame()
    assert list(frame.columns) == list(Thing._fields)
    assert frame["share"].tolist() == [0.25, 0.0625]
    assert list(Table([], "", Thing._fields).to_frame().columns) == list(Thing._fields)
    nested = Table([Nested("a", {"x": 1}), Nested("b", {"x": 2})])
    assert nested.to_frame().to_dict("list") == {"word": ["a", "b"], "x": [1, 2]}


def test_error_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pandas(name: str, *rest: Any, **options: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(MissingExtraError, match=r"needs the package 'pandas': .*topicwright\[files\]"):
        Table(THINGS).to_frame()
