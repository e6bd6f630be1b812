"""A made-up audit of a clinic's table, with everything that is hard to print."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import joint
import pytest
from advantages import findings as advantages
from certified import of_curves, of_gains, scored, with_certificates
from judging import noticed

from labeldp_audit.core.eta import EtaSummary, KnnTrial
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column, Dataset
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.questions.releases import ALONE, WITHOUT_NOISE

AVERAGES = (
    "the interval is about averages over neighbourhoods: without --smoothness nothing is said about single points"
)
SAMPLE = "the rows are an independent sample of the population"
EPSILONS = (0.5, 1.0, 2.0, 4.0)
GOLDEN = Path(__file__).parent / "golden"

ODD_NAMES = (
    "age", "dose | mg", "<b>ward</b>", "line\nend", "mood \U0001f600", "\u05d2\u05d9\u05dc", "a\u202egnp.exe",
    "visit_no",
)  # fmt: skip
KINDS = (("number", "int64", 0, None, 1), ("number", "double", 212, None, 2), ("category", "string", 3, 7, 8))


def columns(extra: int = 0) -> tuple[Column, ...]:
    names = (*ODD_NAMES, *(f"marker_{number:03d}" for number in range(extra)))
    features = tuple(Column(name, *KINDS[index % 3]) for index, name in enumerate(names))
    return (
        *features,
        Column("patient_id", "excluded", "string"),
        Column("site", "constant", "string", 0, 1),
        Column("relapse", "label", "bool"),
    )


def dataset(extra: int = 0) -> Dataset:
    return Dataset(
        name="clinic.parquet", sha256="9f2c" * 16, rows=20_000, rows_used=19_981, label="relapse", positive="true",
        classes=("false", "true"), class_counts=(17_583, 2_398), columns=columns(extra),
    )  # fmt: skip


def eta() -> EtaSummary:
    return EtaSummary(
        estimator="knn", k=141, metric="l2", n=19_981, queries=19_981, exact=False, recall=0.9731, recall_low=1.0,
        log_loss=0.2871356234, one_class=40, knn=KnnTrial(141, 0.9731, 0.2871356234, 19_981),
    )  # fmt: skip


def about(epsilon: float) -> dict[str, float]:
    pi = round(1 / (1 + math.exp(epsilon)), 6)  # libraries differ in the last digit of exp
    return {"epsilon": epsilon, "pi": pi, "lambda": 2 * pi}


def offset(epsilon: float) -> float:
    """The average loss of a person whose features tell nothing."""
    return (1 - 2 * about(epsilon)["pi"]) * epsilon


def tail(loss: float) -> float:
    """A smooth fall with a shelf: some people's features give them away."""
    if loss <= -0.35:
        return 1.0
    return 0.055 * max(0.0, 1 - max(0.0, loss - 2.2) / 3.2) + 0.945 * math.exp(-1.9 * (loss + 0.35))


def j(epsilon: float, tau: float) -> Finding:
    estimate = round(tail(tau - offset(epsilon)) * 19_981) / 19_981
    low = max(0.0, estimate - 0.03 * math.sqrt(estimate) - 1e-4) if estimate < 1 else 0.9996
    high = min(1.0, estimate + 0.035 * math.sqrt(estimate) + 3e-4)
    bound = Bound(estimate, low, high, 19_981, "clopper-pearson", (SAMPLE, AVERAGES))
    if not epsilon:
        return Finding("j", bound, 0.99, at={"tau": tau, **ALONE})
    return Finding("j", bound, 0.99, f"rr:epsilon={epsilon:.6g}", {"tau": tau, **about(epsilon)})


def without_noise(quantity: str, value: float, **at: float) -> Finding:
    return Finding(quantity, Bound(value, None, None, 19_981, "by definition"), 0.99, at={**at, **WITHOUT_NOISE})


def mean_loss(epsilon: float) -> Finding:
    estimate = 0.5123 + offset(epsilon)
    bound = Bound(estimate, estimate - 0.0771, math.inf, 19_981, "plug-in", (AVERAGES,))
    return Finding("mean_loss", bound, 0.99, f"rr:epsilon={epsilon:.6g}", about(epsilon))


def jeffreys() -> tuple[Finding, Finding]:
    infinite = Bound(math.inf, 0.4871, math.inf, 19_981, "plug-in", (SAMPLE,))
    nothing = Bound(None, None, None, 0, "none", reason="some neighbourhoods hold one class only")
    return Finding("jeffreys", infinite, 0.99), Finding("weighted_jeffreys", nothing, 0.99)


