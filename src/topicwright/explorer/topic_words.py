"""The words of a topic, with the slider from those that mark it to those that are frequent in it."""

from __future__ import annotations

from ..views.text import WORD, percent, shown
from .panel import Panel
from .picture import Picture

WORDS = 24  # of a topic, for any λ


class TopicWords(Panel, component="topic_words.js"):
    """Says ``select`` with a word that was chosen, or no longer is; ``lam`` with a new place of the slider."""

    def show_topic(self, picture: Picture, topic: int) -> None:
        """Show all words that are among the first for one λ or other; the browser puts them in order."""
        words = picture.words.candidates(topic, WORDS)
        self.show(
            count=WORDS,
            words=[
                {
                    "word": one.word,
                    "text": shown(one.word, WORD),
                    "log_p": round(one.log_probability, 3),
                    "lift": round(one.log_lift, 3),
                    "times": round(one.times),
                    "all": round(one.times_in_all),
                    "told": f"{round(one.times):,}",
                    "share": percent(min(1.0, one.times / max(one.times_in_all, 1))),
                }
                for one in words
            ],
        )
