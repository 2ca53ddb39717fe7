"""How a text is cut into words."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from .._utils.signatures import suggest_keywords
from ..errors import InputError

_SPACE = ord(" ")
_JOINERS = "\u200c\u200d"

SINGLE_LETTERS = frozenset(string.ascii_letters)

_KEEP_CASE = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
_LOWER = {code: letter.lower() for code, letter in _KEEP_CASE.items()}


def ascii_words(text: str, lowercase: bool) -> list[str]:
    """Runs of letters of an ASCII text, those of one letter too: see ``SINGLE_LETTERS``."""
    return text.translate(_LOWER if lowercase else _KEEP_CASE).split()


def unicode_words(text: str, lowercase: bool) -> list[str]:
    """Words of any text, composed (NFC) so that two spellings of an accent are one word."""
    pieces = normal_form(text, lowercase).translate(_SEPARATORS).split()
    return [word for word in map(_trim, pieces) if len(word) > 1]


def normal_form(text: str, lowercase: bool) -> str:
    """The text as words are cut from it: in lower case if asked, and composed."""
    if lowercase:
        text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _trim(piece: str) -> str:
    """A word starts with a letter (an emoji leaves its variation mark behind) and ends in no joiner."""
    if piece[0].isalpha() and piece[-1] not in _JOINERS:
        return piece
    piece = piece.rstrip(_JOINERS)
    start = next((i for i, character in enumerate(piece) if character.isalpha()), len(piece))
    return piece[start:]


class _Separators(dict[int, int]):
    """A table for ``str.translate`` that learns each character when it first comes by."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        inside = character.isalpha() or character in _JOINERS or unicodedata.category(character) in ("Mn", "Mc")
        self[code] = code if inside else _SPACE
        return self[code]


_SEPARATORS = _Separators()


Analyzer = Callable[[str], "list[str]"]


@dataclass(frozen=True)
class Tokenizer:
    """Cuts a text into words; kept with a corpus and a model, so that new text is cut in the same way.

    Parameters
    ----------
    lowercase : bool
        Turn the text into lower case first.
    token_pattern : str, optional
        A regular expression for a word; with one group, the group is the word. By default a word is two or
        more letters of any script, with their combining marks; digits and underscores separate.
    stop_words : "english", or an iterable of words, optional
        Words to leave out; by default none.
    ngram_range : (int, int)
        Shortest and longest runs of words to emit, such as ``(1, 2)`` for words and pairs. Runs are made
        after stop words are gone, joined by a space, and stand where their first word stands.
    analyzer : callable or scikit-learn vectorizer, optional
        Cuts the text instead of ``lowercase`` and ``token_pattern``. It cannot be saved with a model.

    Examples
    --------
    >>> from topicwright import Tokenizer
    >>> Tokenizer(stop_words="english")("The cat saw 2 cats.")
    ['cat', 'saw', 'cats']
    >>> Tokenizer(ngram_range=(1, 2))("new york city")
    ['new', 'new york', 'york', 'york city', 'city']
    >>> Tokenizer(token_pattern=r"#\\w+")("so #happy about #topic_models")
    ['#happy', '#topic_models']
    """

    lowercase: bool = True
    token_pattern: str | None = None
    stop_words: str | Iterable[str] | None = None
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: Analyzer | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the dataclass is frozen once this returns
        if not isinstance(self.lowercase, bool):
            raise InputError(f"lowercase must be True or False: got {self.lowercase!r}")
        set_(self, "ngram_range", _checked_range(self.ngram_range))
        set_(self, "stop_words", _checked_stop_words(self.stop_words))
        set_(self, "analyzer", _checked_analyzer(self.analyzer))
        if self.analyzer is not None and self.token_pattern is not None:
            raise InputError("token_pattern must be None when an analyzer cuts the text")
        _ = self._pattern  # a wrong pattern is met here, not at the first text

    def __call__(self, text: str) -> list[str]:
        """The words of a text, in reading order."""
        skip = self.skipped
        words = self.pieces(text)
        if skip:
            words = [word for word in words if word not in skip]
        return words if self.ngram_range == (1, 1) else _ngrams(words, *self.ngram_range)

    def pieces(self, text: str) -> list[str]:
        """Single words, those of ``skipped`` not yet taken out: who counts words can skip them at no cost."""
        if self.analyzer is not None:
            return _checked_words(self.analyzer(text))
        if self._pattern is not None:
            return [word for word in self._pattern.findall(normal_form(text, self.lowercase)) if word]
        if text.isascii():
            return ascii_words(text, self.lowercase)
        return unicode_words(text, self.lowercase)

    @cached_property
    def skipped(self) -> frozenset[str]:
        """Pieces that are no words: stop words, and single letters where the default pattern is used."""
        default = self.analyzer is None and self._pattern is None
        stop_words = _stop_set(self.stop_words, self.lowercase and not self.is_custom)
        return stop_words | (SINGLE_LETTERS if default else frozenset())

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return None if self.token_pattern is None else _compiled(self.token_pattern)

    # ------------------------------------------------------------------ model files

    @property
    def is_custom(self) -> bool:
        """Whether an analyzer of the user's own cuts the text, which no model file can hold."""
        return self.analyzer is not None

    def to_dict(self) -> dict[str, Any]:
        """Settings that JSON can hold; of an analyzer only that there was one.

        >>> Tokenizer(lowercase=False).to_dict()["lowercase"]
        False
        """
        settings = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "analyzer"}
        for name in ("ngram_range", "stop_words"):
            if isinstance(settings[name], tuple):
                settings[name] = list(settings[name])
        return settings | {"custom_analyzer": self.is_custom}

    @classmethod
    def from_dict(cls, settings: Any) -> Tokenizer:
        """The tokenizer that gave these settings; they may come from a hostile file, so are checked.

        >>> Tokenizer.from_dict(Tokenizer(stop_words=["the"]).to_dict())("the cat")
        ['cat']
        """
        expected = {"lowercase", "token_pattern", "stop_words", "ngram_range", "custom_analyzer"}
        if not isinstance(settings, dict) or set(settings) != expected:
            got = sorted(map(str, settings)) if isinstance(settings, dict) else type(settings).__name__
            raise InputError(f"tokenizer settings must be a dict of {sorted(expected)}: got {got}")
        options = dict(settings)
        custom = options.pop("custom_analyzer")
        if not isinstance(custom, bool):
            raise InputError(f"custom_analyzer must be true or false: got {custom!r}")
        return cls(**options, analyzer=_lost_analyzer if custom else None)


