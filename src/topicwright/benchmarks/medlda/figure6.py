"""Figure 6: how proposals are put together."""

from __future__ import annotations

from ...samplers import supervised_engine
from . import paper
from .fits import Fit, Variant, against_topics
from .setting import Setting

KINDS = ("mixture", "cycle", "doc", "word", "exp")
OFFERED: tuple[str, ...] = getattr(supervised_engine, "PROPOSALS", ("mixture", "cycle"))


def run(setting: Setting) -> list[Fit]:
    """Every way that the engine offers, with the same number of steps."""
    parameters = setting.parameters("figure6")
    n_sweeps = setting.sweeps(paper.SWEEPS["figure6"][0])
    missing = [kind for kind in KINDS if kind not in OFFERED]
    if missing:
        setting.note(f"figure6: the engine has no chains of {', '.join(missing)} proposals alone")
    variants = [Variant(kind, parameters, n_sweeps, engine={"proposals": kind}) for kind in KINDS if kind in OFFERED]
    return against_topics(setting, setting.problem("figure6"), variants)
