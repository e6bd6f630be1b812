"""The screen: what a person reads first is short, begins with the answer, and says where the rest is."""

from __future__ import annotations

import math
from dataclasses import replace

import joint
import judging
import pytest
from judging import noticed
from test_html_format import hostile

from labeldp_audit.core.finding import Bound, Change, Finding, Way
from labeldp_audit.core.policy import Judgement
from labeldp_audit.core.remark import Remark
from labeldp_audit.core.report import NUMBERS, OLDER, Report
from labeldp_audit.reports import answers, document, formats, found, sentences, tables
from labeldp_audit.reports.blocks import Level, Notice, Sentence, Table
from labeldp_audit.reports.formats import text

REPORTS = ("joint", "tuned", "tail", "worst", "eta", "gain", "given")
AT = {"epsilon": 1.0, "pi": 0.268941, "lambda": 0.537883}


@pytest.fixture(params=[*REPORTS, "huge", "hostile", "empty", "unjudged", "checked"])
def any_report(request: pytest.FixtureRequest) -> Report:
    known: Report = request.getfixturevalue("joint_report")
    changed = {
        "huge": lambda: joint.huge(request.getfixturevalue("tail_report")), "hostile": lambda: hostile(known),
        "empty": lambda: replace(known, findings=(), judgement=None, remarks=()),
        "unjudged": lambda: replace(known, judgement=None), "checked": lambda: replace(known, command="check"),
    }  # fmt: skip
    made = changed.get(request.param) or (lambda: request.getfixturevalue(f"{request.param}_report"))
    return made()


def lines(report: Report, width: int = 100) -> list[str]:
    return formats.screen(report, width=width, page="labeldp-report/x.html").splitlines()


def shares(report: Report, high: float, low: float = 0.02, rows: int = 1_500) -> Report:
    """One share of people above one nat."""
    bound = Bound(0.5, low, high, rows, "m")
    data = replace(report.dataset, rows_used=rows, class_counts=(rows - 100, 100))
    one = Finding("j", bound, 0.99, "rr:epsilon=1", {"tau": 1.0, **AT})
    return replace(report, dataset=data, findings=(one,), remarks=(), parameters={})


@pytest.mark.parametrize("width", [80, 100])
def test_it_fits_and_begins_with_the_verdict_or_the_answer(any_report: Report, width: int) -> None:
    shown, judged = lines(any_report, width), any_report.judgement
    assert len(shown) <= 25 and max(map(len, shown)) <= width
    assert shown[-1].endswith("--verbose")
    if any_report.findings:
        said = answers.verdict(any_report) if judged else answers.brief(any_report)[0]
        assert said.split()[0] in " ".join(shown[: 1 if judged else 3])


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_terminal_cuts_no_number_and_no_answer(any_report: Report, width: int) -> None:
    shown = lines(any_report, width)
    steps = [place for place, line in enumerate(shown) if line.startswith(("page: ", "next: ", "all: "))]
    assert max(len(line) for line in shown[: min(steps)]) <= width
    said = " ".join(" ".join(shown).split())
    for block in document.of(any_report):
        if block.level is Level.BRIEF and isinstance(block, Table) and 1 not in block.left:
            assert all(" ".join(row[1].split()) in said for row in block.rows)
    assert any_report.judgement or not any_report.findings or answers.brief(any_report)[0].split(".")[0][:200] in said


def test_there_is_one_table_and_a_fact_is_said_once(any_report: Report) -> None:
    blocks = document.of(any_report)
    tables = [one for one in blocks if one.level is Level.BRIEF and isinstance(one, Table)]
    assert len(tables) == (1 if any_report.findings else 0)
    said = [one.text for one in blocks if isinstance(one, Sentence)]
    assert len(said) == len(set(said))


def test_what_is_open_is_called_so_and_how_many_rows_would_tell(tail_report: Report) -> None:
    assert "between 0 % and 93 %" in " ".join(lines(shares(tail_report, 0.93, low=6e-11)))  # not 6e-9
    seeing = replace(tail_report, eta=replace(tail_report.eta, log_loss=0.0))
    said = " ".join(lines(shares(seeing, 0.98)))
    assert "OPEN: between 2 % and 98 % lose more than 1 nat under rr:epsilon=1 (estimate 50 %); at least 30,000" in said
    for decided in (shares(tail_report, 0.89), shares(tail_report, 0.98, low=0.11)):
        assert "OPEN" not in " ".join(lines(decided)) and "of people lose more than 1 nat" in " ".join(lines(decided))


def test_no_number_of_rows_is_promised_where_the_model_tells_nobody_apart(tail_report: Report) -> None:
    blind = replace(tail_report, eta=replace(tail_report.eta, log_loss=9.0))
    said = " ".join(lines(shares(blind, 0.98)))
    assert "the model tells nobody apart" in said and "rows are needed to tell" not in said


@pytest.mark.parametrize(("width", "rows"), [(0.2, 1_000), (0.4, 4_000), (1.0, 25_000)])
def test_rows_go_with_the_square_of_the_width(width: float, rows: int) -> None:
    assert found.rows_to_decide(Bound(0.0, 0.0, width, 1, "m"), 1_000) == pytest.approx(rows, rel=0.2)