Tokenizer.__init__ = suggest_keywords()(Tokenizer.__init__)  # type: ignore[method-assign]


def as_tokenizer(tokenizer: Any, **settings: Any) -> Tokenizer:
    """A Tokenizer from one, from a callable, from a scikit-learn vectorizer, or from settings alone.

    Stop words and n-grams are applied to what a callable gives; a Tokenizer has settings of its own.
    """
    if not isinstance(tokenizer, Tokenizer):
        return Tokenizer(analyzer=tokenizer, **settings)
    defaults = {field.name: field.default for field in fields(Tokenizer)}
    given = [name for name, value in settings.items() if differs(value, defaults[name])]
    if given:
        raise InputError(f"{', '.join(given)} must be set in the Tokenizer itself when one is given")
    return tokenizer


def differs(value: Any, default: Any) -> bool:
    """Whether an option was set to something else than its default; arrays are not compared."""
    return type(value) is not type(default) or bool(value != default)


def _lost_analyzer(text: str) -> list[str]:
    raise InputError(
        "texts cannot be cut: this model was fitted with a custom analyzer, which no model file holds; "
        "cut them yourself and give Corpus.from_tokens(words, vocabulary=...)"
    )


def _ngrams(words: list[str], shortest: int, longest: int) -> list[str]:
    n = len(words)
    return [
        words[i] if length == 1 else " ".join(words[i : i + length])
        for i in range(n)
        for length in range(shortest, min(longest, n - i) + 1)
    ]


# ---------------------------------------------------------------------- checks


def _checked_range(value: Any) -> tuple[int, int]:
    ends = tuple(value) if isinstance(value, (tuple, list)) else ()
    whole = len(ends) == 2 and all(isinstance(end, int) and not isinstance(end, bool) for end in ends)
    if not whole or not 1 <= ends[0] <= ends[1]:
        raise InputError(f"ngram_range must be two whole numbers with 1 <= shortest <= longest: got {value!r}")
    return ends[0], ends[1]


def _checked_stop_words(value: Any) -> str | tuple[str, ...] | None:
    if value is None or (isinstance(value, str) and value == "english"):
        return value
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InputError(f"stop_words must be None, 'english' or a list of words: got {value!r}")
    words = list(value)
    if not all(isinstance(word, str) for word in words):
        raise InputError("stop_words must be a list of words: got an entry that is not a str")
    return tuple(sorted(set(words)))


def _checked_analyzer(value: Any) -> Analyzer | None:
    if hasattr(value, "build_analyzer"):
        value = value.build_analyzer()
    if value is not None and not callable(value):
        raise InputError(f"tokenizer must be a Tokenizer, a callable or a scikit-learn vectorizer: got {value!r:.60}")
    return value  # type: ignore[no-any-return]


def _checked_words(words: Any) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"the analyzer must give a list of words: got {type(words).__name__}")
    checked: list[str] = list(words)
    if not all(isinstance(word, str) for word in checked):
        raise InputError("the analyzer must give a list of words: got an entry that is not a str")
    return checked


def _stop_set(stop_words: Any, lowercase: bool) -> frozenset[str]:
    if stop_words is None:
        return frozenset()
    if stop_words == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(normal_form(word, lowercase) for word in stop_words)


def _compiled(pattern: Any) -> re.Pattern[str]:
    if not isinstance(pattern, str):
        raise InputError(f"token_pattern must be a str: got {type(pattern).__name__}")
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"token_pattern must be a regular expression: got {pattern!r} ({error})") from None
    if compiled.groups > 1:
        raise InputError(f"token_pattern must have at most one group: got {compiled.groups} in {pattern!r}")
    return compiled
