"""Words with weights of their own: what they give in accuracy, and what they cost in coherence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from topicwright.evaluation import coherence

from ..scheduling import Contestant
from .context import Setting
from .fits import LIGHT, Fit, Variant, against_topics

SWEEPS = 50
WITH_WORDS = f"{LIGHT} and words"


def run(setting: Setting) -> list[Fit]:
    """Topics alone and topics with words, beside plain LDA and words alone."""
    parameters, problem = setting.parameters("words"), setting.problem("words")
    n_sweeps = setting.sweeps(SWEEPS)
    words = replace(parameters, more=(*parameters.more, ("word_weights", True)))
    variants = [Variant(LIGHT, parameters, n_sweeps), Variant(WITH_WORDS, words, n_sweeps)]

    def npmi(one: Contestant) -> dict[str, float]:
        top_words: Any = getattr(getattr(one.model, "model", None), "top_words", None)
        topics = [] if top_words is None else [words for words in top_words(10) if len(words) > 1]
        return {"npmi": coherence(topics, problem.train, "npmi")} if topics else {}

    return against_topics(setting, problem, variants, setting.options.peers, measure=npmi)
