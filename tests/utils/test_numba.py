"""Where compiled kernels are kept, and what happens where nothing can be kept."""

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

from topicwright._utils import numba as _compile


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice of the directory that is not remembered."""
    monkeypatch.setattr(_compile, "cache_directory", _compile.cache_directory.__wrapped__)


def test_the_first_place_that_can_be_written_is_taken(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a directory")
    monkeypatch.setattr(_compile, "_candidates", lambda: [in_the_way, tmp_path / "second", tmp_path / "third"])
    assert _compile.cache_directory().parent == tmp_path / "second"
    monkeypatch.setattr(_compile, "_candidates", lambda: [in_the_way])
    assert _compile.cache_directory() is None


def test_a_changed_kernel_gets_another_directory_and_so_does_what_it_takes_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_compile, "_PACKAGE", tmp_path)
    (tmp_path / "inside").mkdir()
    helper, numbers, other = tmp_path / "inside" / "helper.py", tmp_path / "numbers.py", tmp_path / "other.py"
    for path in (helper, numbers, other):
        path.write_text("from ..numbers import N\n@jit_inline\ndef f(): return N\n" if path is helper else "N = 1\n")

    def changes(path: Path) -> bool:
        before = _compile._source_digest()
        path.write_text(path.read_text().replace("N", "M"))
        return _compile._source_digest() != before

    assert changes(helper)
    assert changes(numbers)
    assert not changes(other)


def test_intrinsics_and_numbers_of_kernels_are_in_the_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = shutil.copytree(_compile._PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_compile, "_PACKAGE", package)
    digests = [_compile._source_digest()]
    for name in (
        "_sampling/intrinsics.py",
        "_sampling/intrinsics.py",
        "_sampling/particle_filter/state.py",
        "knowledge/base.py",
    ):
        with (package / name).open("a") as file:
            file.write("# changed\n")
        digests.append(_compile._source_digest())
    assert len(set(digests)) == len(digests)


def test_without_a_cache_kernels_still_compile(fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_compile, "cache_directory", lambda: None)
    before = numba.config.CACHE_DIR
    double = _compile.jit(lambda x: x + x)
    assert double(4) == 8
    assert before == numba.config.CACHE_DIR


def test_import_never_fails_where_nothing_can_be_written() -> None:
    kernel = "import topicwright._sampling.sparse_lda.kernel"
    code = f"{kernel}; from topicwright._utils.numba import cache_directory as c; print(c())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"


def test_kernels_with_code_of_others_leave_the_cache_alone(tmp_path: Path) -> None:
    from topicwright._sampling.sparse_lda.kernel import sweep_documents

    alone = _compile.without_cache(sweep_documents)
    assert alone is _compile.without_cache(sweep_documents)
    assert type(alone._cache).__name__ == "NullCache"
    assert type(sweep_documents._cache).__name__ != "NullCache"


KEPT = """
from topicwright._utils.numba import kernel

@kernel
def double(x):
    return x + x

print(double(4), double(0.5), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with a kernel for two types, and its cache."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "kept.py").write_text(KEPT)
    assert doubled(folder, folder / "cache") == "8 1.0 0\n"
    return folder


@pytest.fixture
def cache(kept: Path, tmp_path: Path) -> Path:
    """A copy of the cache."""
    return Path(shutil.copytree(kept / "cache", tmp_path / "cache"))


def doubled(kept: Path, cache: Path, **options: Any) -> str:
    """What the program says in a process of its own: two answers, and how many kernels came from the cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, str(kept / "kept.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, **options).stdout


@pytest.mark.parametrize(("suffix", "length"), [("nbi", 0), ("nbc", 20)])
def test_a_damaged_cache_costs_time_only(kept: Path, cache: Path, suffix: str, length: int) -> None:
    for path in cache.rglob(f"*.{suffix}"):
        path.write_bytes(path.read_bytes()[:length])
    assert doubled(kept, cache) == "8 1.0 0\n"
    assert doubled(kept, cache) == "8 1.0 2\n"  # what was damaged was made anew


def test_a_kernel_of_other_types_is_not_taken_for_the_one_that_was_asked_for(kept: Path, cache: Path) -> None:
    """As two processes leave it that compiled at once, each for another type."""
    one, other = sorted(cache.rglob("*.nbc"))
    one.write_bytes(other.read_bytes())
    assert doubled(kept, cache) == "8 1.0 1\n"


def test_a_full_disk_is_no_reason_not_to_compile(kept: Path, tmp_path: Path) -> None:
    nothing = (0, resource.RLIM_INFINITY)
    full = doubled(kept, tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, nothing))
    assert full == "8 1.0 0\n"
