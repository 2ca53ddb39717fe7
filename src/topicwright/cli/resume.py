"""The ``topicwright resume`` command: more sweeps for a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..records.predictions import is_stream
from . import _options as options
from ._console import spinner
from ._inputs import load_model
from ._outputs import check_model
from ._training import SaveInterval, report, train_and_save


def resume(
    model_file: options.ModelFile,
    sweeps: Annotated[int, typer.Option("--sweeps", "-n", min=1, metavar="N", help="Number of sweeps to add.")] = 50,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default="the same file"),
    ] = None,
    save_every: options.SaveEvery = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Continue the training of a model.

    100 sweeps and then 50 more give the same model as 150. The file is replaced when the new one is complete.
    """
    target, interval = output or model_file, SaveInterval.parse(save_every)
    with spinner(f"loading {model_file}", quiet=quiet):
        model = load_model(model_file, jobs, by_class=True)
    if is_stream(model):
        raise InputError(f"{model_file} is a model of a stream, which has no sweeps: continue with  topicwright stream")
    check_model(target)
    n_sweeps = model.sweeps_ + sweeps
    outcome = train_and_save(partial(model.resume, sweeps), target, quiet=quiet, save_every=interval)
    report(outcome, n_sweeps, quiet=quiet, as_json=json)
