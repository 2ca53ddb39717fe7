"""Knowledge files: YAML or JSON, written by hand or by :func:`write_knowledge`.

    must-links:
      - [ship, boat]
      - [bread, loaf, bun]          # a group: every two of them are linked
      - [car, auto, 5.0]            # a link with its own strength λ
    cannot-links:
      - [river, money]
    seeds:
      football: [quarterback, fumble]
      7: [bank]                     # a topic by its number
    document-labels: true           # the labels of the corpus

This is the short form. With options, a kind is a mapping:

    must-links: {strength: 1.0, firmness: 0.5, links: [[ship, boat]]}
    cannot-links: {strength: 1.0, firmness: 0.5, links: [[river, money]]}
    seeds: {weight: 2, hard: true, topics: {football: [quarterback]}}
    forbidden-words: {7: [bank]}
    background-words: {topic: boilerplate, words: [copyright, reserved]}
    known-topics: {weight: 10, topics: {hockey: {puck: 120, goalie: 80}}}
    topic-names: {7: hockey}
    document-topics: {weight: 20, topics: {d1: hockey, d2: 7}}
    document-labels: {labels: {d1: sea, d2: [sea, kitchen]}, background: 1}
    sentence-labels: [{document: d1, sentence: The soup was hot., labels: food}]
    document-links: {strength: 1.0, firmness: 0.5, links: [[d1, d2]]}

Labels may also be a list with one entry per document, ``null`` for a document without labels. Sentences may be lists of
three, with positions ``[first, last]`` instead of text. ``document-links: true`` uses the links of the corpus. A file
with several sections of one kind is a list of such mappings. The section ``steps`` records how a model was steered
(docs/steering.md).

Words need no quotes: ``no``, ``on`` and ``1984`` are words. Only two places read a number as a number: the end of a
link of three or more (λ), and a document (its row, counted from 0). A word or an id that looks like a number needs
quotes there. A seeded topic that looks like a number always is one.

Each kind reads and writes its own section: see :meth:`topicwright.knowledge.base.Knowledge.from_dict`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..._utils.atomic import StrPath, atomic_write
from ...corpus.formats.files import (
    BYTE_ORDER_MARK,
    Source,
    compress_stream,
    decode,
    open_bytes,
    report_damage,
    source_name,
    split_compression,
)
from ...errors import InputError
from ...io.strict_json import from_json
from ..base import Knowledge, knowledge_kinds
from .nodes import KnowledgeFileError, MappingNode, Node, ScalarNode, SequenceNode, is_text_without_quotes, to_plain

_MAX_DEPTH = 20


def parse_yaml(text: str) -> Any:
    """Data of YAML text, or None if there is none."""
    import yaml

    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.add_event(event, type(event).__name__)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text) from None
    except yaml.YAMLError as error:
        raise KnowledgeFileError(f"this is not valid YAML: {' '.join(str(error).split())}") from None
    return builder.result


def _syntax_error(error: Any, text: str) -> KnowledgeFileError:
    """Error with the line of a syntax error, and the line where the construct began."""
    line = error.problem_mark.line + 1
    reason = " ".join(filter(None, (error.context, error.problem)))
    if error.context_mark is not None and error.context_mark.line + 1 != line:
        reason += f" (it began in line {error.context_mark.line + 1})"
    if any(wrong.lstrip(" ").startswith("\t") for wrong in text.split("\n")[line - 1 : line]):
        reason += "; YAML is indented with spaces, not with tabs"
    return KnowledgeFileError(f"this is not valid YAML: {reason}", line)


class _Builder:
    """Builds lists and mappings from YAML's events."""

    def __init__(self) -> None:
        self.result: Any = None
        self.n_documents = 0
        self.open: list[Any] = []  # unfinished lists and mappings
        self.keys: list[ScalarNode | None] = []  # for each of them the key without a value

    def add_event(self, event: Any, name: str) -> None:
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            raise KnowledgeFileError(
                "anchors (&), aliases (*) and tags (!) are not supported: put such words in quotes", line
            )
        if name == "ScalarEvent":
            self._add(ScalarNode(event.value, line, is_plain=event.implicit[0]), line)
        elif name in ("SequenceStartEvent", "MappingStartEvent"):
            self._enter(SequenceNode() if name == "SequenceStartEvent" else MappingNode(), line)
        elif name in ("SequenceEndEvent", "MappingEndEvent"):
            self.open.pop()
            self.keys.pop()
        elif name == "DocumentStartEvent":
            self.n_documents += 1
            if self.n_documents > 1:
                raise KnowledgeFileError("a file must contain one YAML document: got a second one, after ---", line)

    def _enter(self, container: Any, line: int) -> None:
        if len(self.open) == _MAX_DEPTH:
            raise KnowledgeFileError(f"lists must not be nested more than {_MAX_DEPTH} deep", line)
        container.line = line
        self._add(container, line)
        self.open.append(container)
        self.keys.append(None)

    def _add(self, value: Any, line: int) -> None:
        if not self.open:
            self.result = value
        elif isinstance(self.open[-1], list):
            self.open[-1].append(value)
        elif self.keys[-1] is not None:
            self.open[-1][self.keys[-1]] = value
            self.keys[-1] = None
        else:
            self.keys[-1] = self._checked_key(value, line)

    def _checked_key(self, key: Any, line: int) -> ScalarNode:
        if not isinstance(key, ScalarNode):
            raise KnowledgeFileError(f"a key must be text: got {key!r}", line)
        if key in self.open[-1]:
            raise KnowledgeFileError(f"the key {str(key)!r} occurs twice", line)
        return key


