"""Losses are registered once: names, classes, model files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from topicwright import losses
from topicwright.losses import Hinge, Loss
from topicwright.losses.base import (
    CLASSIFICATION,
    REGRESSION,
    RegisteredLoss,
    RenamedLoss,
    loss_from_data,
    loss_to_data,
    make_loss,
    registered_loss,
    registered_losses,
)

from ..assertions import raises_input


def test_names_by_task() -> None:
    assert {"hinge", "logistic"} <= {entry.name for entry in registered_losses(CLASSIFICATION)}
    assert {"epsilon_insensitive", "squared"} <= {entry.name for entry in registered_losses(REGRESSION)}


@pytest.mark.parametrize("entry", registered_losses(), ids=lambda entry: entry.name)
def test_every_loss_is_exported_and_survives_a_model_file(entry: RegisteredLoss) -> None:
    assert getattr(losses, entry.cls.__name__) is entry.cls
    assert entry.cls.__name__ in losses.__all__
    assert entry.parameters[0] == "cost"
    loss = entry.cls(cost=2.5)
    assert loss_from_data(json.loads(json.dumps(loss_to_data(loss)))) == loss
    assert loss_from_data(loss_to_data(entry.name)) == entry.name


def test_names_accept_parameters_of_the_loss() -> None:
    assert make_loss("hinge", CLASSIFICATION, cost=2.0, margin=3.0) == Hinge(2.0, 3.0)
    assert make_loss("logistic", CLASSIFICATION, cost=2.0, margin=3.0) == losses.Logistic(2.0)


def test_unknown_name_error_lists_known_names() -> None:
    with raises_input("loss", match="one of 'hinge'", got="squared"):
        make_loss("squared", CLASSIFICATION)
    with raises_input("loss", match="one of 'epsilon_insensitive'", got="hinge"):
        registered_loss("hinge", REGRESSION)
    with raises_input("loss", match="linearize and center"):
        make_loss(object(), REGRESSION)


@pytest.mark.parametrize("data", ["cubic", 3, {"Hinge": {}, "Logistic": {}}, {"Cubic": {}}, {"Hinge": {"cots": 1.0}}])
def test_rejects_invalid_data(data: Any) -> None:
    with raises_input("loss"):
        loss_from_data(data)


def test_custom_loss_is_not_stored() -> None:
    assert loss_to_data(object()) is None
    assert loss_from_data(None) is None


def test_deprecated_method_names() -> None:
    class Old:
        def linearise(self, scores: Any, targets: Any, lengths: Any, weights: Any, rng: Any) -> Any:
            return targets, np.ones_like(targets)

        def centre(self, targets: Any, lengths: Any) -> Any:
            return 2 * targets

    with pytest.warns(DeprecationWarning, match="linearize and center"):
        loss: Loss = make_loss(Old(), REGRESSION)
    assert isinstance(loss, RenamedLoss)
    targets = np.ones((2, 1))
    A, Q = loss.linearize(targets, targets, np.ones(2), None, np.random.default_rng(0))
    assert A.sum() == Q.sum() == 2.0
    assert loss.center(targets, np.ones(2)).sum() == 4.0
