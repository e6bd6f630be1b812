"""How eta was estimated, as tables and sentences: what was tried, and whether labels fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from certified import bins, scored

from labeldp_audit.core.eta import Tried
from labeldp_audit.core.finding import Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import estimating, facts, headline, how_to_read, phrases, spelling

BEHIND = {63: 0.0, 130: 0.001, 272: 0.002, 30: 0.003}
KS = tuple(Tried("knn", 0.29 + more, 0.004, k, more, more / 4) for k, more in BEHIND.items())
BESIDE = Tried("knn", 0.271, 0.002, 63, -0.016, 0.002)  # against the best learner, on some of the rows
LEARNT = (Tried("linear", 0.287, 0.004, None), Tried("boosted", 0.29, 0.0041, None, 0.003, 0.0006))


def tried(report: Report, *every: Tried, estimator: str = "knn", k: int | None = 63) -> Report:
    return replace(report, eta=replace(report.eta, tried=every, estimator=estimator, k=k))


def body(report: Report, name: str = "text") -> str:
    """Without the columns, warnings and assumptions, whose words come from elsewhere."""
    text = formats.render(name, replace(report, warnings=(), findings=without_assumptions(report)))
    return " ".join(text.split())


def without_assumptions(report: Report) -> tuple[Finding, ...]:
    return tuple(replace(one, bound=replace(one.bound, assumptions=())) for one in report.findings)


def test_the_best_is_first_and_knowing_nothing_last(tail_report: Report) -> None:
    grid = estimating.tried(tried(tail_report, *KS))
    assert grid is not None
    assert grid.header == ("estimator", "log loss", "more than knn, k = 63")
    assert grid.rows[0] == ["knn, k = 63 (used)", "0.2900 ± 0.0040", "-"]
    assert grid.rows[1] == ["knn, k = 130", "0.2910 ± 0.0040", "0.00100 ± 0.00025"]
    assert grid.rows[-1] == ["without features", "0.3670", "0.07695"]
    assert "Smaller is better: 0 is being sure and always right, 0.367 is knowing only how common" in grid.note


def test_no_table_where_nothing_was_tried_and_no_section_where_nothing_is_known(tail_report: Report) -> None:
    assert estimating.tried(tail_report) is None
    assert estimating.groups(tail_report) is None
    assert estimating.calibration(tail_report) == ""
    for name in ("text", "markdown"):
        assert estimating.TITLE not in formats.render(name, tail_report)
        assert estimating.GROUPS not in formats.render(name, tail_report)


def test_many_are_cut_to_the_best_of_each_name(tail_report: Report) -> None:
    many = (*KS, *(Tried(f"other{place}", 0.3, 0.004, None, 0.01, 0.001) for place in range(6)))
    grid = estimating.tried(tried(tail_report, *many))
    assert grid is not None
    assert [row[0].split(",")[0] for row in grid.rows] == [
        "knn", "knn", "knn", "other0", "other1", "other2", "other3", "without features",
    ]  # fmt: skip
    assert grid.note.endswith("3 more of what was tried are in json.")
    few = estimating.tried(tried(tail_report, *KS))
    assert few is not None and len(few.rows) == 5 and "in json" not in few.note


def test_what_was_compared_with_a_learner_keeps_its_sign(tail_report: Report) -> None:
    """Neighbours are tried at few rows, so nothing else can be compared with them."""
    grid = estimating.tried(tried(tail_report, BESIDE, *LEARNT, k=130))
    assert grid is not None
    assert grid.header[2] == "more than linear"
    assert [row[0] for row in grid.rows[:2]] == ["knn, k = 63 (used)", "linear"]
    assert [row[2] for row in grid.rows[:3]] == ["-0.01600 ± 0.00200", "-", "0.00300 ± 0.00060"]
    unused = estimating.tried(tried(tail_report, BESIDE, *LEARNT, estimator="linear", k=141))
    assert unused is not None and [row[0] for row in unused.rows[:2]] == ["knn, k = 63", "linear (used)"]


def test_what_says_the_same_has_no_digits(tail_report: Report) -> None:
    same = replace(LEARNT[0], name="crossed")
    grid = estimating.tried(scored(tail_report, (same, *LEARNT)))
    assert grid is not None
    assert [row[2] for row in grid.rows[:3]] == ["-", "0", "0.00300 ± 0.00060"]


@pytest.mark.parametrize(
    ("errors", "digits"), [([0.0044], 4), ([0.0044, 0.00048], 5), ([0.0], 4), ([], 4), ([0.5], 2), ([1e-12], 6)]
)
def test_digits_of_a_column(errors: list[float], digits: int) -> None:
    assert spelling.places(errors) == digits
    assert spelling.measured(0.25, 0.1, digits) == f"{0.25:.{digits}f} ± {0.1:.{digits}f}"


def test_calibration_in_one_line(tail_report: Report) -> None:
    assert estimating.calibration(scored(tail_report)) == (
        "Calibration: in all 10 groups of like estimates the labels fit (about 99 %)."
    )
    alone = scored(tail_report, reliability=bins()[:1])
    assert "in the one group of like estimates" in estimating.calibration(alone)
    off = estimating.calibration(scored(tail_report, reliability=bins(3, 5, 9)))
    assert off == (
        "Calibration: in 7 of 10 groups of like estimates the labels fit (about 99 %); not where 95.0 % was said of "
        "label true and 47.5 % came (43.5 to 51.5 %); 55.0 % was said of label true and 27.5 % came (23.5 to 31.5 %); "
        "and 1 more."
    )


def test_misfit_is_usual_for_neighbours_only(tail_report: Report, given_report: Report) -> None:
    near = replace(tail_report, eta=replace(tail_report.eta, reliability=bins(3)))
    given = replace(given_report, eta=replace(given_report.eta, reliability=bins(3)))
    assert "Some misfit is usual for shares among 141 neighbours" in estimating.calibration(near)
    for report in (given, scored(tail_report, reliability=bins(3))):
        assert "usual" not in estimating.calibration(report)
        assert "not where 35.0 % was said" in estimating.calibration(report)


def test_groups_are_a_table(tail_report: Report) -> None:
    grid = estimating.groups(scored(tail_report, reliability=bins(3)))
    assert grid is not None
    assert grid.rows[2] == ["true", "1,998", "25.0", "25.0", "21.0 to 29.0", "yes"]
    assert grid.rows[3] == ["true", "1,998", "35.0", "17.5", "13.4 to 21.5", "no"]
    text = formats.render("markdown", scored(tail_report, reliability=bins(3)))
    assert "| true | 1,998 | 35.0 | 17.5 | 13.4 to 21.5 | no |" in text


def test_groups_of_many_classes(tail_report: Report) -> None:
    """Those that fit are counted, so that a table stays a table."""
    every = tuple(one for place in range(5) for one in bins(*((2,) if place == 4 else ()), of=f"c{place}|"))
    report = scored(tail_report, reliability=every)
    grid = estimating.groups(report)
    assert grid is not None
    assert [row[0] for row in grid.rows] == ["c4|"]
    assert "in 49 of 50 groups" in grid.note
    fitting = scored(tail_report, reliability=tuple(one for place in range(5) for one in bins(of=f"c{place}")))
    none = estimating.groups(fitting)
    assert none is not None and not none.rows
    assert "| label | rows |" not in formats.render("markdown", fitting)
    assert "in all 50 groups of like estimates the labels fit" in body(fitting)
    assert "in all 50 groups of like estimates the labels fit" in body(fitting, "markdown")


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_scores_are_not_neighbours(tail_report: Report, worst_report: Report, gain_report: Report, name: str) -> None:
    for report in (tail_report, worst_report, gain_report):
        few = replace(report.eta, queries=9, log_loss=9.0)
        for made in (scored(report, LEARNT), scored(replace(report, eta=few), LEARNT)):
            assert "neighbour" not in body(made, name).replace("some neighbourhoods hold one class only", "")
            assert "neighbour" not in (formats.picture(made) or "")
    assert "neighbour" in body(tail_report, name)  # so the test above can fail


def test_what_an_estimate_from_scores_is(tail_report: Report) -> None:
    said = facts.estimated(scored(tail_report))
    assert "rows are scored by models that saw none of their labels; eta is the score as" in said
    assert "its interval comes from the 141 rows with the nearest scores. Log loss on unseen labels 0.2871" in said
    three = replace(tail_report.dataset, classes=("a", "b", "c"), class_counts=(9_000, 7_000, 3_981), positive=None)
    of_three = facts.estimated(scored(replace(tail_report, dataset=three)))
    assert "eta is what they say; its interval" in of_three


def test_words_where_scores_are_meant(tail_report: Report, worst_report: Report, gain_report: Report) -> None:
    assert phrases.rests_on(scored(tail_report)) == "about averages over rows with like scores"
    assert phrases.rests_on(tail_report) == "about neighbourhood averages"
    blind = replace(scored(tail_report).eta, log_loss=tail_report.dataset.blind_log_loss)
    assert "The models guess labels no better" in headline.in_short(replace(tail_report, eta=blind))
    assert how_to_read.before_tables(scored(gain_report))[0].endswith("too low; the second is as right as eta is.")
    shown = " ".join(how_to_read.sentences(scored(worst_report)))
    assert "infinite because labels of one class only came where scores had let some of another be expected" in shown
    assert "One class there is a sign of that, not proof." in shown
    few = replace(scored(tail_report).eta, queries=5)
    assert facts.sampled(few) == "Only 5 of 19,981 rows, drawn at random, were looked at; models learnt from all rows."
