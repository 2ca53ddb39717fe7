"""Tokenization: the words of a text, and their positions in it."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from .._utils.deprecation import deprecation_warning
from .._utils.signatures import suggest_keywords
from ..errors import InputError

_SPACE = ord(" ")
_JOINERS = "\u200c\u200d"

SINGLE_LETTERS = frozenset(string.ascii_letters)

_KEEP_CASE = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
_LOWER = {code: letter.lower() for code, letter in _KEEP_CASE.items()}


def ascii_words(text: str, lowercase: bool) -> list[str]:
    """Runs of letters of an ASCII text, including single letters, see ``SINGLE_LETTERS``."""
    return text.translate(_LOWER if lowercase else _KEEP_CASE).split()


def unicode_words(text: str, lowercase: bool) -> list[str]:
    """Words of any text, composed (NFC) so that two spellings of an accent are one word."""
    runs = normal_form(text, lowercase).translate(_SEPARATORS).split()
    return [word for word in map(_trim, runs) if len(word) > 1]


def normal_form(text: str, lowercase: bool) -> str:
    """Text in the form that words are taken from: in lower case if asked, and composed (NFC)."""
    if lowercase:
        text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _trim(run: str) -> str:
    """Word that starts with a letter (an emoji leaves its variation mark behind) and does not end in a joiner."""
    if run[0].isalpha() and run[-1] not in _JOINERS:
        return run
    run = run.rstrip(_JOINERS)
    start = next((i for i, character in enumerate(run) if character.isalpha()), len(run))
    return run[start:]


class _Separators(dict[int, int]):
    """Table for ``str.translate`` that is filled in when a character first occurs."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        inside = character.isalpha() or character in _JOINERS or unicodedata.category(character) in ("Mn", "Mc")
        self[code] = code if inside else _SPACE
        return self[code]


_SEPARATORS = _Separators()


Analyzer = Callable[[str], "list[str]"]


@dataclass(frozen=True)
class Tokenizer:
    """Splits texts into words. Corpora and models keep theirs, so that new texts are tokenized in the same way.

    Parameters
    ----------
    lowercase : bool
        Whether to convert texts to lower case first.
    token_pattern : str, optional
        A regular expression for a word; with one group, the group is the word. By default a word is two or
        more letters of any script, with their combining marks; digits and underscores separate.
    stop_words : "english", or an iterable of words, optional
        Words to remove; by default none.
    ngram_range : (int, int)
        Shortest and longest n-grams, such as ``(1, 2)`` for words and pairs. N-grams are made after stop words are
        removed, are joined by a space, and come where their first word comes.
    analyzer : callable or scikit-learn vectorizer, optional
        Splits texts instead of ``lowercase`` and ``token_pattern``. It cannot be saved with a model.

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
        if not isinstance(self.lowercase, bool):  # np.bool_ could not be saved
            raise InputError(parameter="lowercase", expected="True or False", got=self.lowercase)
        set_(self, "ngram_range", _validate_range(self.ngram_range))
        set_(self, "stop_words", _validate_stop_words(self.stop_words))
        set_(self, "analyzer", _validate_analyzer(self.analyzer))
        if self.analyzer is not None and self.token_pattern is not None:
            message = "`token_pattern` must be None when an analyzer splits the text"
            raise InputError(message, parameter="token_pattern", got=self.token_pattern)
        _ = self._pattern  # a wrong pattern fails here and not at the first text

    def __call__(self, text: str) -> list[str]:
        """Words of a text, in reading order."""
        words, excluded = self.split(text), self.excluded_words
        if excluded:
            words = [word for word in words if word not in excluded]
        return words if self.ngram_range == (1, 1) else _ngrams(words, *self.ngram_range)

    def split(self, text: str) -> list[str]:
        """Single words of a text, including ``excluded_words``, which a word index can exclude at no cost."""
        if self.analyzer is not None:
            return _validate_words(self.analyzer(text))
        if self._pattern is not None:
            return [word for word in self._pattern.findall(normal_form(text, self.lowercase)) if word]
        if text.isascii():
            return ascii_words(text, self.lowercase)
        return unicode_words(text, self.lowercase)

    @cached_property
    def excluded_words(self) -> frozenset[str]:
        """Stop words, and single letters if the default pattern is used."""
        default = self.analyzer is None and self._pattern is None
        stop_words = _stop_set(self.stop_words, self.lowercase and not self.is_custom)
        return stop_words | (SINGLE_LETTERS if default else frozenset())

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return None if self.token_pattern is None else _compiled(self.token_pattern)

    def pieces(self, text: str) -> list[str]:
        """Deprecated name of ``split``."""
        deprecation_warning("Tokenizer.pieces", "Tokenizer.split")
        return self.split(text)

    @property
    def skipped(self) -> frozenset[str]:
        """Deprecated name of ``excluded_words``."""
        deprecation_warning("Tokenizer.skipped", "Tokenizer.excluded_words")
        return self.excluded_words

    # ------------------------------------------------------------------ model files

    @property
    def is_custom(self) -> bool:
        """Whether a custom analyzer splits texts, which model files cannot hold."""
        return self.analyzer is not None

    def to_dict(self) -> dict[str, Any]:
        """Settings as JSON can hold them; of an analyzer only that there is one.

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
        """Tokenizer with these settings, which are validated, since they may come from a hostile file.

        >>> Tokenizer.from_dict(Tokenizer(stop_words=["the"]).to_dict())("the cat")
        ['cat']
        """
        expected = {"lowercase", "token_pattern", "stop_words", "ngram_range", "custom_analyzer"}
        if not isinstance(settings, dict) or set(settings) != expected:
            got = sorted(map(str, settings)) if isinstance(settings, dict) else type(settings).__name__
            raise InputError(f"tokenizer settings must be a dict of {sorted(expected)}: got {got}", got=settings)
        options = dict(settings)
        custom = options.pop("custom_analyzer")
        if not isinstance(custom, bool):
            raise InputError(parameter="custom_analyzer", expected="true or false", got=custom)
        return cls(**options, analyzer=_lost_analyzer if custom else None)


