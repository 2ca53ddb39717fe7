"""Steps of a knowledge file, gone through again by ``fit``."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..corpus.files import Source
    from ..steering.files import Told
    from ._training import Train


class _StandardInput(io.BytesIO):
    name = "standard input"


def to_read_twice(files: list[str]) -> list[Source]:
    """Files of knowledge, of which standard input is kept: it may have steps as well."""
    return [_StandardInput(sys.stdin.buffer.read()) if file == "-" else file for file in files]


def steps_in(files: list[Source], options: Mapping[str, Any]) -> Told | None:
    """The steps that a file has; they say all that there is to say, so that ``options`` must be None or False."""
    if not files:
        return None
    from ..steering.files import told_by

    for file in files:
        if isinstance(file, _StandardInput):
            file.seek(0)
    found = [told for file in files if (told := told_by(file)) is not None]
    if not found:
        return None
    if len(files) > 1:
        raise InputError(f"{found[0].name} has steps, which say all that is known: give no other file of knowledge")
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{found[0].name} has steps, and says with what model they began: leave {given[0]} out")
    return found[0]


def replaying(told: Told, corpus: Corpus, jobs: int) -> Train:
    """Training that takes all steps."""

    def train(*, on_sweep: Any) -> Any:
        return told.taken(corpus, jobs, on_sweep).model

    return train
