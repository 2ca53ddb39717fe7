"""What was said so far, what to take back, and the update."""

from __future__ import annotations

from ..views.text import shown
from .bench import Bench
from .panel import Panel

_SENTENCE = 200


class StepsPanel(Panel, component="steps_panel.js"):
    """Says ``undo``, ``redo``, ``refresh`` for an update, ``stop`` and ``save_knowledge``."""

    def show_bench(self, bench: Bench) -> None:
        """Show the steps of a branch and how far its update is."""
        steering = bench.steering
        if steering is None:
            self.show(why_not=bench.why_not)
            return
        waiting = len(steering.pending)
        steps = steering.steps
        self.show(
            steps=[
                {
                    "n": n,
                    "told": shown(step.sentence(steering.names), _SENTENCE),
                    "kind": step.kind,
                    "waits": n >= len(steps) - waiting,
                }
                for n, step in enumerate(steps)
            ],
            can_undo=steering.can_undo,
            can_redo=steering.can_redo,
            why_not="",
        )
        self.show_work(bench)

    def show_work(self, bench: Bench) -> None:
        """Show how far the update is."""
        self.show(busy=bench.busy, done=bench.done, asked=bench.asked, outcome=bench.outcome)
