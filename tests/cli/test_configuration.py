"""Flags beat variables beat the file beat the defaults; what is not understood is refused, by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from running import read_options

from labeldp_audit.cli import app, configuration
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.settings import Settings


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """asked("--k", "30", file="k = 10", K="20"): what estimate-j is asked for, with LABELDP_AUDIT_K."""
    for name in [name for name in os.environ if name.startswith(configuration.PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def read(*typed, file="", command="estimate-j", **variables):
        if file:
            Path("labeldp-audit.toml").write_text(file, encoding="utf-8")
        with monkeypatch.context() as patched:
            for name, value in variables.items():
                patched.setenv(f"LABELDP_AUDIT_{name}", value)
            return configuration.of(read_options(command, typed))

    return read


@pytest.fixture
def refused(asked):
    """The error of what cannot be."""

    def read(*typed, **layers) -> SpecError:
        try:
            asked(*typed, **layers)
        except app.UsageError as error:
            return app._as_spec_error(error)
        except SpecError as error:
            return error
        return pytest.fail("nothing was refused")

    return read


def test_nothing_set_gives_the_defaults_of_settings(asked):
    assert (asked().settings(), asked().notes) == (Settings(), [])


def test_each_layer_beats_the_one_below(asked):
    found = asked("--k", "30", file="k = 10\nseed = 1\nrecall = 0.9\n", K="20", SEED="2")
    chosen = [(found[name], Path(found.origins[name]).name) for name in ("k", "seed", "recall", "confidence")]
    assert chosen == [(30, "--k"), (2, "LABELDP_AUDIT_SEED"), (0.9, "labeldp-audit.toml"), (0.99, "default")]


def test_repeated_flags_replace_the_list_of_the_file(asked):
    found = asked("--exclude", "b", "--exclude", "c", "--no-certify", file='exclude = ["a"]\ncertify = true')
    assert (found["exclude"], found["certify"], found["mechanism"]) == (("b", "c"), False, Settings().mechanism)


def test_variables_hold_lists_and_flags_and_empty_ones_are_not_set(asked):
    found = asked(EXCLUDE="a, b", MECHANISM="llp:k=8; laplace-llp:k=8,epsilon=1", QUIET="yes", LABEL="", CERTIFY="off")
    assert (found["exclude"], found["mechanism"]) == (("a", "b"), ("llp:k=8", "laplace-llp:k=8,epsilon=1"))
    assert [found[name] for name in ("quiet", "label", "certify")] == [True, None, False]


def test_an_unknown_variable_is_named_with_what_may_be_meant(asked):
    assert asked(LABLE="x").notes == ["LABELDP_AUDIT_LABLE is not an option and is not used (did you mean label?)"]


@pytest.mark.parametrize(
    ("variable", "value", "what"),
    [
        ("K", "0", "not a whole number of at least 1: 0"),
        ("QUIET", "perhaps", "not true or false: 'perhaps'"),
        ("TAU", "x", "not numbers written VALUES: 'x'"),
        ("UTILITY", "x", "not one of zero-one, balanced: 'x'"),
    ],
)
def test_a_bad_variable_is_refused_by_name(refused, variable, value, what):
    assert str(refused(**{variable: value})) == f"{what}: LABELDP_AUDIT_{variable}"


def test_files_are_found_upwards_and_those_that_do_not_speak_to_us_are_passed_by(tmp_path, monkeypatch):
    (tmp_path / "labeldp-audit.toml").write_text("k = 7")
    inner = tmp_path / "project" / "data"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.other]\nk = 1\n")
    monkeypatch.chdir(inner)
    assert configuration.find() == tmp_path / "labeldp-audit.toml"
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.labeldp-audit]\n")
    assert configuration.find() == tmp_path / "project" / "pyproject.toml"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders of Windows have no such rights")
@pytest.mark.parametrize("name", ["labeldp-audit.toml", "pyproject.toml"])
def test_a_strangers_file_in_a_folder_of_everybody_is_not_obeyed(tmp_path, monkeypatch, asked, name):
    """As in /tmp; one that is named is, and so is one where only its owner could have put it."""
    (tmp_path / "inner").mkdir()
    (tmp_path / name).write_text("[tool.labeldp-audit]\nk = 7" if name == "pyproject.toml" else "k = 7")
    monkeypatch.chdir(tmp_path / "inner")
    tmp_path.chmod(0o1777)
    assert asked()["k"] == 7
    if me := os.getuid():
        monkeypatch.setattr(os, "getuid", lambda: me + 1)
    else:
        os.chown(tmp_path / name, 12345, -1)
    with pytest.raises(SpecError, match="not yours lies in a folder in which everybody may write") as refused:
        asked()
    assert str(tmp_path / name) in str(refused.value)
    assert (asked("--no-config")["k"], asked("--config", f"../{name}")["k"]) == (None, 7)
    tmp_path.chmod(0o755)
    assert asked()["k"] == 7


def test_a_named_file_replaces_the_search_and_no_config_reads_none(asked, refused):
    Path("other.toml").write_text("k = 8")
    assert asked("--config", "other.toml", file="k = nonsense")["k"] == 8
    assert asked(CONFIG="other.toml")["k"] == 8
    assert asked("--no-config")["k"] is None
    assert asked("--no-config", CONFIG="x")["k"] is None
    error = refused("--config", "nowhere.toml")
    assert str(error) == "cannot read the configuration: No such file or directory: nowhere.toml"


def test_dashes_and_underscores_are_one_key_but_not_twice(asked, refused):
    assert asked(file="drop-null-labels = true")["drop_null_labels"] is True
    assert "given twice" in str(refused(file="no-output = true\nno_output = true"))


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("lable = 'x'", "unknown key"),
        ("debug = true", "unknown key"),
        ("force = true", "unknown key"),  # overwrites what is there
        ("insecure_for_testing = true", "unknown key"),  # a release that can be drawn again
        ("label = 3", "not a text: 3"),
        ("label = ''", "not a text: ''"),
        ("k = '1000'", "not a whole number of at least 1: '1000'"),
        ("k = 0", "not a whole number of at least 1: 0"),
        ("k = true", "not a whole number of at least 1: True"),
        ("k = 1.5", "not a whole number of at least 1: 1.5"),
        ("recall = 0", "not a number above 0 and at most 1: 0"),
        ("recall = nan", "not a number above 0 and at most 1: nan"),
        ("recall = '0.9'", "not a number above 0 and at most 1: '0.9'"),
        ("confidence = 1", "not a number of at least 0.5 and below 1: 1"),
        ("seed = -1", "not a whole number of at least 0: -1"),
        ("queries = 'some'", "not 'all' or a whole number of at least 1: 'some'"),
        ("queries = '500'", "not 'all' or a whole number of at least 1: '500'"),
        ("quiet = 1", "not true or false: 1"),
        ("exclude = [1]", "not a text: 1"),
        ("exclude = {a = 1}", "not a text: {'a': 1}"),
        ("tau = true", "not numbers written VALUES: True"),
        ("bags = 'x'", "not a whole number of at least 30 and at most 10000000: 'x'"),  # of other commands
        ("bags = 10_000_001", "not a whole number of at least 30 and at most 10000000: 10000001"),
        ("delimiter = '::'", "not a single character"),
        ("k = ", "not a TOML file"),
    ],
)
def test_a_bad_file_is_refused_by_name(refused, file, what):
    said = str(refused(file=file))
    assert said.startswith(what)
    assert said.endswith(f"labeldp-audit.toml: {file.partition(' ')[0]}") or file == "k = "


def test_an_unknown_key_names_the_near_ones(refused):
    assert refused(file="mechanisms = []").hint == "did you mean mechanism?"
    assert refused(file="zzz = 1").hint.startswith("known: alpha, attacker, bags, baseline, categorical, certify")


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        (("--k", "ten"), "not a whole number of at least 1: 'ten': --k"),
        (("--recall", "1.5"), "not a number above 0 and at most 1: 1.5: --recall"),
        (("--confidence", "0"), "not a number of at least 0.5 and below 1: 0.0: --confidence"),
        (("--queries", "0"), "not 'all' or a whole number of at least 1: 0: --queries"),
        (("--threads", "-2"), "not a whole number of at least 1: -2: --threads"),
        (("--smoothness", "a lot"), "not numbers written C,BETA: 'a lot': --smoothness"),
        (("--label", ""), "not a text: '': --label"),
        (("--output", "x", "--no-output"), "--output and --no-output exclude each other"),
        (("--config", "x.toml", "--no-config"), "--config and --no-config exclude each other"),
    ],
)
def test_a_bad_flag_is_refused_by_name(refused, flags, what):
    assert str(refused(*flags)) == what


def test_values_are_read_as_they_are_written(asked):
    flags = ("--queries", "all", "--delimiter", "tab", "--tau", "0:10:0.1", "--smoothness", "1e-1,0.5", "--k", "1000")
    expected = Settings(queries=0, delimiter="\t", tau="0:10:0.1", smoothness="1e-1,0.5", k=1000)
    assert asked(*flags).settings() == expected
    file = 'queries = "all"\ntau = [1, 2.5]\nsmoothness = "1,2"\nmechanism = "rr:epsilon=2"\nconfidence = 0.9'
    expected = Settings(queries=0, tau="1,2.5", smoothness="1,2", mechanism=("rr:epsilon=2",), confidence=0.9)
    assert asked(file=file).settings() == expected


def test_of_two_that_exclude_each_other_the_higher_layer_counts(asked):
    file = "no-output = true\neta_file = 'e.parquet'"
    below = asked(file=file)
    assert (below["no_output"], below["eta_file"]) == (True, "e.parquet")
    above = asked("--output", "here", "--eta", "p", file=file)
    assert (above["no_output"], above["output"], above["eta"], above["eta_file"]) == (False, "here", ("p",), None)
    assert asked(file="eta = 'p'", ETA_FILE="e.parquet")["eta"] == ()


def test_a_file_may_set_what_other_commands_ask_for(asked):
    assert "tau" not in asked(file='tau = "1,2"\nk = 3', command="nu-max").values
    assert asked()["tau"] == "1,2"


def test_a_policy_is_accepted_and_said_not_to_be_judged(asked):
    found = asked(file='k = 3\n[policy]\nfail_if = ["nu_max.high > 10"]\n')
    assert found["k"] == 3
    assert found.notes == [f"[policy] is not judged by this command: {found.file}"]


def test_what_is_shown_is_a_file_that_sets_the_same(asked):
    flags = ("--exclude", 'a "b"\n', "--exclude", "ü", "--queries", "all", "-q", "--tau", "1,2", "--delimiter", "tab")
    context = read_options("estimate-j", flags)
    one = asked(*flags, file="recall = 0.5")
    again = asked(file=configuration.shown(one, context.command))
    assert again.values == one.values


POLICY = """[policy]
confidence = 0.9
on_unproven = "pass"
fail_if = ["advantage.high > 0.05"]
[[policy.waiver]]
quantity = "nu_max"
dataset = "sha256:%s"
until = 2030-01-31
reason = "known"
"""


def test_a_policy_that_is_shown_is_the_same(asked):
    one = asked(file=POLICY % ("0" * 64), command="audit")
    policy = configuration.policy_of(one)
    assert policy.unproven_passes and policy.waivers and policy.confidence == 0.9
    assert configuration.policy_of(asked(file=configuration.shown_policy(one), command="audit")) == policy


def test_what_is_shown_says_where_each_value_comes_from(audit, monkeypatch):
    """And needs no data."""
    monkeypatch.setenv("LABELDP_AUDIT_SEED", "3")
    (audit.folder / "labeldp-audit.toml").write_text('label = "clicked"\n')
    ended = audit("estimate-j", "--show-config", "--k", "5")
    lines = ended.out.splitlines()
    assert ended.status == 0
    assert {"k = 5  # --k", "seed = 3  # LABELDP_AUDIT_SEED", "recall = 0.95  # default"} <= {*lines}
    assert f'label = "clicked"  # {audit.folder / "labeldp-audit.toml"}' in lines
    assert any(line.startswith("# positive  # default (the larger") for line in lines)


def test_every_setting_has_an_option():
    arguments = {"release"}  # of `attack`
    assert set(Settings.__dataclass_fields__) - arguments <= {*configuration.every(read_options("audit", []))}


@pytest.mark.parametrize(
    ("name", "text"), [("pyproject.toml", '[tool.labeldp-audit]\nlabel = "y"'), ("labeldp-audit.toml", 'label = "y"')]
)
def test_a_mark_at_the_beginning_of_a_file_is_none_of_its_words(asked, name, text):
    Path(name).write_text(text, encoding="utf-8-sig")
    assert asked()["label"] == "y"


def test_graph_that_is_typed_beats_an_estimator_of_the_file(asked):
    typed = asked("--graph", "g.parquet", file='estimator = "stack"')
    assert (typed["graph"], typed["estimator"]) == ("g.parquet", "auto")
    typed = asked("--estimator", "stack", file='graph = "g.parquet"')
    assert (typed["graph"], typed["estimator"]) == (None, "stack")
