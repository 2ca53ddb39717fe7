"""What the parts of a run share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..common.base import BenchmarkContext
from .options import OnlineOptions

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus


@dataclass(frozen=True)
class OnlineContext(BenchmarkContext):
    """Everything that a part needs to run."""

    options: OnlineOptions
    corpus: Corpus  # every document has words and labels

    @property
    def prior(self) -> dict[str, Any]:
        """The same for all methods."""
        return {"alpha": self.options.alpha, "beta": self.options.beta}

    @property
    def stop(self) -> dict[str, Any]:
        """When a batch ends."""
        return {"most": self.options.sweeps, "tol": self.options.tol, "check_every": self.options.check_every}
