"""Links between nouns that share a synset of WordNet.

Two words are synonyms where WordNet lists the same synset for both, so the index of nouns is all that is read:
a file of 5 MB, where the synsets themselves are never opened.
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
from ...corpus.formats.files import decode, read_lines
from ...errors import InputError, MissingExtraError
from .similarity import Link
from .vectors import Vectors, as_vectors, checked_limit, checked_threshold, checked_words

INDEX, EXCEPTIONS = "index.noun", "noun.exc"
_PLACES = (
    "/usr/share/wordnet",  # Debian's wordnet-base
    "/usr/local/share/wordnet",
    "/usr/local/WordNet-3.0/dict",
    "/usr/local/WordNet-3.1/dict",
    "/opt/local/share/WordNet-3.0/dict",
)
# WordNet's rules of detachment for nouns: the end of a plural, and that of its singular.
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
"""The synsets of a noun in its basic form, by their names; none for a word that is no such noun."""


def links_from_wordnet(
    vocabulary: Iterable[str],
    *,
    vectors: Vectors | StrPath | Mapping[str, ArrayLike] | Any = None,
    threshold: float = 0.2,
    wordnet: StrPath | Any = None,
    most: int | None = None,
) -> list[Link]:
    """Link the nouns that share a synset of WordNet, and whose vectors do not disagree.

    WordNet knows every sense of a word, also those that a corpus never uses; vectors tell which of them are alive.
    Plurals and capitals are taken for the noun that they are forms of, so "image" and "images" are linked too.

    Parameters
    ----------
    vocabulary : list of str
        The words to link, such as ``corpus.vocabulary``.
    vectors : Vectors, path, mapping of words to arrays, or gensim KeyedVectors, optional
        Link words only if they have vectors, and these are similar. ``vectors_from_corpus`` makes some from the
        corpus alone. None: no filter; every pair of synonyms is linked, in alphabetical order.
    threshold : float
        How similar: the cosine must be above this.
    wordnet : path or wn.Wordnet, optional
        The folder with ``index.noun``, or a lexicon of the package ``wn``. By default the folder that the
        environment variable WNSEARCHDIR names, or ``dict`` in the one that WNHOME names, or that of Debian's
        ``wordnet-base`` and other usual places, or else an English lexicon that ``wn`` has downloaded.
    most : int, optional
        Keep the best so many links.

    Returns
    -------
    list of (str, str)
        Each pair once, the most similar first; equals in alphabetical order.

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
    threshold, most = checked_threshold(threshold), checked_limit("most", most)
    words = checked_words(vocabulary)
    known = None if vectors is None else as_vectors(vectors, words)
    pairs = sorted(set(_synonyms(words if known is None else known.words, *_open(wordnet))))
    if known is None:
        return pairs[:most]
    similarity = {pair: round(known.similarity(*pair), 6) for pair in pairs}
    close = [pair for pair in pairs if similarity[pair] > threshold and all(known[word].any() for word in pair)]
    return sorted(close, key=lambda pair: -similarity[pair])[:most]


def _synonyms(words: Iterable[str], synsets_of: Lookup, exceptions: Mapping[str, list[str]]) -> Iterator[Link]:
    """The pairs of words, in alphabetical order, that some synset has both of."""
    members: defaultdict[str, set[str]] = defaultdict(set)
    for word in words:
        for form in _basic_forms(word, exceptions):
            for synset in synsets_of(form):
                members[synset].add(word)
    for group in members.values():
        yield from combinations(sorted(group), 2)


def _basic_forms(word: str, exceptions: Mapping[str, list[str]]) -> list[str]:
    """What the word may be a form of: itself; and its irregular singulars, or else the regular ones.

    >>> _basic_forms("Churches", {}), _basic_forms("mice", {"mice": ["mouse"]})
    (['churches', 'churche', 'church'], ['mice', 'mouse'])
    """
    form = word.lower().replace(" ", "_")
    if form in exceptions:
        return [form, *exceptions[form]]
    if len(form) < 3 or form.endswith("ss"):
        return [form]
    return [form, *(form.removesuffix(plural) + singular for plural, singular in _PLURALS if form.endswith(plural))]


# ---------------------------------------------------------------------- where WordNet is


def _open(wordnet: Any) -> tuple[Lookup, Mapping[str, list[str]]]:
    """How to look a noun up, and its irregular plurals."""
    if hasattr(wordnet, "synsets"):
        return _from_lexicon(wordnet), {}
    if wordnet is None:
        folder = next(filter(_is_wordnet, _usual_places()), None)
        return (_from_lexicon(_installed_lexicon()), {}) if folder is None else _from_files(folder)
    if not isinstance(wordnet, (str, os.PathLike)):
        raise InputError(f"wordnet must be a folder with {INDEX}, or a wn.Wordnet: got {type(wordnet).__name__}")
    places = (Path(wordnet), Path(wordnet) / "dict")
    folder = next(filter(_is_wordnet, places), None)
    if folder is None:
        raise InputError(f"wordnet must be a folder with the file {INDEX}: got {os.fspath(wordnet)}")
    return _from_files(folder)


def _usual_places() -> Iterator[Path]:
    if os.environ.get("WNSEARCHDIR"):
        yield Path(os.environ["WNSEARCHDIR"])
    if os.environ.get("WNHOME"):
        yield Path(os.environ["WNHOME"], "dict")
    yield from map(Path, _PLACES)


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
    """Nouns with their synsets: ``lemma n synsets pointers [pointer...] senses tagged offset...``."""
    for number, line in read_lines(path):
        if line.startswith(b"  ") or not line.strip():  # the licence
            continue
        fields = decode(line, f"{path}, line {number}").split()
        try:
            count = int(fields[2])
            complete = fields[1] == "n" and count > 0 and len(fields) == 6 + int(fields[3]) + count
        except (IndexError, ValueError):
            complete = False
        if not complete:
            raise InputError(f"{path}, line {number}: must be a noun of WordNet's index: got {line[:60]!r}")
        yield fields[0], fields[-count:]


def _read_exceptions(path: Path) -> dict[str, list[str]]:
    """Irregular plurals: ``plural singular...``; without the file, there are none."""
    if not path.is_file():
        return {}
    lines = (decode(line, f"{path}, line {number}").split() for number, line in read_lines(path))
    return {fields[0]: fields[1:] for fields in lines if fields}


# ---------------------------------------------------------------------- the package wn


def _from_lexicon(lexicon: Any) -> Lookup:
    def synsets_of(form: str) -> set[str]:
        return {synset.id for synset in lexicon.synsets(form.replace("_", " "), pos="n")}

    return synsets_of


def _installed_lexicon() -> Any:
    try:
        import wn
    except ImportError:
        raise MissingExtraError("wn", "wordnet", "WordNet without the files of Debian's wordnet-base") from None
    if Path(wn.config.database_path).exists():  # or wn would make an empty one
        names = sorted(lexicon.specifier() for lexicon in wn.lexicons(lang="en"))
        if names:
            return wn.Wordnet(names[0])
    raise InputError(
        "no WordNet was found: install Debian's package with  apt install wordnet-base  or a lexicon with  "
        "python -m wn download oewn:2024"
    )
