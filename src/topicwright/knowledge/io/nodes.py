"""Nodes of knowledge files: values with their position, so that every error message names it.

:class:`Node` reads any value; the functions below it read and write what several kinds of knowledge have in common:
words, topics, documents, weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from ...errors import InputError

_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"[-+]?[0-9]{1,15}")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NULLS = ("", "~", "null")
_MAX_SHOWN = 60  # characters of a value in an error message


class ScalarNode(str):
    """Scalar of a YAML file.

    Attributes
    ----------
    line : int
        Line number.
    is_plain : bool
        Whether the scalar has no quotes, so that it may be a number, a boolean or null.
    """

    line: int
    is_plain: bool

    def __new__(cls, text: str, line: int, is_plain: bool) -> ScalarNode:  # noqa: D102
        self = super().__new__(cls, text)
        self.line, self.is_plain = line, is_plain
        return self


class SequenceNode(list[Any]):
    """List of a YAML file, with its line number."""

    line: int


class MappingNode(dict[str, Any]):
    """Mapping of a YAML file, with its line number."""

    line: int


class KnowledgeFileError(InputError):
    """Invalid value in a knowledge file.

    Parameters
    ----------
    message : str
        What is wrong, with the path of the value in the file.
    line : int, optional
        Line number, where it is known.
    expected, got : optional
        As for :class:`~topicwright.errors.InputError`.
    """

    # The defaults let pickle restore the error from its message.
    def __init__(
        self, message: str = "", line: int | None = None, *, expected: str | None = None, got: Any = None
    ) -> None:
        super().__init__(message, expected=expected, got=got)
        self.line = line


class Node:
    """Value of a knowledge file and its position.

    Parameters
    ----------
    value : object
        Plain data, as JSON or YAML contain it.
    path : str
        Position in the file, for messages: "must-links, entry 2".
    line : int, optional
        Line number of the enclosing value, used if the value has none.
    """

    def __init__(self, value: Any, path: str = "", line: int | None = None) -> None:
        self.value = value
        self.path = path
        self.line = getattr(value, "line", line)

    def fail_expected(self, expected: str, hint: str = "") -> NoReturn:
        """Raise an error: the value must be what is expected."""
        shown = str(self.value) if _is_plain(self.value) else repr(self.value)
        shown = shown if len(shown) <= _MAX_SHOWN else shown[: _MAX_SHOWN - 1] + "…"
        got = "nothing" if self.is_empty else shown
        raise KnowledgeFileError(
            f"{self.path or 'knowledge'} must be {expected}: got {got}{hint}",
            self.line,
            expected=expected,
            got=to_plain(self.value),
        )

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        """Raise an error with a reason."""
        raise KnowledgeFileError(f"{self.path or 'knowledge'}: {reason}", line or self.line)

    # ------------------------------------------------------------------ lists and mappings

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return isinstance(self.value, (list, tuple))

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self.value, dict)

    @property
    def is_empty(self) -> bool:
        """Whether the value is null or missing."""
        return self.value is None or (_is_plain(self.value) and self.value.lower() in _NULLS)

    @property
    def is_list_of_mappings(self) -> bool:
        """Whether the value is a list of mappings with at least one entry."""
        return self.is_list and len(self.value) > 0 and all(isinstance(entry, dict) for entry in self.value)

    def entries(self, expected: str = "a list") -> list[Node]:
        """Entries of a list; null counts as an empty list."""
        if self.is_empty:
            return []
        if not self.is_list:
            self.fail_expected(expected)
        return [Node(entry, self._path_of(f"entry {n}"), self.line) for n, entry in enumerate(self.value, 1)]

    def items(self, expected: str) -> list[tuple[Node, Node]]:
        """Keys and values of a mapping; null counts as an empty mapping."""
        if self.is_empty:
            return []
        if not self.is_mapping:
            self.fail_expected(expected)
        return [
            (Node(key, self._path_of("a key"), self.line), Node(value, self._path_of(str(key)), self.line))
            for key, value in self.value.items()
        ]

    def fields(self, known: tuple[str, ...], required: tuple[str, ...] = ()) -> dict[str, Node]:
        """Values of a mapping with known keys only."""
        expected = f"a mapping with {' and '.join(required) or 'some'} of the keys {', '.join(known)}"
        found = {}
        for key, value in self.items(expected):
            if key.value not in known:
                self.fail(f"unknown key {key.value!r}: the keys here are {', '.join(known)}", key.line)
            found[str(key.value)] = value
        for name in required:
            if name not in found:
                self.fail(f"the key {name!r} is missing")
        return found

    def _path_of(self, name: str) -> str:
        return f"{self.path}, {name}" if self.path else name

    # ------------------------------------------------------------------ scalars

    def text(self, expected: str = "text") -> str:
        """Text. A YAML scalar without quotes is text too, so that ``no`` and ``1984`` are words."""
        if isinstance(self.value, str) and not (self.value == "" and _is_plain(self.value)):
            return str(self.value)
        hint = ", which needs quotes to be text" if isinstance(self.value, (int, float)) else ""
        return self.fail_expected(expected, hint)

    def number_or_none(self) -> float | None:
        """Finite number, or None if the value is something else."""
        if _is_plain(self.value):
            number = float(self.value) if _NUMBER.fullmatch(self.value) else math.nan
        else:
            number = _as_float(self.value) if type(self.value) in (int, float) else math.nan
        return number if math.isfinite(number) else None

    def number(self, expected: str, is_valid: Callable[[float], bool]) -> float:
        """Finite number that satisfies a condition."""
        number = self.number_or_none()
        if number is None or not is_valid(number):
            self.fail_expected(expected)
        return number

    def integer_or_none(self) -> int | None:
        """Integer, or None if the value is something else."""
        if _is_plain(self.value):
            return int(self.value) if _INTEGER.fullmatch(self.value) else None
        return self.value if type(self.value) is int else None

    def boolean_or_none(self) -> bool | None:
        """Boolean, or None if the value is something else."""
        if isinstance(self.value, bool):
            return self.value
        return _BOOLEANS.get(self.value.lower()) if _is_plain(self.value) else None

    def boolean(self) -> bool:
        """Boolean."""
        value = self.boolean_or_none()
        if value is None:
            self.fail_expected("true or false")
        return value


# ---------------------------------------------------------------------- parts that several kinds have


def parse_words(node: Node) -> list[str]:
    """List of words."""
    if not node.is_list:
        node.fail_expected("a list of words, such as [bread, oven]")
    return [word.text("a word") for word in node.entries()]


def parse_weight(node: Node, below: float) -> float:
    """Positive number below a bound."""
    return node.number(f"a positive number below {below:,.0f}", lambda number: 0 < number < below)


def parse_pull(node: Node, below: float) -> float:
    """Number of at least 0 below a bound."""
    return node.number(f"a number from 0 to {below:,.0f}", lambda number: 0 <= number < below)


def parse_topic(node: Node, *, is_key: bool) -> str | int:
    """Name or number of a topic; a key that looks like a number is one, even in JSON, where every key has quotes."""
    number = int(node.value) if is_key and looks_like_integer(node.value) else node.integer_or_none()
    if number is not None and number < 0:
        node.fail_expected("a topic's number, 0 or more")
    return node.text("the name or number of a topic") if number is None else number


def parse_by_topic(node: Node, what: str) -> dict[str | int, Node]:
    """Mapping of topics, or list of mappings ``{topic: …, words: …}``."""
    if node.is_list_of_mappings:
        rows = [row.fields(("topic", "words"), ("topic", "words")) for row in node.entries()]
        pairs = [(row["topic"], row["words"]) for row in rows]
    else:
        pairs = node.items(f"a mapping of topics to {what}")
    topics: dict[str | int, Node] = {}
    for key, words in pairs:
        if key.value in ("weight", "hard") and not words.is_list:
            words.fail(f"{key.value} must stand beside topics: {{{key.value}: …, topics: {{…}}}}")
        topic = parse_topic(key, is_key=not node.is_list_of_mappings)
        if topic in topics:
            node.fail(f"topic {topic!r} occurs twice", key.line)
        topics[topic] = words
    return topics


def parse_words_by_topic(node: Node) -> dict[str | int, list[str]]:
    """Lists of words by topic."""
    return {topic: parse_words(words) for topic, words in parse_by_topic(node, "lists of words").items()}


def parse_document(node: Node) -> str | int:
    """Id or row of a document."""
    row = node.integer_or_none()
    if row is not None and row < 0:
        node.fail_expected("a document's id, or its row, counted from 0")
    return node.text("a document's id or row") if row is None else row


def parse_labels(node: Node) -> list[str]:
    """Label or list of labels."""
    return [one.text("a label") for one in (node.entries() if node.is_list else [node])]


# ---------------------------------------------------------------------- plain data


def by_topic_to_dict(values: Mapping[Any, Any]) -> Any:
    """Inverse of :func:`parse_by_topic`: a list of mappings where the name of a topic looks like a number."""
    topics = {plain_value(topic): words for topic, words in values.items()}
    if any(isinstance(topic, str) and looks_like_integer(topic) for topic in topics):
        return [{"topic": topic, "words": words} for topic, words in topics.items()]
    return {str(topic): words for topic, words in topics.items()}


def words_by_topic_to_dict(words: Mapping[Any, Any]) -> Any:
    """Inverse of :func:`parse_words_by_topic`."""
    return by_topic_to_dict({topic: list(map(plain_value, own)) for topic, own in words.items()})


def plain_value(value: Any) -> Any:
    """Python object of a NumPy scalar or of a subclass of ``str``; anything else as it is."""
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, str) else value


def plain_number(value: Any) -> Any:
    """Float of a number; anything else as it is."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value


def to_plain(value: Any) -> Any:
    """Data without positions: plain scalars that look like a number, a boolean or null become one."""
    if isinstance(value, dict):
        return {str(key): to_plain(own) for key, own in value.items()}
    if isinstance(value, list):
        return [to_plain(own) for own in value]
    if not _is_plain(value):
        return str(value) if isinstance(value, str) else value
    node = Node(value)
    readings = (node.integer_or_none(), node.number_or_none(), node.boolean_or_none())
    read = next((reading for reading in readings if reading is not None), str(value))
    return None if node.is_empty else read


def is_text_without_quotes(text: str) -> bool:
    """Whether text means the same with and without quotes."""
    node = Node(ScalarNode(text, 0, is_plain=True))
    return node.number_or_none() is None and node.boolean_or_none() is None and not node.is_empty


def looks_like_integer(text: Any) -> bool:
    """Whether a value is text that consists of digits, with or without a sign."""
    return isinstance(text, str) and _INTEGER.fullmatch(text) is not None


def _is_plain(value: Any) -> bool:
    return isinstance(value, ScalarNode) and value.is_plain


def _as_float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats
        return math.inf
