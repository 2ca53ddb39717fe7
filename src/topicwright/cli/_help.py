"""Help pages: one screen with the common options by ``--help``, all options by ``--help-all``."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from copy import copy
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperCommand

_WIDTH = 100  # characters of a line, at most
_NAMES_WIDTH = 28  # characters of the column of names, at most
_DEPRECATED = {"--unlabelled"}  # accepted, not shown

# Options on the help page of commands that have more than fit on one screen, in order.
COMMON: Mapping[str, tuple[str, ...]] = {
    "fit": (
        *(
            "output",
            "jobs",
            "topics",
            "sweeps",
            "alpha",
            "knowledge",
            "seed",
            "predict",
            "numbers",
            "labels",
        ),
        *("format", "text_field", "date_field", "min_df", "max_df", "stop_words"),
    ),
    "explore": (
        *("port", "host", "no_browser", "topics", "sweeps", "output"),
        *("format", "text_field", "date_field", "min_df", "max_df", "stop_words"),
    ),
    "explain": (
        *("ids", "classes", "top", "documents", "html", "json", "own_labels", "snippets"),
        *("text_field", "label_field", "id_field"),
    ),
    "stream": (
        *("model_file", "follow", "new_source", "json", "knowledge", "forgetting", "stop_words", "seed"),
        *("text_field", "label_field", "id_field", "every", "seconds", "alerts", "no_alerts", "bad_lines"),
    ),
}

Row = tuple[str, str]


class Command(TyperCommand):
    """Command with a short and a complete help page."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Parameters, with ``--help-all`` if ``--help`` does not show all of them."""
        params = super().get_params(ctx)
        if self.name in COMMON:
            params.append(_help_all(params[-1]))
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page of ``--help``."""
        formatter.write(command_page(self, ctx, COMMON.get(self.name or "")))


def _help_all(help_option: Any) -> Any:
    option = copy(help_option)
    option.name, option.opts, option.callback = "help_all", ["--help-all"], _show_all
    option.help = "Show all options and exit."
    return option


def _show_all(ctx: Any, param: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        typer.echo(command_page(ctx.command, ctx), nl=False)
        ctx.exit()


def command_page(command: Any, ctx: Any, common: tuple[str, ...] | None = None) -> str:
    """Help page of a command, with all options or only common ones."""
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option" and not param.hidden]
    if common is not None:
        options = sorted((one for one in options if one.name in common), key=lambda one: common.index(one.name))
    sections: dict[str, list[Row]] = {"Arguments": [(_usage(one), _description(one)) for one in arguments]}
    for option in sorted(options, key=lambda option: option.rich_help_panel is not None):
        title = option.rich_help_panel or "Options"
        sections.setdefault(title, []).append((option_names(option), _description(option)))
    usage = " ".join([ctx.command_path, "[OPTIONS]", *(_usage(one, optional=True) for one in arguments)])
    more = [] if common is None else [f"All options:  {ctx.command_path} --help-all"]
    return page(usage, command.help, sections, [*more, command.epilog])


def group_page(group: Any, ctx: Any, sections: Mapping[str, Iterable[str]]) -> str:
    """Help page of a group of commands: the names of commands by section, and the options of the group."""
    shown: dict[str, list[Row]] = {
        title: [(name, plain(group.commands[name].help).split("\n\n")[0]) for name in names]
        for title, names in sections.items()
    }
    shown["Options"] = [(option_names(one), _description(one)) for one in group.params]
    return page(f"{ctx.command_path} COMMAND [OPTIONS]", group.help, shown, [group.epilog])


def page(usage: str, text: str | None, sections: Mapping[str, list[Row]], end: Iterable[str | None]) -> str:
    """Layout of a help page: usage, text, sections of rows with two columns, and last lines."""
    width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    blocks = ["\n".join(_wrap(f"Usage:  {usage}", width, " " * 8))]
    blocks += ["\n".join(_wrap(paragraph, width)) for paragraph in plain(text).split("\n\n")]
    rows = [name for section in sections.values() for name, _ in section]
    column = min(max(map(len, rows)), _NAMES_WIDTH) + 4
    for title, section in sections.items():
        if section:
            lines = [line for name, description in section for line in _row(name, description, column, width)]
            blocks.append("\n".join([typer.style(f"{title}:", bold=True), *lines]))
    blocks.append("\n".join(filter(None, end)))
    return "\n\n".join(blocks) + "\n"


def _row(name: str, description: str, column: int, width: int) -> list[str]:
    lines = _wrap(description, max(width - column, 20)) or [""]
    if len(name) > column - 3:
        return [f"  {name}", *(" " * column + line for line in lines)]
    return [f"  {name}".ljust(column) + lines[0], *(" " * column + line for line in lines[1:])]


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


# ---------------------------------------------------------------------- parameters


def option_names(option: Any) -> str:
    """Names of an option and of its value: ``-k, --topics K``.

    >>> from typer.main import get_command
    >>> from topicwright.cli._app import app
    >>> fit = get_command(app).commands["fit"]
    >>> [option_names(option) for option in fit.params if option.name in ("topics", "numbers", "unlabeled")]
    ['-k, --topics K', '    --numbers', '    --unlabeled skip|any']
    """
    names = sorted((name for name in option.opts if name not in _DEPRECATED), key=len)
    shown = ", ".join(names) if len(names) > 1 or not names[0].startswith("--") else f"    {names[0]}"
    return shown if option.is_flag else f"{shown} {option.metavar}"


def _usage(argument: Any, optional: bool = False) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[]")
    return f"[{name}]" if optional and not argument.required else name


def _description(param: Any) -> str:
    """Help text of a parameter, with its default."""
    text = plain(param.help)
    if param.required and param.param_type_name == "option":
        return f"{text} [required]"
    default = default_text(param)
    return f"{text} [default: {default}]" if default else text


def default_text(param: Any) -> str:
    """Default of a parameter in words; empty if there is nothing to say."""
    shown, value = param.show_default, param.default
    if isinstance(shown, str):
        return shown
    if shown and isinstance(value, (int, float, str)) and not isinstance(value, bool) and value != "":
        return str(getattr(value, "value", value))
    return ""


def plain(text: str | None) -> str:
    """Help text without markup; paragraphs are separated by an empty line and have no other line breaks."""
    paragraphs = re.split(r"\n\s*\n", (text or "").replace("\b", "").strip())
    unmarked = [re.sub(r"\[/?(?:bold|dim|italic|cyan|b|i)\]", "", paragraph) for paragraph in paragraphs]
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in unmarked)
