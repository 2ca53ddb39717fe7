"""Training on streams: read documents from a file or pipe, learn from them, save the model with its position.

>>> import tempfile, json
>>> import topicwright as tw
>>> from topicwright.streaming import Runner, Source
>>> with tempfile.TemporaryDirectory() as directory:
...     with open(f"{directory}/news.jsonl", "w") as file:
...         _ = file.write(json.dumps({"text": "ship sails sea", "labels": ["sea"]}) + "\\n")
...     with Source(f"{directory}/news.jsonl") as source:
...         status = Runner(tw.OnlineLabeledLDA(), source, f"{directory}/news.tw").run()
...     tw.load(f"{directory}/news.tw").n_docs_seen_
1
"""

from __future__ import annotations

from .runner import Runner
from .sources import Line, Source, SourceRotated
from .status import BadLine, Event, Saved, SaveFailed, Started, Status

__all__ = ["BadLine", "Event", "Line", "Runner", "SaveFailed", "Saved", "Source", "SourceRotated", "Started", "Status"]
