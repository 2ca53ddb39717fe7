"""How far the sources of a stream were read, as it is saved with the model."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...io import ModelFields

_MOST = 2**62


class SourcePosition(NamedTuple):
    """How far a source was read, with digests that identify the source."""

    name: str
    lines: int = 0
    offset: int = 0
    """Bytes of these lines, uncompressed."""
    first: str = ""
    """Digest of the first line."""
    last: str = ""
    """Digest of the last line."""
    length: int = 0
    """Bytes of the last line."""


class ReadProgress(NamedTuple):
    """Positions in all sources, the present one last, and the number of invalid lines."""

    places: tuple[SourcePosition, ...] = ()
    n_bad: int = 0

    def to_meta(self) -> dict[str, Any]:
        """Entry in the header of a model file."""
        return {"places": [list(place) for place in self.places], "bad_lines": self.n_bad}


def progress_from_fields(fields: ModelFields) -> ReadProgress:
    """Read what :meth:`ReadProgress.to_meta` wrote; a ModelFileError if it is damaged."""
    places = [SourcePosition(*row) for row in fields.rows("places", str, int, int, str, str, int)]
    for place in places:
        if not 0 <= place.lines <= place.offset <= _MOST or not 0 <= place.length <= place.offset:
            fields.fail("places", "must have a line of bytes for each line")
    return ReadProgress(tuple(places), fields.integer("bad_lines", minimum=0, maximum=_MOST))
