"""The library speaks of parameters, the shell of options: messages of the one in the words of the other."""

from __future__ import annotations

import re
from typing import Any

# Parameters that have another name as an option.
_RENAMED = {
    "C": "cost",
    "n_background_topics": "background",
    "n_jobs": "jobs",
    "n_particles": "particles",
    "n_rounds": "rounds",
    "n_shards": "shards",
    "n_sweeps": "sweeps",
    "n_topics": "topics",
    "new": "new_source",
    "ngram_range": "ngrams",
    "random_state": "seed",
    "rejuvenate_per_label": "redraws",
    "text": "text_field",
}
_OTHERWISE_MEANT = {"labels", "topics", "words", "numbers", "source", "text"}  # what the library calls so is no option
_GIVEN = re.compile(r"(?<![\w.'\"/-])([A-Za-z]\w*)=('[^']*'|[\w.+-]*\w)")
_NAMED = re.compile(r"(?<![\w.'\"/-])([a-z]+(?:_[a-z]+)+)(?![\w'\"/=(-]|\.\w)")
_SUBJECT = re.compile(r"(^|: )([A-Za-z]+)(?= (?:must|goes with|needs)\b)")
_OF_FILES = re.compile(r"((?:fields|columns) are: [^(]*)")  # names that are the user's own
_NOTHING = re.compile(r", or None\b|\bNone or (?=an? )")

_VALUES = [  # what typer says of wrong values, in its older and newer versions
    (r"(?P<got>.*) is not in the range x>=(?P<low>[^<>]*?)\.?", "it must be {low} or more"),
    (r"(?P<got>.*) is not in the range x<=(?P<high>[^<>]*?)\.?", "it must be {high} or less"),
    (r"(?P<got>.*) is not in the range (?P<low>[^<>]*)<=x<=(?P<high>[^<>]*?)\.?", "it must be from {low} to {high}"),
    (r"'?(?P<got>.*?)'? is not a valid integer( range)?\.?", "it must be a whole number"),
    (r"'?(?P<got>.*?)'? is not a valid float( range)?\.?", "it must be a number"),
    (r"Input should be greater than or equal to (?P<low>.*)", "it must be {low} or more"),
    (r"Input should be less than or equal to (?P<high>.*)", "it must be {high} or less"),
    (r"Input should be a valid integer.*", "it must be a whole number"),
    (r"Input should be a valid number.*", "it must be a number"),
]


def option_of(parameter: str) -> str:
    """The option that a parameter of the library is called by.

    >>> option_of("n_shards"), option_of("checkpoint_dir")
    ('--shards', '--checkpoint-dir')
    """
    return f"--{_RENAMED.get(parameter, parameter).replace('_', '-')}"


def option_for(verb: Any, parameter: str, value: str | None) -> str | None:
    """The option of a command for a parameter of the library, with its value; None if the command has none."""
    options = {param.name: max(param.opts, key=len) for param in verb.params if param.param_type_name == "option"}
    option = options.get(_RENAMED.get(parameter, parameter))
    return option if option is None or value in (None, "True") else f"{option} {value.strip(chr(39))}"


def in_options(message: str, verb: Any) -> str:
    """A message of the library with options for the parameters, as far as the command has such.

    >>> from typer.main import get_command
    >>> from topicwright.cli._app import app
    >>> in_options("go on with resume=True, or give another checkpoint_dir", get_command(app).commands["fit"])
    'go on with --resume, or give another --checkpoint-dir'
    """
    options = {param.name: max(param.opts, key=len) for param in verb.params if param.param_type_name == "option"}

    def known(name: str) -> str | None:
        return options.get(_RENAMED.get(name, name))

    def given(found: re.Match[str]) -> str:
        option, value = known(found[1]), found[2].strip("'")
        return found[0] if option is None else option if value == "True" else f"{option} {value}"

    def subject(found: re.Match[str]) -> str:
        option = None if found[2] in _OTHERWISE_MEANT else known(found[2])
        return found[0] if option is None else f"{found[1]}{option}"

    def said(part: str) -> str:
        return _NAMED.sub(lambda found: known(found[1]) or found[0], _GIVEN.sub(given, part))

    parts = _OF_FILES.split(message)
    parts[::2] = map(said, parts[::2])
    worded = _SUBJECT.sub(subject, "".join(parts))
    return _NOTHING.sub("", worded) if worded.startswith("--") else worded


def wrong_value(error: Any) -> str:
    """What is wrong with the value of an option, as typer found it."""
    message: str = error.message.removeprefix("Value error, ")
    for pattern, said in _VALUES:
        found = re.fullmatch(pattern, message)
        if found is not None:
            parts = found.groupdict()
            got = parts["got"] if "got" in parts else _input(error)
            return said.format(**parts) + ("" if got is None else f": got {got}")
    return message


def _input(error: Any) -> Any:
    """The value, which the newer typer does not name."""
    errors = getattr(error.__cause__, "errors", None)
    return errors()[0]["input"] if callable(errors) else None
