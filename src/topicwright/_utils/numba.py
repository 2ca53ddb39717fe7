"""How kernels are compiled: without the GIL, and kept on disk so that a second process starts at once.

Numba notices only a change in the file of the function that it compiled, not in those that it inlined or took numbers
from, so a cached kernel could outlive a change of a helper. Here the cache directory carries a digest of Numba's
version, of all files with kernels and of those that they import from: any change leads to a fresh directory.
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
    """Compile a kernel with Numba: no GIL, division by zero gives infinity, cached on disk where that is possible."""
    return _compile(function)


def jit_noalloc(function: JitFunction) -> JitFunction:
    """A kernel that allocates nothing, and so needs no counting of references to the arrays that it is given.

    Where arrays travel in NamedTuples, that counting costs as much again as the sampling (measured: 1.9 times in all).
    """
    return _compile(function, _nrt=False)


def jit_inline(function: JitFunction) -> JitFunction:
    """A helper, allocating nothing, that is compiled into the kernels that call it.

    It can't be called from Python: leaving out the way there saves a good part of the time to compile.
    """
    options = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}
    compiled: JitFunction = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    return compiled


@cache
def without_cache(compiled: JitFunction) -> JitFunction:
    """The same kernel, compiled for this process alone.

    For kernels that take in code of others: Numba's cache would neither see that such code has changed, nor could
    another process read the cache without importing it.
    """
    options = {name: value for name, value in compiled.targetoptions.items() if name != "nopython"}  # type: ignore[attr-defined]
    again: JitFunction = numba.njit(**options)(compiled.py_func)  # type: ignore[attr-defined]
    return again


class _SafeCache:
    """Numba's cache of one kernel on disk. Whatever is wrong with it costs time, and never the answer.

    A disk may be full, and a power cut leaves empty files. Two processes that compile at once may each write the
    kernel of other types under the same number: then what is read is not what was asked for.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, types: Any, context: Any) -> Any:
        """The kernel for these types, or None: then it is compiled."""
        try:
            found = self._cache.load_overload(types, context)
        except Exception:  # whatever a pickle of any bytes raises
            with suppress(Exception):
                self._cache.flush()
            return None
        return found if found is None or tuple(found.signature.args) == tuple(types) else None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep a kernel, where that is possible."""
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
    """The first place that can be written, or None: then every process compiles for itself."""
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
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {numba.config.BOUNDSCHECK}".encode())
    sources = {path: path.read_bytes() for path in sorted(_PACKAGE.rglob("*.py"))}
    kernels = {path for path, source in sources.items() if b"@jit" in source}
    taken_in = {_file_of(path, *imported) for path in kernels for imported in _IMPORT.findall(sources[path])}
    for path, source in sources.items():
        if path in kernels or path in taken_in:
            digest.update(source)
    return digest.hexdigest()[:16]


def _file_of(path: Path, dots: bytes, module: bytes) -> Path:
    """The file that ``from ..module import`` means in a file."""
    return path.parents[len(dots) - 1].joinpath(*module.decode().split(".")).with_suffix(".py")
