"""Numba decorators for kernels: no GIL, and a cache on disk that other processes share.

Numba recompiles a function when its own file changes, but not when a function that it inlines or a constant that it
reads changes in another file. Therefore the name of the cache directory has a digest of Numba's version, of all modules
with kernels, and of the modules that they import: any change leads to a new directory.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba

JitFunction = Callable[..., Any]
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(rb"^from (\.+)([\w.]+) import", re.MULTILINE)


def jit(function: JitFunction) -> JitFunction:
    """Decorator that compiles a kernel: no GIL, division by zero gives infinity, cached on disk if possible."""
    return _compile(function)


def jit_noalloc(function: JitFunction) -> JitFunction:
    """Decorator that compiles a kernel which allocates nothing, without reference counts of its arguments.

    With arrays in NamedTuples, reference counting takes as long as the sampling itself (1.9 times in all).
    """
    return _compile(function, _nrt=False)


def jit_inline(function: JitFunction) -> JitFunction:
    """Decorator for a helper of kernels, which allocates nothing and is inlined into its callers.

    It cannot be called from Python: without the Python wrapper it compiles faster.
    """
    options = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}
    compiled: JitFunction = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    return compiled


@cache
def without_cache(compiled: JitFunction) -> JitFunction:
    """The same kernel, compiled without the cache on disk.

    For kernels that inline functions of the user: the cache would not notice changes of these, and another process
    could not load it without importing them.
    """
    options = {name: value for name, value in compiled.targetoptions.items() if name != "nopython"}  # type: ignore[attr-defined]
    again: JitFunction = numba.njit(**options)(compiled.py_func)  # type: ignore[attr-defined]
    return again


class _SafeCache:
    """Numba's cache of one kernel on disk, with damage ignored: the kernel is compiled again.

    A full disk or a power cut leaves empty files. Two processes that compile at the same time can write kernels of
    different types under the same number, so that a file does not have the types of its index.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, types: Any, context: Any) -> Any:
        """Load the kernel for these types; None if it has to be compiled."""
        try:
            found = self._cache.load_overload(types, context)
        except Exception:  # a damaged pickle can raise anything
            with suppress(Exception):
                self._cache.flush()
            return None
        return found if found is None or tuple(found.signature.args) == tuple(types) else None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Store a kernel, unless the disk does not allow it."""
        with suppress(Exception):
            self._cache.save_overload(types, compiled)


def _compile(function: JitFunction, **options: Any) -> JitFunction:
    directory = cache_directory()
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(directory or "")
    try:
        compiled: Any = numba.njit(nogil=True, error_model="numpy", cache=directory is not None, **options)(function)
        compiled._cache = _SafeCache(compiled._cache)
    finally:
        numba.config.CACHE_DIR = previous
    return compiled  # type: ignore[no-any-return]


@cache
def cache_directory() -> Path | None:
    """First writable directory for compiled kernels; None if there is none and every process compiles its own."""
    name = f"topicwright-{_source_digest()}"
    for parent in _candidates():
        directory = parent / name
        if _is_writable(directory):
            return directory
    return None


def _candidates() -> list[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [_PACKAGE / "__pycache__", Path(home)]


def _is_writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _source_digest() -> str:
    """Digest of everything that compiled kernels depend on."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {numba.config.BOUNDSCHECK}".encode())
    sources = {path: path.read_bytes() for path in sorted(_PACKAGE.rglob("*.py"))}
    kernels = {path for path, source in sources.items() if b"@jit" in source}
    imported_modules = {
        _module_file(path, *imported) for path in kernels for imported in _IMPORT.findall(sources[path])
    }
    for path, source in sources.items():
        if path in kernels or path in imported_modules:
            digest.update(source)
    return digest.hexdigest()[:16]


def _module_file(path: Path, dots: bytes, module: bytes) -> Path:
    """File of the module in ``from ..module import``, in the file ``path``."""
    return path.parents[len(dots) - 1].joinpath(*module.decode().split(".")).with_suffix(".py")
