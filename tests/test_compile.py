"""Where compiled kernels are kept, and what happens where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from topicwright import _compile


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


def test_a_changed_kernel_gets_another_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_compile, "_PACKAGE", tmp_path)
    helper = tmp_path / "helper.py"
    digests = set()
    for source in ("@inline\ndef f(): return 1\n", "@inline\ndef f(): return 2\n"):
        helper.write_text(source)
        digests.add(_compile._source_digest())
    assert len(digests) == 2


def test_without_a_cache_kernels_still_compile(fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_compile, "cache_directory", lambda: None)
    before = numba.config.CACHE_DIR
    double = _compile.kernel(lambda x: x + x)
    assert double(4) == 8
    assert before == numba.config.CACHE_DIR


def test_import_never_fails_where_nothing_can_be_written() -> None:
    code = "import topicwright.samplers.sparse; from topicwright._compile import cache_directory as c; print(c())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"


def test_kernels_with_code_of_others_leave_the_cache_alone(tmp_path: Path) -> None:
    from topicwright.samplers.sparse import sweep_documents

    alone = _compile.without_cache(sweep_documents)
    assert alone is _compile.without_cache(sweep_documents)
    assert type(alone._cache).__name__ == "NullCache"
    assert type(sweep_documents._cache).__name__ != "NullCache"
