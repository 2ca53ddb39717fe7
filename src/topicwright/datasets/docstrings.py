"""Docstrings of installed packages as a corpus: real text that exists wherever this library is installed."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError

if TYPE_CHECKING:
    from ..corpus import Corpus

_UNDERLINE = re.compile(r"\s*[-=~^]{3,}\s*")
_PARAMETER = re.compile(r"\S.* : .*|\*{0,2}\w+(, \*{0,2}\w+)*\s*:?")
_ROLE_OR_DIRECTIVE = re.compile(r":[a-z:]+:(?=`)|^\s*\.\. [\w-]+::?")
_FIELDS = {"Parameters", "Other Parameters", "Returns", "Yields", "Attributes", "Raises", "Warns"}
# The same text in hundreds of docstrings, or names of authors and journals.
_PROSE_LEFT_OUT = {"References", "Methods", "**Array API Standard Support**"}

DOCSTRING_WORDS = frozenset(
    """
    accept accepted accepts according account additional allow allowed allows alternative applied apply
    applying appropriate arg args argument arguments array arrays attribute attributes automatically available
    axes axis behavior behaviour bool boolean calculate calculated calling calls case cases certain change
    changed changes class classes common compatible complex computation compute computed computes computing
    consider consists constructor contain contained containing contains control controls convert converted
    copy correspond corresponding corresponds create created creates current currently data decide default
    defaults define defined defines definition depending depends deprecated describe described description
    desired detail details determine determined determines dict dictionary different directly discussion does
    doesn dtype effect element elements ensure equal equivalent error errors estimator evaluate evaluated
    example examples existing exists expected explicitly expression false field fixed flag float following
    follows form format function functions general generally generate given gives guide handle handled holds
    however implementation implementations implemented implements importance important include included
    includes including indicate indicates indicating information input inputs instance instances instead int
    integer integers internal internally introduced item items iterable keyword kwargs let like list lists
    local long longer main make makes method methods modified module names namespace ndarray necessary need
    needed needs new non none nonetype normal notation note notes number numbers numpy obj object objects
    obtain obtained occur omitted operation operations option optional options order original otherwise output
    outputs overview param parameter parameters params particular pass passed passing performance performed
    performs possible present previous print private problem process produce properties property provide
    provided provides providing public purpose raise raised raises read recommended refer reference references
    related relevant removed replaced represent representation represented representing represents require
    required requires respect respectively result resulting results return returned returning returns routine
    scalar scalars scipy section sequence set sets setting settings shape shapes shown similar simple simply
    single size sklearn specific specified specifies specify specifying stable standard start str string
    strings subclass suitable supplied support supported supports takes taken tuple tuples type types
    typically unless update updated use used useful user users uses using usual usually valid value values
    variable variables various version versionadded versionchanged versions want way whether work works xp ith
    np scikit learn self alias aliases api docstring docstrings meth func math ref mathrm mathbf left right
    frac cdot sum leq geq ldots ij ii dot leftarrow rightarrow infty text begin end quad sqrt true py sphx
    glossary toctree seen auto called addition based kind https http org len th subok means known added
    treated ignored perform callable wise autosummary rst htm html www doi collection generic completes
    inherits frozen xx yy zz tex code python
    """.split()  # noqa: SIM905
)


def prose_of(docstring: str) -> str:
    """Docstring without code, headings, parameter lines and references.

    >>> prose_of('''Add two numbers.
    ...
    ... Parameters
    ... ----------
    ... x : float
    ...     The first one.
    ... ''').split("\\n")
    ['Add two numbers.', '', '    The first one.']
    """
    return "\n".join(_prose_lines(inspect.cleandoc(docstring).splitlines()))


def _prose_lines(lines: list[str]) -> Iterator[str]:
    section, in_code = "", False
    for line, below in zip(lines, [*lines[1:], ""]):
        text = line.strip()
        in_code = bool(text) and (in_code or text.startswith(">>>"))
        if text in _PROSE_LEFT_OUT or (text and _UNDERLINE.fullmatch(below)):
            section = text
        elif not _is_noise(line, section, in_code):
            yield _ROLE_OR_DIRECTIVE.sub("", line)


def _is_noise(line: str, section: str, in_code: bool) -> bool:
    if in_code or section in _PROSE_LEFT_OUT or _UNDERLINE.fullmatch(line):
        return True
    return section in _FIELDS and _PARAMETER.fullmatch(line) is not None


# Vendored code, build tools, generated wrappers, and modules whose import changes a package or prints messages.
_LEFT_OUT = {"tests", "umath_tests", "conftest", "externals", "experimental", "distutils", "f2py", "blas", "lapack"}
_UNSTEADY = {
    "scipy.signal.lombscargle",  # SciPy lists its keywords in an order that differs between processes
    "sklearn.model_selection.HalvingGridSearchCV",  # these two exist only after an experimental import
    "sklearn.model_selection.HalvingRandomSearchCV",
}


class Docstring(NamedTuple):
    """One docstring, its qualified name and its module."""

    name: str
    module: str
    text: str


def load_docstrings(
    packages: Iterable[str] = ("numpy", "scipy", "sklearn"), *, min_words: int = 30, **options: Any
) -> Corpus:
    """Corpus of the docstrings of NumPy, SciPy and scikit-learn: about 3,900 texts, labeled by package and module.

    Nothing is downloaded: docstrings are those of public modules, classes, functions and methods of the installed
    packages, so the texts depend on their versions. Code examples and headings are removed.

    Parameters
    ----------
    packages : iterable of str
        Names of installed packages.
    min_words : int
        Least number of words of a docstring.
    **options
        Options of ``Corpus.from_texts``; by default English stop words and the jargon of docstrings are removed, and
        words must occur in five documents.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> from topicwright.datasets import load_docstrings
    >>> corpus = load_docstrings(["numpy"], min_df=3)
    >>> corpus.n_docs > 500, "numpy.linalg" in corpus.label_names()
    (True, True)
    """
    from ..corpus import Corpus

    if isinstance(packages, str):
        hint = f"write [{packages!r}]"
        raise InputError(parameter="packages", expected="a list of names", got=packages, hint=hint)
    found = [doc for package in packages for doc in find_docstrings(package) if len(doc.text.split()) >= min_words]
    if not found:
        raise InputError("`packages` must have docstrings: got none", parameter="packages", got=packages)
    return Corpus.from_texts(
        [doc.text for doc in found],
        ids=[doc.name for doc in found],
        labels=[_labels(doc.module) for doc in found],
        **(_default_options() | options),
    )


def find_docstrings(package: str) -> list[Docstring]:
    """Distinct docstrings of a package, cleaned, in the same order on every machine."""
    seen: set[str] = set()
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated modules warn when they are accessed
        for module in _modules(package):
            for name, doc in _docs_of_module(module):
                if doc not in seen and name not in _UNSTEADY:
                    seen.add(doc)
                    found.append(Docstring(name, module.__name__, prose_of(doc)))
    return found


def _default_options() -> dict[str, Any]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return {"stop_words": ENGLISH_STOP_WORDS | DOCSTRING_WORDS, "min_df": 5}


def _labels(module: str) -> list[str]:
    """Package and module of the second level."""
    parts = module.split(".")
    return list(dict.fromkeys([parts[0], ".".join(parts[:2])]))


def _modules(package: str) -> Iterator[ModuleType]:
    """Package and its public modules, parents first, so that names are found where users import them from."""
    level = [package]
    while level:
        modules = [module for module in map(_import, level) if module is not None]
        yield from modules
        level = sorted(name for module in modules for name in _submodules(module))


def _submodules(module: ModuleType) -> Iterator[str]:
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not info.name.startswith("_") and info.name not in _LEFT_OUT:
            yield f"{module.__name__}.{info.name}"


def _import(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception:  # an optional dependency is missing, or the module is not for this machine
        if "." in name:
            return None
        message = f"`packages` must be installed: cannot import {name!r}"
        raise InputError(message, parameter="packages", got=name) from None


def _docs_of_module(module: ModuleType) -> Iterator[tuple[str, str]]:
    if module.__doc__:
        yield module.__name__, module.__doc__
    for name in _public_names(module):
        value = vars(module).get(name)
        qualified = f"{module.__name__}.{name}"
        doc = _doc(value)
        if doc:
            yield qualified, doc
        if inspect.isclass(value):
            yield from _docs_of_class(value, qualified)


def _docs_of_class(cls: type, qualified: str) -> Iterator[tuple[str, str]]:
    for name, value in sorted(vars(cls).items()):
        # scikit-learn generates set_..._request, the same text for every estimator
        if not name.startswith("_") and not name.endswith("_request"):
            doc = _doc(value)
            if doc:
                yield f"{qualified}.{name}", doc


def _public_names(module: ModuleType) -> list[str]:
    """Names in ``__all__``, or else names that are defined in the module."""
    names = vars(module).get("__all__")  # not getattr: a module that has moved warns at every access
    if names is None:
        names = [name for name, value in vars(module).items() if _defining_module(value) == module.__name__]
    return sorted(name for name in names if not name.startswith("_") and not inspect.ismodule(vars(module).get(name)))


def _defining_module(value: Any) -> Any:
    return getattr(value, "__module__", None)


def _doc(value: Any) -> str | None:
    """Docstring of the object itself and not of its type."""
    try:
        doc = value.__doc__
    except Exception:  # a descriptor may do anything
        return None
    return doc if isinstance(doc, str) and doc != type(value).__doc__ else None
