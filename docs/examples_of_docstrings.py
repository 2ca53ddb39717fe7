"""For the reference: doctests of docstrings are examples, also where no heading says so (see mkdocs.yml)."""

from __future__ import annotations

import re
from typing import Any

import griffe

_FIRST = re.compile(r"^>>> ", re.MULTILINE)


class ExamplesOfDocstrings(griffe.Extension):
    """Puts the heading of an Examples section before the first doctest, where there is none."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        """Look at one docstring."""
        docstring = obj.docstring
        if docstring is not None and "\nExamples\n---" not in docstring.value:
            docstring.value = _FIRST.sub("Examples\n--------\n>>> ", docstring.value, count=1)
