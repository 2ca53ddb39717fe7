"""Loss functions of supervised topic models.

Every loss has the one form that the sampler takes: A·m − Q/2·m², given auxiliary variables. To add a loss, add a module
to this package with a class that :func:`register_loss` registers: it becomes a name for the parameter ``loss``, is
stored in model files, and is exported from here.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from .base import Loss, register_loss, registered_losses

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
_CLASSES = {entry.cls.__name__: entry.cls for entry in registered_losses()}
globals().update(_CLASSES)

if TYPE_CHECKING:
    from .epsilon_insensitive import EpsilonInsensitive
    from .hinge import Hinge
    from .logistic import Logistic
    from .squared import SquaredLoss

    def __getattr__(name: str) -> Any: ...  # the classes of further modules


__all__ = ["EpsilonInsensitive", "Hinge", "Logistic", "Loss", "SquaredLoss", "register_loss"]
__all__ += [name for name in _CLASSES if name not in __all__]
