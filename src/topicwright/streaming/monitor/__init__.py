"""Monitoring of a stream: mislabeled documents, drift of labels, emerging labels.

- ``monitor.py``: :class:`StreamMonitor`, its state as arrays, and its alerts (``alerts.py``)
- ``mislabeled.py``, ``mislabel_scores.py``: documents with unlikely labels
- ``drift.py``: labels whose words change
- ``emerging_labels.py``: words that rise together without a label
- ``window_statistics.py``, ``model_access.py``: counts of the window and of the model
"""

from .alerts import Alert
from .emerging_labels import Trends
from .monitor import StreamMonitor

__all__ = ["Alert", "StreamMonitor", "Trends"]
