"""YAML as knowledge files have it: lists, mappings and text, with the line of each.

YAML 1.1 makes a boolean of ``no``, a number of ``1984`` and a date of ``2001-09-11``, which are words here. So nothing
is made of any text in this place; whoever expects a number or true takes the text for one (see ``spots.py``). Only
YAML's events are read, which runs no code and follows no alias.
"""

from __future__ import annotations

from typing import Any

from .nodes import KnowledgeFileError, MappingNode, SequenceNode, Text, reads_as_text

_DEEPEST = 20


def parse_yaml(text: str) -> Any:
    """What YAML text says; None if it says nothing."""
    import yaml

    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event, type(event).__name__)
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except yaml.YAMLError as error:
        raise KnowledgeFileError(f"this is not valid YAML: {' '.join(str(error).split())}", None) from None
    return builder.result


def _explained(error: Any, text: str) -> KnowledgeFileError:
    """What is wrong with the YAML, where, and where that began."""
    line = error.problem_mark.line + 1
    reason = " ".join(filter(None, (error.context, error.problem)))
    if error.context_mark is not None and error.context_mark.line + 1 != line:
        reason += f" (it began in line {error.context_mark.line + 1})"
    if any(wrong.lstrip(" ").startswith("\t") for wrong in text.split("\n")[line - 1 : line]):
        reason += "; YAML is indented with blanks, not with tabs"
    return KnowledgeFileError(f"this is not valid YAML: {reason}", line)


class _Builder:
    """Puts lists and mappings together as YAML's events come in."""

    def __init__(self) -> None:
        self.result: Any = None
        self.n_documents = 0
        self.open: list[Any] = []  # lists and mappings that have not ended
        self.keys: list[Text | None] = []  # for each of them the key that waits for its value

    def take(self, event: Any, name: str) -> None:
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            raise KnowledgeFileError(
                "anchors (&), aliases (*) and tags (!) have no use here: put such words in quotes", line
            )
        if name == "ScalarEvent":
            self._add(Text(event.value, line, bare=event.implicit[0]), line)
        elif name in ("SequenceStartEvent", "MappingStartEvent"):
            self._enter(SequenceNode() if name == "SequenceStartEvent" else MappingNode(), line)
        elif name in ("SequenceEndEvent", "MappingEndEvent"):
            self.open.pop()
            self.keys.pop()
        elif name == "DocumentStartEvent":
            self.n_documents += 1
            if self.n_documents > 1:
                raise KnowledgeFileError("there must be one YAML document in a file: got a second one, after ---", line)

    def _enter(self, container: Any, line: int) -> None:
        if len(self.open) == _DEEPEST:
            raise KnowledgeFileError(f"lists must not be nested more than {_DEEPEST} deep", line)
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

    def _checked_key(self, key: Any, line: int) -> Text:
        if not isinstance(key, Text):
            raise KnowledgeFileError(f"a key must be text: got {key!r}", line)
        if key in self.open[-1]:
            raise KnowledgeFileError(f"the key {str(key)!r} occurs twice", line)
        return key


def dump_yaml(data: Any) -> str:
    """Plain data as YAML, the innermost lists on one line each."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent(dumper: Any, text: str) -> Any:
        style = None if reads_as_text(text) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    options: dict[str, Any] = {"default_flow_style": None, "sort_keys": False, "allow_unicode": True, "width": 120}
    return str(yaml.dump(data, Dumper=Dumper, **options))
