"""What the parts of a run share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .options import Options

if TYPE_CHECKING:
    from ...corpus.core import Corpus


@dataclass(frozen=True)
class Setting:
    """Everything that a part needs to run."""

    options: Options
    corpus: Corpus  # every document has words and labels
    tell: Callable[[str], object] = lambda text: None
    notes: list[str] = field(default_factory=list)

    def seeds(self) -> range:
        """One for each repeat."""
        return range(self.options.seed, self.options.seed + self.options.repeats)

    @property
    def prior(self) -> dict[str, Any]:
        """The same for all methods."""
        return {"alpha": self.options.alpha, "beta": self.options.beta}

    @property
    def stop(self) -> dict[str, Any]:
        """When a batch ends."""
        return {"most": self.options.sweeps, "tol": self.options.tol, "check_every": self.options.check_every}

    def telling(self, about: str) -> Setting:
        """The same setting, where what is told begins with this."""
        return replace(self, tell=lambda text: self.tell(f"{about}: {text}"))

    def note(self, text: str) -> None:
        """Something to be said once, at the end."""
        if text not in self.notes:
            self.notes.append(text)
