"""Tables of results: lists of named tuples with a readable display, as text, HTML or a pandas data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, SupportsIndex, TypeVar, overload

from ..errors import MissingExtraError
from .formatting import Bar, align_columns, html_table, percent, truncate

Row = TypeVar("Row")
_SHOWN_ROWS = 20
_LONGEST_CELL = 60
_SHARE = "share"  # column of shares from 0 to 1


class Table(list[Row]):
    """List of named tuples that is displayed as a table.

    It is an ordinary list of rows in every other respect.

    Parameters
    ----------
    rows : iterable of NamedTuple
        The rows. The columns of a row with a method ``record`` are those of the dictionary that it returns; otherwise
        they are its fields.
    title : str
        First line of the display.
    columns : sequence of str
        Names of the columns of a table without rows.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Word(NamedTuple):
    ...     word: str
    ...     share: float
    >>> Table([Word("sea", 0.25), Word("ship", 0.125)], "2 words")
    2 words
    word  share
    sea   25 %
    ship  12 %
    """

    def __init__(self, rows: Iterable[Row] = (), title: str = "", columns: Sequence[str] = ()) -> None:
        super().__init__(rows)
        self.title, self._columns = title, tuple(columns)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Table[Row]: ...
    def __getitem__(self, key: Any) -> Any:
        chosen = super().__getitem__(key)
        if not isinstance(key, slice):
            return chosen
        return Table(chosen, f"{self.title} ({len(chosen):,} of {len(self):,})", self.columns)

    def records(self) -> list[dict[str, Any]]:
        """Rows as dictionaries, one value for each column."""
        return [_record(row) for row in self]

    def to_frame(self) -> Any:
        """Rows as a pandas data frame. Needs the extra ``files``."""
        return data_frame(self.records(), self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(_record(self[0])) if self else self._columns

    def __repr__(self) -> str:
        heads, rows = self._cells()
        lines = [self.title] if self.title else []
        lines += align_columns([heads, *rows]) if rows else []
        return "\n".join([*lines, *self._more()])

    def _repr_html_(self) -> str:
        heads, rows = self._cells()
        if _SHARE in heads:
            column = heads.index(_SHARE)
            shares = [_record(row)[_SHARE] for row in self[:_SHOWN_ROWS]]
            most = max(max(shares, default=0.0), 1e-12)
            for row, share in zip(rows, shares):
                row[column] = Bar(row[column], share / most)
            heads.insert(column + 1, "")
        return html_table(self.title, heads, rows, *self._more())

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Heads and cells of the first rows; columns without any value are left out."""
        records = [_record(row) for row in self[:_SHOWN_ROWS]]
        names = [name for name in self.columns if any(not _is_empty(record[name]) for record in records)]
        return list(names), [[format_cell(record[name], name == _SHARE) for name in names] for record in records]

    def _more(self) -> list[str]:
        hidden = len(self) - _SHOWN_ROWS
        return [f"… and {hidden:,} more; to_frame() has all"] if hidden > 0 else []


def data_frame(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Records as a pandas data frame; an error with the name of the extra if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "files", "a data frame") from None
    return pd.DataFrame(list(records), columns=list(columns))


def format_cell(value: Any, is_share: bool = False) -> str:
    """Value as one line of text."""
    if _is_empty(value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return str(value)
    if isinstance(value, Real):
        return percent(float(value)) if is_share else f"{float(value):.4g}"
    if isinstance(value, (list, tuple)):
        value = " ".join(map(str, value))
    return truncate(value, _LONGEST_CELL)


def _record(row: Any) -> dict[str, Any]:
    record: dict[str, Any] = row.record() if hasattr(row, "record") else row._asdict()
    return record


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, tuple)) and not value) or value != value