def dump_yaml(data: Any) -> str:
    """Plain data as YAML text, with the innermost lists on one line each."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent(dumper: Any, text: str) -> Any:
        style = None if is_text_without_quotes(text) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    options: dict[str, Any] = {"default_flow_style": None, "sort_keys": False, "allow_unicode": True, "width": 120}
    return str(yaml.dump(data, Dumper=Dumper, **options))


__all__ = ["parse_knowledge", "read_knowledge", "read_knowledge_file", "serialize_knowledge", "write_knowledge"]

_STEPS = "steps"  # section of topicwright.steering, which is no knowledge


def parse_knowledge(data: Any) -> list[Knowledge]:
    """Knowledge from plain data, the inverse of :func:`serialize_knowledge`.

    Parameters
    ----------
    data : dict or list of dict
        Contents of a knowledge file.

    Returns
    -------
    list of Knowledge
        Objects for the parameter ``knowledge`` of a model.

    Examples
    --------
    >>> from topicwright.knowledge import parse_knowledge
    >>> parse_knowledge({"must-links": [["ship", "boat"]], "seeds": {"kitchen": ["bread"]}})
    [MustLinks(1 links), SeedWords(kitchen)]
    >>> parse_knowledge({"must-link": [["ship", "boat"]]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    topicwright.knowledge.io.nodes.KnowledgeFileError: knowledge: unknown key 'must-link': the keys here are ...
    """
    kinds = knowledge_kinds()
    top = Node(data)
    items = []
    for section in top.entries() if top.is_list else [top]:
        for key, node in section.fields((*kinds, _STEPS)).items():
            if key == _STEPS:
                node.fields(("base", "log"), ("base", "log"))
            else:
                items.append(kinds[key].from_dict(node))
    return [item for item in items if item is not None]


def serialize_knowledge(items: Iterable[Any]) -> Any:
    """Knowledge as plain data for JSON and YAML.

    Parameters
    ----------
    items : iterable of Knowledge
        Knowledge of a model. A :class:`~topicwright.CustomFactor` is code and raises an ``InputError``.

    Returns
    -------
    dict or list of dict
        A mapping of sections, or a list of mappings if a kind occurs twice.

    Examples
    --------
    >>> import topicwright as tw
    >>> from topicwright.knowledge import serialize_knowledge
    >>> serialize_knowledge([tw.SeedWords({"kitchen": ["bread"]}, hard=True)])
    {'seeds': {'weight': 30.0, 'hard': True, 'topics': {'kitchen': ['bread']}}}
    """
    sections = [section_of(item) for item in items]
    merged: Any = {key: body for section in sections for key, body in section.items()}
    data = merged if len(merged) == len(sections) else sections
    parse_knowledge(data)  # an invalid argument fails here, not when the file is read
    return data


def section_of(item: Any) -> dict[str, Any]:
    """One knowledge item as plain data, under its key."""
    if isinstance(item, Knowledge) and item.key is not None:
        return {item.key: item.to_dict()}
    raise InputError(
        f"{type(item).__name__} knowledge can't be written to a file: only {', '.join(knowledge_kinds())} can", got=item
    )


def read_knowledge(path: Source) -> list[Knowledge]:
    """Read a knowledge file.

    Parameters
    ----------
    path : path-like or file
        JSON if the name ends with .json, otherwise YAML. It may be compressed.

    Returns
    -------
    list of Knowledge
        Objects for the parameter ``knowledge`` of a model. An ``InputError`` names the line of an invalid value.

    Examples
    --------
    >>> import tempfile, topicwright as tw
    >>> with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
    ...     _ = file.write("must-links:\\n  - [ship, boat]\\n  - [yes, no]\\n")
    ...     file.flush()
    ...     links, = tw.read_knowledge(file.name)
    >>> links.links
    [('ship', 'boat'), ('yes', 'no')]
    """
    return read_knowledge_file(path).items


class KnowledgeFile(NamedTuple):
    """Contents of a knowledge file."""

    name: str
    items: list[Knowledge]
    steps: Any
    """Section ``steps`` as plain data, or None if there is none."""


def read_knowledge_file(path: Source) -> KnowledgeFile:
    """Read and parse a knowledge file once: its knowledge and its section ``steps``."""
    name = source_name(path)
    with _naming_the_file(name):
        data = _load(path)
        items = parse_knowledge(data)
        sections = data if isinstance(data, list) else [data]
        found = [section[_STEPS] for section in sections if _STEPS in section]
        if len(found) > 1:
            raise KnowledgeFileError("a file must not have more than one section steps")
        return KnowledgeFile(name, items, to_plain(found[0]) if found else None)


def write_knowledge(items: Iterable[Any], path: StrPath, *, steps: Any = None) -> None:
    """Write a knowledge file.

    Parameters
    ----------
    items : iterable of Knowledge
        Knowledge to write.
    path : path-like
        JSON if the name ends with .json, otherwise YAML; compressed if it ends with .gz, .bz2, .xz or .zst. An existing
        file is replaced only once the new one is complete.
    steps : dict, optional
        Section ``steps``, from ``Steering.export``.

    Examples
    --------
    >>> import tempfile, topicwright as tw
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.write_knowledge([tw.CannotLinks([("river", "money")], firmness=1)], f"{folder}/links.yaml")
    ...     print(Path(folder, "links.yaml").read_text())
    cannot-links:
      strength: 1.0
      firmness: 1.0
      links:
      - [river, money]
    <BLANKLINE>
    """
    data = serialize_knowledge(items)
    if steps is not None:
        data = [*data, {_STEPS: steps}] if isinstance(data, list) else {**data, _STEPS: steps}
        parse_knowledge(data)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n" if _is_json(str(path)) else dump_yaml(data)
    with atomic_write(path) as raw, compress_stream(raw, str(path)) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # half a surrogate pair has no UTF-8


def _load(path: Source) -> Any:
    name = source_name(path)
    with open_bytes(path) as file, report_damage(path):
        text = decode(file.read().removeprefix(BYTE_ORDER_MARK), name)
    data = _parse_json(text) if _is_json(name) else parse_yaml(text)
    if data is None:
        raise KnowledgeFileError("the file is empty: expected must-links, seeds and so on")
    return data


@contextmanager
def _naming_the_file(name: str) -> Iterator[None]:
    """Add the name of the file and the line to errors."""
    try:
        yield
    except KnowledgeFileError as error:
        where = name if error.line is None else f"{name}, line {error.line}"
        raise InputError(f"{where}: {error}", expected=error.expected, got=error.got, where=where) from None


def _is_json(name: str) -> bool:
    return split_compression(name)[0].lower().endswith(".json")


def _parse_json(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise KnowledgeFileError(f"this is not valid JSON: {getattr(error, 'msg', error)}", line) from None
