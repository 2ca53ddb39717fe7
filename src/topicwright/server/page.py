"""What may be asked, as a page for people: made of what OpenAPI tells, with nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark;color:light-dark(#1a1a1a,#eee);background:light-dark(#fff,#181818)}"
    "code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow-x:auto;padding:.6rem;"
    "background:light-dark(#f3f3f3,#262626)}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}"
    "h2{margin-top:2.5rem}h2 code{font-size:1.1rem;font-weight:bold}"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # no script at all


def page_of(schema: dict[str, Any], address: str) -> str:
    """A page on every path, what it takes, and a line to try it with."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(schema['info']['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{escape(schema['info']['title'])}</h1><p>{escape(schema['info']['description'])}",
        "Programs that make clients read <a href=openapi.json>openapi.json</a>.</p>",
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parts += _told(schema, f"{method.upper()} {path}", operation, f"{address.rstrip('/')}{path}")
    return "\n".join([*parts, "</html>"])


def _told(schema: dict[str, Any], name: str, operation: dict[str, Any], address: str) -> Iterator[str]:
    yield f"<h2><code>{escape(name)}</code></h2><p>{escape(operation['summary'])}.</p>"
    rows = [*_asked(schema, operation)]
    if rows:
        cells = (f"<tr><th scope=row><code>{escape(field)}</code><td>{escape(about)}" for field, about in rows)
        yield f"<table>{''.join(cells)}</table>"
    body = """ --json '{"documents": ["a text"]}'""" if "requestBody" in operation else ""
    token = ' -H "Authorization: Bearer $TOPICWRIGHT_TOKEN"' if "security" in operation else ""
    yield f"<pre>{escape(f'curl{token}{body} {address}', quote=False)}</pre>"


def _asked(schema: dict[str, Any], operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What can be given: in the address, or in the body."""
    for parameter in operation.get("parameters", []):
        yield parameter["name"], parameter.get("description", "")
    if "requestBody" in operation:
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for field, about in schema["components"]["schemas"][name]["properties"].items():
            yield field, about.get("description", "")
