"""Messages of the library name the options of the command."""

import pytest
from typer.main import get_command

from topicwright.cli._app import _SUGGESTIONS, app
from topicwright.cli._options import OPTION_OF_PARAMETER, option_for

COMMANDS = get_command(app).commands


@pytest.mark.parametrize(
    ("command", "parameter", "value", "option"),
    [
        ("fit", "resume", "True", "--resume"),
        ("fit", "checkpoint_dir", None, "--checkpoint-dir"),
        ("fit", "n_shards", None, "--shards"),
        ("fit", "sweep_timeout", "0.5", "--sweep-timeout 0.5"),
        ("fit", "on_error", "'skip'", "--on-error skip"),
        ("fit", "unlabelled", None, "--unlabeled"),
        ("stream", "follow", None, "--follow"),
        ("stream", "new", "True", "--new-source"),
        ("stream", "n_particles", "0", "--particles 0"),
        ("resume", "n_topics", None, None),
    ],
)
def test_options_of_parameters(command, parameter, value, option):
    assert option_for(COMMANDS[command], parameter, value) == option


def test_every_option_of_the_table_exists():
    options = {param.name for command in COMMANDS.values() for param in command.params}
    assert set(OPTION_OF_PARAMETER.values()) <= options


def test_suggested_commands_exist_and_others_do_not():
    assert set(_SUGGESTIONS.values()) <= set(COMMANDS)
    assert not set(_SUGGESTIONS) & set(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "t.jsonl", "-o", "m.tw", "-k", "0"], "--topics must be an integer of at least 1: got '0'"),
        (["fit", "t.jsonl", "-o", "m.tw", "-k", "many"], "--topics must be an integer of at least 1: got 'many'"),
        (["transform", "m.tw", "--min-weight", "2"], "--min-weight must be a number from 0 to 1: got '2'"),
        (["evaluate", "m.tw", "--threshold", "x"], "--threshold must be a number: got 'x'"),
        (["topics", "m.tw", "-t", "1", "-t", "x"], "--topic must be an integer: got 'x'"),
        (["topics", "m.tw", "-f", "xml"], "--format must be one of 'table', 'csv', 'json', 'mallet': got 'xml'"),
    ],
)
def test_invalid_values(invoke, arguments, message):
    assert invoke(*arguments).refused() == message


def test_warnings_name_options(invoke, documents, monkeypatch):
    from topicwright._utils.warnings import warn
    from topicwright.cli import topics as verb
    from topicwright.errors import TopicwrightWarning

    def warning(*_, **__):
        warn("this takes `over_time`", TopicwrightWarning)
        raise FileNotFoundError(2, "gone", "m.tw")

    monkeypatch.setattr(verb, "load_model", warning)
    assert invoke("topics", "m.tw").err == "warning: this takes --over-time\nerror: m.tw: gone\n"


def test_more_shards_than_documents(invoke, documents):
    refused = invoke("fit", documents, "-o", "m.tw", "-q", "--backend", "disk", "--shards", "61").refused()
    assert refused == "--shards must be at most the number of documents, 60: got 61"


def test_a_run_of_other_options(invoke, documents):
    options = ["fit", documents, "-o", "m.tw", "-n", "1", "-q", "--backend", "disk", "--checkpoint-dir", "run"]
    assert invoke(*options, "-k", "2", "--shards", "2").code == 0
    refused = invoke(*options, "-k", "3", "--shards", "3", "--resume").refused()
    assert "this one: --topics (2 there, 3 here), --shards (2 there, 3 here), --rounds (2" in refused
    assert refused.endswith("differ; choose another --checkpoint-dir")
