"""Losses in model files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..errors import InputError
from ..io import Fields
from ..losses import EpsilonInsensitive, Hinge, Logistic

_NAMES = ("hinge", "logistic", "epsilon_insensitive")
_CLASSES: dict[str, Any] = {loss.__name__: loss for loss in (EpsilonInsensitive, Hinge, Logistic)}


def loss_to_data(loss: Any) -> Any:
    """A loss by its name, or as its parameters; one of the user's own is code, and not kept."""
    if isinstance(loss, str):
        return loss
    name = type(loss).__name__
    return {name: asdict(loss)} if type(loss) is _CLASSES.get(name) else None


def loss_from_fields(fields: Fields) -> Any:
    """Without a loss a model predicts, but can't be trained on."""
    said = fields.value("loss")
    if said is None:
        return None
    if isinstance(said, str):
        return fields.text("loss", choices=_NAMES)
    if not isinstance(said, dict) or len(said) != 1 or not said.keys() <= _CLASSES.keys():
        fields.fail("loss", f"must be a name, or one of {', '.join(_CLASSES)}")
    ((name, parameters),) = said.items()
    try:
        return _CLASSES[name](**parameters)
    except (TypeError, InputError) as error:
        fields.fail("loss", f"can't be rebuilt: {error}")
