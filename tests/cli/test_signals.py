"""Signals during training, and progress output."""

import shutil
import signal
import subprocess
import sys
import threading

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
    [([], signal.SIGINT, 130), ([], signal.SIGTERM, 143), (["--predict", "labels"], signal.SIGINT, 130)],
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