def test_a_mechanism_is_called_as_it_was_typed(tail_report: Report) -> None:
    report = replace(shares(tail_report, 0.5), parameters={"mechanism": ["rr:pi=0.268941|0.1"]})
    assert "rr:pi=0.268941 (rr:epsilon=1)" in "\n".join(lines(report))
    report = replace(report, parameters={"mechanism": ["rr:epsilon=1", "rr:pi=0.268941"]})
    assert "rr:pi" not in "\n".join(lines(report))


def test_a_failing_line_has_number_end_and_threshold(tail_report: Report) -> None:
    worst = Finding("advantage", Bound(0.04, 0.01, 0.0734, 9, "m"), 0.99, "rr:epsilon=1", AT)
    verdict = next(joint.verdicts(tail_report))
    line = replace(verdict, line="advantage.high > 0.05", quantity="advantage", threshold=0.05, worst=worst)
    said = answers.verdict(replace(tail_report, judgement=Judgement((line,))))
    assert said == (
        "FAIL: blocked by advantage.high > 0.05: what the release adds to guesses under rr:epsilon=1: "
        "high 7.4 points (estimate 4 points), allowed at most 5 points."
    )


def test_an_audit_with_a_policy_shows_each_line_with_what_it_judged(joint_report: Report) -> None:
    shown = lines(joint_report)
    rows = {line[:24].strip(): line for line in shown}
    assert shown[0].startswith("FAIL") and rows["blocked if"].split() == [
        "blocked", "if", "outcome", "estimate", "low-high", "under",
    ]  # fmt: skip
    assert rows["j.high > 0.05"].split()[4:] == ["67", "%", "64-70", "rr:epsilon=0.5"]
    assert "not measured" in rows["renyi(alpha=2).high …"]
    whole = [one.caption for one in document.of(joint_report) if isinstance(one, Table)]
    assert whole.count("What each release tells") == 1
    without = document.of(replace(joint_report, judgement=None))
    assert "What each release tells" not in [one.caption for one in without if isinstance(one, Table)]


@pytest.mark.parametrize(
    ("bound", "estimate", "ends"),
    [
        ((0.01, 0.02, 0.04), "2 points", "1-4"), ((0.01, None, None), "-", "1 points or more"),
        ((0.01, None, 0.04), "-", "1-4 points"), ((None, None, None), "-", ""),
    ],
)  # fmt: skip
def test_the_unit_stands_beside_the_first_number_that_there_is(tail_report: Report, bound, estimate, ends) -> None:
    low, middle, high = bound
    worst = Finding("advantage", Bound(middle, low, high, 9, "m"), 0.99, "rr:epsilon=1", AT)
    verdict = replace(next(joint.verdicts(tail_report)), quantity="advantage", worst=worst)
    made = tables.lines(replace(tail_report, judgement=Judgement((verdict,))))
    assert made is not None and list(made.rows[0][2:4]) == [estimate, ends]


def test_lines_with_another_outcome_than_the_first_are_counted_apart(worst_report: Report) -> None:
    said = answers.verdict(judging.judged(worst_report))
    assert "(and 2 more, 1 inconclusive)" not in said and said.startswith("FAIL: the waiver of eta_min ran out")
    said = answers.verdict(judging.judged(worst_report, waivers=()))
    assert said.startswith(
        "FAIL: blocked by nu_max(mechanism=rr:epsilon=0.5).low > 4 (and 1 more, 1 not measured, 2 inc"
    )


def test_more_noise_is_advised_only_where_it_was_judged_and_may_help(worst_report: Report) -> None:
    unmeasured = judging.judged(worst_report, ("renyi(order=2).high > 1",), ())
    assert "was not measured" in answers.settles(unmeasured) and "noise" not in answers.settles(unmeasured)
    shown = " ".join(lines(unmeasured))
    assert "was not measured. Measure it" in shown and "next: labeldp-audit tune" not in shown
    late = judging.judged(worst_report, ("log_ratio_max.high > 1e9",), (("eta_min", judging.EARLIER, "May"),))
    assert "a waiver has run out" in answers.settles(late)
    by_features = judging.judged(worst_report, ("log_ratio_max.low > 0.1",), ())
    shown = " ".join(lines(by_features))
    assert "next: labeldp-audit tune" not in shown and "no noise on labels helps: drop or coarsen columns" in shown


@pytest.mark.parametrize(
    ("line", "hopeless"),
    [
        ("certified_nu_max(mechanism=rr:epsilon=4).low > 2", True),
        ("nu_max(mechanism=rr:epsilon=4).low > 4", True),
        ("certified_advantage.high > 0.001", False),
        ("advantage.high > 0.001", False),
    ],
)
def test_a_certificate_is_out_of_reach_where_the_features_break_what_it_certifies(
    joint_report: Report, line: str, hopeless: bool
) -> None:
    said = answers.settles(judging.judged(joint_report, (line,), ()))
    assert ("no noise on labels helps" in said) is hopeless, said


