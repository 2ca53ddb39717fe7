"""The docstrings of installed packages as a corpus: real text that every machine with this library has."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from .prose import DOCSTRING_WORDS, prose_of

if TYPE_CHECKING:
    from ..corpus import Corpus

# Vendored code, build tools, generated wrappers, and modules whose import changes a package or says things.
_LEFT_OUT = {"tests", "umath_tests", "conftest", "externals", "experimental", "distutils", "f2py", "blas", "lapack"}
_UNSTEADY = {
    "scipy.signal.lombscargle",  # SciPy lists its keywords in an order that differs between processes
    "sklearn.model_selection.HalvingGridSearchCV",  # these two are there once something else has asked for them
    "sklearn.model_selection.HalvingRandomSearchCV",
}


class Docstring(NamedTuple):
    """One docstring and where it stands."""

    name: str
    module: str
    text: str


def load_docstrings(
    packages: Iterable[str] = ("numpy", "scipy", "sklearn"), *, min_words: int = 30, **options: Any
) -> Corpus:
    """The docstrings of NumPy, SciPy and scikit-learn: some 3,900 texts, labelled by package and module.

    Nothing is downloaded: public modules, classes, functions and methods of the installed packages are walked
    through, so the texts depend on their versions. Code examples and headings are cut out.

    Parameters
    ----------
    packages : iterable of str
        Names of installed packages; others than the default ones may be given.
    min_words : int
        Shortest docstring to take.
    **options
        As in ``Corpus.from_texts``; by default English stop words and the jargon of docstrings are left out,
        and words must occur in five documents.

    Examples
    --------
    >>> from topicwright.datasets import load_docstrings
    >>> corpus = load_docstrings(["numpy"], min_df=3)
    >>> corpus.n_docs > 500, "numpy.linalg" in corpus.label_names()
    (True, True)
    """
    from ..corpus import Corpus

    if isinstance(packages, str):
        raise InputError(f"packages must be a list of names: got a single str; write [{packages!r}]")
    found = [doc for package in packages for doc in find_docstrings(package) if len(doc.text.split()) >= min_words]
    if not found:
        raise InputError("packages must have docstrings: got none")
    return Corpus.from_texts(
        [doc.text for doc in found],
        ids=[doc.name for doc in found],
        labels=[_labels(doc.module) for doc in found],
        **(_default_options() | options),
    )


def find_docstrings(package: str) -> list[Docstring]:
    """The docstrings of a package, each one once, cleaned, in the same order on every machine."""
    seen: set[str] = set()
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated modules say so when they are touched
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
    """Package and module; modules below the second level count as their parent."""
    parts = module.split(".")
    return list(dict.fromkeys([parts[0], ".".join(parts[:2])]))


def _modules(package: str) -> Iterator[ModuleType]:
    """The package and its public modules, parents first: a name is found where users import it from."""
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
        raise InputError(f"packages must be installed: cannot import {name!r}") from None


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
    """Names that the module says are public, or else those of what is defined in it."""
    names = vars(module).get("__all__")  # not getattr: a module that has moved warns when it is asked for anything
    if names is None:
        names = [name for name, value in vars(module).items() if _home(value) == module.__name__]
    return sorted(name for name in names if not name.startswith("_") and not inspect.ismodule(vars(module).get(name)))


def _home(value: Any) -> Any:
    return getattr(value, "__module__", None)


def _doc(value: Any) -> str | None:
    """The docstring of this very object, not the one that it has from its type."""
    try:
        doc = value.__doc__
    except Exception:  # a descriptor may do anything
        return None
    return doc if isinstance(doc, str) and doc != type(value).__doc__ else None
