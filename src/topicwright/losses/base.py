"""The protocol of loss functions, and the registry that estimators, model files and the command line share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Floats = NDArray[np.float64]
CLASSIFICATION, REGRESSION = "classification", "regression"
DUAL_SQUARED_HINGE, DUAL_LOGISTIC, DUAL_EPSILON_INSENSITIVE, DUAL_SQUARED = range(4)  # forms of the convex solve


class Loss(Protocol):
    """Pseudo-likelihood of targets that is Gaussian in the scores, given auxiliary variables.

    Scores m = Σ_k η_k n_dk are sums over the tokens of a document, of shape (n_docs, n_tasks). The loss is a function
    of the prediction f = m / N_d. A loss with the attribute ``dual``, one of the forms above, can also be minimized
    directly, which word weights are found by (:mod:`topicwright.models.medlda.linear`).
    """

    def linearize(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw the auxiliary variables and return A and Q of log pseudo-likelihood = A·m − Q/2·m² + const.

        Parameters
        ----------
        scores : array of shape (n_docs, n_tasks)
            The scores m that the auxiliary variables depend on.
        targets : array of shape (n_docs, n_tasks)
            −1 or +1 in classification, any number in regression, NaN where the target is unknown.
        lengths : array of shape (n_docs,)
            Number of tokens of each document.
        weights : array of shape (n_docs, n_tasks), optional
            Multipliers of the cost.
        rng : numpy.random.Generator
            The only source of random numbers.

        Returns
        -------
        A, Q : arrays of shape (n_docs, n_tasks)
            Both are 0 where the target is NaN, the document is empty, or the weight is 0.
        """
        ...

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """Score m that the loss prefers, about which the sampler builds its proposals.

        It depends on the targets alone: proposals that depend on topics would not be exact.
        """
        ...

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """Loss at f = m / N; 0 where the target is NaN."""
        ...


class ObservedTargets(NamedTuple):
    """Costs, targets and lengths without NaN and without a length of 0."""

    cost: Floats  # 0 where the target is unknown or the document empty
    targets: Floats
    lengths: Floats


def observed_targets(
    cost: float, targets: Floats, lengths: NDArray[Any], weights: Floats | None = None
) -> ObservedTargets:
    """Cost of each entry, 0 where there is no target; targets and lengths are replaced by 0 and 1 there.

    >>> observed_targets(2.0, np.array([[1.0, np.nan], [1.0, -1.0]]), np.array([5, 0])).cost.tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    column = np.asarray(lengths, np.float64)[:, None]
    is_known = ~np.isnan(targets) & (column > 0)
    costs = np.where(is_known, cost if weights is None else cost * weights, 0.0)
    return ObservedTargets(costs, np.where(is_known, targets, 0.0), np.maximum(column, 1.0))


# ---------------------------------------------------------------------- registry


class RegisteredLoss(NamedTuple):
    """A loss of this package: its name, the task it is for, and its class."""

    name: str
    task: str  # CLASSIFICATION or REGRESSION
    cls: type[Any]

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters that the class takes."""
        return [field.name for field in fields(self.cls)]


_REGISTRY: dict[str, RegisteredLoss] = {}
T = TypeVar("T")


def register_loss(name: str, task: str) -> Callable[[type[T]], type[T]]:
    """Class decorator that makes a loss available as ``loss=name``, in model files and on the command line.

    The class is a dataclass with the field ``cost``. Estimators pass those of their parameters ``cost`` (``C``),
    ``margin`` and ``epsilon`` that it has; model files store all of its fields, which must be numbers.

    Parameters
    ----------
    name : str
        Value of the parameter ``loss`` of estimators.
    task : {"classification", "regression"}
        Whether targets are −1 and +1, or numbers.
    """

    def register(cls: type[T]) -> type[T]:
        assert is_dataclass(cls)
        assert task in (CLASSIFICATION, REGRESSION)
        _REGISTRY[name] = RegisteredLoss(name, task, cls)
        return cls

    return register


def registered_losses(task: str | None = None) -> list[RegisteredLoss]:
    """All losses, or those for a task."""
    return [entry for entry in _REGISTRY.values() if task in (None, entry.task)]


def registered_loss(name: str, task: str | None = None) -> RegisteredLoss:
    """The loss of a name, or an error that lists the names for the task."""
    names = {entry.name: entry for entry in registered_losses(task)}
    if name not in names:
        raise InputError(parameter="loss", expected=f"one of {', '.join(map(repr, names))}", got=name)
    return names[name]


def loss_class(loss: Any) -> type[Any]:
    """Class of a loss that is given by name or as an object."""
    return _REGISTRY[loss].cls if isinstance(loss, str) and loss in _REGISTRY else type(loss)


def make_loss(loss: Any, task: str, **parameters: float) -> Loss:
    """Loss object for the parameter ``loss`` of an estimator.

    Parameters
    ----------
    loss : str or object
        Name of a registered loss, which is made with those of the ``parameters`` that it takes, or an object with the
        methods of :class:`Loss`, which is returned.
    task : {"classification", "regression"}
        Task of the estimator.
    """
    names = {entry.name: entry for entry in registered_losses(task)}
    if isinstance(loss, str) and loss in names:
        entry = names[loss]
        made: Loss = entry.cls(**{name: value for name, value in parameters.items() if name in entry.parameters})
        return made
    if hasattr(loss, "linearise") and hasattr(loss, "centre") and not hasattr(loss, "linearize"):
        warnings.warn(
            f"{type(loss).__name__} defines linearise and centre: rename these methods to linearize and center",
            DeprecationWarning,
            stacklevel=2,
        )
        return RenamedLoss(loss)
    if isinstance(loss, str) or not (hasattr(loss, "linearize") and hasattr(loss, "center")):
        expected = f"one of {', '.join(map(repr, names))}, or an object with the methods linearize and center"
        raise InputError(parameter="loss", expected=expected, got=loss)
    given: Loss = loss
    return given


class RenamedLoss:
    """Loss of a user whose methods have the names of version 0.1, ``linearise`` and ``centre``."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def linearize(self, *arguments: Any) -> tuple[Floats, Floats]:
        """See :meth:`Loss.linearize`."""
        A, Q = self.wrapped.linearise(*arguments)
        return A, Q

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """See :meth:`Loss.center`."""
        return np.asarray(self.wrapped.centre(targets, lengths))

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """See :meth:`Loss.pseudo_loss`."""
        return np.asarray(self.wrapped.pseudo_loss(predictions, targets))


# ---------------------------------------------------------------------- files


def loss_to_data(loss: Any) -> Any:
    """A loss for JSON: its name, or its class and parameters. None for an unregistered class, which is code."""
    if isinstance(loss, str):
        return loss
    is_registered = any(type(loss) is entry.cls for entry in _REGISTRY.values())
    return {type(loss).__name__: asdict(loss)} if is_registered else None


def loss_from_data(data: Any) -> Any:
    """The loss that :func:`loss_to_data` wrote: a name, an object, or None."""
    if data is None:
        return None
    if isinstance(data, str):
        return registered_loss(data).name
    classes = {entry.cls.__name__: entry.cls for entry in _REGISTRY.values()}
    if not isinstance(data, dict) or len(data) != 1 or not data.keys() <= classes.keys():
        raise InputError(parameter="loss", expected=f"a name, or one of {', '.join(classes)} with parameters", got=data)
    ((name, parameters),) = data.items()
    try:
        return classes[name](**parameters)
    except TypeError as error:
        raise InputError(f"`loss`: {name} cannot be made with these parameters: {error}", parameter="loss") from error
