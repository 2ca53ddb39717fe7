"""Dates of documents, as people and programs write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .metadata import is_missing

Dates = NDArray[np.datetime64]

NO_DATE = np.datetime64("NaT", "s")
_FORMS = "2019-05-03, 2019-05-03T10:00:00Z, 3 May 2019 10:00, 2019-05, 2019, or Unix seconds"
_EPOCH = datetime(1970, 1, 1)
_FIRST, _LAST = np.datetime64("0001-01-01", "s"), np.datetime64("9999-12-31T23:59:59", "s")
_SECONDS = range(int(_FIRST.astype(np.int64)), int(_LAST.astype(np.int64)) + 1)
_SMALL = 10_000_000  # seconds: spring of 1970, so that smaller numbers are more likely years, months or days
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
_REST = "uary|ruary|ch|il|e|y|ust|t|tember|ober|ember"  # of their names
_OF_MAIL = re.compile(  # and of news agencies
    rf"([a-z]{{3,9}}, )?(?P<day>\d{{1,2}})[- ](?P<month>{'|'.join(_MONTHS)})({_REST})?[- ](?P<year>\d{{4}}){_TIME}"
    r"( \([^()]*\))?",
    re.ASCII | re.IGNORECASE,
)


def as_date(value: Any) -> np.datetime64:
    """The moment that a value stands for, to the second, in UTC; NaT where there is none.

    Text is in the form of ISO 8601 or of mails (Fri, 3 May 2019 10:00 +0200). Four digits are a year and eight are
    year, month and day; other numbers are Unix seconds, where they are large enough to be meant so. A year or a month
    is its first moment. A time without a zone is taken as it is.

    >>> [str(as_date(value)) for value in ("2019-05-03T10:00:00+02:00", 2019, 1_556_877_600)]
    ['2019-05-03T08:00:00', '2019-01-01T00:00:00', '2019-05-03T10:00:00']
    """
    try:
        moment = _parsed(value)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise InputError(f"a date must be like {_FORMS}: got {value!r:.60}{_hint(value)}")
    return moment


def _hint(value: Any) -> str:
    """What may be meant by a number that is no date."""
    if isinstance(value, str) and len(value) < 20 and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not _is_number(value) or not math.isfinite(value):
        return ""
    if abs(value) > _SECONDS[-1]:
        return " (milliseconds? divide by 1,000)"
    if abs(value) >= _SMALL:
        return ""
    if value == 0:
        return " (where a date is not known, give None)"
    if value // 100 in range(1500, 2200) and value % 100 in range(1, 13):
        return f" (a month? write {int(value) // 100}-{int(value) % 100:02})"
    if 10_000 <= value < 100_000:
        return " (days of a spreadsheet? convert them: pandas.to_datetime(…, unit='D', origin='1899-12-30'))"
    return " (a year has four digits; Unix seconds as small as that would be in 1970, so they are not taken)"


def as_dates(name: str, values: Any) -> Dates:
    """A date for each value; an error names the first that is none, by its position.

    >>> as_dates("dates", ["2019", None]).astype(str).tolist()
    ['2019-01-01T00:00:00', 'NaT']
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list with one entry per document: got a single {type(values).__name__}")
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "M":
        return _in_range(name, np.array(values).astype("datetime64[s]"))
    moments = []
    for position, value in enumerate(values):
        try:
            moments.append(as_date(value))
        except InputError as error:
            raise InputError(f"{name}: {error} at position {position}") from None
    return np.array(moments, dtype="datetime64[s]")


def _in_range(name: str, moments: Dates) -> Dates:
    if moments.ndim != 1:
        raise InputError(f"{name} must have one entry per document: got shape {moments.shape}")
    wrong = (moments < _FIRST) | (moments > _LAST)  # NaT is neither
    if wrong.any():
        raise InputError(f"{name} must be of the years 1 to 9999: got {moments[wrong][0]}")
    return moments


def _parsed(value: Any) -> np.datetime64 | None:
    """The moment, or None where this is no date."""
    if isinstance(value, np.datetime64):
        return NO_DATE if np.isnat(value) else _checked(value.astype("datetime64[s]"))
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return NO_DATE
    if isinstance(value, datetime):  # pandas' timestamps are such
        return _moment(value)
    if isinstance(value, date):
        return _moment(datetime(value.year, value.month, value.day))
    if _is_number(value):
        return _of_number(value)
    return _of_text(" ".join(value.split())) if isinstance(value, str) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _of_text(text: str) -> np.datetime64 | None:
    match = _ISO.fullmatch(_EIGHT.sub(r"\1-\2-\3", text)) or _OF_MAIL.fullmatch(text)
    if match is None:
        return _of_number(float(text) if "." in text else int(text)) if _NUMBER.fullmatch(text) else None
    found = match.groupdict()
    zone, month = found.pop("zone"), (found["month"] or "1").lower()
    found |= {"month": _MONTHS.index(month) + 1 if month in _MONTHS else month, "day": found["day"] or 1}
    return _moment(datetime(**{name: int(part or 0) for name, part in found.items()}, tzinfo=_zone(zone)))


def _zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text[0] not in "+-":
        return timezone.utc
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _of_number(value: Any) -> np.datetime64 | None:
    number = math.floor(value)
    is_whole = isinstance(value, Integral) or float(value).is_integer()
    if is_whole and number in _YEARS:
        return _moment(datetime(number, 1, 1))
    if is_whole and number in _DAYS:
        return _moment(datetime(number // 10_000, number // 100 % 100, number % 100))
    return np.datetime64(number, "s") if abs(number) >= _SMALL and number in _SECONDS else None


def _moment(value: datetime) -> np.datetime64:
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64((value - _EPOCH) // timedelta(seconds=1), "s")


def _checked(moment: np.datetime64) -> np.datetime64 | None:
    return moment if _FIRST <= moment <= _LAST else None
