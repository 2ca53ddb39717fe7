"""Signals during training, and progress output."""

import itertools
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import topicwright as tw
from topicwright.cli import _training, main
from topicwright.cli._training import StopRequest, catch_signals
from topicwright.models import Sweep

from .conftest import on_terminal


@pytest.fixture
def training(request, documents, tmp_path):
    """Endless training after its first sweeps."""
    code = "from topicwright.cli import _training, main; _training._SECONDS_BETWEEN_LINES = 0.1; main()"
    arguments = ["fit", documents, "-o", "m.tw", "-k", "3", "-n", "100000000", "--json", *request.param]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert any(line.startswith("sweep ") for line in process.stderr)
    yield process
    process.kill()
    process.communicate()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("training", "number", "code"),
    [
        ([], signal.SIGINT, 130),
        ([], signal.SIGTERM, 143),
        ([], signal.SIGHUP, 129),
        (["--predict", "labels"], signal.SIGINT, 130),
        (["--save-every", "7"], signal.SIGINT, 130),
    ],
    indirect=["training"],
)
def test_signal_saves_the_model(training, tmp_path, number, code):
    training.send_signal(number)
    out, err = training.communicate(timeout=30)
    assert training.returncode == code
    model = tw.load(tmp_path / "m.tw")
    assert model.interrupted_
    assert f"stopped after {model.sweeps_:,} of 100,000,000 sweeps: the model so far is saved in m.tw\n" in err
    assert f"topicwright resume m.tw --sweeps {100_000_000 - model.sweeps_}\n" in err
    assert '"interrupted": true' in out
    assert model.resume(1).sweeps_ > 1


@pytest.fixture
def earlier(model, tmp_path):
    """Existing model with the name of the output."""
    shutil.copy(model, tmp_path / "m.tw")
    return model.read_bytes()


@pytest.mark.parametrize("training", [[]], indirect=True)
def test_signal_keeps_the_earlier_model(earlier, training, tmp_path):
    training.send_signal(signal.SIGINT)
    _, err = training.communicate(timeout=30)
    assert (tmp_path / "m.tw").read_bytes() == earlier
    model = tw.load(tmp_path / "m.partial.tw")
    assert f"stopped after {model.sweeps_:,} of 100,000,000 sweeps: the model so far is saved in m.partial.tw\n" in err
    assert "m.tw is unchanged\n" in err
    assert f"topicwright resume m.partial.tw --sweeps {100_000_000 - model.sweeps_}\n" in err


def test_closed_terminal_saves_the_model(documents, tmp_path):
    pty = pytest.importorskip("pty")
    arguments = ["fit", str(documents), "-o", str(tmp_path / "m.tw"), "-k", "3", "-n", "100000000"]
    child, terminal = pty.fork()
    if child == 0:  # a session of its own, with this terminal
        os.execv(sys.executable, [sys.executable, "-m", "topicwright", *arguments])
    printed = b""
    while b"sweeps" not in printed:
        select.select([terminal], [], [], 60)
        printed += os.read(terminal, 4096)
    os.close(terminal)  # which sends SIGHUP
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 129
    assert tw.load(tmp_path / "m.tw").interrupted_


# ---------------------------------------------------------------------- copies in between


@pytest.mark.parametrize("training", [["--save-every", "5"]], indirect=True)
def test_copies_survive_a_kill(training, tmp_path):
    partial = tmp_path / "m.partial.tw"
    while not partial.exists():
        assert training.poll() is None
        time.sleep(0.05)
    training.kill()
    training.wait()
    model = tw.load(partial)
    assert model.interrupted_
    assert model.sweeps_ % 5 == 0
    assert not (tmp_path / "m.tw").exists()
    assert model.resume(1).sweeps_ % 5 == 1


def without_times(path: Path) -> bytes:
    """Contents of a model file without the manifest, which has times."""
    model = tw.load(path)
    model.manifest_ = None
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("task", [[], ["--predict", "labels"], ["--labels", "labels"]])
def test_copies_do_not_change_the_model(invoke, documents, tmp_path, task):
    options = [*task, *([] if "--labels" in task else ["-k", "3"]), "-n", "10", "-q"]
    assert invoke("fit", documents, "-o", "one.tw", *options).code == 0
    assert invoke("fit", documents, "-o", "parts.tw", *options, "--save-every", "3").code == 0
    assert without_times(Path("one.tw")) == without_times(Path("parts.tw"))
    assert [path.name for path in Path().glob("*.partial.tw")] == []


def test_copies_by_minutes(invoke, documents, monkeypatch):
    moments = itertools.count(0, 30)  # seconds
    monkeypatch.setattr(_training.time, "monotonic", lambda: next(moments))
    saved = []
    monkeypatch.setattr(tw.LDA, "save", lambda model, path, **options: saved.append((path.name, model.sweeps_)))
    assert invoke("fit", documents, "-o", "m.tw", "-k", "3", "-n", "10", "--save-every", "1min", "-q").code == 0
    assert saved[0][0] == "m.partial.tw"
    assert saved[-1] == ("m.tw", 10)


