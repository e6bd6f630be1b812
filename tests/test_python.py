"""The Python API: what the command answers, for tables in memory."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import signal
import subprocess
import sys
import warnings
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import labeldp_audit as lda
from labeldp_audit.audits.calls import COMMANDS
from labeldp_audit.core.settings import RENAMED, Settings
from labeldp_audit.mechanisms import Channel, LabelProportions, RandomizedResponse

ROWS = 400
QUICK = {"estimator": "knn", "mechanisms": ["rr:epsilon=1"]}
TYPED = ("--mechanism", "rr:epsilon=1", "-f", "json", "--no-output")


def frame(rows: int = ROWS, seed: int = 2) -> pd.DataFrame:
    """Every kind of column that pandas has."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    gone = rng.random((8, rows)) < 0.1
    kinds = rng.integers(0, 3, rows)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, rows), unit="D")
    return pd.DataFrame({
        "x": np.where(gone[0], np.nan, x),
        "half": x.astype("f2"), "single": np.where(gone[1], np.nan, x).astype("f4"),
        "byte": kinds.astype("i1"), "wide": rng.integers(0, 9, rows).astype("u8"),
        "whole": pd.array(np.where(gone[2], None, kinds), dtype="Int64"),
        "real": pd.array(np.where(gone[3], None, x.round(2)), dtype="Float64"),
        "truth": pd.array(np.where(gone[4], None, x > 0), dtype="boolean"), "plain_truth": x > 1,
        "text": np.where(gone[5], None, np.array(["a", "b", "ä"], object)[kinds]),
        "object": pd.Series(np.where(gone[5], None, np.array(["a", "b", "ä"], object)[kinds]), dtype=object),
        "kind": pd.Categorical.from_codes(np.where(gone[6], -1, kinds), ["u", "v", "never w"]),
        "coded": pd.Categorical.from_codes(kinds, [10, 20, 30]),
        "dated": pd.Categorical.from_codes(kinds, pd.to_datetime(["2020", "2021", "2022"])),
        "day": pd.Series(days.date), "seconds": days.astype("datetime64[s]"), "nanos": days.astype("datetime64[ns]"),
        "zoned": days.tz_localize("Europe/Berlin"), "since": pd.Series(days - days[0]).astype("timedelta64[s]"),
        "clock": [dt.time(int(kind)) for kind in kinds],
        "money": [None if none else decimal.Decimal(int(kind)) / 4 for kind, none in zip(kinds, gone[7], strict=True)],
        "bytes": [bytes([kind]) for kind in kinds],
        "month": pd.PeriodIndex.from_ordinals(kinds, freq="M"),
        "arrow": pd.Series(kinds, dtype=pd.ArrowDtype(pa.int16())), "empty": [None] * rows,
        "y": (rng.random(rows) < 1 / (1 + np.exp(-x))).astype(int),
    })  # fmt: skip


def polars_frame(rows: int = ROWS) -> pl.DataFrame:
    table = frame(rows)
    plain = table[["x", "single", "byte", "wide", "whole", "truth", "text", "day", "y"]]
    kinds = plain["text"].fillna("c").tolist()
    return pl.from_pandas(plain).with_columns(
        pl.Series("category", kinds, dtype=pl.Categorical),
        pl.Series("enum", kinds, dtype=pl.Enum(["a", "b", "c", "ä"])),
        pl.Series("nan", np.where(table["x"].isna(), np.nan, 1.0)), pl.Series("null", [None] * rows),
        pl.Series("instant", table["nanos"].to_numpy().astype("M8[ms]")), pl.Series("clock", table["clock"].tolist()),
    )  # fmt: skip


def same(report: lda.Report, command: dict) -> None:
    """But for the file's name and hash, and the seal over both."""
    mine = json.loads(report.to_json())
    assert (mine["dataset"].pop("name"), command["dataset"].pop("name")) == ("frame", "t.parquet")
    assert mine["dataset"].pop("sha256") != command["dataset"].pop("sha256")
    assert mine.pop("seal") != command.pop("seal")
    assert mine == command


# ---- the command's answers


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "arrow"])
def test_a_frame_is_what_its_parquet_file_is(audit, library):
    one = {"pandas": frame, "polars": polars_frame, "lazy": polars_frame, "arrow": lambda: pa.table(frame())}[library]()
    if library == "pandas":
        one.to_parquet(audit.folder / "t.parquet", index=False)
    elif library == "arrow":
        pq.write_table(one, audit.folder / "t.parquet")
    else:
        one.write_parquet(audit.folder / "t.parquet")
    report = lda.estimate_j(one.lazy() if library == "lazy" else one, tau=[1, 3], **QUICK)
    same(report, audit("estimate-j", "t.parquet", "--tau", "1,3", *TYPED).report)


