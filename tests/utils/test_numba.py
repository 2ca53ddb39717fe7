"""The cache of compiled kernels: where it is, what invalidates it, and what happens when it fails."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from topicwright._utils import numba as jit_utils


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not remember the cache directory between calls."""
    monkeypatch.setattr(jit_utils, "cache_directory", jit_utils.cache_directory.__wrapped__)


def test_the_cache_is_in_the_first_writable_directory(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a directory")
    monkeypatch.setattr(jit_utils, "_candidates", lambda: [in_the_way, tmp_path / "second", tmp_path / "third"])
    assert jit_utils.cache_directory().parent == tmp_path / "second"
    monkeypatch.setattr(jit_utils, "_candidates", lambda: [in_the_way])
    assert jit_utils.cache_directory() is None


def test_a_changed_kernel_or_a_module_that_it_imports_changes_the_digest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jit_utils, "_PACKAGE", tmp_path)
    (tmp_path / "inside").mkdir()
    helper, numbers, other = tmp_path / "inside" / "helper.py", tmp_path / "numbers.py", tmp_path / "other.py"
    for path in (helper, numbers, other):
        path.write_text("from ..numbers import N\n@jit_inline\ndef f(): return N\n" if path is helper else "N = 1\n")

    def changes(path: Path) -> bool:
        before = jit_utils._source_digest()
        path.write_text(path.read_text().replace("N", "M"))
        return jit_utils._source_digest() != before

    assert changes(helper)
    assert changes(numbers)
    assert not changes(other)


def test_intrinsics_and_constants_of_kernels_are_in_the_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = shutil.copytree(jit_utils._PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit_utils, "_PACKAGE", package)
    digests = [jit_utils._source_digest()]
    for name in (
        "_sampling/intrinsics.py",
        "_sampling/particle_filter/state.py",
        "knowledge/allowed_topics.py",
    ):
        with (package / name).open("a") as file:
            file.write("# changed\n")
        digests.append(jit_utils._source_digest())
    assert len(set(digests)) == len(digests)


def test_every_import_of_a_kernel_module_is_a_module_of_the_digest() -> None:
    """A name that a kernel module imports from a package, or by ``from . import``, would escape the digest."""
    sources = {path: path.read_bytes() for path in jit_utils._PACKAGE.rglob("*.py")}
    modules = [path for path, source in sources.items() if b"@jit" in source]
    assert len(modules) > 10
    for path in modules:
        assert b"\nfrom . import" not in sources[path]
        for imported in jit_utils._IMPORT.findall(sources[path]):
            assert jit_utils._module_file(path, *imported).is_file(), (path, imported)


def test_without_a_cache_kernels_still_compile(fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jit_utils, "cache_directory", lambda: None)
    before = numba.config.CACHE_DIR
    double = jit_utils.jit(lambda x: x + x)
    assert double(4) == 8
    assert before == numba.config.CACHE_DIR


def test_import_never_fails_where_nothing_can_be_written() -> None:
    kernel = "import topicwright._sampling.sparse_lda.kernel"
    code = f"{kernel}; from topicwright._utils.numba import cache_directory as c; print(c())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"


def test_kernels_with_user_code_are_not_cached(tmp_path: Path) -> None:
    from topicwright._sampling.sparse_lda.kernel import sweep_documents

    uncached = jit_utils.without_cache(sweep_documents)
    assert uncached is jit_utils.without_cache(sweep_documents)
    assert type(uncached._cache).__name__ == "NullCache"
    assert type(sweep_documents._cache).__name__ != "NullCache"


PROGRAM = """
from topicwright._utils.numba import jit

@jit
def double(x):
    return x + x

print(double(4), double(0.5), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a program with a kernel for two types, and the cache of a first run."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.py").write_text(PROGRAM)
    assert run_program(folder, folder / "cache") == "8 1.0 0\n"
    return folder


@pytest.fixture
def cache(program: Path, tmp_path: Path) -> Path:
    """Copy of the cache, to damage."""
    return Path(shutil.copytree(program / "cache", tmp_path / "cache"))


def run_program(program: Path, cache: Path, **options: Any) -> str:
    """Output of the program in a new process: two results, and the number of kernels from the cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, str(program / "program.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, **options).stdout


@pytest.mark.parametrize(("suffix", "length"), [("nbi", 0), ("nbc", 20)])
def test_a_damaged_cache_is_rebuilt(program: Path, cache: Path, suffix: str, length: int) -> None:
    for path in cache.rglob(f"*.{suffix}"):
        path.write_bytes(path.read_bytes()[:length])
    assert run_program(program, cache) == "8 1.0 0\n"
    assert run_program(program, cache) == "8 1.0 2\n"  # the damaged kernels were compiled again


def test_a_cached_kernel_of_other_types_is_ignored(program: Path, cache: Path) -> None:
    """Two processes that compile at the same time, each for another type, can leave the cache like this."""
    one, other = sorted(cache.rglob("*.nbc"))
    one.write_bytes(other.read_bytes())
    assert run_program(program, cache) == "8 1.0 1\n"


def test_kernels_compile_on_a_full_disk(program: Path, tmp_path: Path) -> None:
    nothing = (0, resource.RLIM_INFINITY)
    full = run_program(program, tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, nothing))
    assert full == "8 1.0 0\n"
