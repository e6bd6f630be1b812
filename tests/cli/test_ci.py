"""What runs the tool for others: the action, the hook before commits."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCHEMAS = {
    "action.yml": ["check_jsonschema", "--builtin-schema", "vendor.github-actions"],
    ".pre-commit-hooks.yaml": ["pre_commit", "validate-manifest"],
    "examples/ci/github.yml": ["check_jsonschema", "--builtin-schema", "vendor.github-workflows"],
    "examples/ci/nightly.yml": ["check_jsonschema", "--builtin-schema", "vendor.github-workflows"],
    "examples/ci/gitlab-ci.yml": ["check_jsonschema", "--builtin-schema", "vendor.gitlab-ci"],
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_what_its_schema_asks_for(name):
    module = SCHEMAS[name]
    if importlib.util.find_spec(module[0]) is None:
        pytest.skip(f"no {module[0]} here")
    done = subprocess.run([sys.executable, "-m", *module, name], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_from_outside_is_written_into_a_script():
    """Whoever names a branch or a file must not write our shell."""
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    scripts = re.findall(r"run: (\|\n(?: {8}.*\n)+|.*\n)", action)
    assert len(scripts) == 3
    assert not any("${{" in script for script in scripts)


def test_every_input_is_used_and_every_output_is_set():
    from ruamel.yaml import YAML

    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    action = YAML(typ="safe").load(text)
    assert set(action["inputs"]) == {"data", "policy", "formats", "arguments", "python-version", "upload-sarif"}
    assert set(action["outputs"]) == {"outcome", "report"}
    assert all(f"inputs.{name}" in text for name in action["inputs"])
    script = (ROOT / ".github" / "check.sh").read_text(encoding="utf-8")
    for name in re.findall(r"steps\.check\.outputs\.(\w+)", text):
        assert f'echo "{name}=' in script


# ---- the hook before commits


@pytest.fixture
def commit(audit, tables, monkeypatch):
    """Stage a file and run pre-commit: the status and what it printed."""
    if importlib.util.find_spec("pre_commit") is None or shutil.which("git") is None:
        pytest.skip("no pre-commit or no git here")
    from ruamel.yaml import YAML

    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(audit.folder / ".git" / "pre-commit"))
    subprocess.run(["git", "init", "--quiet"], check=True)
    [hook] = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    # The installed package, in place of one that pre-commit would download and install.
    hook |= {"language": "system", "files": r"^(t\.csv|labeldp-audit\.toml)$", "args": ["t.csv", "--no-certify"]}
    (audit.folder / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]}))
    (audit.folder / "t.csv").write_bytes((tables / "t.csv").read_bytes())

    def run(name: str) -> tuple[int, str]:
        subprocess.run(["git", "add", ".pre-commit-config.yaml", name], check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--files", name, "--color", "never"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    run.folder = audit.folder
    return run


def test_hook_checks_the_table_named_in_args(commit):
    policy, outcomes = commit.folder / "labeldp-audit.toml", []
    for line in ("uninformed_utility.high > 2", "advantage.low >= 0"):
        policy.write_text(f'mechanism = ["rr:epsilon=1"]\n[policy]\nfail_if = ["{line}"]\n')
        outcomes.append(commit("labeldp-audit.toml"))
    assert [status for status, _ in outcomes] == [0, 1]
    assert "FAIL: blocked by advantage.low >= 0" in outcomes[1][1]
    assert not (commit.folder / "labeldp-report").exists()
    (commit.folder / "notes.txt").write_text("no table")
    status, printed = commit("notes.txt")
    assert status == 0 and "(no files to check)Skipped" in printed


# ---- the script of the action

PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" > "$REPORTS/arguments"
[ -n "$OUTCOME" ] && for one in "$@"; do case "$one" in
  sarif=*|json=*) echo "{\\"judgement\\": {\\"outcome\\": \\"$OUTCOME\\"}}" > "${one#*=}";;
esac; done
exit "$STATUS"
"""


@pytest.fixture
def step(tmp_path):
    """Runs check.sh with a program that writes its arguments down."""
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    program = tmp_path / "venv" / "bin" / "labeldp-audit"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    (program.parent / "python").symlink_to(sys.executable)

    def run(status: int = 0, outcome: str = "pass", **inputs: str) -> tuple[list[str], dict[str, str]]:
        outputs = tmp_path / "outputs"
        outputs.unlink(missing_ok=True)
        variables = {"VENV": tmp_path / "venv", "REPORTS": tmp_path, "GITHUB_OUTPUT": outputs, "STATUS": status,
                     "OUTCOME": outcome}  # fmt: skip
        environment = {**os.environ, **{key: str(value) for key, value in variables.items()}, **inputs}
        command = ["bash", "-e", str(ROOT / ".github" / "check.sh")]
        done = subprocess.run(command, env=environment, check=True, timeout=20, stdout=subprocess.PIPE, text=True)
        run.printed = done.stdout
        said = dict(line.partition("=")[::2] for line in outputs.read_text().splitlines())
        return (tmp_path / "arguments").read_text().splitlines(), said

    return run


@pytest.mark.parametrize(("status", "outcome"), [(0, "pass"), (1, "fail"), (4, "inconclusive"), (0, "fail")])
def test_the_status_is_kept_for_a_later_step_and_the_report_says_what_came_out(step, tmp_path, status, outcome):
    _, said = step(status, outcome, DATA="x.csv")
    assert said == {
        "status": str(status), "outcome": outcome,
        "report": f"{tmp_path}/labeldp-audit.json", "sarif": f"{tmp_path}/labeldp-audit.sarif",
    }  # fmt: skip
    assert step.printed == ""


@pytest.mark.parametrize(("status", "kept"), [(0, 3), (2, 2), (3, 3), (70, 70)])
def test_where_nothing_was_judged_nothing_passes(step, status, kept):
    _, said = step(status, "", DATA="x.csv%0A::error::y\n::error::z")
    assert said == {"status": str(kept), "outcome": "error", "report": "", "sarif": ""}
    [line] = step.printed.splitlines()
    assert re.fullmatch("::error title=labeldp-audit::The check did not run[^:]*", line)


def test_inputs_are_arguments_whatever_they_hold(step, tmp_path):
    wild = "$(touch hacked)`id`;'\" *.csv"
    arguments, _ = step(DATA=wild, POLICY=wild, ARGUMENTS=f"--label={wild}\n\n  \n--k=3\r\n", FORMATS="html=a b.html\n")
    assert arguments == [
        "check", "-f", "github", "-f", f"sarif={tmp_path}/labeldp-audit.sarif",
        "-f", f"json={tmp_path}/labeldp-audit.json", "-f", "html=a b.html", f"--label={wild}", "--k=3",
        f"--policy={wild}", "--", wild,
    ]  # fmt: skip
    assert not (tmp_path / "hacked").exists()
    assert not any(one.startswith("--policy") for one in step(DATA="x.csv", POLICY="")[0])
