"""Two branches side by side."""

from __future__ import annotations

from ..steering import Comparison, Step, TopicDifference
from ..views.text import WORD, percent, shown
from .panel import Panel
from .picture import Picture

_TOPICS, _WORDS, _SENTENCE = 8, 8, 200


class ComparePanel(Panel, component="compare_panel.js"):
    """Says ``back``, and ``choose`` with a topic."""

    def show_comparison(self, picture: Picture, names: tuple[str, str], found: Comparison) -> None:
        """Show what two branches have in common, and where they differ."""

        def told(steps: tuple[Step, ...]) -> list[str]:
            return [shown(step.sentence(), _SENTENCE) for step in steps]

        self.show(
            names=list(names),
            common=len(found.common),
            own=told(found.own),
            other=told(found.other),
            contradictions=[shown(line, _SENTENCE) for line in found.contradictions],
            topics=[
                {
                    "topic": one.topic,
                    "title": picture.title(one.topic),
                    "words": [shown(word, WORD) for word in one.words[:_WORDS]],
                    "other": [shown(word, WORD) for word in one.other_words[:_WORDS]],
                    "shares": [percent(one.share), percent(one.other_share)],
                }
                for one in _different(found)[:_TOPICS]
            ],
        )


def _different(found: Comparison) -> list[TopicDifference]:
    """Topics whose first words are not the same: sweeps alone move others a little."""
    return [one for one in found.topics if set(one.words[:_WORDS]) != set(one.other_words[:_WORDS])]