@pytest.mark.parametrize("text", ["0", "-1", "x", "10 hours", "0min"])
def test_rejects_invalid_intervals(invoke, documents, text):
    result = invoke("fit", documents, "-o", "m.tw", f"--save-every={text}")
    assert (result.code, result.err) == (
        2,
        f"error: --save-every must be a number of sweeps, such as 20, or of minutes, such as 10min: got {text!r}\n",
    )


# ---------------------------------------------------------------------- full disks


@pytest.fixture
def small_disk(tmp_path):
    """A disk with room for 8 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_full_disk_saves_the_model_elsewhere(invoke, documents, small_disk, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    code, _, err = invoke("fit", documents, "-o", small_disk / "m.tw", "-k", "3", "-n", "10", "--save-every", "4", "-q")
    assert code == 2
    in_between, last_copy, problem, where = err.splitlines()
    assert in_between == "cannot save the model so far: No space left on device; the training continues"
    assert last_copy == in_between
    assert problem == "error: cannot write the model: No space left on device"
    [saved] = (tmp_path / "temporary").glob("topicwright-*/m.tw")
    assert where == f"it is saved in {saved} instead: move it before temporary files are deleted"
    assert tw.load(saved).sweeps_ == 10
    assert list(small_disk.iterdir()) == []


def test_full_disks_are_an_error(invoke, documents, small_disk, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    code, _, err = invoke("fit", documents, "-o", small_disk / "m.tw", "-k", "3", "-n", "10", "-q")
    assert (code, err) == (2, f"error: {small_disk}/m.tw: cannot write the file: No space left on device\n")
    assert list(small_disk.iterdir()) == []


def test_full_disks_wait_for_the_user(documents, small_disk, tmp_path):
    """In a terminal the model is kept until there is room."""
    pty = pytest.importorskip("pty")
    arguments = ["fit", str(documents), "-o", str(small_disk / "m.tw"), "-k", "3", "-n", "10"]
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TMPDIR"] = str(small_disk)
        code = f"import sys, tempfile; tempfile.tempdir = {str(small_disk)!r}; from topicwright.cli import main; main()"
        os.execv(sys.executable, [sys.executable, "-c", code, *arguments])
    printed = b""
    while b"press Enter" not in printed:
        printed += os.read(terminal, 4096)
    subprocess.run(["mount", "-o", "remount,size=10m", small_disk], check=True)
    os.write(terminal, b"\n")
    with suppress(OSError):  # the end of the terminal
        while os.read(terminal, 4096):
            pass
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 0
    assert tw.load(small_disk / "m.tw").sweeps_ == 10


# ---------------------------------------------------------------------- signals in general


def test_second_signal_has_its_default_effect():
    with catch_signals() as stop:
        assert not stop.requested
        signal.raise_signal(signal.SIGINT)
        assert (stop.requested, stop.exit_code) == (True, 130)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with catch_signals() as stop:
            signal.raise_signal(signal.SIGTERM)
        assert not stop.requested
    finally:
        signal.signal(signal.SIGTERM, before)


def test_handlers_are_not_installed_in_other_threads():
    seen = []

    def run():
        with catch_signals() as stop:
            seen.append(stop.exit_code)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [0]


def test_ctrl_c_outside_training(invoke, documents, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("topicwright.corpus.read_corpus", interrupted)
    assert invoke("fit", documents, "-o", "m.tw") == (130, "", "error: interrupted\n")


def test_ctrl_c_before_the_command_starts(capsys, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("topicwright.cli._console.prepare", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "error: interrupted\n")


def test_progress_lines_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(_training, "_SECONDS_BETWEEN_LINES", 0.0)
    stop = StopRequest()
    with _training.sweep_progress(stop, quiet=False) as on_sweep:
        assert on_sweep(Sweep(1, 3, None, 0.5, 0.1))
        assert on_sweep(Sweep(2, 3, -7.25, 0.5, 0.1))
        stop.signal = signal.SIGINT
        assert not on_sweep(Sweep(3, 3, None, 0.5, 0.1))
    assert capsys.readouterr() == (
        "",
        "sweep 1 of 3\nsweep 2 of 3, log-likelihood -7.2500\nsweep 3 of 3, log-likelihood -7.2500\n",
    )


def test_progress_bar_on_a_terminal(documents, tmp_path):
    shown = on_terminal("fit", documents, "-o", tmp_path / "m.tw", "-k", "3", "-n", "3000")
    assert "training" in shown
    assert "/3,000 sweeps log-likelihood -" in shown
    assert f"saved {tmp_path / 'm.tw'}: 3 topics" in shown


def test_no_color_is_respected(model):
    shown = on_terminal("topics", model, NO_COLOR="1")
    assert "█" in shown
    assert "\x1b[3" not in shown