ASKED = {
    "estimate_eta": ({"smoothness": (1, 0.5), "queries": 100, "k": 60},
                     ["--smoothness", "1,0.5", "--queries", "100", "--k", "60"]),
    "nu_max": ({"k": 30, "confidence": 0.9}, ["--k", "30", "--confidence", "0.9"]),
    "estimate_j": ({"tau": "0:1:0.5", "alpha": [1, float("inf")], "certify": False, "exclude": "x"},
                   ["--tau", "0:1:0.5", "--alpha", "1,inf", "--no-certify", "--exclude", "x"]),
    "advantage": ({"mechanisms": ["rr:epsilon=1", "llp:k=4"], "utility": "balanced", "seed": 3,
                   "categorical": ["byte"], "bags": 30},
                  ["--mechanism", "llp:k=4", "--utility", "balanced", "--seed", "3", "--categorical", "byte",
                   "--bags", "30"]),
    "audit": ({"fail_if": ["advantage.high > 0.05", "uninformed_utility.high > 2"], "queries": "all", "group": "wide",
               "bags": 40},
              ["--fail-if", "advantage.high > 0.05", "--fail-if", "uninformed_utility.high > 2", "--queries", "all",
               "--group", "wide", "--bags", "40"]),
    "tune": ({"mechanisms": "rr", "fail_if": "advantage.high > 0.1", "bags": 40, "positive": 0},
             ["--mechanism", "rr", "--fail-if", "advantage.high > 0.1", "--bags", "40", "--positive", "0"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_each_function_answers_as_its_command(audit, name):
    table, (given, typed) = frame(), ASKED[name]
    table.to_parquet(audit.folder / "t.parquet", index=False)
    report = getattr(lda, name)(table, **{**QUICK, **given})
    words = TYPED[2:] if name == "tune" else TYPED
    same(report, audit(name.replace("_", "-"), "t.parquet", *words, *typed).report)


def test_without_options_too(audit, monkeypatch):
    for name in ("ESTIMATOR", "THREADS", "BAGS"):
        monkeypatch.delenv(f"LABELDP_AUDIT_{name}")
    table = frame(120)[["x", "text", "y"]]
    table.to_parquet(audit.folder / "t.parquet")
    for name, path in (("advantage", "t.parquet"), ("estimate_j", audit.folder / "t.parquet")):
        ended = audit(name.replace("_", "-"), "t.parquet", *TYPED[2:])
        same(getattr(lda, name)(table), ended.report)
        assert getattr(lda, name)(path).to_json() == ended.out  # the bytes of the command


def test_mechanisms_may_be_objects_and_numbers_of_numpy():
    from mechanisms.strangers import Silent

    table, quick = frame()[["x", "y"]], {"estimator": "knn", "bags": 30}
    for objects, specs in (
        ([RandomizedResponse(1.0), LabelProportions(4)], ["rr:epsilon=1", "llp:k=4"]),
        (RandomizedResponse(np.float32(1)), "rr:epsilon=1"),
        ([Channel(np.array([[0.9, 0.1], [0.2, 0.8]]))], "channel:matrix=0.9 0.1/0.2 0.8"),
    ):
        assert lda.advantage(table, mechanisms=objects, **quick) == lda.advantage(table, mechanisms=specs, **quick)
    four = table.assign(y=np.arange(ROWS) % 4)  # an object is of the label's classes
    assert lda.advantage(four, mechanisms=[RandomizedResponse(1.0)], **quick) == lda.advantage(four, bags=30, **QUICK)
    tuned = lda.tune(table, estimator="knn", mechanisms=RandomizedResponse(1.0), fail_if="advantage.high > 0.2")
    assert tuned.findings == lda.tune(table, estimator="knn", fail_if="advantage.high > 0.2").findings
    assert [one.line for one in tuned.check(["advantage.high > 0.0001"]).verdicts] == ["advantage.high > 0.0001"]
    report = lda.advantage(table, estimator="knn", mechanisms=[Silent(0.5)])  # a stranger's needs no name
    assert {one.mechanism for one in report.findings} == {None, Silent(0.5).spec}
    assert json.loads(report.to_json())["parameters"]["mechanism"] == [Silent(0.5).spec]


# ---- eta from somewhere else


def known(rows: int = 900) -> tuple[pd.DataFrame, np.ndarray]:
    """A table, and the true eta of its rows."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(rows, 2))
    eta = 1 / (1 + np.exp(-2 * x[:, 0]))
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": (rng.random(rows) < eta).astype(int)}), eta


def numbers(report: lda.Report) -> list[lda.Bound]:
    return [one.bound for one in report.findings]


def test_an_array_says_what_a_column_says(tmp_path):
    table, eta = known()
    column = lda.estimate_j(table.assign(eta=eta), eta="eta", mechanisms="rr:epsilon=1", tau=1)
    for array in (eta, eta.tolist(), pd.Series(eta), pl.Series(eta), eta[:, None],
                  np.stack([1 - eta, eta], axis=1)):  # fmt: skip
        report = lda.estimate_j(table, eta=array, mechanisms="rr:epsilon=1", tau=1)
        assert numbers(report) == numbers(column)
        assert report.content.parameters["eta"] == "array"
    assert lda.read_report(report.save(tmp_path / "r.json")) == report


def test_an_array_belongs_to_rows_of_the_file():
    """Rows without a label and copies are left out of both."""
    table, eta = known()
    table["y"] = table["y"].astype(float)
    table.loc[[0, 5], "y"] = np.nan
    eta[5] = np.nan
    whole = pd.concat([table, table.iloc[10:300]])
    both = np.concatenate([eta, eta[10:300]])
    report = lda.estimate_j(whole, eta=both, **RR, drop_null_labels=True, repeats="copies")
    kept = table.drop([0, 5])
    once = lda.estimate_j(kept, eta=np.delete(eta, [0, 5]), **RR)
    assert numbers(report) == numbers(once)


def test_many_classes_have_an_array_with_a_column_for_each():
    table, eta = known()
    three = np.stack([1 - eta, eta / 2, eta / 2], axis=1)
    table["y"] = np.where(table["y"] == 0, "c0", np.where(table["b"] > 0, "c1", "c2"))
    report = lda.advantage(table, eta=three, **RR)
    assert report.content.dataset.classes == ("c0", "c1", "c2")
    columns = table.assign(p=three[:, 0], q=three[:, 1], r=three[:, 2])
    assert numbers(report) == numbers(lda.advantage(columns, eta=["p", "q", "r"], **RR))


RR = {"mechanisms": "rr:epsilon=1"}
NO_NUMBERS = "eta is neither columns, nor numbers, nor a classifier"


def test_columns_of_a_frame_that_are_named_by_classes_are_taken_by_name():
    table, eta = known()
    there = numbers(lda.nu_max(table, eta=eta, **RR))
    both = pd.DataFrame({"0": 1 - eta, "1": eta})
    for frame_of_eta in (
        both, both[["1", "0"]], both.set_axis([0, 1.0], axis=1), pl.from_pandas(both[["1", "0"]]),
        pa.table(both[["1", "0"]]), both[["1"]], both.set_axis(["no", "yes"], axis=1), pd.DataFrame(both.to_numpy()),
        pd.DataFrame(eta),
    ):  # fmt: skip
        assert numbers(lda.nu_max(table, eta=frame_of_eta, **RR)) == there
    named = table.assign(y=np.where(table["y"], "yes", "no"))
    assert numbers(lda.nu_max(named, eta=pd.DataFrame(both.to_numpy()), **RR)) == there
    for wrong in (both[["0"]], both.set_axis(["1", "2"], axis=1)):
        with pytest.raises(lda.SpecError, match=r"the columns of eta are named .*, and the classes '0', '1'"):
            lda.nu_max(table, eta=wrong)


def test_rows_of_another_index_are_refused():
    table, eta = known()
    shuffled = table.sample(frac=1, random_state=0)
    for values in (pd.Series(eta), pd.DataFrame({"1": eta})):
        with pytest.raises(lda.SpecError, match="eta has another index than the table"):
            lda.nu_max(shuffled, eta=values)
    aligned = pd.Series(eta).loc[shuffled.index]
    assert lda.nu_max(shuffled, eta=aligned, **RR) == lda.nu_max(shuffled, eta=aligned.to_numpy(), **RR)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda eta: [], "eta is empty"),
        (lambda eta: pd.DataFrame(index=range(900)), "eta is empty"),
        (lambda eta: pd.DataFrame(np.ones((900, 2)), columns=["p", "p"]), "two columns of eta have one name"),
        (lambda eta: np.ma.masked_greater(eta, 0.9), NO_NUMBERS),
        (lambda eta: eta + 0j, NO_NUMBERS),
        (lambda eta: eta > 0.5, NO_NUMBERS),
        (lambda eta: np.where(np.arange(900) == 7, True, eta.astype(object)), NO_NUMBERS),
        (lambda eta: eta.astype(str), NO_NUMBERS),
        (lambda eta: pd.Series(eta, dtype="Float64").where(eta < 0.9), "eta"),
        (lambda eta: eta[:-1], r"eta has the shape \(899,\), and the table 900 rows"),
        (lambda eta: np.stack([eta] * 3, axis=1), "eta: 3 columns for 2 classes"),
        (lambda eta: eta[None], r"eta has the shape \(1, 900\)"),
        (lambda eta: np.where(np.arange(900) == 7, np.nan, eta), "from 0 to 1: frame: eta: row 8"),
        (lambda eta: np.stack([eta, eta], axis=1), "do not sum to 1 within 1e-06: .*row 1"),
        (lambda eta: 0.5, "eta has the shape"),
        (lambda eta: object(), NO_NUMBERS),
        (lambda eta: "nowhere", "eta: no column 'nowhere'"),
    ],
)  # fmt: skip
def test_what_is_no_eta_is_refused(change, what):
    table, eta = known()
    with pytest.raises(lda.AuditError, match=what):
        lda.estimate_j(table, eta=change(eta))


def test_a_classifier_that_is_not_fitted_is_an_estimator():
    table, spec = known()[0], "sklearn:sklearn.naive_bayes.GaussianNB"
    report = lda.estimate_j(table, eta=GaussianNB(), **RR)
    assert report == lda.estimate_j(table, estimator=GaussianNB(), **RR) == lda.estimate_j(table, estimator=spec, **RR)
    with pytest.raises(lda.SpecError, match="leave out estimator"):
        lda.estimate_j(table, eta=GaussianNB(), estimator="knn")
    for kind in (GaussianNB, LinearRegression()):
        for given in ("estimator", "eta"):
            with pytest.raises(lda.SpecError, match=r"not a scikit-learn classifier|neither columns"):
                lda.nu_max(table, **{given: kind})


VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
OLD = pytest.mark.skipif(VERSION < (1, 9), reason="an older scikit-learn takes no column of polars 2 by name")


@pytest.mark.parametrize("library", ["pandas", pytest.param("polars", marks=OLD), "arrow", "path"])
def test_a_fitted_classifier_says_what_eta_is(tmp_path, library):
    """Of the columns that it was fitted to, wherever they stand, and says that it may know these rows."""
    table, _ = known()
    table["kind"] = np.where(table["a"] > 0, "x", "z")
    table = table[["kind", "y", "b", "a"]]
    coded = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    model = make_pipeline(coded, LogisticRegression()).fit(table[["a", "kind"]], table["y"])
    eta = model.predict_proba(table[["a", "kind"]])[:, 1]
    table.to_csv(tmp_path / "t.csv", index=False)
    data = {"pandas": table, "polars": pl.from_pandas(table), "arrow": pa.table(table), "path": tmp_path / "t.csv"}
    report = lda.estimate_j(data[library], eta=model, **RR)
    vouched = lda.estimate_j(table, eta=eta, **RR)
    assert estimates(report) == pytest.approx(estimates(vouched), nan_ok=True)
    assert [one.code for one in report.content.remarks] == ["fitted-before"]
    assert "no limit is given" in report.warnings[0]
    assert "Pipeline" in report.warnings[0]


def estimates(report: lda.Report) -> list[float]:
    return report.findings.to_frame()["estimate"].tolist()


@pytest.mark.parametrize("name", ["advantage", "nu_max", "estimate_j", "audit"])
def test_what_a_fitted_classifier_says_has_no_limits_unless_somebody_vouches(name):
    """It may know the labels that judge it: nothing is certified either."""
    table = known()[0]
    table["y"] = np.random.default_rng(5).integers(0, 2, len(table))
    knows = KNeighborsClassifier(1).fit(table[["a", "b"]], table["y"])
    report = getattr(lda, name)(table, eta=knows, **RR)
    certified = [one for one in report.findings if one.quantity.startswith("certified_")]
    assert certified
    assert {(one.bound.low, one.bound.high) for one in report.findings} == {(None, None)}
    assert all("eta=clf.predict_proba(X)" in one.bound.reason for one in certified)
    lines = {"advantage": "advantage.high > 0.9", "nu_max": "certified_nu_max.low < 0"}
    judged = report.check([lines.get(name, "j(tau=1).high > 0.99")])
    assert [one.outcome for one in judged.verdicts] == [lda.Outcome.NOT_MEASURED]
    assert "was fitted before" in judged.verdicts[0].said
    vouched = getattr(lda, name)(table, eta=np.full(len(table), 0.5), **RR)
    assert any(one.bound.high is not None for one in vouched.findings if one.quantity.startswith("certified_"))


def test_no_noise_is_tuned_by_a_fitted_classifier_nor_by_what_it_left_in_a_file(tmp_path):
    table = known()[0]
    model = GaussianNB().fit(table[["a", "b"]], table["y"])
    tuned = lda.tune(table, eta=model, fail_if="advantage.high > 0.9")
    assert [one.outcome for one in tuned.judgement.verdicts] == [lda.Outcome.NOT_MEASURED]
    assert tuned.findings[0].bound.estimate is None
    file = lda.estimate_eta(table, eta=model).rows.save(tmp_path / "eta.parquet")
    kept = lda.advantage(table, eta_file=file, **RR)
    assert {(one.bound.low, one.bound.high) for one in kept.findings} == {(None, None)}


def test_a_fitted_classifier_needs_its_columns_and_reads_nothing_that_is_left_out():
    table = known()[0].assign(person=np.arange(900) // 2)
    model = GaussianNB().fit(table[["a", "b"]], table["y"])
    nameless = GaussianNB().fit(table[["a", "b"]].to_numpy(), table["y"])
    for data, fitted, options, what in (
        (table.drop(columns="b"), model, {}, "the classifier: no column 'b'"),
        (table, GaussianNB().fit(table, table["y"]), {}, "the classifier reads the label 'y'"),
        (table, nameless, {"exclude": ["b", "person"]}, r"GaussianNB' was fitted to 2 columns, and is given 1"),
        (table, model, {"exclude": "a"}, "the classifier reads the excluded column 'a'"),
        (table, GaussianNB().fit(table[["a", "person"]], table["y"]), {"group": "person"},
         "the classifier reads the group column 'person'"),
    ):  # fmt: skip
        with pytest.raises(lda.SpecError, match=what):
            lda.nu_max(data, eta=fitted, **options)
    assert lda.nu_max(table, eta=model, exclude="person") == lda.nu_max(table, eta=nameless, exclude="person")


def says(what, classes=(0, 1)):
    """A fitted classifier with this opinion."""

    class Says(ClassifierMixin, BaseEstimator):
        def fit(self, x, y):
            return self

        def predict_proba(self, features):
            return what(len(features))

        def __sklearn_is_fitted__(self):
            return True

    model = Says()
    if classes is not None:
        model.classes_ = np.array(classes)
    return model


def quotes(rows):
    raise ValueError("could not convert string to float: 'Jane Doe'")


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (lambda rows: np.full((rows, 1), 0.5), r"have the shape \(900, 1\)"),
        (lambda rows: np.full(rows, 0.5), r"have the shape \(900,\)"),
        (lambda rows: np.full((rows, 3), 1 / 3), r"have the shape \(900, 3\)"),
        (lambda rows: np.full((1, 2), 0.5), r"have the shape \(1, 2\)"),
        (lambda rows: None, r"have the shape \(\)"),
        (lambda rows: [["Jane", "Doe"]] * rows, "what it says are no probabilities"),
        (lambda rows: [[1j, 1j]] * rows, "what it says are no probabilities"),
        (lambda rows: np.full((rows, 2), 0.7), "do not add up to 1"),
        (lambda rows: np.full((rows, 2), np.nan), "a probability is not a number"),
        (quotes, r"ValueError: test_python: line \d+$"),
    ],
)
def test_what_a_fitted_classifier_says_wrongly_is_one_line_without_cells(what, why):
    with pytest.raises(lda.SpecError, match=f"Says' fails: .*{why}") as refused:
        lda.nu_max(known()[0], eta=says(what))
    assert "Jane" not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_classes_may_be_in_any_order_and_without_names_are_in_that_of_the_table():
    table, eta = known()
    both = np.stack([1 - eta, eta], axis=1)
    report = lda.nu_max(table, eta=says(lambda rows: both, classes=None), **RR)
    assert report == lda.nu_max(table, eta=says(lambda rows: both[:, ::-1], classes=(1, 0)), **RR)
    with pytest.raises(lda.SpecError, match="eta: 3 columns for 2 classes"):
        lda.nu_max(table, eta=says(lambda rows: np.full((rows, 3), 1 / 3), classes=None))
    words = table.assign(y=table["y"].map({0: "no", 1: "yes"}))
    turned = says(lambda rows: both[:, ::-1], classes=("yes", "no"))
    assert estimates(lda.nu_max(words, eta=turned, **RR)) == pytest.approx(estimates(report), nan_ok=True)
    with pytest.raises(lda.SpecError, match="the classifier knows no class 'maybe'"):
        lda.nu_max(table.assign(y=table["y"].map({0: "no", 1: "maybe"})), eta=turned, positive="maybe")


# ---- what a report can do


@pytest.fixture(scope="module")
def report() -> lda.Report:
    return lda.audit(frame(), queries=200, bags=30, fail_if="advantage.high > 0.4", **QUICK)


def test_findings_are_a_sequence_and_a_frame(report, tmp_path):
    found = report.findings.to_frame()
    written = pd.read_csv(report.save(tmp_path / "r.csv"))
    assert len(found) == len(report.findings) > 50
    assert list(found) == list(written.drop(columns=["line", "outcome", "until"]))
    place = next(i for i, one in enumerate(report.findings) if one.quantity == "j")
    assert found["estimate"][place] == report.findings[place].bound.estimate == written["estimate"][place]
    assert found["tau"][place] == report.findings[place].at["tau"]
    assert found["estimate"].dtype == found["tau"].dtype == float
    assert found["n"].dtype == int
    bounds = lda.advantage(frame(), queries=200, **QUICK).findings
    at = [one.at.get("bound") for one in bounds]
    assert set(at) > {None}
    assert [None if pd.isna(one) else one for one in bounds.to_frame()["bound"]] == at
    assert lda.Findings().to_frame().empty


def test_a_report_is_judged_by_lines_or_a_file(report, tmp_path, audit):
    assert report.judgement.outcome is lda.Outcome.PASS
    line = "advantage(mechanism=rr:epsilon=1).high > 0.001"
    assert report.check([line]).outcome in (lda.Outcome.FAIL, lda.Outcome.INCONCLUSIVE)
    policy = tmp_path / "policy.toml"
    waiver = f"quantity = 'advantage'\nreason = 'known'\ndataset = 'sha256:{report.content.dataset.sha256}'"
    text = f"fail_if = ['{line}']\n[[waiver]]\n{waiver}\nuntil = 2999-01-01\n"
    policy.write_text(text, encoding="utf-8")
    judged = report.check(policy)
    assert (judged.outcome, judged.verdicts[0].waiver.reason) == (lda.Outcome.PASS, "known")
    assert report.check(str(policy)) == judged
    report.save(audit.folder / "r.json")
    ended = audit("check", "r.json", "--policy", policy, "-f", "json", "--no-output").report["judgement"]
    assert [one.said for one in judged.verdicts] == [one["said"] for one in ended["verdicts"]]
    (tmp_path / "pyproject.toml").write_text(f"[tool.labeldp-audit.policy]\nfail_if = ['{line}']\n", encoding="utf-8")
    assert report.check(tmp_path / "pyproject.toml").verdicts == report.check([line]).verdicts


def test_a_policy_may_be_a_file_from_the_start(tmp_path):
    table, file, quick = frame()[["x", "y"]], tmp_path / "policy.toml", {"estimator": "knn", "bags": 30}
    file.write_text("fail_if = ['advantage.high > 0.2']\nconfidence = 0.9\n", encoding="utf-8")
    for function in (lda.audit, lda.tune):
        [verdict] = function(table, policy=file, **quick).judgement.verdicts
        both = function(table, policy=str(file), fail_if=iter(["advantage.high > 0.3"]), **quick).judgement
        assert [one.line for one in both.verdicts] == ["advantage.high > 0.3", verdict.line]
    with pytest.raises(lda.SpecError, match="no policy") as refused:
        lda.tune(table, fail_if=[])
    assert refused.value.hint == "for example fail_if ['advantage.high > 0.05']"


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        ("nowhere.toml", "cannot read the policy"),
        ("a\0.toml", "not a path"),
        ([], "no policy"),
        (["advantage > 0.05"], "fail_if"),
        (3, "not a list of texts"),
    ],
)
def test_what_is_no_policy_is_refused(report, policy, what):
    with pytest.raises(lda.SpecError, match=what):
        report.check(policy)


def test_it_is_saved_in_the_format_that_its_name_ends_in(report, tmp_path):
    begins = {"json": "{", "html": "<!DOCTYPE html>", "HTM": "<!DOCTYPE html>", "md": "# ", "csv": "quantity,",
              "svg": "<svg", "txt": "PASS", "sarif": "{", "xml": "<?xml"}  # fmt: skip
    for ending, begin in begins.items():
        place = report.save(tmp_path / f"r.{ending}")
        assert place.read_text(encoding="utf-8").startswith(begin), ending
    assert lda.read_report(tmp_path / "r.json") == report
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json()
    before = sorted(one.name for one in tmp_path.iterdir())
    for name in ("r.docx", "r", "nowhere/r.json"):
        with pytest.raises(lda.AuditError, match=r"unknown format|no ending|cannot write"):
            report.save(tmp_path / name)
    assert sorted(one.name for one in tmp_path.iterdir()) == before == sorted(f"r.{ending}" for ending in begins)


def test_without_a_chart_there_is_no_picture(tmp_path):
    content = lda.estimate_eta(frame()[["x", "y"]], estimator="knn").content
    bare = replace(content, findings=(), eta=replace(content.eta, reliability=()))
    with pytest.raises(lda.SpecError, match="no picture"):
        lda.Report(bare).save(tmp_path / "r.svg")


def test_what_is_no_report_is_refused(tmp_path):
    for content in (b"", b"{}", b"[1]", b"\xff"):
        (tmp_path / "r.json").write_bytes(content)
        with pytest.raises(lda.DataError, match="report"):
            lda.read_report(tmp_path / "r.json")
    with pytest.raises(lda.DataError, match="cannot be read"):
        lda.read_report(tmp_path / "nothing.json")


def test_it_prints_a_short_text_and_a_notebook_shows_the_verdict_and_a_chart(report):
    said = str(report)
    assert len(said.splitlines()) < 40
    assert max(map(len, said.splitlines())) <= 100
    for part in ("PASS:", "frame  400 rows", "all: report.save(PATH)"):
        assert part in said
    assert repr(report) == f"<Report audit of frame: {len(report.findings)} findings>"
    said = report._repr_html_()
    assert said.startswith('<div class="labeldp-audit">\n<style>\n@scope (.labeldp-audit)')
    assert "PASS" in said and "<svg" in said and "<script" not in said and said.count("<section") == 1
    assert not {"<html", "<body", "http:", "https:"} & set(said.split())
    assert len(said) < len(report._as("html")) / 2
    for name, few in (("estimate_eta", {}), ("nu_max", {}), ("advantage", {"bags": 30})):
        assert "<svg" in getattr(lda, name)(frame()[["x", "y"]], **few, **QUICK)._repr_html_()


def test_rows_of_eta_serve_other_functions(tmp_path):
    table = frame()[["x", "text", "y"]]
    report = lda.estimate_eta(table, estimator="knn")
    rows = report.rows.to_frame()
    assert rows["row"].tolist() == list(range(1, ROWS + 1))
    assert np.allclose(rows["eta_0"] + rows["eta_1"], 1)
    file = report.rows.save(tmp_path / "eta.parquet")
    assert file.stat().st_mode & 0o777 == 0o600
    again = lda.estimate_j(table, eta_file=file, mechanisms="rr:epsilon=1", tau=1)
    assert again.findings == lda.estimate_j(table, tau=1, **QUICK).findings
    with pytest.raises(lda.DataError, match="made for another table"):
        lda.estimate_j(table[::-1], eta_file=file)
    assert lda.estimate_j(table, **QUICK).rows is None
    given = lda.estimate_eta(table, eta=[0.5] * ROWS)
    again = lda.estimate_j(table, eta_file=given.rows.save(tmp_path / "given.parquet"), **RR)
    assert again.content.parameters["eta"] == given.content.parameters["eta"] == "array"


# ---- what is refused


@pytest.mark.parametrize("path", [None, b"r.json", "a\0.json", 3])
def test_what_is_no_path_is_refused(report, path):
    rows = lda.estimate_eta(frame()[["x", "y"]], estimator="knn").rows
    for use in (report.save, rows.save, lda.read_report):
        with pytest.raises(lda.SpecError, match="not a path"):
            use(path)


@pytest.mark.parametrize(
    ("options", "what", "hint"),
    [
        ({"lable": "y"}, "unknown option 'lable'", "did you mean label?"),
        ({"mechanism": "rr"}, "unknown option 'mechanism'", "mechanisms"),
        ({"output": "x"}, "unknown option 'output'", "known: alpha"),
        ({"k": 2.0}, "not a whole number of at least 1: 2.0: k", ""),
        ({"seed": True}, "not a whole number of at least 0: True: seed", ""),
        ({"certify": 1}, "not true or false: 1: certify", ""),
        ({"label": 3}, "not a text: 3: label", ""),
        ({"exclude": ["x", 3]}, "not a text: 3: exclude", ""),
        ({"tau": ["one"]}, "not numbers written VALUES: 'one': tau", ""),
        ({"tau": [float("nan")]}, "tau", ""),
        ({"mechanisms": [1.0]}, "not a mechanism: 1.0: mechanisms", "a spec such as 'rr:epsilon=1'"),
        ({"mechanisms": "nothing:k=1"}, "unknown mechanism 'nothing'", "known: "),
        ({"estimator": "nothing"}, "unknown estimator 'nothing'", "known: "),
        ({"estimator": 3}, "int is not a scikit-learn classifier", ""),
        ({"label": "z"}, "label: no column 'z'", "the columns are 'x', 'y'"),
        ({"smoothness": "1,1", "estimator": "linear"}, "smoothness is about neighbourhoods", ""),
        ({"eta": "x", "eta_file": "f"}, "eta and eta_file exclude each other", ""),
    ],
)
def test_an_option_is_refused_in_words_of_python(options, what, hint):
    with pytest.raises(lda.SpecError, match=what) as refused:
        lda.estimate_j(frame()[["x", "y"]], **options)
    assert hint in refused.value.hint
    assert "--" not in str(refused.value) + refused.value.hint
    assert "".join(getattr(refused.value, "__notes__", [])) == (
        f"hint: {refused.value.hint}" * bool(refused.value.hint)
    )


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("k", 0, 1), ("queries", 0, "all"), ("recall", 0, 1), ("recall", 1.01, 0.5), ("confidence", 0.49, 0.5),
        ("confidence", 1, 0.999), ("seed", -1, 0), ("repeats", "both", "people"), ("delimiter", '"', "tab"),
        ("tau", "one", "0:1:0.5"), ("label", "", "y"), ("smoothness", "1;1", "1,1"),
    ],
)  # fmt: skip
def test_what_is_refused_here_is_refused_there(audit, name, wrong, right):
    """Before anything is read: there is no such table."""
    flag = f"--{name}"
    for value, status in ((wrong, 2), (right, 3)):
        given = {"estimator": "knn", name: value}
        with pytest.raises(lda.SpecError if status == 2 else lda.DataError):
            lda.estimate_j("nowhere.csv", **given)
        assert audit("estimate-j", "nowhere.csv", "--no-output", f"{flag}={value}").status == status


def test_missing_labels_are_refused_with_what_to_do():
    table = frame()[["x", "y"]]
    table.loc[3, "y"] = np.nan
    labels = (table["y"], table["y"].astype("Int64"), table["y"].astype(object).where(table["y"].notna(), None))
    polars = pl.DataFrame({"x": table["x"], "y": np.array(table["y"])})
    for data in (*(table.assign(y=one) for one in labels), polars):
        with pytest.raises(lda.DataError, match="missing labels: 1 of 400: frame: column 'y'") as refused:
            lda.nu_max(data)
        assert refused.value.__notes__ == ["hint: drop_null_labels"]


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (pd.DataFrame(), "no columns"), (pd.DataFrame({"x": [], "y": []}), "no rows"), (pl.DataFrame(), "no columns"),
        (pd.DataFrame({"x": [1, np.inf, 2], "y": [0, 1, 1]}), "an infinite value: frame: column 'x': row 2"),
        ("nowhere.csv", "nowhere.csv"), (3, "not a table: int"),
        (polars_frame().lazy().with_columns(pl.col("text").cast(pl.Int64, strict=True)),
         r"the lazy frame cannot be collected: InvalidOperationError: frame$"),  # without its cells
    ],
)  # fmt: skip
def test_what_cannot_be_audited_is_refused(table, what):
    with pytest.raises(lda.AuditError, match=what):
        lda.nu_max(table)


def test_every_option_has_a_kind_that_is_checked():
    """A Settings field without one could not be set from Python."""
    there = {RENAMED.get(one.name, one.name) for one in fields(Settings)}
    for known_options in filter(None, (known for _, known in COMMANDS.values())):
        assert known_options.__optional_keys__ <= there | {"fail_if", "progress"}
    unset = {one.name for one in fields(Settings) if not one.metadata}
    assert unset == {"policy"}


# ---- a guest in somebody's program


def test_importing_is_quick_and_loads_nothing_heavy():
    program = (
        "import time; before = time.process_time(); import sys, labeldp_audit as lda; lda.audit, lda.Report\n"
        "assert time.process_time() - before < 0.3\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'narwhals', 'scipy', 'sklearn', 'lightgbm', 'faiss', 'numba', 'rich'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or None)"
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_says_nothing_reads_no_configuration_and_leaves_everything_as_it_was(capfd, tmp_path, monkeypatch):
    table = frame(120)
    kept, plain = table.copy(deep=True), lda.nu_max(table, **QUICK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABELDP_AUDIT_SEED", "7")
    (tmp_path / "labeldp-audit.toml").write_text("confidence = 0.7\n", encoding="utf-8")

    def world():
        random = np.random.get_state()[1].tolist()
        return dict(os.environ), signal.getsignal(signal.SIGINT), list(warnings.filters), random, [*tmp_path.iterdir()]

    before = world()
    assert lda.nu_max(table, **QUICK) == plain
    lda.audit(table, mechanisms="rr:epsilon=1", fail_if="uninformed_utility.high > 2", bags=30)
    with pytest.raises(lda.AuditError):
        lda.audit(frame(), label="nowhere")
    assert capfd.readouterr() == ("", "")
    assert world() == before
    pd.testing.assert_frame_equal(table, kept)


def test_progress_is_told_to_whoever_asks():
    class Watcher:
        def __init__(self):
            self.stages, self.done = [], 0.0

        def stage(self, name, total, unit):
            self.stages.append(name)

        def advance(self, amount):
            self.done += amount

    watcher = Watcher()
    report = lda.nu_max(frame(), progress=watcher, **QUICK)
    assert "scanning" in watcher.stages
    assert watcher.done > ROWS
    assert report == lda.nu_max(frame(), progress=True, **QUICK)
    with pytest.raises(lda.SpecError, match="neither True nor an object with stage and advance: progress"):
        lda.nu_max(frame(), progress=3, **QUICK)


def test_interrupts_end_it():
    program = """
import os, signal, threading, time
import numpy as np, pandas as pd, labeldp_audit as lda
rng = np.random.default_rng(1)
table = pd.DataFrame(rng.normal(size=(100_000, 10))).assign(y=rng.integers(0, 2, 100_000))
class Watcher:
    def stage(self, name, total, unit):
        if name.startswith("fitting"):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    def advance(self, amount):
        pass
try:
    lda.estimate_j(table, estimator="boosted", progress=Watcher())
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


RIGHT = """
from __future__ import annotations
from pathlib import Path
import labeldp_audit as lda
from labeldp_audit.mechanisms import RandomizedResponse

def risk(table: object) -> float:
    report: lda.Report = lda.estimate_j(table, mechanisms=["rr:epsilon=1", RandomizedResponse(2.0)], tau=[1, 3])
    place: Path = report.save("x.html")
    passes: bool = report.check(["j.high > 0.05"]).outcome is lda.Outcome.PASS
    lda.tune(place, fail_if=["advantage.high > 0.05"], positive=1, queries="all")
    return max(one.bound.high or 0.0 for one in report.findings) + passes
"""
WRONG = (
    "lda.nu_max('t.csv', tau=3)", "lda.estimate_j('t.csv', lable='y')", "lda.audit('t.csv', repeats='both')",
    "lda.tune('t.csv', mechanisms=[1.0])", "risk('t.csv').findings", "lda.audit('t.csv').finding",
)  # fmt: skip


def test_its_types_are_strict(tmp_path):
    """Mypy knows every option. Its cache is that of `make check`."""
    root = Path(lda.__file__).parent.parent
    file = tmp_path / "use.py"
    file.write_text("\n".join([RIGHT, *WRONG]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", file]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    first = RIGHT.count("\n") + 2
    found = sorted({int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line})
    assert found == list(range(first, first + len(WRONG))), done.stdout + done.stderr
