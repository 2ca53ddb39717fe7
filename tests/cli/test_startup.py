import subprocess
import sys

import pytest
import sklearn
from typer.main import get_command

from topicwright import __version__
from topicwright.cli._app import app

from .conftest import COMMAND

sklearn_version = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
HEAVY = {"numpy", "scipy", "sklearn", "numba", "pandas", "safetensors", "fastapi", "uvicorn"}
VERBS = list(get_command(app).commands)


def modules_after(*arguments):
    code = "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    code += f"sys.argv[1:] = {list(arguments)!r}; from topicwright.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_nothing_heavy():
    assert not modules_after("--help") & HEAVY


@pytest.mark.parametrize("verb", ["fit", "predict", "stream", "serve"])
def test_command_help_imports_nothing_heavy(verb):
    assert not modules_after(verb, "--help") & HEAVY


@pytest.mark.skipif(sklearn_version < (1, 9), reason="an older scikit-learn looks into them when it is imported")
def test_a_training_imports_neither_pandas_nor_statistics(documents, tmp_path):
    loaded = modules_after("fit", str(documents), "-o", str(tmp_path / "m.tw"), "-k", "3", "-n", "1", "-q")
    assert "sklearn.base" in loaded
    assert not loaded & {"pandas.core", "scipy.stats._stats_py", "pyarrow", "polars", "matplotlib"}


def test_version(invoke):
    assert invoke("--version") == (0, f"topicwright {__version__}\n", "")


def test_no_command_shows_help(invoke):
    outcome = invoke()
    assert outcome.code == 0
    assert all(verb in outcome.out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_help_with_an_example(invoke, verb):
    outcome = invoke(verb, "--help")
    assert outcome.code == 0
    assert f"Example:  topicwright {verb}" in outcome.out


def test_colors_are_for_screens_only(shell):
    assert "\x1b" not in shell("--help").out


def test_closed_standard_output():
    done = subprocess.run(f"exec {' '.join(COMMAND)} --help >&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
