"""How far a stream has read its sources: kept in the model file, so that what was learned and what was read agree."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..io import Fields

_MOST = 2**62


class Place(NamedTuple):
    """How far a source was read, and enough of it to know it again."""

    name: str
    lines: int = 0
    offset: int = 0
    """Bytes of these lines, unpacked."""
    first: str = ""
    """A digest of the first line."""
    last: str = ""
    """A digest of the last one."""
    length: int = 0
    """Bytes of the last one."""


class Reading(NamedTuple):
    """All places, the present one last, and how many lines were bad."""

    places: tuple[Place, ...] = ()
    n_bad: int = 0

    def to_meta(self) -> dict[str, Any]:
        """For the header of a model file."""
        return {"places": [list(place) for place in self.places], "bad_lines": self.n_bad}


def reading_from(fields: Fields) -> Reading:
    """What :meth:`Reading.to_meta` gave, or a ModelFileError."""
    places = [Place(*row) for row in fields.rows("places", str, int, int, str, str, int)]
    for place in places:
        if not 0 <= place.lines <= place.offset <= _MOST or not 0 <= place.length <= place.offset:
            fields.fail("places", "must have a line of bytes for each line")
    return Reading(tuple(places), fields.integer("bad_lines", minimum=0, maximum=_MOST))
