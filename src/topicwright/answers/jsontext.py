"""JSON as text."""

from __future__ import annotations

import json
import re
from typing import Any

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON that people can read and no terminal obeys: letters as they are, control characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
