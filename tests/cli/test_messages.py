"""Parameters of the library become options of the command; what is the user's own stays."""

import pytest
from typer.main import get_command

from topicwright.cli._app import _MEANT, app
from topicwright.cli._wording import _RENAMED, in_options, wrong_value

COMMANDS = get_command(app).commands


@pytest.mark.parametrize(
    ("verb", "said", "worded"),
    [
        ("fit", "fit again with resume=True", "fit again with --resume"),
        ("fit", "/a_b/checkpoint_dir/x holds a run", "/a_b/checkpoint_dir/x holds a run"),
        ("fit", "give another checkpoint_dir.", "give another --checkpoint-dir."),
        ("fit", "a shard is too long; give a larger n_shards", "a shard is too long; give a larger --shards"),
        ("fit", "within sweep_timeout=0.5 seconds", "within --sweep-timeout 0.5 seconds"),
        ("fit", "alpha must be from 1 to 2, or None: got 3", "--alpha must be from 1 to 2: got 3"),
        ("fit", "out: on_error='skip')", "out: --on-error skip)"),
        ("fit", "t, line 1: labels must be a string", "t, line 1: labels must be a string"),
        (
            "fit",
            "no field 'min_df'; its fields are: max_df, n_jobs",
            "no field 'min_df'; its fields are: max_df, n_jobs",
        ),
        (
            "stream",
            "it is read as it comes: follow goes with a file",
            "it is read as it comes: --follow goes with a file",
        ),
        ("stream", "say that it is new: new=True", "say that it is new: --new-source"),
        ("stream", "n_particles must be at least 1: got 0", "--particles must be at least 1: got 0"),
        ("resume", "n_topics must be at least 3: got 2", "n_topics must be at least 3: got 2"),  # it has no such option
    ],
)
def test_in_options(verb, said, worded):
    assert in_options(said, COMMANDS[verb]) == worded


def test_every_new_name_is_an_option_somewhere():
    options = {param.name for command in COMMANDS.values() for param in command.params}
    assert set(_RENAMED.values()) <= options


def test_verbs_that_are_meant_exist_and_those_of_others_do_not():
    assert set(_MEANT.values()) <= set(COMMANDS)
    assert not set(_MEANT) & set(COMMANDS)


class WrongError(Exception):
    def __init__(self, message):
        self.message = message


@pytest.mark.parametrize(
    ("said", "worded"),
    [
        ("0 is not in the range x>=1.", "it must be 1 or more: got 0"),
        ("2.0 is not in the range 0.0<=x<=1.0.", "it must be from 0.0 to 1.0: got 2.0"),
        ("'many' is not a valid integer range.", "it must be a whole number: got many"),
        ("'x' is not a valid float.", "it must be a number: got x"),
        ("'xml' is not one of 'a', 'b'.", "'xml' is not one of 'a', 'b'."),
    ],
)
def test_what_older_versions_of_typer_say(said, worded):
    assert wrong_value(WrongError(said)) == worded


def test_warnings_too(invoke, documents, monkeypatch):
    from topicwright._utils.warnings import warn
    from topicwright.cli import topics as verb
    from topicwright.errors import TopicwrightWarning

    def warning(*_, **__):
        warn("this takes over_time", TopicwrightWarning)
        raise FileNotFoundError(2, "gone", "m.tw")

    monkeypatch.setattr(verb, "load_model", warning)
    assert invoke("topics", "m.tw").err == "warning: this takes --over-time\nerror: m.tw: gone\n"


def test_more_shards_than_documents(invoke, documents):
    refused = invoke("fit", documents, "-o", "m.tw", "-q", "--backend", "disk", "--shards", "61").refused()
    assert refused == "--shards must not be more than the documents: got 61 for 60"


def test_a_run_of_other_options(invoke, documents):
    options = ["fit", documents, "-o", "m.tw", "-n", "1", "-q", "--backend", "disk", "--checkpoint-dir", "run"]
    assert invoke(*options, "-k", "2", "--shards", "2").code == 0
    refused = invoke(*options, "-k", "3", "--shards", "3", "--resume").refused()
    assert "this one: --topics (2 there, 3 here), --shards (2 there, 3 here), --rounds (2" in refused
    assert refused.endswith("differ; give another --checkpoint-dir")
