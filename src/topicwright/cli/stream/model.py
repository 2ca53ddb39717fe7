"""Model of a stream: created with the options of the command, or loaded from its file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ...errors import InputError
from ...records.predictions import is_stream
from .._inputs import parse_stop_words, read_knowledge_files, read_lines
from .._models import load_model
from .._options import OptionGroup, option

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA

_LONG = ("vocabulary", "stop_words", "knowledge")  # parameters whose values are not shown in messages


class StreamUnlabeledPolicy(str, Enum):
    """Use of documents without labels in a stream."""

    skip = "skip"
    likely = "likely"


def _option(help: str, default: str | bool, metavar: str | None = "NUMBER", *names: str, **more: Any) -> Any:
    return option("New model", help, *names, metavar=metavar, default=default, **more)


@dataclass(frozen=True, kw_only=True)
class StreamModelOptions(OptionGroup):
    """Parameters of a new model of a stream; an existing model must have been created with the same ones."""

    particles: Annotated[int | None, _option("Number of particles.", "8", "N", min=1)] = None
    alpha: Annotated[float | None, _option("Prior of labels in a document.", "0.1")] = None
    beta: Annotated[float | None, _option("Prior of words in a label.", "0.1")] = None
    redraws: Annotated[
        float | None,
        _option("Earlier words to resample per new word and additional label.", "0.35"),
    ] = None
    reservoir: Annotated[int | None, _option("Earlier words to keep for resampling.", "200000", "N", min=0)] = None
    forgetting: Annotated[float | None, _option("Factor of all counts per document, such as 0.9999.", "none")] = None
    unlabeled: Annotated[
        StreamUnlabeledPolicy | None,
        _option(
            "Documents without labels: skip them, or give them their most likely labels.",
            "skip",
            "skip|likely",
            "--unlabeled",
            "--unlabelled",
        ),
    ] = None
    vocabulary: Annotated[
        str | None, _option("File of the only words to learn, one per line.", "any words", "FILE")
    ] = None
    stop_words: Annotated[
        str | None, _option("Words to remove: english, none, or a file of words.", "english", "WORDS")
    ] = None
    knowledge: Annotated[
        list[str] | None,
        _option("Knowledge file: seeds, must-links and cannot-links; can be repeated.", False, "FILE"),
    ] = None
    seed: Annotated[int | None, _option("Random seed; the same seed gives the same model.", "0", "N", min=0)] = None
    paper: Annotated[bool, _option("Settings of the paper on Online Labeled LDA.", True, None, "--paper")] = False

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``OnlineLabeledLDA`` that were passed."""
        given = {
            "n_particles": self.particles,
            "alpha": self.alpha,
            "beta": self.beta,
            "rejuvenate_per_label": self.redraws,
            "reservoir": self.reservoir,
            "forgetting": self.forgetting,
            "unlabeled": None if self.unlabeled is None else self.unlabeled.value,
            "vocabulary": None if self.vocabulary is None else read_lines(self.vocabulary),
            "random_state": self.seed,
        }
        parameters: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if self.stop_words is not None:
            parameters["stop_words"] = parse_stop_words(self.stop_words)
        if self.knowledge:
            parameters["knowledge"] = [item for file in read_knowledge_files(self.knowledge) for item in file.items]
        return parameters


def open_or_create(path: Path, options: StreamModelOptions) -> OnlineLabeledLDA:
    """The model of a file, or a new one if there is no file."""
    from ...models import OnlineLabeledLDA

    given = options.parameters()
    make = OnlineLabeledLDA.paper if options.paper else OnlineLabeledLDA
    new = make(**{"stop_words": "english", **given})
    if not path.exists():
        return new
    model: Any = load_model(path)
    if not is_stream(model):
        raise InputError(
            f"{path} is a {type(model).__name__} model, and topicwright stream needs an OnlineLabeledLDA model: "
            "choose another name for a new one"
        )
    _check_same(model, new, given, path)
    if options.paper:
        default, of_paper = OnlineLabeledLDA().get_params(), make().get_params()
        names = [name for name in of_paper if of_paper[name] != default[name] and name not in given]
        _check_same(model, new, names, path, "--paper")
    return model  # type: ignore[no-any-return]


def _check_same(model: Any, new: Any, names: Iterable[str], path: Path, option: str | None = None) -> None:
    """Raise an error if these parameters of an existing model are not those of a new one."""
    for name in names:
        has, wants = _comparable(model, name), _comparable(new, name)
        if has != wants:
            as_with = "" if option is None else f" as with {option}"
            difference = (
                f"another {option or f'`{name}`'}" if name in _LONG else f"`{name}` {has}, not {wants}{as_with}"
            )
            raise InputError(f"{path} was created with {difference}: leave it out to continue, or choose a new name")


def _comparable(model: Any, name: str) -> Any:
    from ...knowledge import serialize_knowledge
    from ...models.online.settings import make_tokenizer

    if name == "stop_words":
        return make_tokenizer(model).to_dict()
    value = getattr(model, name)
    if name == "knowledge":
        return serialize_knowledge(list(value))
    return list(value) if name == "vocabulary" and value else value
