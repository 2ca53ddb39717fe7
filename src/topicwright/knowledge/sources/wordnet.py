"""Links between nouns that share a synset of WordNet.

Two words are synonyms if WordNet's index of nouns, a file of 5 MB, lists the same synset for both. The files with the
synsets themselves are not needed.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..._utils.atomic import StrPath
from ..._utils.validation import check_in_range
from ...corpus.formats.files import decode, read_lines
from ...errors import InputError, MissingExtraError
from .similarity import Link, check_maximum
from .vectors import Vectors, as_vectors, check_vocabulary

INDEX, EXCEPTIONS = "index.noun", "noun.exc"
_DIRECTORIES = (
    "/usr/share/wordnet",  # Debian's wordnet-base
    "/usr/local/share/wordnet",
    "/usr/local/WordNet-3.0/dict",
    "/usr/local/WordNet-3.1/dict",
    "/opt/local/share/WordNet-3.0/dict",
)
_WORDNET = f"a directory with the file {INDEX}, or a wn.Wordnet"
# WordNet's rules of detachment for nouns: suffix of the plural, suffix of the singular.
_PLURALS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)

Lookup = Callable[[str], Collection[str]]
"""Function that returns the names of a noun's synsets, given its base form; empty for any other word."""


def links_from_wordnet(
    vocabulary: Iterable[str],
    *,
    vectors: Vectors | StrPath | Mapping[str, ArrayLike] | Any = None,
    threshold: float = 0.2,
    wordnet: StrPath | Any = None,
    most: int | None = None,
) -> list[Link]:
    """Links between nouns that share a synset of WordNet and have similar vectors.

    WordNet lists every sense of a word, including those that a corpus never uses; similar vectors select the relevant
    ones. Plurals and capitalized words count as forms of their noun, so that "image" and "images" are linked too.

    Parameters
    ----------
    vocabulary : list of str
        Words to link, such as ``corpus.vocabulary``.
    vectors : Vectors, path, mapping of words to arrays, or gensim KeyedVectors, optional
        Word vectors; words without a vector are not linked. ``vectors_from_corpus`` computes vectors from the corpus
        alone. By default, all synonyms are linked, in alphabetical order.
    threshold : float
        Lower bound of the cosine similarity, exclusive.
    wordnet : path or wn.Wordnet, optional
        Directory with ``index.noun``, or a lexicon of the package ``wn``. By default the directory in the environment
        variable WNSEARCHDIR, ``dict`` in the directory in WNHOME, a standard location such as that of Debian's
        ``wordnet-base``, or an English lexicon that ``wn`` has downloaded, in this order.
    most : int, optional
        Maximum number of links.

    Returns
    -------
    list of (str, str)
        Distinct pairs by descending similarity; ties in alphabetical order.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from topicwright import links_from_wordnet
    >>> index = "auto n 1 0 1 0 00000001  \\ncar n 2 0 2 0 00000001 00000002  \\nwagon n 1 0 1 0 00000002  \\n"
    >>> vectors = {"auto": [1, 0], "cars": [1, 0.1], "wagon": [0, -1]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "index.noun").write_text(index)
    ...     links_from_wordnet(["auto", "cars", "wagon"], wordnet=folder)
    ...     links_from_wordnet(["auto", "cars", "wagon"], wordnet=folder, vectors=vectors)
    [('auto', 'cars'), ('cars', 'wagon')]
    [('auto', 'cars')]
    """
    threshold, most = check_in_range("threshold", threshold, -1, 1), check_maximum("most", most)
    words = check_vocabulary(vocabulary)
    known = None if vectors is None else as_vectors(vectors, words)
    pairs = sorted(set(_synonyms(words if known is None else known.words, *_open(wordnet))))
    if known is None:
        return pairs[:most]
    similarity = {pair: round(known.similarity(*pair), 6) for pair in pairs}
    close = [pair for pair in pairs if similarity[pair] > threshold and all(known[word].any() for word in pair)]
    return sorted(close, key=lambda pair: -similarity[pair])[:most]


def _synonyms(words: Iterable[str], synsets_of: Lookup, exceptions: Mapping[str, list[str]]) -> Iterator[Link]:
    """Pairs of words, in alphabetical order, that share a synset."""
    members: defaultdict[str, set[str]] = defaultdict(set)
    for word in words:
        for form in _base_forms(word, exceptions):
            for synset in synsets_of(form):
                members[synset].add(word)
    for group in members.values():
        yield from combinations(sorted(group), 2)


