"""Flags beat variables beat the file beat the defaults; what is not understood is refused, by name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from labeldp_audit.cli import configuration
from labeldp_audit.cli.options import COMMANDS, SHARED, Option, every
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.settings import Settings

ESTIMATE_J = COMMANDS[2].options


def gathered(folder: Path, *, file="", flags=None, variables=None, name="labeldp-audit.toml"):
    if file:
        (folder / name).write_text(file, encoding="utf-8")
    return configuration.gather(ESTIMATE_J, flags or {}, variables or {}, folder)


def test_nothing_set_gives_the_defaults_of_settings(tmp_path):
    chosen, notes = gathered(tmp_path)
    assert configuration.settings(chosen) == Settings()
    assert notes == ()


def test_each_layer_beats_the_one_below(tmp_path):
    file, variables = "k = 10\nseed = 1\nrecall = 0.9\n", {"LABELDP_AUDIT_K": "20", "LABELDP_AUDIT_SEED": "2"}
    chosen, _ = gathered(tmp_path, file=file, variables=variables, flags={"k": "30"})
    assert [(chosen[name].value, Path(chosen[name].origin).name) for name in ("k", "seed", "recall", "confidence")] == [
        (30, "--k"),
        (2, "LABELDP_AUDIT_SEED"),
        (0.9, "labeldp-audit.toml"),
        (0.99, "default"),
    ]


def test_repeated_flags_replace_the_list_of_the_file(tmp_path):
    chosen, _ = gathered(tmp_path, file='exclude = ["a"]', flags={"exclude": ["b", "c"], "mechanism": []})
    assert chosen["exclude"].value == ("b", "c")
    assert chosen["mechanism"].value == Settings().mechanism


def test_variables_hold_lists(tmp_path):
    given = {"LABELDP_AUDIT_EXCLUDE": "a, b", "LABELDP_AUDIT_MECHANISM": "llp:k=8; laplace-llp:k=8,epsilon=1"}
    chosen, _ = gathered(tmp_path, variables=given)
    assert chosen["exclude"].value == ("a", "b")
    assert chosen["mechanism"].value == ("llp:k=8", "laplace-llp:k=8,epsilon=1")


def test_variables_hold_flags_and_empty_ones_are_not_set(tmp_path):
    given = {"LABELDP_AUDIT_QUIET": "yes", "LABELDP_AUDIT_LABEL": "", "LABELDP_AUDIT_NO_OUTPUT": "0"}
    chosen, _ = gathered(tmp_path, variables=given)
    assert (chosen["quiet"].value, chosen["label"].value, chosen["no_output"].value) == (True, None, False)


def test_an_unknown_variable_is_named_with_what_may_be_meant(tmp_path):
    _, notes = gathered(tmp_path, variables={"LABELDP_AUDIT_LABLE": "x", "PATH": "/bin"})
    assert notes == ("LABELDP_AUDIT_LABLE is not an option and is not used (did you mean label?)",)


def test_own_file_beats_pyproject_beside_it(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.labeldp-audit]\nk = 5\n")
    assert gathered(tmp_path)[0]["k"].value == 5
    assert gathered(tmp_path, file="k = 6")[0]["k"].value == 6


def test_files_are_found_upwards_and_those_that_do_not_speak_to_us_are_passed_by(tmp_path):
    (tmp_path / "labeldp-audit.toml").write_text("k = 7")
    inner = tmp_path / "project" / "data"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.other]\nk = 1\n")
    assert configuration.find(inner) == tmp_path / "labeldp-audit.toml"
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.labeldp-audit]\n")
    assert configuration.find(inner) == tmp_path / "project" / "pyproject.toml"


def test_a_named_file_replaces_the_search_and_no_config_reads_none(tmp_path):
    (tmp_path / "other.toml").write_text("k = 8")
    named = {"config": str(tmp_path / "other.toml")}
    assert gathered(tmp_path, file="k = nonsense", flags=named)[0]["k"].value == 8
    assert gathered(tmp_path, flags={"no_config": True})[0]["k"].value is None
    assert gathered(tmp_path, flags={"no_config": True}, variables={"LABELDP_AUDIT_CONFIG": "x"})[0]["k"].value is None
    with pytest.raises(SpecError, match=r"cannot read the configuration: No such file.*nowhere\.toml"):
        gathered(tmp_path, flags={"config": str(tmp_path / "nowhere.toml")})


def test_dashes_and_underscores_are_one_key_but_not_twice(tmp_path):
    assert gathered(tmp_path, file="drop-null-labels = true")[0]["drop_null_labels"].value is True
    with pytest.raises(SpecError, match="given twice"):
        gathered(tmp_path, file="no-output = true\nno_output = true")


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("lable = 'x'", "unknown key"),
        ("debug = true", "unknown key"),
        ("label = 3", "not a text: 3"),
        ("label = ''", "not a text: ''"),
        ("k = '1000'", "not a whole number of at least 1: '1000'"),
        ("k = 0", "not a whole number of at least 1: 0"),
        ("k = true", "not a whole number of at least 1: True"),
        ("k = 1.5", "not a whole number of at least 1: 1.5"),
        ("recall = 0", "not a number above 0 and at most 1: 0"),
        ("recall = nan", "not a number above 0 and at most 1: nan"),
        ("confidence = 1", "not a number of at least 0.5 and below 1: 1"),
        ("seed = -1", "not a whole number of at least 0: -1"),
        ("queries = 'some'", "not 'all' or a whole number of at least 1: 'some'"),
        ("quiet = 1", "not true or false: 1"),
        ("exclude = [1]", "not a text: 1"),
        ("exclude = {a = 1}", "not a text: {'a': 1}"),
        ("tau = true", "not numbers written VALUES: True"),
        ("delimiter = '::'", "not a single character"),
        ("k = ", "not a TOML file"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path, file, what):
    with pytest.raises(SpecError) as caught:
        gathered(tmp_path, file=file)
    assert what in str(caught.value)
    assert "labeldp-audit.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_key_names_the_near_ones(tmp_path):
    with pytest.raises(SpecError) as caught:
        gathered(tmp_path, file="mechanisms = []")
    assert caught.value.hint == "did you mean mechanism?"
    with pytest.raises(SpecError) as caught:
        gathered(tmp_path, file="zzz = 1")
    assert caught.value.hint.startswith("known: alpha, bags, categorical, certify, confidence")


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        ({"k": "ten"}, "not a whole number of at least 1: 'ten': --k"),
        ({"recall": "1.5"}, "not a number above 0 and at most 1: 1.5: --recall"),
        ({"confidence": "0"}, "not a number of at least 0.5 and below 1: 0.0: --confidence"),
        ({"queries": "0"}, "not 'all' or a whole number of at least 1: 0: --queries"),
        ({"threads": "-2"}, "not a whole number of at least 1: -2: --threads"),
        ({"smoothness": "a lot"}, "not numbers written C,BETA: 'a lot': --smoothness"),
        ({"label": ""}, "not a text: '': --label"),
        ({"output": "x", "no_output": True}, "--output and --no-output exclude each other"),
        ({"config": "x", "no_config": True}, "--config and --no-config exclude each other"),
    ],
)
def test_a_bad_flag_is_refused_by_name(tmp_path, flags, what):
    with pytest.raises(SpecError) as caught:
        gathered(tmp_path, flags=flags)
    assert str(caught.value) == what


def test_values_are_read_as_they_are_written(tmp_path):
    flags = {"queries": "all", "delimiter": "tab", "tau": "0:10:0.1", "smoothness": "1e-1,0.5", "k": "1000"}
    assert configuration.settings(gathered(tmp_path, flags=flags)[0]) == Settings(
        queries=0, delimiter="\t", tau="0:10:0.1", smoothness="1e-1,0.5", k=1000
    )
    file = 'queries = "all"\ntau = [1, 2.5]\nsmoothness = "1,2"\nmechanism = "rr:epsilon=2"'
    assert configuration.settings(gathered(tmp_path, file=file)[0]) == Settings(
        queries=0, tau="1,2.5", smoothness="1,2", mechanism=("rr:epsilon=2",)
    )


def test_a_folder_asked_for_beats_no_output_below(tmp_path):
    file = "no-output = true"
    assert gathered(tmp_path, file=file)[0]["no_output"].value is True
    assert gathered(tmp_path, file=file, flags={"output": "here"})[0]["no_output"].value is False


def test_a_policy_is_accepted_and_said_not_to_be_judged(tmp_path):
    chosen, notes = gathered(tmp_path, file='k = 3\n[policy]\nfail_if = ["nu_max.high > 10"]\n')
    assert chosen["k"].value == 3
    assert len(notes) == 1
    assert notes[0].startswith("[policy] is not judged")


def test_what_is_shown_is_a_file_that_sets_the_same(tmp_path):
    flags = {"exclude": ['a "b"\n', "ü"], "queries": "all", "quiet": True, "tau": "1,2", "delimiter": "tab"}
    chosen, _ = gathered(tmp_path, flags=flags, file="recall = 0.5")
    again, _ = gathered(tmp_path, file=configuration.shown(chosen, ESTIMATE_J))
    assert {name: one.value for name, one in again.items()} == {name: one.value for name, one in chosen.items()}


def test_what_is_shown_says_where_each_value_comes_from(tmp_path):
    chosen, _ = gathered(tmp_path, variables={"LABELDP_AUDIT_K": "9"})
    lines = configuration.shown(chosen, ESTIMATE_J).splitlines()
    assert "k = 9  # LABELDP_AUDIT_K" in lines
    assert "recall = 0.95  # default" in lines
    assert any(line.startswith("# label  # default (the one column") for line in lines)


@pytest.mark.parametrize("option", SHARED, ids=lambda option: option.name)
def test_defaults_are_values_their_kind_takes(option: Option):
    values = option.default if option.many else () if option.default is None else (option.default,)
    assert [option.kind.take(value) for value in values] == list(values)


def test_every_setting_has_an_option():
    assert set(Settings.__dataclass_fields__) <= set(every())


def test_toml_is_what_the_contract_shows(tmp_path):
    text = 'label = "clicked"\nexclude = ["user_id"]\nmechanism = ["rr:epsilon=2"]\n'
    assert tomllib.loads(text)
    assert configuration.settings(gathered(tmp_path, file=text)[0]) == Settings(
        label="clicked", exclude=("user_id",), mechanism=("rr:epsilon=2",)
    )


def test_a_mark_at_the_beginning_of_a_file_is_none_of_its_words(tmp_path):
    for name, text in (("labeldp-audit.toml", 'label = "y"'), ("pyproject.toml", '[tool.labeldp-audit]\nlabel = "y"')):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        assert configuration.from_file(tmp_path / name)["label"].value == "y"
