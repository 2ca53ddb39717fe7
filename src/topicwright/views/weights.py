"""What topics weigh in what a model predicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..models.choosing import of_both_classes


def weights_of_topics(model: Any) -> dict[str, list[float]]:
    """The weight of each topic in each class or number; of a model that predicts nothing there are none."""
    if not hasattr(model, "coef_"):
        return {}
    rows = np.atleast_2d(model.coef_)
    if hasattr(model, "classes_"):
        names = list(map(str, model.classes_.tolist()))
        return dict(zip(names, of_both_classes(rows.T, len(names)).T.tolist()))
    return {"y" if len(rows) == 1 else f"y[{number}]": row for number, row in enumerate(rows.tolist())}