Tokenizer.__init__ = suggest_keywords()(Tokenizer.__init__)  # type: ignore[method-assign]


def as_tokenizer(tokenizer: Any, **settings: Any) -> Tokenizer:
    """Tokenizer of a Tokenizer, of a callable, of a scikit-learn vectorizer, or of settings alone.

    Stop words and n-grams are applied to the words of a callable; a Tokenizer has its own settings.
    """
    if not isinstance(tokenizer, Tokenizer):
        return Tokenizer(analyzer=tokenizer, **settings)
    defaults = {field.name: field.default for field in fields(Tokenizer)}
    given = [name for name, value in settings.items() if differs(value, defaults[name])]
    if given:
        names = ", ".join(f"`{name}`" for name in given)
        raise InputError(f"{names} must be set in the Tokenizer itself when one is given", parameter=given[0])
    return tokenizer


def differs(value: Any, default: Any) -> bool:
    """Whether an option differs from its default; arrays are not compared."""
    return type(value) is not type(default) or bool(value != default)


def _lost_analyzer(text: str) -> list[str]:
    raise InputError(
        "texts cannot be tokenized: this model was fitted with a custom analyzer, which model files do not hold; "
        "tokenize them yourself and pass Corpus.from_tokens(words, vocabulary=...)"
    )


def _ngrams(words: list[str], shortest: int, longest: int) -> list[str]:
    n = len(words)
    return [
        words[i] if length == 1 else " ".join(words[i : i + length])
        for i in range(n)
        for length in range(shortest, min(longest, n - i) + 1)
    ]


# ---------------------------------------------------------------------- validation


def _validate_range(value: Any) -> tuple[int, int]:
    ends = tuple(value) if isinstance(value, (tuple, list)) else ()
    whole = len(ends) == 2 and all(isinstance(end, int) and not isinstance(end, bool) for end in ends)
    if not whole or not 1 <= ends[0] <= ends[1]:
        expected = "two whole numbers with 1 <= shortest <= longest"
        raise InputError(parameter="ngram_range", expected=expected, got=value)
    return ends[0], ends[1]


def _validate_stop_words(value: Any) -> str | tuple[str, ...] | None:
    if value is None or (isinstance(value, str) and value == "english"):
        return value
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InputError(parameter="stop_words", expected="None, 'english' or a list of words", got=value)
    words = list(value)
    for word in words:
        if not isinstance(word, str):
            raise InputError(parameter="stop_words", expected="a list of words", got=word)
    return tuple(sorted(set(words)))


def _validate_analyzer(value: Any) -> Analyzer | None:
    if hasattr(value, "build_analyzer"):
        value = value.build_analyzer()
    if value is not None and not callable(value):
        expected = "a Tokenizer, a callable or a scikit-learn vectorizer"
        raise InputError(parameter="tokenizer", expected=expected, got=value)
    return value  # type: ignore[no-any-return]


