"""YAML of knowledge files: lists, mappings and text, with line numbers.

YAML 1.1 reads ``no`` as a boolean, ``1984`` as a number and ``2001-09-11`` as a date. In knowledge files these are
words, so that this parser leaves every scalar as text; a :class:`~topicwright.knowledge.io.nodes.Node` converts it
where a number or a boolean is expected. The parser reads only YAML's events, which runs no code and follows no alias.
"""

from __future__ import annotations

from typing import Any

from .nodes import KnowledgeFileError, MappingNode, ScalarNode, SequenceNode, is_text_without_quotes

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
