"""Dates of documents: ISO 8601, mail dates, years, Unix seconds and Python's own types."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta, timezone
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .metadata import check_list, is_missing

Dates = NDArray[np.datetime64]

NO_DATE = np.datetime64("NaT", "s")
_FORMS = "2019-05-03, 2019-05-03T10:00:00Z, 3 May 2019 10:00, 2019-05, 2019, or Unix seconds"
_EPOCH = datetime(1970, 1, 1)
_FIRST, _LAST = np.datetime64("0001-01-01", "s"), np.datetime64("9999-12-31T23:59:59", "s")
_SECONDS = range(int(_FIRST.astype(np.int64)), int(_LAST.astype(np.int64)) + 1)
_SMALL = 10_000_000  # seconds: April 1970; smaller numbers are more likely years, months or days
_YEARS, _DAYS = range(1000, 10_000), range(1000_00_00, 1_0000_00_00)  # of four digits, and of eight
_EIGHT = re.compile(r"^(\d{4})(\d{2})(\d{2})$", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?", re.ASCII)
_TIME = (
    r"([T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2})([.,]\d+)?)?"
    r" ?(?P<zone>Z|UTC|GMT|[+-]\d{2}(:?\d{2})?)?)?"
)
_ISO = re.compile(
    rf"(?P<year>\d{{4}})([-/](?P<month>\d{{1,2}})([-/](?P<day>\d{{1,2}}){_TIME})?)?", re.ASCII | re.IGNORECASE
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ENDINGS = "uary|ruary|ch|il|e|y|ust|t|tember|ober|ember"
_MAIL = re.compile(  # also of news agencies
    rf"([a-z]{{3,9}}, )?(?P<day>\d{{1,2}})[- ](?P<month>{'|'.join(_MONTHS)})({_ENDINGS})?[- ](?P<year>\d{{4}}){_TIME}"
    r"( \([^()]*\))?",
    re.ASCII | re.IGNORECASE,
)


def as_date(value: Any) -> np.datetime64:
    """Date of a value, to the second, in UTC; NaT for a missing value.

    Text is in the form of ISO 8601 or of mails (Fri, 3 May 2019 10:00 +0200). Four digits are a year and eight are
    year, month and day; other numbers are Unix seconds, if they are large enough. A year or a month is its first
    moment. A time without a zone is taken for UTC.

    >>> [str(as_date(value)) for value in ("2019-05-03T10:00:00+02:00", 2019, 1_556_877_600)]
    ['2019-05-03T08:00:00', '2019-01-01T00:00:00', '2019-05-03T10:00:00']
    """
    try:
        parsed = _parse(value)
    except (ValueError, OverflowError):
        parsed = None
    if parsed is None:
        raise InputError(f"a date must be like {_FORMS}: got {value!r:.60}{_hint(value)}", parameter="date", got=value)
    return parsed


def _hint(value: Any) -> str:
    """Guess at the meaning of a number that is not a date."""
    if isinstance(value, str) and len(value) < 20 and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not _is_number(value) or not math.isfinite(value):
        return ""
    if abs(value) > _SECONDS[-1]:
        return " (milliseconds? divide by 1,000)"
    if abs(value) >= _SMALL:
        return ""
    if value == 0:
        return " (use None for an unknown date)"
    if value // 100 in range(1500, 2200) and value % 100 in range(1, 13):
        return f" (a month? write {int(value) // 100}-{int(value) % 100:02})"
    if 10_000 <= value < 100_000:
        return " (days of a spreadsheet? convert them: pandas.to_datetime(…, unit='D', origin='1899-12-30'))"
    return " (a year has four digits; such small Unix seconds would be in 1970, so they are rejected)"


def as_dates(name: str, values: Any) -> Dates:
    """Dates of values; an error names the position of the first that is not a date.

    >>> as_dates("dates", ["2019", None]).astype(str).tolist()
    ['2019-01-01T00:00:00', 'NaT']
    """
    check_list(name, values)
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "M":
        return _check_range(name, np.array(values).astype("datetime64[s]"))
    dates = []
    for position, value in enumerate(values):
        try:
            dates.append(as_date(value))
        except InputError as error:
            where = f"position {position}"
            raise error.extended(before=f"{name}: ", after=f" at {where}", where=where) from None
    return np.array(dates, dtype="datetime64[s]")


def _check_range(name: str, dates: Dates) -> Dates:
    if dates.ndim != 1:
        message = f"`{name}` must have one entry per document: got shape {dates.shape}"
        raise InputError(message, parameter=name, got=dates.shape)
    wrong = (dates < _FIRST) | (dates > _LAST)  # NaT is neither
    if wrong.any():
        raise InputError(f"`{name}` must be of the years 1 to 9999: got {dates[wrong][0]}", parameter=name, got=dates)
    return dates


def _parse(value: Any) -> np.datetime64 | None:
    """Date of a value, or None if it is not a date."""
    if isinstance(value, np.datetime64):
        return NO_DATE if np.isnat(value) else _if_in_range(value.astype("datetime64[s]"))
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return NO_DATE
    if isinstance(value, datetime):  # pandas' timestamps are datetimes
        return _from_datetime(value)
    if isinstance(value, date):
        return _from_datetime(datetime(value.year, value.month, value.day))
    if _is_number(value):
        return _parse_number(value)
    return _parse_text(" ".join(value.split())) if isinstance(value, str) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _parse_text(text: str) -> np.datetime64 | None:
    match = _ISO.fullmatch(_EIGHT.sub(r"\1-\2-\3", text)) or _MAIL.fullmatch(text)
    if match is None:
        return _parse_number(float(text) if "." in text else int(text)) if _NUMBER.fullmatch(text) else None
    found = match.groupdict()
    zone, month = found.pop("zone"), (found["month"] or "1").lower()
    found |= {"month": _MONTHS.index(month) + 1 if month in _MONTHS else month, "day": found["day"] or 1}
    return _from_datetime(datetime(**{name: int(part or 0) for name, part in found.items()}, tzinfo=_zone(zone)))


def _zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text[0] not in "+-":
        return timezone.utc
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _parse_number(value: Any) -> np.datetime64 | None:
    number = math.floor(value)
    is_whole = isinstance(value, Integral) or float(value).is_integer()
    if is_whole and number in _YEARS:
        return _from_datetime(datetime(number, 1, 1))
    if is_whole and number in _DAYS:
        return _from_datetime(datetime(number // 10_000, number // 100 % 100, number % 100))
    return np.datetime64(number, "s") if abs(number) >= _SMALL and number in _SECONDS else None


def _from_datetime(value: datetime) -> np.datetime64:
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64((value - _EPOCH) // timedelta(seconds=1), "s")


def _if_in_range(moment: np.datetime64) -> np.datetime64 | None:
    return moment if _FIRST <= moment <= _LAST else None
