"""How far a training is: its likelihood and the coherence of its topics, live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..views.text import fixed
from ..views.ticks import Axis
from .panel import Panel
from .training import Training

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 190, 52, 62, 16, 26
_LEAST = 0.02  # between the ends of an axis, so that no wobble looks like a fall


class TrainingPanel(Panel, component="training_panel.js"):
    """Says ``stop`` for an end after the sweep that is under way."""

    def show_training(self, training: Training) -> None:
        """Show its curves."""
        left = training.seconds / max(training.sweep, 1) * (training.last - training.sweep)
        self.show(
            sweep=training.sweep,
            last=training.last,
            left=f"about {left:.0f} s left" if training.sweep > 1 else "",
            problem=training.problem,
            over=training.is_over,
            path=str(training.path),
            curves=[
                curve
                for name, points in (
                    ("Log-likelihood per word", training.likelihood),
                    ("Mean coherence of topics (NPMI)", training.coherence),
                )
                if (curve := _curve(name, points, training.last)) is not None
            ],
        )


def _curve(name: str, points: Sequence[tuple[float, float]], last: int) -> dict[str, Any] | None:
    if not points:
        return None
    x = Axis([0.0, float(last)], _LEFT, _WIDTH - _RIGHT)
    y = Axis([value for _, value in points], _HEIGHT - _BOTTOM, _TOP, span=max(0.01 * abs(points[-1][1]), _LEAST))
    end_x, end_y = points[-1]
    return {
        "name": name,
        "told": f"{name}: {fixed(end_y)} after sweep {end_x:.0f}",
        "line": "M" + "L".join(f"{x.at(a):.1f} {y.at(b):.1f}" for a, b in points),
        "end": {"x": round(x.at(end_x), 1), "y": round(y.at(end_y), 1), "text": fixed(end_y)},
        "up": [{"y": round(y.at(value), 1), "text": text} for value, text in y.ticks()],
        "across": [{"x": round(x.at(value), 1), "text": text} for value, text in x.ticks()],
    }
