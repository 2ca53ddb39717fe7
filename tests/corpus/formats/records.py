"""Three documents that every reader must return."""

import numpy as np

RECORDS = [
    {"id": "a1", "text": "red apple", "labels": ["fruit", "red"], "rating": 1.5},
    {"id": "a2", "text": "", "labels": [], "rating": None},
    {"id": "a3", "text": "green pear", "labels": ["fruit"], "rating": 3},
]


def check_records(corpus):
    assert [corpus.words(d) for d in range(3)] == [["red", "apple"], [], ["green", "pear"]]
    assert corpus.ids == ("a1", "a2", "a3")
    assert corpus.labels == (("fruit", "red"), (), ("fruit",))
    np.testing.assert_array_equal(corpus.targets, [1.5, np.nan, 3])
