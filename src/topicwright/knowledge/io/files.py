"""Knowledge files: YAML or JSON that people write by hand, and ``topicwright fit --knowledge`` reads.

    must-links:
      - [ship, boat]
      - [bread, loaf, bun]          # a group: all belong together
      - [car, auto, 5.0]            # a link with a λ of its own
    cannot-links:
      - [river, money]
    seeds:
      football: [quarterback, fumble]
      7: [bank]                     # a topic by its number
    document-labels: true           # the corpus's own labels

That is the short form. Where there is more to say, a kind is a mapping:

    must-links: {strength: 1.0, firmness: 0.5, links: [[ship, boat]]}
    cannot-links: {strength: 1.0, firmness: 0.5, links: [[river, money]]}
    seeds: {weight: 2, hard: true, topics: {football: [quarterback]}}
    forbidden-words: {7: [bank]}
    known-topics: {weight: 10, topics: {hockey: {puck: 120, goalie: 80}}}
    topic-names: {7: hockey}
    document-topics: {weight: 20, topics: {d1: hockey, d2: 7}}
    document-labels: {labels: {d1: sea, d2: [sea, kitchen]}, background: 1}
    sentence-labels: [{document: d1, sentence: The soup was hot., labels: food}]
    document-links: {strength: 1.0, firmness: 0.5, links: [[d1, d2]]}

Labels may also be a list with one entry per document, ``null`` where it has none; sentences may be lists of three, and
positions ``[first, last]`` instead of text; ``document-links: true`` are the corpus's own. Several of one kind: the
file is a list of such mappings. The section ``steps`` is how steering a model led to all that (docs/steering.md).

Words need no quotes: ``no``, ``on`` and ``1984`` are words here, whatever else YAML thinks. Only two places take a
number for a number: the end of a link of three or more (a λ), and a document (its row, counted from 0). There a word
or an id that looks like a number goes in quotes. A seeded topic that looks like a number always is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..._utils.atomic import StrPath, atomic_write
from ...corpus.formats.files import (
    BYTE_ORDER_MARK,
    Source,
    decode,
    open_bytes,
    report_damage,
    source_name,
    split_compression,
)
from ...errors import InputError
from .nodes import KnowledgeFileError, plain
from .parse import parse_knowledge
from .serialize import serialize_knowledge
from .yaml import dump_yaml, parse_yaml

__all__ = ["parse_knowledge", "read_knowledge", "read_steps", "serialize_knowledge", "write_knowledge"]


def read_knowledge(path: Source) -> list[Any]:
    """What a knowledge file says, as a list for ``LDA(knowledge=…)``.

    A file whose name ends with .json is JSON, any other is YAML. Whatever is wrong in it is an ``InputError`` that
    names the line or the place.

    >>> import tempfile, topicwright as tw
    >>> with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
    ...     _ = file.write("must-links:\\n  - [ship, boat]\\n  - [yes, no]\\n")
    ...     file.flush()
    ...     links, = tw.read_knowledge(file.name)
    >>> links.links
    [('ship', 'boat'), ('yes', 'no')]
    """
    with _complaining_of(source_name(path)):
        return parse_knowledge(_read(path))


def read_steps(path: Source) -> Any:
    """The section ``steps`` of a knowledge file as plain data, or None where it has none."""
    with _complaining_of(source_name(path)):
        data = _read(path)
        parse_knowledge(data)
        sections = data if isinstance(data, list) else [data]
        found = [section["steps"] for section in sections if "steps" in section]
        if len(found) > 1:
            raise KnowledgeFileError("there must be one section steps in a file: got several", None)
        return plain(found[0]) if found else None


def _read(path: Source) -> Any:
    name = source_name(path)
    with open_bytes(path) as file, report_damage(path):
        text = decode(file.read().removeprefix(BYTE_ORDER_MARK), name)
    data = _parse_json(text) if _is_json(name) else parse_yaml(text)
    if data is None:
        raise KnowledgeFileError("there is nothing in it: expected must-links, seeds and so on", None)
    return data


@contextmanager
def _complaining_of(name: str) -> Iterator[None]:
    """Errors name the file, and the line where it is known."""
    try:
        yield
    except KnowledgeFileError as error:
        line = "" if error.line is None else f", line {error.line}"
        raise InputError(f"{name}{line}: {error}") from None


def write_knowledge(items: Iterable[Any], path: StrPath, *, steps: Any = None) -> None:
    """Write knowledge to a file, all or nothing: JSON if its name ends with .json, else YAML; packed if .gz and so on.

    ``steps`` is the section of that name: ``Steering.export`` gives it.

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
    from ...corpus.formats.files import compress_stream

    data = serialize_knowledge(items)
    if steps is not None:
        data = [*data, {"steps": steps}] if isinstance(data, list) else {**data, "steps": steps}
        parse_knowledge(data)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n" if _is_json(str(path)) else dump_yaml(data)
    with atomic_write(path) as raw, compress_stream(raw, str(path)) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # half a surrogate pair has no UTF-8


def _is_json(name: str) -> bool:
    return split_compression(name)[0].lower().endswith(".json")


def _parse_json(text: str) -> Any:
    from ...io.strict_json import from_json

    try:
        return from_json(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise KnowledgeFileError(f"this is not valid JSON: {getattr(error, 'msg', error)}", line) from None
