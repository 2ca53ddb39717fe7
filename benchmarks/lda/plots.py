"""Curves as an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.figures import label, legend_below, look, new_figure

if TYPE_CHECKING:
    from .results import LDAResult


def figures(result: LDAResult) -> dict[str, Any]:
    """Likelihood and perplexity against CPU seconds, a curve for each run."""
    figure = new_figure()
    panels = figure.subplots(1, 2)
    names = {"log_likelihood": "log p(w, z) per token", "perplexity": "held-out perplexity"}
    for axes, (measure, name) in zip(panels, names.items()):
        for place, contestant in enumerate(result.contestants):
            for repeat, track in enumerate(contestant.tracks):
                values = [getattr(turn, measure) for turn in track.turns]
                if None not in values:
                    known = contestant.name if repeat == 0 else None
                    axes.plot(track.after("cpu"), values, label=known, **look(place))
        label(axes, "CPU seconds", name, xscale="log")
    if panels[1].lines:
        legend_below(figure, panels[1], 4)
    return {"lda": figure}
