import subprocess
import sys


def modules_after(code):
    program = f"import sys; {code}; print(' '.join(sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_is_light():
    loaded = modules_after("import topicwright.corpus, topicwright.datasets")
    assert not loaded & {"sklearn", "scipy", "numba", "pandas", "polars", "pyarrow", "zstandard"}


def test_reading_texts_needs_no_table_library():
    loaded = modules_after("from topicwright import Corpus; Corpus.from_texts(['red apple'])")
    assert not loaded & {"sklearn", "numba", "pandas", "polars", "pyarrow"}
