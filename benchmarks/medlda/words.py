"""Words with weights of their own: what they give in accuracy, and what they cost in coherence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from topicwright.evaluation import coherence

from ..common.schedule import Contestant
from .context import MedLDAContext
from .fits import LIGHT, Fit, MethodVariant, against_topics

SWEEPS = 50
WITH_WORDS = f"{LIGHT} and words"


def run(context: MedLDAContext) -> list[Fit]:
    """Topics alone and topics with words, beside plain LDA and words alone."""
    parameters, problem = context.parameters("words"), context.problem("words")
    n_sweeps = context.sweeps(SWEEPS)
    words = replace(parameters, more=(*parameters.more, ("word_weights", True)))
    variants = [MethodVariant(LIGHT, parameters, n_sweeps), MethodVariant(WITH_WORDS, words, n_sweeps)]

    def npmi(one: Contestant) -> dict[str, float]:
        top_words: Any = getattr(getattr(one.model, "model", None), "top_words", None)
        topics = [] if top_words is None else [words for words in top_words(10) if len(words) > 1]
        return {"npmi": coherence(topics, problem.train, "npmi")} if topics else {}

    return against_topics(context, problem, variants, context.options.peers, measure=npmi)