def test_certified_lows_that_rose_are_counted_and_no_change(worst_report: Report) -> None:
    one = Finding("certified_renyi", Bound(None, 0.004, math.inf, 9, "m"), 0.99, None, {"alpha": 2.0, "of": "a from b"})
    rose = Change(one, replace(one, bound=replace(one.bound, low=0.1)), Way.CERTAIN)
    older = {OLDER: ("old.csv", "0" * 64), NUMBERS: 7}
    report = replace(worst_report, command="diff", judgement=None, parameters=older, changes=(rose,))
    shown = " ".join(lines(report))
    assert "Nothing changed" in shown and "1 certified low rose, which shows no change" in shown
    assert "what changed" not in shown and "next: labeldp-audit check NEW --baseline OLD" in shown
    assert "(a from b, alpha = 2)" in formats.render("markdown", report)
    worse = replace(report, changes=(replace(rose, way=Way.WORSE), rose))
    shown = " ".join(lines(worse))
    assert "1 of 7 shared numbers got worse and 0 better" in shown and shown.count("0.004 or more") == 2


def test_many_mechanisms_are_few_and_the_first_the_picked_and_the_last_among_them() -> None:
    names = [f"m{place}" for place in range(40)]
    kept = found.few(names, ["m7"])
    assert len(kept) == 6 and {"m0", "m7", "m39"} <= {*kept} and list(kept) == sorted(kept, key=names.index)
    assert found.few(names[:6]) == tuple(names[:6])


def test_warnings_are_a_line_each_and_those_left_out_are_counted(worst_report: Report) -> None:
    report = replace(worst_report, remarks=tuple(noticed(f"warning {place}: {'words ' * 60}") for place in range(40)))
    shown = [line for line in lines(report) if line.startswith("!")]
    assert shown[-1] == f"! {40 - len(shown) + 1} more warnings" and 1 < len(shown) <= 5
    kept = [one for one in document.of(report) if isinstance(one, Notice)]
    assert len(kept) == 40 and all("\n" not in one.text for one in kept)


@pytest.mark.parametrize(
    ("width", "shown"), [(100, "bad (a loss of 0.28, and 0.27 without), on held-out labels"), (60, "bad")]
)
def test_a_warning_ends_with_a_whole_clause(worst_report: Report, width: int, shown: str) -> None:
    """Half a bracket is none."""
    said = f"a model is really quite very bad (a loss of 0.28, and 0.27 without), on held-out labels, {'more ' * 20}"
    told = [line for line in lines(replace(worst_report, remarks=(noticed(said),)), width) if line.startswith("!")]
    assert told == [f"! a model is really quite very {shown}"]


def test_a_warning_says_what_it_is_before_it_names_mechanisms(worst_report: Report) -> None:
    specs = [f"{name}:epsilon=1" for name in ("prior-rr", "model-rr", "lp-mst", "cluster-rr", "domain-rr", "other-rr")]
    report = replace(worst_report, remarks=(Remark("judged-by-epsilon", mechanisms=specs),))
    [told] = [line for line in lines(report) if line.startswith("!")]
    assert told == "! judged by epsilon alone, as the worst mechanism of it, and may give away less: 6 mechanisms"
    [whole] = sentences.for_people(report)
    assert whole.startswith(told.removeprefix("! ")) and whole.endswith(
        "cluster-rr:epsilon=1, domain-rr:epsilon=1 and 1 more)"
    )
    report = replace(worst_report, remarks=(Remark("judged-by-epsilon", mechanisms=specs[:1]),))
    assert next(line for line in lines(report) if line.startswith("!")).endswith("less: prior-rr:epsilon=1")


@pytest.mark.parametrize("width", [20, 40, 80, 100])
def test_a_sentence_is_whole_on_a_narrow_screen_or_ends_with_dots(width: int) -> None:
    said = "FAIL: blocked by advantage.high > 0.05:" + " number" * 20
    assert " ".join(text._brief(Sentence(said, Level.BRIEF, role="verdict"), width, False)) == said
    *_, last = text._brief(Sentence(said * 5, Level.BRIEF, role="verdict"), width, False)
    assert last.endswith("…") and len(last) <= width


def test_text_gives_way_to_numbers():
    """At 80 columns no number of an attack is cut."""
    ends = "1.7  -8.1 to 12", "0.08 %  0-1.5"
    rows = [["prediction", "features", "69 %  62-76", *ends, "1"], ["all-others", "all other labels", "-", *ends, "-"]]
    header = "attacker", "knows", "guessed right", "more, points", "recovered", "moved, nats"
    lines = [*text._table(Table(header, rows, left=(0, 1)), 80, False, one=True)]
    assert all(len(line) <= 80 for line in lines)
    assert all(end in line for end in ends for line in lines[1:]) and "69 %  62-76" in lines[1]


def test_the_folder_of_the_page_is_one_plain_line(tail_report):
    shown = formats.screen(tail_report, page="a\u200d\x1b[31m/x.html")
    assert all(line.isprintable() for line in shown.splitlines()) and "\\u200d" in shown