def audit(command: str, findings: tuple[Finding, ...], extra: int = 0) -> Report:
    remarks = (
        "19 rows without a label were dropped",
        "column 'patient_id\x1b[31m' looks like an identifier: nearly all of its values differ",
    )
    parameters = {"confidence": 0.99, "seed": 0, "k": 141, "mechanism": ("rr:epsilon=0.5|1|2|4",)}
    return Report(
        command,
        "0.1.0",
        dataset(extra),
        eta(),
        parameters,
        findings,
        tuple(map(noticed, remarks)),
        quantities=QUANTITIES,
    )


@pytest.fixture
def tail_report() -> Report:
    taus = tuple(number / 10 for number in range(101))
    curve = (
        *(j(epsilon, tau) for epsilon in (*EPSILONS, 0.0) for tau in taus),
        *(without_noise("j", 1.0, tau=tau) for tau in taus),
    )
    return audit("estimate-j", (*curve, *map(mean_loss, EPSILONS), *jeffreys()), extra=60)


def limits(quantity: str, estimate: float, low: float, high: float, *assumptions: str) -> Finding:
    return Finding(quantity, Bound(estimate, low, high, 19_981, "clopper-pearson", assumptions), 0.99)


@pytest.fixture
def worst_report() -> Report:
    alone = limits("nu_max", math.inf, 3.8173, math.inf, SAMPLE, AVERAGES)
    worst = (
        replace(alone, bound=replace(alone.bound, low=3.8173 + epsilon), mechanism=f"rr:epsilon={epsilon:.6g}",
                at=about(epsilon)) for epsilon in EPSILONS
    )  # fmt: skip
    return audit("nu-max", (
        limits("eta_min", 0.0, 0.0, 0.0371, SAMPLE, AVERAGES),
        limits("eta_max", 0.9645, 0.8612, 0.9961, SAMPLE, AVERAGES),
        limits("log_ratio_min", math.inf, 3.256, math.inf, SAMPLE),
        limits("log_ratio_max", 5.2951, 3.8173, 7.5354, SAMPLE),
        *worst, replace(alone, at=ALONE), without_noise("nu_max", math.inf),
    ))  # fmt: skip


@pytest.fixture
def eta_report() -> Report:
    later = Finding("made_up_later", Bound(1.5, 1.25, 2.0, 19_981, "hoeffding"), 0.99, "llp:k=8", {"order": 2.0})
    guess = Finding("uninformed_utility", Bound(0.9123, 0.9011, 0.9214, 19_981, "hoeffding", (SAMPLE,)), 0.99)
    return audit("estimate-eta", (
        limits("eta_min", 0.00312, 0.0, 0.0371, SAMPLE, AVERAGES),
        limits("eta_max", 0.9645, 0.8612, 0.9961, SAMPLE, AVERAGES), guess, later,
    ))  # fmt: skip


@pytest.fixture
def gain_report() -> Report:
    report = audit("advantage", advantages())
    return replace(report, parameters={"confidence": 0.99, "seed": 0, "mechanism": ("rr:epsilon=0.5|2", "llp:k=8|64")})


@pytest.fixture
def given_report(gain_report: Report) -> Report:
    """The same people, whose probabilities are in a column."""
    columns = (Column("chance | <b>", "eta", "double"), Column("relapse", "label", "bool"))
    given = replace(eta(), k=None, metric=None, one_class=0, estimator="given", exact=True, recall=1.0)
    return replace(gain_report, eta=given, dataset=replace(gain_report.dataset, columns=columns))


@pytest.fixture
def certified_tail(tail_report: Report) -> Report:
    """Models were tried beside neighbours, and limits made that do not need them to be right."""
    return with_certificates(scored(tail_report), of_curves)


@pytest.fixture
def certified_gain(gain_report: Report) -> Report:
    added = {"rr:epsilon=0.5": (0.0, 0.02679), "rr:epsilon=2": (0.00213, 0.08328), "llp:k=64": (0.0, 0.02345)}
    return with_certificates(scored(gain_report), lambda _: of_gains(added))


@pytest.fixture
def joint_report(tail_report: Report, worst_report: Report, gain_report: Report) -> Report:
    """All questions at once, judged and explained."""
    whole = joint.judged(joint.together(tail_report, worst_report, gain_report))
    return joint.explained(whole, tuple(one.name for one in columns(12) if one.role in ("number", "category")))


@pytest.fixture
def tuned_report(tail_report: Report) -> Report:
    return joint.tuning(tail_report)


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares with golden/NAME. `UPDATE_GOLDEN=1 pytest tests/reports` writes the files anew."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode())
        assert text == file.read_bytes().decode(), f"{name} changed: look at it, then UPDATE_GOLDEN=1 writes it anew"

    return check
