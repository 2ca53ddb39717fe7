"""Small streams in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..models.online.test_model import stream_of


def json_lines(n: int, seed: int = 1, without: float = 0.1) -> list[str]:
    """Documents of one to three labels, some without any, each as a line of JSON."""
    records = zip(*stream_of(n, seed, without))
    return [json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in records]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """300 documents, with bad and blank lines among them."""
    good = json_lines(300)
    bad = ["not JSON\n", "\n", '{"text": 3}\n', '["text"]\n', '{"labels": ["sea"]}\n']
    for place, line in zip((0, 7, 8, 100, 250), bad):
        good.insert(place, line)
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(good))
    return path