def _validate_words(words: Any) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        message = f"the analyzer must return a list of words: got {type(words).__name__}"
        raise InputError(message, parameter="tokenizer", got=words)
    checked: list[str] = list(words)
    if not all(isinstance(word, str) for word in checked):
        message = "the analyzer must return a list of words: got an entry that is not a str"
        raise InputError(message, parameter="tokenizer", got=words)
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
        raise InputError(parameter="token_pattern", expected="a str", got=pattern)
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"`token_pattern` must be a regular expression: got {pattern!r} ({error})"
        raise InputError(message, parameter="token_pattern", got=pattern) from None
    if compiled.groups > 1:
        message = f"`token_pattern` must have at most one group: got {compiled.groups} in {pattern!r}"
        raise InputError(message, parameter="token_pattern", got=pattern)
    return compiled


_CHUNKS = re.compile(r"\s+|\S{1,200}")


class Span(NamedTuple):
    """Word as the tokenizer returns it, None if it excludes the word, and its character offsets in the text."""

    word: str | None
    start: int
    end: int


def token_spans(text: str, tokenizer: Tokenizer) -> list[Span] | None:
    """Spans of the words of a text, in reading order; None if words of an analyzer are not found in the text.

    >>> [text[span.start : span.end] for text in ["Ein süßes  Brötchen"] for span in token_spans(text, Tokenizer())]
    ['Ein', 'süßes', 'Brötchen']
    >>> token_spans("The cat.", Tokenizer(stop_words="english"))
    [Span(word=None, start=0, end=3), Span(word='cat', start=4, end=7)]
    """
    normal = _NormalizedText(text, tokenizer.lowercase or tokenizer.is_custom)
    found: list[Span] = []
    for word, span in _split(text, normal.text, tokenizer):
        if span is None:
            return None
        kept = None if word in tokenizer.excluded_words else word
        found.append(Span(kept, normal.origin(span[0]), normal.origin(span[1])))
    if tokenizer.ngram_range == (1, 1):
        return found
    return _ngram_spans([span for span in found if span.word is not None], *tokenizer.ngram_range)


def _split(text: str, normal: str, tokenizer: Tokenizer) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Single words with their offsets in the normal form of the text."""
    if tokenizer.token_pattern is not None:
        for match in re.finditer(tokenizer.token_pattern, normal):
            if match[match.re.groups]:
                yield match[match.re.groups], match.span(match.re.groups)
        return
    end = 0
    for word in tokenizer.split(text):
        wanted = normal_form(word, True) if tokenizer.is_custom else word
        start = _find_whole(normal, wanted, end) if tokenizer.is_custom else normal.find(wanted, end)
        end = start + len(wanted) if start >= 0 else end
        yield word, None if start < 0 else (start, end)


def _find_whole(text: str, word: str, start: int) -> int:
    """Offset of a word that is not part of a longer one."""
    match = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(text, start)
    return -1 if match is None else match.start()


def _ngram_spans(spans: list[Span], shortest: int, longest: int) -> list[Span]:
    """N-grams, as the tokenizer joins them."""
    return [
        Span(" ".join(str(span.word) for span in spans[i : i + length]), spans[i].start, spans[i + length - 1].end)
        for i in range(len(spans))
        for length in range(shortest, min(longest, len(spans) - i) + 1)
    ]


class _NormalizedText:
    """Normal form of a text, which may be longer or shorter, with the offsets in the text."""

    def __init__(self, text: str, lowercase: bool) -> None:
        chunks = [match[0] for match in _CHUNKS.finditer(text)]
        parts = [normal_form(chunk, lowercase) for chunk in chunks]
        self.text = "".join(parts)
        self._lowercase = lowercase
        self._chunks, self._parts = chunks, parts
        self._starts = list(accumulate(map(len, chunks), initial=0))
        self._normal_starts = list(accumulate(map(len, parts), initial=0))

    def origin(self, offset: int) -> int:
        """Offset in the text of an offset in its normal form."""
        number = bisect_right(self._normal_starts, offset, hi=len(self._parts)) - 1
        inside, chunk = offset - self._normal_starts[number], self._chunks[number]
        if len(chunk) != len(self._parts[number]):
            lengths = [len(normal_form(chunk[:n], self._lowercase)) for n in range(len(chunk) + 1)]
            inside = max(n for n, length in enumerate(lengths) if length <= inside)
        return self._starts[number] + inside
