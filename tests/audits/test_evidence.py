"""What every audit begins with: releases are refused, the positive class is chosen, and columns left out are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda
from labeldp_audit.core.remark import RARER, UNPUBLISHED

RNG = np.random.default_rng(5)
X = RNG.normal(size=400)
ILL = RNG.random(400) < 0.5 / (1 + np.exp(-2 * X))
TABLE = pd.DataFrame({"x": X.round(3), "z": RNG.integers(0, 5, 400), "who": np.arange(400) // 2, "y": ILL.astype(int)})
NAMED = TABLE.assign(y=np.where(ILL, "ill", "well"))
LINE = "j(tau=3).high > 0.05"
COMMANDS = {
    "estimate-eta": (), "estimate-j": (), "nu-max": (), "advantage": (), "audit": (), "check": ("--fail-if", LINE),
    "tune": ("--fail-if", "advantage.high > 0.2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table in files, and releases of it."""
    place = tmp_path_factory.mktemp("tables")
    for ending in ("csv", "parquet"):
        TABLE.to_csv(place / "t.csv", index=False)
        TABLE.to_parquet(place / "t.parquet", index=False)
        lda.release(place / f"t.{ending}", "rr:epsilon=0.5", to=place / f"q.{ending}")
    lda.release(place / "t.csv", "llp:k=4", to=place / "bags.csv")
    return place


# ---- a table that is a release


@pytest.mark.parametrize("command", COMMANDS)
def test_audit_of_release_is_refused(audit, folder, command):
    ended = audit(command, folder / "q.csv", *COMMANDS[command], "--no-output")
    assert ended.status == 3 and ended.out == ""
    assert "the table is a release, so its labels say nothing about the true ones: q.csv.manifest.json" in ended.err
    assert "audit the original table, or attack ORIGINAL RELEASE; --released-table" in ended.err


@pytest.mark.parametrize(("name", "options"), [("q.csv", {}), ("q.parquet", {}), ("bags.csv", {"label": "bag"})])
@pytest.mark.parametrize("how", ["renamed", "copied"])
def test_renamed_or_copied_release_is_refused(folder, tmp_path, name, options, how):
    shutil.copytree(folder, tmp_path / "copies")
    place = tmp_path / "copies" / f"other{Path(name).suffix}"
    (shutil.move if how == "renamed" else shutil.copy)(tmp_path / "copies" / name, place)
    with pytest.raises(lda.DataError, match=f"the table is a release.*: {name}.manifest.json"):
        lda.estimate_eta(place, **options)


def test_released_table_audits_a_release(audit, folder):
    ended = audit("check", folder / "q.csv", "--fail-if", LINE, "--no-output", "--released-table", "-f", "json")
    assert ended.status in (0, 1, 4) and ended.report["parameters"]["released_table"] is True
    assert lda.estimate_eta(folder / "q.csv", released_table=True, estimator="knn").findings


def test_release_in_memory_is_refused(folder):
    with pytest.raises(lda.DataError, match="the table is a release") as refused:
        lda.audit(lda.release(TABLE, "rr:epsilon=1"))
    assert "released_table audits this one" in refused.value.hint


def test_folder_of_a_release_is_refused(folder, tmp_path):
    for name in ("q.parquet", "q.parquet.manifest.json"):
        shutil.copy(folder / name, tmp_path / name)
    with pytest.raises(lda.DataError, match=r"the table is a release.*: q.parquet.manifest.json"):
        lda.estimate_eta(tmp_path)


def test_original_beside_its_release_and_strange_manifests_is_audited(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "more")
    (tmp_path / "more" / "web.manifest.json").write_text('{"name": "an app"}')
    (tmp_path / "more" / "half.csv.manifest.json").write_text((folder / "q.csv.manifest.json").read_text()[:99])
    for name in ("t.csv", "t.parquet"):
        assert lda.estimate_eta(tmp_path / "more" / name, estimator="knn").findings


# ---- the positive class


@pytest.mark.parametrize("command", COMMANDS)
def test_rarer_class_is_positive_and_the_first_line_says_so(audit, command):
    NAMED.to_csv(audit.folder / "t.csv", index=False)
    ended = audit(command, "t.csv", *COMMANDS[command], "--no-output", "-f", "text", "-f", "json=out.json")
    assert ended.status in (0, 1, 4)
    verdicts = (line for line in ended.out.splitlines() if line.startswith("t.csv"))
    assert next(verdicts).startswith("t.csv  400 rows  label y (positive: ill 25 %, the rarer)")
    report = lda.read_report("out.json")
    assert report.content.dataset.positive == "ill"
    assert RARER in [one.code for one in report.content.remarks]


def test_ties_are_broken_by_name_and_values_or_the_user_come_first():
    even = NAMED.assign(y=np.where(np.arange(400) % 2, "b", "a"))
    for frame, options, positive, said in (
        (even, {}, "a", True), (NAMED, {"positive": "well"}, "well", False), (TABLE, {}, "1", False),
        (NAMED.replace({"well": "yes"}), {}, "yes", False),
    ):  # fmt: skip
        content = lda.estimate_eta(frame, estimator="knn", **options).content
        assert content.dataset.positive == positive
        assert (RARER in [one.code for one in content.remarks]) == said


def test_rarer_class_gives_the_numbers_of_that_class():
    options = {"estimator": "knn", "mechanisms": "rr:epsilon=1", "tau": 1}
    assert lda.estimate_j(NAMED, **options).findings == lda.estimate_j(NAMED, positive="ill", **options).findings


def test_one_sided_questions_ask():
    ask = "which class of the label 'y' is positive: 'ill' or 'well'?"
    for refuse in (
        lambda: lda.release(NAMED, "rr:epsilon=1"),
        lambda: lda.audit(NAMED, estimator="knn", fail_if="eta_max.high > 0.9"),
        lambda: lda.estimate_eta(NAMED, eta=np.full(400, 0.5)),
        lambda: lda.estimate_eta(NAMED.assign(p=0.5), eta="p"),
    ):
        with pytest.raises(lda.SpecError) as refused:
            refuse()
        assert refused.value.what == ask


# ---- columns that are left out


@pytest.mark.parametrize("command", ["audit", "check", "tune"])
def test_columns_left_out_are_named_in_one_line(audit, command):
    TABLE.to_csv(audit.folder / "t.csv", index=False)
    out = ("--exclude", "z", "--group", "who", "--no-output", "-f", "text", "-f", "json=out.json")
    ended = audit(command, "t.csv", *COMMANDS[command], *out)
    assert "! not judged, so not to be published: z, who\n" in ended.out
    [remark] = [one for one in lda.read_report("out.json").content.remarks if one.code == UNPUBLISHED]
    assert remark.values["columns"] == ("z", "who")
    assert "not to be published" not in audit(command, "t.csv", *COMMANDS[command], "--no-output").out
