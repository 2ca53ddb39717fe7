"""Invalid use: one error message and exit code 2."""

import os
import subprocess

import pytest

from .conftest import COMMAND


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fti"], "no such command 'fti'"),
        (["train"], "no such command 'train': try topicwright fit"),
        (["foo"], "no such command 'foo': topicwright --help lists all commands"),
        (["--bogus"], "no such option: --bogus"),
        (["fit"], "missing argument 'INPUT': see topicwright fit --help"),
        (["fit", "nothing.jsonl"], "missing option '--output' / '-o': see topicwright fit --help"),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--topcs", "3"], "no such option: --topcs. Did you mean --topics?"),
        (["topics", "MODEL", "--zzz"], "no such option: --zzz: topicwright topics --help lists all options"),
        (["report", "MODEL", "-o", "page.html"], "no such option: -o. Did you mean --html?"),
        (["convert", "DOCUMENTS", "-o", "x.ldac"], "no such option: -o: the output follows the input"),
        (["fit", "nothing.jsonl", "-o", "m.tw"], "cannot read nothing.jsonl: No such file or directory"),
        (["fit", "DOCUMENTS", "-o", "nowhere/m.tw"], "nowhere does not exist"),
        (["fit", "DOCUMENTS", "-o", "."], "cannot write .: it is a directory"),
        (["fit", "DOCUMENTS", "-o", "DOCUMENTS"], "the output must not be an input"),
        (["fit", "DOCUMENTS", "-o", "-"], "a model cannot be written to standard output"),
        (["fit", "-", "-o", "m.tw"], "standard input needs a format"),
        (["fit", "MODEL", "-o", "m.tw", "--format", "xml"], "--format must be one of"),
        (
            ["fit", "DOCUMENTS", "-o", "m.tw", "-k", "2000000"],
            "--topics must be an integer from 1 to 1,000,000: got 2000000",
        ),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--predict", "x", "--cost", "much"], "--cost must be a number: got 'much'"),
        (
            ["fit", "DOCUMENTS", "-o", "m.tw", "--alpha", "much"],
            "--alpha must be a positive number, or learn: got 'much'",
        ),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--beta", "-1"], "--beta must be a positive number"),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--alpha", "nan"], "--alpha must be a positive number"),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--min-df", "few"], "--min-df must be a number: got 'few'"),
        (
            ["fit", "DOCUMENTS", "-o", "m.tw", "--min-df", "61"],
            "--max-df must not be below --min-df: got --max-df 1.0 (60",
        ),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--stop-words", "nothing.txt"], "cannot read nothing.txt"),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--text-field", "body"], "line 1: no field 'body'"),
        (["fit", "BAD", "-o", "m.tw"], "line 2: 'text' must be a string: got int"),
        (["fit", "DOCUMENTS", "-o", "m.tw", "--jobs", "0"], "--jobs must be an integer other than 0: got 0"),
        (["resume", "nothing.tw"], "cannot read nothing.tw: No such file or directory"),
        (["resume", "COMPACT"], "resume needs the training corpus"),
        (["resume", "MODEL", "-o", "nowhere/m.tw"], "nowhere does not exist"),
        (["resume", "MODEL", "-o", "-"], "a model cannot be written to standard output"),
        (["demo", "-o", "-"], "a model cannot be written to standard output"),
        (["topics", "DOCUMENTS"], "is not a topicwright model file"),
        (["topics", "MODEL", "--topic", "3"], "--topic must be from 0 to 2: got 3"),
        (["topics", "MODEL", "-o", "MODEL"], "the output must not be an input"),
        (["transform", "MODEL"], "standard input needs a format"),
        (["transform", "MODEL", "DOCUMENTS", "-o", "MODEL"], "the output must not be an input"),
        (["transform", "COUNTS", "DOCUMENTS"], "this model was trained on counts, not on texts"),
        (["evaluate", "MODEL", "nothing.jsonl"], "cannot read nothing.jsonl"),
        (["convert", "MODEL", "out.xml"], "--to must be one of topics-csv"),
        (["convert", "MODEL", "out", "--to", "jsonl"], "--to must be one of topics-csv"),
        (["convert", "MODEL", "out", "--to", "pyldavis", "--words", "3"], "--words needs --to topics-csv"),
        (["convert", "COMPACT", "-", "--to", "mallet-state"], "needs the corpus that the model was fitted to"),
        (["convert", "DOCUMENTS", "out.parquet"], "--to must be one of jsonl, mallet, ldac, mtx, uci: got 'parquet'"),
        (["convert", "DOCUMENTS", "-", "--to", "uci"], "needs several files"),
        (["convert", "DOCUMENTS", "out.jsonl", "--words", "3"], "--words needs a model, and"),
    ],
)
def test_error_messages(invoke, request, arguments, sentence):
    places = {
        "DOCUMENTS": "documents",
        "BAD": "bad_lines",
        "MODEL": "model",
        "COMPACT": "compact_model",
        "COUNTS": "counts_model",
    }
    given = [request.getfixturevalue(places[word]) if word in places else word for word in arguments]
    refused = invoke(*given, *(["-q"] if arguments[0] == "fit" else []))
    assert sentence in refused.refused()


