"""What holds on a branch, for any thread that asks: one moment, which is replaced and never changed."""

from __future__ import annotations

from ..models import LDA
from .changes import Changes
from .past import Moment, Past
from .steps import Step, Update, called


class Standing:
    """Where a branch stands."""

    _past: Past
    _now: Moment

    @property
    def model(self) -> LDA:
        """The model as it stands, a new one after each update, merge, split or name: none is changed in place."""
        return self._now.state.model

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps that hold, the first one first, updates included."""
        return self._now.steps

    @property
    def pending(self) -> tuple[Step, ...]:
        """The steps since the last update."""
        steps = self._now.steps
        last = max((n for n, step in enumerate(steps, 1) if isinstance(step, Update)), default=0)
        return steps[last:]

    @property
    def names(self) -> dict[int, str]:
        """The names of the topics that have one."""
        return self._past.door.names(self._now.said)

    def name(self, topic: int) -> str:
        """What to call a topic: by its name, or ``topic 7``."""
        return called(topic, self.names)

    @property
    def hidden(self) -> frozenset[int]:
        """Topics that are not to be shown."""
        return self._now.said.hidden

    @property
    def pinned(self) -> frozenset[int]:
        """Topics that stay as they are."""
        return self._now.said.pinned

    @property
    def free(self) -> frozenset[int]:
        """Numbers of topics that were merged away: empty, and not to be shown."""
        return self._now.said.free

    @property
    def changes(self) -> Changes | None:
        """What the last update changed; None where there was none."""
        return self._now.changes
