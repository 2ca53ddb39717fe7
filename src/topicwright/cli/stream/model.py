"""The model of a stream: begun with what the options say, or gone on with as its file has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ...errors import InputError
from ...records.model_types import is_stream
from .._inputs import lines_of, read_known, stop_words_of
from .._models import load_model
from .._options import option
from .._wording import option_of

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA

_LONG = ("vocabulary", "stop_words", "knowledge")
_PANEL = "Model, when it begins"


class StreamUnlabeledPolicy(str, Enum):
    """What becomes of documents without labels."""

    skip = "skip"
    likely = "likely"


def _option(help: str, default: str | bool, metavar: str = "NUMBER", **more: Any) -> Any:
    return option(_PANEL, help, metavar=metavar, default=default, **more)


Particles = Annotated[int | None, _option("Runs through the stream, side by side.", "8", "N", min=1)]
Alpha = Annotated[float | None, _option("Prior of labels in a document.", "0.1")]
Beta = Annotated[float | None, _option("Prior of words in a label.", "0.1")]
Redraws = Annotated[
    float | None,
    _option("Earlier words that draw their label anew for each word that comes and each label but the first.", "0.35"),
]
Reservoir = Annotated[int | None, _option("Earlier words to keep for that.", "200000", "N", min=0)]
Forgetting = Annotated[
    float | None, _option("What counts shrink by with each document, such as 0.9999.", "nothing is forgotten")
]
OfUnlabelled = Annotated[
    StreamUnlabeledPolicy | None,
    _option("Documents without labels: skip them, or give them their likely ones.", "skip", "skip|likely"),
]
Vocabulary = Annotated[str | None, _option("The only words to learn, one a line.", "any that come", "FILE")]
StopWords = Annotated[
    str | None, _option("Words to leave out: english, none, or a file with one word a line.", "english", "WORDS")
]
Knowledge = Annotated[
    list[str] | None, _option("Words of labels, words that belong together or apart, in YAML or JSON.", False, "FILE")
]
Seed = Annotated[int | None, _option("Same seed, same answer.", "0", "N", min=0)]
Paper = Annotated[bool, option(_PANEL, "The settings of the paper of Online Labeled LDA.", "--paper")]


def open_or_create(path: Path, options: Mapping[str, Any], *, paper: bool) -> OnlineLabeledLDA:
    """The model of a file, or a new one; ``options`` are by the model's parameters, None where nothing was said."""
    from ...models import OnlineLabeledLDA

    given = {name: _read(name, value) for name, value in options.items() if value is not None}
    make = OnlineLabeledLDA.paper if paper else OnlineLabeledLDA
    wanted = make(**{"stop_words": "english", **given})
    if not path.exists():
        return wanted
    model: Any = load_model(path)
    if not is_stream(model):
        raise InputError(f"{path} is no model of a stream, and can't go on as one: begin another with a new name")
    _check_same(model, wanted, given, path)
    if paper:
        plain, of_paper = OnlineLabeledLDA().get_params(), make().get_params()
        own = [name for name in of_paper if of_paper[name] != plain[name] and name not in given]
        _check_same(model, wanted, own, path, "--paper")
    return model  # type: ignore[no-any-return]


def _read(name: str, value: Any) -> Any:
    """What an option says, in the words of the library."""
    if name == "vocabulary":
        return lines_of(value)
    if name == "knowledge":
        return read_known(value)
    return stop_words_of(value) if name == "stop_words" else value


def _check_same(model: Any, wanted: Any, names: Iterable[str], path: Path, asked: str | None = None) -> None:
    """The same command goes on with its model; another one must not change it silently."""
    for name in names:
        has, wants = _comparable(model, name), _comparable(wanted, name)
        if has != wants:
            option = asked or option_of(name)
            said = option if name in _LONG else f"{name} {has}, not {wants} as {option} says"
            raise InputError(
                f"{path} was begun with {'another ' if name in _LONG else ''}{said}: leave that out to go on with it, "
                "or begin another model with a new name"
            )


def _comparable(model: Any, name: str) -> Any:
    from ...knowledge import serialize_knowledge
    from ...models.online.settings import make_tokenizer

    if name == "stop_words":
        return make_tokenizer(model).to_dict()
    value = getattr(model, name)
    return (
        serialize_knowledge(list(value))
        if name == "knowledge"
        else list(value)
        if name == "vocabulary" and value
        else value
    )
