"""Sentences that summarize the tables and figures of the SC-LDA paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...common.averages import median_or_none
from ...common.tables import number, percent, with_error
from ...sclda import paper
from ...sclda.figure3 import gain
from ...sclda.table3 import mean_seconds

if TYPE_CHECKING:
    from ...sclda.results import SCLDAResult

MARKS = (0.1, 0.25, 0.5, 1.0)  # of a budget


def figure1(result: SCLDAResult) -> list[str]:
    """Sparsity beside the paper's."""
    sentences = []
    for row in result.figure1:
        if row.seed == result.parameters["seed"]:
            theirs = ""
            if row.n_topics in paper.SPARSE:
                theirs = f" (the paper, {paper.SPARSE_ON[row.n_topics]}: {percent(paper.SPARSE[row.n_topics])})"
            sentences.append(
                f"With {row.n_topics} topics {percent(row.share)} of words have fewer than {row.few}{theirs}."
            )
    return sentences


def table2(result: SCLDAResult) -> list[str]:
    """Overheads of the most links."""
    base, most = result.table2[0], max(row.n_links for row in result.table2)
    ours = {row.firmness: row.overhead(base) for row in result.table2 if row.n_links == most}
    theirs = f" (the paper: {percent(paper.overhead(most))})" if most in paper.LINKS else ""
    soft = [percent(value) for firmness, value in ours.items() if firmness is not None]
    return [
        f"{most:,} links change the time of a sweep by {percent(ours.get(None))} with the paper's potential{theirs}, "
        f"and by {' or '.join(soft)} as soft links, our default."
    ]


def table3(result: SCLDAResult) -> list[str]:
    """The largest ratio beside the paper's."""
    rows = [row for row in result.table3 if row.ratio is not None]
    if not rows:
        return ["The dense baseline is not available: it is part of the checkout, not of the package."]
    most = max(rows, key=lambda row: (row.n_topics, row.paper() is not None))
    theirs = most.paper()
    other = f"; in the paper it is {number(theirs[0] / theirs[1], 1)}" if theirs else ""
    sentences = [f"At {most.n_topics} topics a dense sweep takes {number(most.ratio, 1)} times as long as ours{other}."]
    if theirs:
        dense, ours = mean_seconds(most.dense) or 0.0, mean_seconds(most.ours) or 0.0
        sentences.append(
            "Compared with the paper's seconds (another machine), our dense baseline takes "
            f"{percent(dense / theirs[0])} of the time and our sampler {percent(ours / theirs[1])}. The ratio depends "
            "on how fast the baseline is."
        )
    return sentences


def figure2(result: SCLDAResult) -> list[str]:
    """How often SC-LDA is ahead."""
    methods = list(dict.fromkeys(curve.method for curve in result.figure2))
    others = [name for name in methods if not name.startswith("SC-LDA")]
    budget = result.parameters["seconds"]
    ahead, seen = 0, 0
    for mark in (budget * share for share in MARKS):
        at = {name: median_or_none(c.at(mark) for c in result.figure2 if c.method == name) for name in methods}
        ours = at["SC-LDA"]
        for theirs in (at[name] for name in others):
            if ours is not None and theirs is not None:
                seen, ahead = seen + 1, ahead + (ours > theirs)
    what = f"SC-LDA was ahead in {ahead} of {seen} comparisons with {', '.join(others)} (at {len(MARKS)} times each)."
    return [what + (" The paper reports the same." if ahead == seen else " In the paper it is always ahead.")]


def figure3(result: SCLDAResult) -> list[str]:
    """The gain of links on the best topics."""
    plain = next((row for row in result.figure3 if row.method == "LDA"), None)
    if plain is None:
        return []
    theirs = paper.TOP_20["SC-LDA"] - paper.TOP_20["LDA"]
    sentences = []
    for row in result.figure3:
        if row.method.startswith("SC-LDA"):
            mean, error = gain(row, plain)
            sure = (
                ""
                if mean is None or error is None
                else f" ({'more' if abs(mean) > 2 * error else 'less'} than twice its error)"
            )
            sentences.append(
                f"{row.method}: coherence of the 20 best topics minus that of LDA: {with_error((mean, error))}{sure}; "
                f"the paper: {number(theirs, 1)}."
            )
    return sentences


def labels(result: SCLDAResult) -> list[str]:
    """What many labels cost."""
    few, many = result.labels[0], result.labels[-1]
    return [
        f"With {many.n_labels:,} labels a token costs {number(many.ratio(few))} times as much as with {few.n_labels:,}."
    ]
