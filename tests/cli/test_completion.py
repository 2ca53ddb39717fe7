"""The shell completes commands, options and their values."""

import os
import shutil
import subprocess

import pytest

from .conftest import COMMAND

bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def completed(shell, words, number):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(number), "_TOPICWRIGHT_COMPLETE": "complete_bash"}
    outcome = shell(env={**os.environ, **asked})
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out.split()


def test_commands(shell):
    assert completed(shell, "topicwright co", 1) == ["corpus", "convert"]


def test_options_and_values(shell):
    assert completed(shell, "topicwright fit --check", 2) == ["--checkpoint-dir"]
    assert completed(shell, "topicwright fit --backend ", 3) == ["disk", "ray"]


@bash
def test_completion_can_be_installed(tmp_path):
    script = f"{' '.join(COMMAND)} --install-completion; exit $?"  # the shell is told by the process above
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    source = 'source "$HOME/.bashrc"; complete -p topicwright'
    seen = subprocess.run(["bash", "-c", source], capture_output=True, text=True, env=environment, timeout=60)
    assert "_topicwright_completion topicwright" in seen.stdout


def test_help_mentions_completion(shell):
    assert "--install-completion" in shell("--help").out