def _base_forms(word: str, exceptions: Mapping[str, list[str]]) -> list[str]:
    """Possible base forms of a word: itself, and its irregular singulars or else the regular ones.

    >>> _base_forms("Churches", {}), _base_forms("mice", {"mice": ["mouse"]})
    (['churches', 'churche', 'church'], ['mice', 'mouse'])
    """
    form = word.lower().replace(" ", "_")
    if form in exceptions:
        return [form, *exceptions[form]]
    if len(form) < 3 or form.endswith("ss"):
        return [form]
    return [form, *(form.removesuffix(plural) + singular for plural, singular in _PLURALS if form.endswith(plural))]


# ---------------------------------------------------------------------- location


def _open(wordnet: Any) -> tuple[Lookup, Mapping[str, list[str]]]:
    """Lookup of nouns, and irregular plurals."""
    if hasattr(wordnet, "synsets"):
        return _from_lexicon(wordnet), {}
    if wordnet is None:
        folder = next(filter(_is_wordnet, _default_directories()), None)
        return (_from_lexicon(_installed_lexicon()), {}) if folder is None else _from_files(folder)
    if not isinstance(wordnet, (str, os.PathLike)):
        raise InputError(parameter="wordnet", expected=_WORDNET, got=type(wordnet))
    folder = next(filter(_is_wordnet, (Path(wordnet), Path(wordnet) / "dict")), None)
    if folder is None:
        raise InputError(parameter="wordnet", expected=_WORDNET, got=os.fspath(wordnet))
    return _from_files(folder)


def _default_directories() -> Iterator[Path]:
    if os.environ.get("WNSEARCHDIR"):
        yield Path(os.environ["WNSEARCHDIR"])
    if os.environ.get("WNHOME"):
        yield Path(os.environ["WNHOME"], "dict")
    yield from map(Path, _DIRECTORIES)


def _is_wordnet(folder: Path) -> bool:
    try:
        return (folder / INDEX).is_file()
    except (OSError, ValueError):  # a name with a null byte is a ValueError
        return False


# ---------------------------------------------------------------------- WordNet's own files


def _from_files(folder: Path) -> tuple[Lookup, Mapping[str, list[str]]]:
    synsets = dict(_read_index(folder / INDEX))
    exceptions = _read_exceptions(folder / EXCEPTIONS)
    return lambda form: synsets.get(form, ()), exceptions


def _read_index(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Nouns and their synsets: ``lemma n synsets pointers [pointer...] senses tagged offset...``."""
    for number, line in read_lines(path):
        if line.startswith(b"  ") or not line.strip():  # the license
            continue
        fields = decode(line, f"{path}, line {number}").split()
        try:
            count = int(fields[2])
            complete = fields[1] == "n" and count > 0 and len(fields) == 6 + int(fields[3]) + count
        except (IndexError, ValueError):
            complete = False
        if not complete:
            raise InputError(
                f"{path}, line {number}: expected a noun of WordNet's index, got {line[:60]!r}",
                got=line[:60],
                where=f"{path}, line {number}",
            )
        yield fields[0], fields[-count:]


def _read_exceptions(path: Path) -> dict[str, list[str]]:
    """Irregular plurals: ``plural singular...``; empty if there is no such file."""
    if not path.is_file():
        return {}
    lines = (decode(line, f"{path}, line {number}").split() for number, line in read_lines(path))
    return {fields[0]: fields[1:] for fields in lines if fields}


# ---------------------------------------------------------------------- package wn


def _from_lexicon(lexicon: Any) -> Lookup:
    def synsets_of(form: str) -> set[str]:
        return {synset.id for synset in lexicon.synsets(form.replace("_", " "), pos="n")}

    return synsets_of


def _installed_lexicon() -> Any:
    try:
        import wn
    except ImportError:
        raise MissingExtraError("wn", "wordnet", "WordNet without the files of Debian's wordnet-base") from None
    if Path(wn.config.database_path).exists():  # otherwise wn would create an empty one
        names = sorted(lexicon.specifier() for lexicon in wn.lexicons(lang="en"))
        if names:
            return wn.Wordnet(names[0])
    raise InputError(
        "WordNet was not found: install Debian's package with  apt install wordnet-base  or a lexicon with  "
        "python -m wn download oewn:2024"
    )
