"""What is done to a whole model once in a long while: rows put in order, counts in another unit."""

from __future__ import annotations

import numpy as np

from .ancestry import put_all_in_order
from .filter import LARGEST
from .model import INCREMENT, IS_OPEN, TOKEN, Model, Scratch
from .pairs import put_pairs_in_order
from .reservoir import N_DOCS, N_TOKENS


def put_model_in_order(model: Model, scratch: Scratch, n_labels: int) -> None:
    """All rows as the particles are today, and the count of epochs from zero again."""
    reservoir, is_open = model.reservoir, scratch.position[IS_OPEN]  # the document in work lies behind the others
    in_doc_rows = reservoir.first_label[reservoir.size[N_DOCS] + is_open]
    tokens = reservoir.size[N_TOKENS] + is_open * scratch.position[TOKEN]
    put_pairs_in_order(model.pairs, model.ancestry, scratch.spare_counts)
    for lanes, n, stamps, spare in (
        (model.totals, np.uint64(n_labels), model.total_stamps, scratch.spare_totals),
        (reservoir.in_doc, in_doc_rows, reservoir.in_doc_stamps, scratch.spare_in_doc),
        (reservoir.choices, tokens, reservoir.choice_stamps, scratch.spare_choices),
    ):
        put_all_in_order(lanes, n, stamps, model.ancestry, spare)
        stamps[:] = 0
    model.ancestry.epochs[:] = 0


def scale_down(model: Model) -> None:
    """Counts in another unit, a power of two: nothing is rounded."""
    while model.numbers[INCREMENT] > LARGEST:
        for numbers in (model.pairs.lanes, model.totals, model.reservoir.increments):
            numbers /= LARGEST
        model.numbers[INCREMENT] /= LARGEST
        if model.links is not None:
            model.links.sizes[:] /= LARGEST
