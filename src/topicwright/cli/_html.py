"""A page for a browser: what is told of documents, one below the other, with nothing to load from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Topicwright</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
section { border-top: 1px solid #8884; padding: 1em 0; }
section:first-of-type { border-top: 0; }
h2 { font-size: 1em; margin: 0; }
.said { opacity: .75; margin: 0 0 1em; }
table { border-collapse: collapse; margin: 0 0 1em; }
th { font-weight: normal; opacity: .75; }
th, td { padding: .1em 1em .1em 0; text-align: left; vertical-align: top; }
blockquote { margin: 0 0 1em; padding-left: 1em; border-left: 3px solid #8884; }
</style>
"""


class Section(NamedTuple):
    """A document: what it is called, what is predicted, and HTML that may be trusted."""

    name: str
    said: str
    body: str


def page_of(sections: Iterable[Section]) -> Iterator[str]:
    """The page, piece by piece."""
    yield _HEAD
    for section in sections:
        yield f'<section>\n<h2>{escape(section.name)}</h2>\n<p class="said">predicted: {escape(section.said)}</p>\n'
        yield f"{section.body}\n</section>\n"
    yield "</html>\n"
