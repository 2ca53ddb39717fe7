"""Docstrings of the reference: headings of examples, and tables as Markdown (``extensions`` in mkdocs.yml)."""

from __future__ import annotations

import re
from typing import Any

import griffe

_FIRST = re.compile(r"^>>> ", re.MULTILINE)
_CHOICES = re.compile(r"^(\w[\w, ]* : )\{([^}\n]*)\}", re.MULTILINE)
_TABLE = re.compile(r"^(=+(?: +=+)+)\n(.+)\n\1\n((?:.+\n)+?)\1$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Adapts docstrings to Markdown."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        """Add a heading before the first doctest if there is none, and convert choices and tables.

        The first of the choices in braces would be taken for the default.
        """
        docstring = obj.docstring
        if docstring is None:
            return
        if "\nExamples\n---" not in docstring.value:
            docstring.value = _FIRST.sub("Examples\n--------\n>>> ", docstring.value, count=1)
        docstring.value = _CHOICES.sub(r"\1one of \2", docstring.value)
        docstring.value = _TABLE.sub(markdown_table, docstring.value)


def markdown_table(found: re.Match[str]) -> str:
    """A simple table of reStructuredText as a Markdown table.

    >>> text = "=====  ===\\nname   n\\n=====  ===\\nfirst  1\\n=====  ==="
    >>> print(_TABLE.sub(markdown_table, text))
    | name | n |
    | --- | --- |
    | first | 1 |
    """
    starts = [column.start() for column in re.finditer("=+", found[1])]
    ends = [*starts[1:], None]
    rows = [
        [line[start:end].strip().replace("|", "\\|") for start, end in zip(starts, ends)]
        for line in [found[2], *found[3].splitlines()]
    ]
    rows.insert(1, ["---"] * len(starts))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
