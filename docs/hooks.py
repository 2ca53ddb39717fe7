"""Hooks of the site: pages from other folders, formulas, drawings, the command reference.

mkdocs calls these functions by their names during a build (``hooks`` in mkdocs.yml).
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
OUTSIDE = {  # pages of the site that are not in docs/
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
}
SOURCES = {page: source for source, page in OUTSIDE.items()}
DRAWINGS = ("layers", "sweep")  # inlined, so that they follow the colors of the page
COMMANDS = "<!-- commands -->"


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not in docs/."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Adapt links to the site, and insert the command reference."""
    own = page.file.src_uri
    if own == "index.md":
        page.meta["hide"] = ["navigation"]  # it is one
    markdown = re.sub(r"\]\(([\w./-]+\.\w+)(?=[)#])", lambda link: f"]({led(own, link[1])}", markdown)
    return markdown.replace(COMMANDS, commands()) if COMMANDS in markdown else markdown


def led(page: str, target: str) -> str:
    """The target of a link on the site; links that are not files of the repository stay as they are."""
    source = SOURCES.get(page, f"docs/{page}")
    path = normpath(join(dirname(source), target))
    if not (ROOT / path).is_file():
        return target
    return relpath(OUTSIDE.get(path, path.removeprefix("docs/")), dirname(page) or ".")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Convert formulas to MathML, inline drawings, convert Sphinx roles to links."""
    html = re.sub(r'<(span|div) class="arithmatex">(.*?)</\1>', formula, html, flags=re.DOTALL)
    html = re.sub(r"<td[^>]*>.*?</td>", breakable, html, flags=re.DOTALL)
    html = re.sub(r'<img alt="([^"]*)" src="[^"]*images/(\w+)\.svg" ?/?>', drawing, html)
    return re.sub(r":(?:class|meth|func|mod|attr|exc):<code>~?([\w.]+)</code>", reference, html)


def formula(found: re.Match[str]) -> str:
    """MathML of a formula that arithmatex found."""
    return str(convert(unescape(found[2]).strip()[2:-2], display="block" if found[1] == "div" else "inline"))


def breakable(cell: re.Match[str]) -> str:
    """Allow line breaks in the names and paths of a table cell, so that tables fit on narrow screens."""
    return re.sub(r"<code>[^<]*</code>", lambda code: re.sub(r"(?<=\w)(::|[_/.])(?=\w)", r"\1<wbr>", code[0]), cell[0])


def drawing(found: re.Match[str]) -> str:
    """The SVG of a drawing; other images stay as they are."""
    if found[2] not in DRAWINGS:
        return found[0]
    svg = (ROOT / f"docs/images/{found[2]}.svg").read_text(encoding="utf-8")
    return svg.replace("<svg ", f'<svg class="drawing" role="img" aria-label="{found[1]}" ', 1)


def reference(found: re.Match[str]) -> str:
    """A link to the documentation of a name, if there is one."""
    name = found[1] if found[1].startswith("topicwright.") else f"topicwright.{found[1]}"
    return f'<autoref identifier="{name}" optional><code>{found[1].removeprefix("topicwright.")}</code></autoref>'


def commands() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from topicwright.cli._app import app

    return "\n\n".join(section(name, command) for name, command in get_command(app).commands.items())  # type: ignore[attr-defined]


def section(name: str, command: Any, level: int = 2) -> str:
    """One command: description, example and table of options; or a section per subcommand."""
    from topicwright.cli._help import plain

    parts = [f"{'#' * level} {name}", markdown_text(plain(command.help))]
    if command.epilog:
        parts.append("```sh\n" + command.epilog.removeprefix("Example:").strip() + "\n```")
    for below, child in getattr(command, "commands", {}).items():
        parts.append(section(f"{name} {below}", child, level + 1))
    rows = [row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]
    if rows and not hasattr(command, "commands"):
        parts.append("\n".join(["| | |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


def row(parameter: Any) -> str:
    """An argument or option as a row of a table."""
    from topicwright.cli._help import default_text, option_names, plain

    is_option = parameter.param_type_name == "option"
    names = option_names(parameter).strip() if is_option else parameter.metavar.strip("[]")
    shown = ", ".join(f"`{name}`" for name in names.split(", "))
    default = default_text(parameter)
    text = plain(parameter.help) + (f" Default: {default}." if default else "")
    return f"| {shown} | {markdown_text(text)} |"


def markdown_text(text: str) -> str:
    """Plain text as Markdown."""
    return text.replace("<", "&lt;").replace("|", "&#124;").replace("--", "\\-\\-")