def test_misspelled_command_gives_a_suggestion(shell):
    assert shell("fti").refused() == "no such command 'fti'. Did you mean 'fit'?"


def test_invalid_output_fails_before_reading_input(shell):
    assert "nowhere does not exist" in shell("fit", "-", "-f", "text", "-o", "nowhere/m.tw", stdin="red").refused()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_directory(invoke, documents, tmp_path):
    tmp_path.chmod(0o500)
    assert "Permission denied" in invoke("fit", documents, "-o", "m.tw").refused()


def test_a_damaged_model(invoke, model, tmp_path):
    (tmp_path / "half.tw").write_bytes(model.read_bytes()[:500])
    assert "damaged or cut short" in invoke("topics", "half.tw").refused()


def test_file_names_are_escaped(invoke):
    assert invoke("topics", "\x1b[31mred.tw").refused() == r"cannot read \u001b[31mred.tw: No such file or directory"


@pytest.mark.parametrize("command", ["topics {model}", "transform {model} {documents} -q"])
def test_a_broken_pipe_is_silent(command, model, documents):
    """As in ``topicwright topics news.tw | head -1``, with a reader that closes the pipe even earlier."""
    written = f"{' '.join(COMMAND)} {command.format(model=model, documents=documents)}"
    script = f"{written} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (141, "", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("verb", ["topics {model}", "--help"])
def test_a_full_disk(model, verb):
    done = subprocess.run(
        f"{' '.join(COMMAND)} {verb.format(model=model)} > /dev/full", shell=True, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["fit", "new.jsonl", "-o", "m.tw"], "news.jsonl"),
        (["explore", "new.jsonl", "--no-browser"], "news.jsonl"),
        (["explore", "mews.tw", "--no-browser"], "news.tw"),
        (["topics", "here/mews.tw"], "here/news.tw"),
        (["explore", "quite-another", "--no-browser"], None),
        (["topics", "nowhere/news.tw"], None),
    ],
)
def test_misspelled_file_gives_a_suggestion(invoke, tmp_path, arguments, meant):
    (tmp_path / "here").mkdir()
    for name in ("news.jsonl", "news.tw", "here/news.tw"):
        (tmp_path / name).touch()
    end = "No such file or directory" + ("" if meant is None else f"; did you mean {meant}?")
    assert invoke(*arguments).refused() == f"cannot read {arguments[1]}: {end}"


def test_missing_text_field_names_its_option(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"body": "red apple"}')
    (tmp_path / "t.csv").write_text("body\nred apple\n")
    for name, listed in (("t.jsonl", "its fields are: body"), ("t.csv", "its columns are: body")):
        refused = invoke("corpus", name).refused()
        assert f"'text' (--text-field NAME names another); {listed}" in refused
        assert "names another" not in invoke("corpus", name, "--text-field", "bodi").refused()


def test_empty_file(invoke, tmp_path):
    (tmp_path / "t.jsonl").touch()
    assert invoke("fit", "t.jsonl", "-o", "m.tw", "-q").refused() == "t.jsonl: the file contains no documents"


def test_document_file_given_as_model(invoke, tmp_path):
    (tmp_path / "my news.jsonl").write_text('{"text": "red apple"}')
    refused = invoke("topics", "my news.jsonl").refused()
    assert refused.endswith("model file: train a model with topicwright fit 'my news.jsonl' -o 'my news.tw'")


@pytest.mark.parametrize("verb", [["fit", "-o", "m.tw"], ["corpus"], ["stream", "-m", "m.tw"], ["transform", "MODEL"]])
def test_folder_or_model_given_as_documents(invoke, model, tmp_path, verb):
    (tmp_path / "notes").mkdir()
    given = [model if word == "MODEL" else word for word in verb]
    assert "notes is a folder, and documents are read from one file" in invoke(*given, "notes").refused()
    refused = invoke(*given, model).refused()
    assert f"{model} is a model, and this command reads a file of documents" in refused
    assert f"topicwright resume {model}" in refused


def test_message_for_a_folder(invoke, tmp_path):
    folder = tmp_path / "my notes"
    folder.mkdir()
    assert invoke("corpus", "my notes").refused().endswith("no file in it has a suffix of a known format")
    (folder / "a b.txt").write_text("red apple\ngreen grass")
    (folder / "c.txt").write_text("blue sky\n")
    how = invoke("corpus", "my notes").refused().partition("one per line, with ")[2]
    subprocess.run(["sh", "-c", how], check=True, cwd=tmp_path)
    seen = invoke("corpus", "texts.txt", "--json").json
    assert [document["words"] for document in seen["first"]] == [["red", "apple", "green", "grass"], ["blue", "sky"]]
    (folder / "news.jsonl.gz").touch()
    assert invoke("corpus", "my notes").refused().endswith("such as my notes/news.jsonl.gz")
