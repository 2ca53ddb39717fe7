import pytest

from topicwright._utils.formatting import safe_json
from topicwright.cli._console import bar, chart, curve, escape_controls, fit_words, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcödé 漢字", "plain ünïcödé 漢字"),
        ("line\n\ttab", "line\n\ttab"),
        ("\x1b[31m\x07\x9b", r"\u001b[31m\u0007\u009b"),
        ("turned \u202e round", r"turned \u202e round"),
        ("half \ud800 pair", r"half \ud800 pair"),
        ("zero\u200dwidth joiner stays", "zero\u200dwidth joiner stays"),
    ],
)
def test_control_characters_are_escaped(text, shown):
    assert escape_controls(text) == shown


def test_one_line():
    assert one_line("two\nlines \t here") == "two lines here"


def test_json_keeps_its_value():
    import json

    value = {"word": "a\x1b\x9b\u202eé"}
    text = safe_json(value)
    assert json.loads(text) == value
    assert "é" in text
    assert not set(text) & {"\x1b", "\x9b", "\u202e"}


@pytest.mark.parametrize(("share", "shown"), [(0, "    "), (1, "████"), (0.5, "██  "), (2, "████"), (-1, "    ")])
def test_bars(share, shown):
    assert bar(share, 4) == shown


def test_text_is_cut_at_word_boundaries():
    assert fit_words(["red", "green", "blue"], 9) == ["red", "green"]
    assert fit_words(["漢字", "red"], 7) == ["漢字"]
    assert fit_words(["long"], 3) == []


def dots(lines):
    """The marked points of a braille picture, as (column, row)."""
    bits = {
        0x01: (0, 0),
        0x02: (0, 1),
        0x04: (0, 2),
        0x40: (0, 3),
        0x08: (1, 0),
        0x10: (1, 1),
        0x20: (1, 2),
        0x80: (1, 3),
    }
    return {
        (2 * x + dx, 4 * y + dy)
        for y, line in enumerate(lines)
        for x, char in enumerate(line)
        for bit, (dx, dy) in bits.items()
        if char != " " and (ord(char) - 0x2800) & bit
    }


def test_curve_includes_its_end_points():
    marked = dots(curve([(1, -9), (2, -8), (10, -7)], 10, 3))
    assert {(0, 11), (19, 0)} <= marked
    assert {column for column, _ in marked} == set(range(20))


def test_a_steep_curve_has_no_gaps():
    marked = dots(curve([(0, 0), (1, 1), (100, 1)], 5, 4))
    assert {row for _, row in marked} == set(range(16))


@pytest.mark.parametrize("points", [[(0, 1), (1, 1)], [(5, -3), (5, -3)]])
def test_a_flat_curve(points):
    assert len({row for _, row in dots(curve(points, 4, 2))}) == 1


def test_the_chart_names_its_ends():
    lines = chart([(5, -8.5), (100, -7.25)], 20, 3)
    assert lines[0].startswith("-7.25 ┤")
    assert lines[2].startswith("-8.50 ┤")
    assert lines[4] == "       5" + "100".rjust(19)
