"""What a policy says of a report: nothing passes that is not shown."""

from __future__ import annotations

import datetime
import itertools
import math
import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from policies import FOUR, ONE, TODAY, absent, finding, judged, report, verdict, waiver

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Finding
from labeldp_audit.core.policy import COMPARISONS, FIELDS, Judgement, Outcome, Verdict, Waived
from labeldp_audit.policy import judge
from labeldp_audit.policy.judge import COMPARED

QUICK = settings(deadline=None, derandomize=True, max_examples=150)
PASS, INCONCLUSIVE, FAIL, NOT_MEASURED = Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.FAIL, Outcome.NOT_MEASURED
UNPROVEN = Outcome.UNPROVEN
INFINITY = math.inf


# ---- grammar


def test_a_line_says_what_it_is_about() -> None:
    line = judge.parse(" j ( tau = 6 , mechanism = rr:epsilon=1 ) . high >= 5e-2 ")
    assert (line.quantity, line.field, line.comparison, line.threshold) == ("j", "high", ">=", 0.05)
    assert line.at == {"tau": 6.0, "mechanism": "rr:epsilon=1"}
    assert line.text == "j ( tau = 6 , mechanism = rr:epsilon=1 ) . high >= 5e-2"


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("10", 10.0),
        ("-1.5", -1.5),
        ("+.5", 0.5),
        ("1.", 1.0),
        ("1E3", 1e3),
        ("inf", INFINITY),
        ("-Infinity", -INFINITY),
    ],
)
def test_numbers(number: str, value: float) -> None:
    assert judge.parse(f"nu_max.high >= {number}").threshold == value


def test_values_of_coordinates() -> None:
    """Numbers may stand in quotes where reports have numbers; a class that looks like a number is a name."""
    line = judge.parse("""q(a=x-y, b='1, (2)', c="it's", d=7, e='7', f=llp:k=8, tau='6', class="01").low < 1""")
    assert line.at == {
        "a": "x-y", "b": "1, (2)", "c": "it's", "d": 7.0, "e": "7", "f": "llp:k=8", "tau": 6.0, "class": "01"
    }  # fmt: skip


FAULTS = {
    "": (1, "name of a quantity", "at its end"),
    "   ": (4, "name of a quantity", "at its end"),
    "7.high > 1": (1, "name of a quantity", "before '7.high > 1'"),
    "j high > 1": (3, "one of .low, .estimate and .high is missing", "before 'high > 1'"),
    "j.highest > 1": (3, "'highest' is not low, estimate or high", "before 'highest > 1'"),
    "j. > 1": (4, "low, estimate or high is missing", "before '> 1'"),
    "j.high": (7, "one of > >= < <= is missing", "at its end"),
    "j.high = 1": (8, "one of > >= < <= is missing", "before '= 1'"),
    "j.high => 1": (8, "one of > >= < <= is missing", "before '=> 1'"),
    "j.high >": (9, "a number is missing", "at its end"),
    "j.high > = 1": (10, "a number is missing", "before '= 1'"),
    "j.high > nan": (10, "a number is missing", "before 'nan'"),
    "j.high > 1e400": (10, "1e400 is too large a number", "before '1e400'"),
    "j.high > -1e999": (10, "-1e999 is too large a number", "before '-1e999'"),
    "j.high > 0x10": (10, "a number is missing", "before '0x10'"),
    "j.high > 1_000": (10, "a number is missing", "before '1_000'"),
    "j.high > 5 %": (12, "the line should end here", "before '%'"),
    "j.high > 0,05": (11, "the line should end here", "before ',05'"),
    "j.high > 0.05 or j.low > 1": (15, "the line should end here", "before 'or j.low > 1'"),
    "j().high > 1": (3, "name of a coordinate", "before ').high > 1'"),
    "j(tau).high > 1": (6, "= and a value of tau is missing", "before ').high > 1'"),
    "j(tau=).high > 1": (7, "a value of tau", "before ').high > 1'"),
    "j(tau=6 .high > 1": (9, "a comma or a closing bracket is missing", "before '.high > 1'"),
    "j(tau=6, ).high > 1": (10, "name of a coordinate", "before ').high > 1'"),
    "j(tau=6, tau=7).high > 1": (10, "tau is there twice", "before 'tau=7).high > 1'"),
    "j.   highest > 1": (6, "'highest' is not low, estimate or high", "before 'highest > 1'"),
    "j.high >   inf": (12, "nothing is ever beyond that", "before 'inf'"),
    "j.high < -inf": (10, "nothing is ever beyond that", "before '-inf'"),
    "j(class='a).high > 1": (9, "a value of class", 'before "\'a).high > 1"'),
}


@pytest.mark.parametrize("text", FAULTS)
def test_an_error_names_the_character(text: str) -> None:
    place, what, where = FAULTS[text]
    with pytest.raises(SpecError) as caught:
        judge.parse(text)
    assert what in str(caught.value)
    assert f"character {place}, {where}" in str(caught.value)
    assert "advantage.high > 0.05" in caught.value.hint


def test_the_line_stands_there_so_that_its_characters_can_be_counted() -> None:
    for text in ("j.high >\t 1   x", "j(class='a', of=\"b\").high\n > 1  x", "  j(class='\\').high > 1 \u2028 x"):
        with pytest.raises(SpecError) as caught:
            judge.parse(text)
        shown, place = re.search(r": (['\"])(.*)\1, character ([0-9]+), before 'x'$", str(caught.value)).group(2, 3)  # type: ignore[union-attr]
        assert len(shown) == len(text) and shown[int(place) - 1] == "x"


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{1,8}", fullmatch=True).filter(lambda name: name not in ("pi", "tau"))
FINITE = st.floats(allow_nan=False, allow_infinity=True)
WORDS = st.text(st.characters(exclude_characters="'", exclude_categories=("Cs",)), max_size=8)
COORDINATES = st.dictionaries(NAMES, st.floats(0, 1e6) | WORDS, max_size=3)


@QUICK
@given(NAMES, COORDINATES, st.sampled_from(FIELDS), st.sampled_from([*COMPARISONS]), FINITE)
def test_what_is_written_is_read(quantity: str, at: dict, field: str, comparison: str, threshold: float) -> None:
    assume((comparison, threshold) not in ((">", math.inf), ("<", -math.inf)))
    spelled = ", ".join(f"{key}={value!r}" if isinstance(value, float) else f"{key}='{value}'"
                        for key, value in at.items())  # fmt: skip
    line = judge.parse(f"{quantity}{f'({spelled})' if at else ''}.{field} {comparison} {threshold!r}")
    assert (line.quantity, dict(line.at), line.field, line.comparison) == (quantity, at, field, comparison)
    assert line.threshold == threshold


@QUICK
@given(st.text(st.sampled_from("j(tau=6,'\"). <>highlow5e-inf_:|\n"), max_size=30))
def test_nothing_but_a_spec_error_comes_of_nonsense(text: str) -> None:
    try:
        line = judge.parse(text)
    except SpecError as error:
        assert "character" in str(error)
    else:
        assert line.field in FIELDS
        assert not math.isnan(line.threshold)


# ---- one finding


@pytest.mark.parametrize(
    ("line", "numbers", "outcome"),
    [
        ("q.high > 10", (1, 2, 3), PASS),
        ("q.high > 10", (1, 2, 10), PASS),
        ("q.high >= 10", (1, 2, 10), INCONCLUSIVE),
        ("q.high > 10", (1, 2, 11), INCONCLUSIVE),
        ("q.high > 10", (1, 12, 13), FAIL),
        ("q.estimate > 10", (1, 12, 13), FAIL),
        ("q.estimate > 10", (1, 9, 13), PASS),
        ("q.low > 10", (11, 12, 13), FAIL),
        ("q.low < 0.8", (0.9, 0.95, 1), PASS),
        ("q.low < 0.8", (0.7, 0.85, 1), INCONCLUSIVE),
        ("q.low < 0.8", (0.6, 0.7, 1), FAIL),
        ("q.low <= 0.8", (0.8, 0.8, 1), FAIL),
        ("q.high > 10", (1, INFINITY, INFINITY), FAIL),
        ("q.high > 10", (1, 2, INFINITY), INCONCLUSIVE),
        ("q.high > 10", (None, None, INFINITY), INCONCLUSIVE),
        ("q.high >= inf", (1, 2, INFINITY), INCONCLUSIVE),
        ("q.low < -1e300", (-INFINITY, -INFINITY, 0), FAIL),
        # Only limits are known, as where something is certified: the other one decides between fail and nobody knows.
        ("q.low > 0.05", (0.06, None, None), FAIL),
        ("q.low > 0.05", (0.04, None, None), UNPROVEN),
        ("q.low > 0.05", (0.0, None, 1), UNPROVEN),
        ("q.low > 0.05", (0.01, None, 0.04), PASS),
        ("q.high > 0.05", (0.01, None, 0.04), PASS),
        ("q.high > 0.05", (0.01, None, 0.06), INCONCLUSIVE),
        ("q.high > 0.05", (0.051, None, 0.06), FAIL),
        ("q.low < 0.5", (0.4, None, 0.6), INCONCLUSIVE),
        ("q.low < 0.5", (0.4, None, 0.45), FAIL),
        # What has no number is not passed.
        ("q.high > 10", (1, 2, None), NOT_MEASURED),
        ("q.estimate > 10", (1, None, 3), NOT_MEASURED),
        ("q.low < 0.5", (None, 2, 3), NOT_MEASURED),
        ("q.high > 10", (1, 2, math.nan), NOT_MEASURED),
        ("q.low < 10", (math.nan, 20, 30), NOT_MEASURED),
    ],
)
def test_outcomes(line: str, numbers: tuple[float | None, ...], outcome: Outcome) -> None:
    found = verdict(line, finding("q", *numbers))
    assert found.outcome is outcome
    assert (found.judged, found.failing) == (1, int(outcome is not PASS))


LIMITS = st.none() | st.floats(allow_nan=True)


@QUICK
@given(LIMITS, LIMITS, LIMITS, st.sampled_from(FIELDS), st.sampled_from([*COMPARISONS]), FINITE)
def test_only_a_number_on_the_good_side_passes(low, estimate, high, field, comparison, threshold) -> None:  # type: ignore[no-untyped-def]
    assume((comparison, threshold) not in ((">", INFINITY), ("<", -INFINITY)))  # refused
    one = finding("q", low, estimate, high)
    found = verdict(f"q.{field} {comparison} {threshold!r}", one)
    value = getattr(one.bound, field)
    good = value is not None and not math.isnan(value) and not COMPARISONS[comparison](value, threshold)
    assert (found.outcome in (PASS, UNPROVEN)) == good
    lenient = field == ("low" if comparison.startswith(">") else "high")
    other = high if field == "low" else low
    best = math.nan if estimate is None and other is None else other if estimate is None else estimate
    against = lenient and (math.isnan(best) or COMPARISONS[comparison](best, threshold))
    assert (found.outcome is UNPROVEN) == (good and against)


def test_what_was_compared_is_said() -> None:
    found = verdict("nu_max.high > 10", finding("nu_max", 1, 2, 11, ONE))
    assert found.said == "nu_max of rr:epsilon=1: high 11 > 10, but the estimate, 2, would pass"
    assert (found.value, found.threshold, found.quantity) == (11, 10, "nu_max")
    assert verdict("nu_max.high > 10", finding("nu_max", 1, 2, INFINITY)).said.startswith("nu_max: high inf > 10")


# ---- a lower limit that passes for want of rows


def test_a_low_that_passes_beside_an_estimate_that_does_not_is_unproven() -> None:
    one = finding("j", 0.01, 0.3, 0.4, ONE, tau=6.0)
    found = verdict("j(tau=6).low > 0.05", one)
    assert found.outcome is UNPROVEN and found.failing == 1
    assert found.said == "j of rr:epsilon=1 at tau = 6: low 0.01 passes for want of rows: the estimate, 0.3, does not"
    assert verdict("j(tau=6).low > 0.3", one).outcome is PASS


def test_a_certificate_has_the_estimate_of_what_it_certifies_at_its_place() -> None:
    certified = finding("certified_j", 0.0, None, 1.0, ONE, tau=6.0)
    line = "certified_j(tau=6, mechanism=rr:epsilon=1).low > 0.05"
    assert verdict(line, certified, finding("j", 0.01, 0.3, 0.4, ONE, tau=6.0)).outcome is UNPROVEN
    assert verdict(line, certified, finding("j", 0.01, 0.04, 0.4, ONE, tau=6.0)).outcome is PASS
    for elsewhere in (finding("j", 0.01, 0.04, 0.4, FOUR, tau=6.0), finding("j", 0.01, 0.04, 0.4, ONE, tau=2.0)):
        found = verdict(line, certified, elsewhere)
        assert found.outcome is UNPROVEN and found.said.endswith("passes for want of rows: there is no estimate")


def test_the_worst_estimate_is_named() -> None:
    """All limits are alike where nothing is shown, and only one of the estimates does not pass."""
    findings = [
        finding(name, 0.0, estimate, INFINITY, mechanism)
        for mechanism, of in ((ONE, 3.0), (FOUR, 7.0))
        for name, estimate in (("certified_nu_max", None), ("nu_max", of))
    ]
    assert "the estimate, 7, does not" in verdict("certified_nu_max.low > 2", *findings).said


def test_a_policy_may_let_it_pass() -> None:
    one = finding("j", 0.01, 0.3, 0.4, ONE)
    policy = judge.Policy((judge.parse("j.low > 0.05"),))
    blocked, let = (
        judge.judge(replace(policy, unproven_passes=passes), report(one), TODAY) for passes in (False, True)
    )
    assert blocked.outcome is UNPROVEN and let.outcome is PASS and let.verdicts[0].failing == 0


# ---- which findings


def many(*given: tuple) -> list[Finding]:  # type: ignore[type-arg]
    """(high, mechanism, coordinates) of each: the estimate passes what the limit does not."""
    return [finding("q", 0, high / 2, high, mechanism, **at) for high, mechanism, at in given]


TWO_ORDERS = many((1, ONE, {"order": 2.0}), (19, ONE, {"order": 4.0}))
TWO_RELEASES = many((1, ONE, {"epsilon": 1.0}), (19, FOUR, {"epsilon": 4.0}), (19, None, {}))
SIX_DIGITS = many((19, "rr:epsilon=4.59512", {"epsilon": 4.59511985013459}))
WORDS_AT = many((1, None, {"bound": "002 Corollary 1"}), (19, None, {"bound": "002 Theorem 3"}))
CLASSES = many((19, None, {"class": "1"}), (1, None, {"class": "2"}))
ELSEWHERE = many((1, ONE, {"order": 2.0}), (19, FOUR, {"order": 4.0}))
WITHOUT_EPSILON = [*many((1, ONE, {"epsilon": 1.0})), absent("q", "llp:k=8", k=8.0)]
UNKNOWN_OF_ONE = [*many((1, ONE, {})), finding("advantage", 0, 0, 0, ONE), finding("advantage", 0, 0, 0, "llp:k=8")]
OF_NO_RELEASE = [finding("q", 0, 0, 0), finding("other", 0, 9, 9, ONE)]


@pytest.mark.parametrize(
    ("at", "found", "outcome"),
    [
        ("(order=2)", TWO_ORDERS, PASS), ("(order=4)", TWO_ORDERS, FAIL), ("", TWO_ORDERS, FAIL),
        ("(order=3)", TWO_ORDERS, NOT_MEASURED),
        ("(epsilon=4.59512)", SIX_DIGITS, FAIL), ("(epsilon=4.5952)", SIX_DIGITS, NOT_MEASURED),
        ("(epsilon=4.5951)", SIX_DIGITS, NOT_MEASURED),
        ("(bound='002 Corollary 1')", WORDS_AT, PASS), ("(bound='002 Theorem 3')", WORDS_AT, FAIL),
        ("(bound='002')", WORDS_AT, NOT_MEASURED),
        ("(class=1)", CLASSES, FAIL), ("(class='1')", CLASSES, FAIL), ("(class=2)", CLASSES, PASS),
        ("(class=3)", CLASSES, NOT_MEASURED),
        ("(mechanism=rr:epsilon=1)", TWO_RELEASES, PASS), ("(mechanism='rr:epsilon=4')", TWO_RELEASES, FAIL),
        ("(mechanism=rr:epsilon=2)", TWO_RELEASES, NOT_MEASURED),
        # Every mechanism that the line is about has to be measured there.
        ("", UNKNOWN_OF_ONE, NOT_MEASURED), ("(mechanism=rr:epsilon=1)", UNKNOWN_OF_ONE, PASS),
        ("(order=2)", ELSEWHERE, NOT_MEASURED), ("(order=2, mechanism=rr:epsilon=1)", ELSEWHERE, PASS),
        ("(epsilon=1)", WITHOUT_EPSILON, PASS), ("(k=8)", WITHOUT_EPSILON, NOT_MEASURED),
        ("", OF_NO_RELEASE, PASS), ("", [], NOT_MEASURED),
    ],
)  # fmt: skip
def test_coordinates_pick(at: str, found: list[Finding], outcome: Outcome) -> None:
    assert verdict(f"q{at}.high > 5", *found).outcome is outcome


BESIDE = ["rr:epsilon=4", "llp:k=8"]


@pytest.mark.parametrize(
    ("line", "compared", "outcome"),
    [
        ("q.high > 5", [], FAIL), ("q.high > 5", BESIDE, PASS),
        ("q(mechanism=rr:epsilon=4).high > 5", BESIDE, FAIL), ("q(epsilon=4).high > 5", BESIDE, FAIL),
        ("q.high > 5", [ONE, *BESIDE], NOT_MEASURED),
        *(("q.high > 5", spoilt, FAIL) for spoilt in ("rr:epsilon=4", {"rr:epsilon=4": 1}, 7, None)),
    ],
    ids=str,
)  # fmt: skip
def test_mechanisms_that_nobody_plans_to_use_count_where_a_line_names_them(line, compared, outcome) -> None:  # type: ignore[no-untyped-def]
    found = many((1, ONE, {"epsilon": 1.0}), (19, FOUR, {"epsilon": 4.0}))
    assert verdict(line, *found, parameters={COMPARED: compared}).outcome is outcome


def test_the_worst_of_many_is_shown() -> None:
    numbers = [(0, 0, 1), (0, 12, 20), (0, 2, INFINITY), (0, 11, 30)]
    found = [finding("q", *each, mechanism=f"rr:epsilon={place}") for place, each in enumerate(numbers)]
    one = verdict("q.high > 10", *found)
    assert one.outcome is FAIL
    assert one.worst is found[3]  # one that fails, and among these the one that is farthest out
    assert (one.judged, one.failing) == (4, 3)


def test_among_those_that_pass_the_nearest_is_shown() -> None:
    found = [finding("q", 0, 0, high) for high in (3, 9, 5)]
    assert verdict("q.high > 10", *found).worst is found[1]
    assert verdict("q.high < 1", *found).worst is found[0]


@QUICK
@given(st.lists(st.tuples(LIMITS, LIMITS, LIMITS), min_size=1, max_size=5), st.sampled_from([*COMPARISONS]), FINITE)
def test_many_are_as_good_as_the_worst(numbers, comparison: str, threshold: float) -> None:  # type: ignore[no-untyped-def]
    found = [finding("q", *each) for each in numbers]
    line = f"q.high {comparison} {threshold!r}"
    alone = [verdict(line, one).outcome for one in found]
    rank = [NOT_MEASURED, FAIL, INCONCLUSIVE, UNPROVEN, PASS]
    assert verdict(line, *found).outcome is min(alone, key=rank.index)


# ---- along tau


def curve(mechanism: str | None, *points: tuple[float, float], quantity: str = "j") -> list[Finding]:
    return [finding(quantity, high / 2, high / 2, high, mechanism, tau=tau) for tau, high in points]


STEPS = ((0.0, 1.0), (2.0, 0.5), (4.0, 0.2), (6.0, 0.1), (8.0, 0.01))


@pytest.mark.parametrize(
    ("tau", "judged_at"), [(0, 0), (1.9, 0), (2, 2), (5.999999, 4), (6, 6), (6.000001, 6), (1e9, 8), ("inf", 8)]
)
def test_the_last_place_up_to_the_one_asked_for(tau: object, judged_at: float) -> None:
    one = verdict(f"j(tau={tau}).high > 0.05", *curve(ONE, *STEPS))
    assert one.worst is not None
    assert (one.worst.at["tau"], one.judged) == (judged_at, 1)


@pytest.mark.parametrize(("tau", "judged_at"), [(-1, 0), (0, 0), (0.1, 2), (6.000001, 8), (8, 8), ("-inf", 0)])
def test_falling_the_other_way_the_next_place(tau: object, judged_at: float) -> None:
    one = verdict(f"j(tau={tau}).low < 0.05", *curve(ONE, *STEPS))
    assert one.worst is not None
    assert one.worst.at["tau"] == judged_at


@pytest.mark.parametrize("line", ["j(tau=-0.001).high > 0.5", "j(tau=8.001).low < 0.5", "j(tau=inf).low < 0.5"])
def test_beyond_the_end_of_a_curve_nothing_is_measured(line: str) -> None:
    one = verdict(line, *curve(ONE, *STEPS))
    assert (one.outcome, one.said) == (NOT_MEASURED, "the report has no j at that place")


TAUS = st.floats(-50, 50)


@QUICK
@given(st.lists(TAUS, min_size=1, max_size=6, unique=True), st.lists(TAUS, max_size=6), TAUS, st.floats(0.01, 0.99))
def test_never_a_smaller_number_than_at_the_tau_asked_for(
    taus: list[float], losses: list[float], asked: float, threshold: float
) -> None:
    """J(tau) = share of losses above tau, known at a few taus: a pass says that J is no more at the tau asked for."""

    def share(tau: float) -> float:
        return sum(loss > tau for loss in losses) / max(1, len(losses))

    for quantity in ("j", "certified_j", "plug_in_j"):
        found = curve(ONE, *((tau, share(tau)) for tau in taus), quantity=quantity)
        if verdict(f"{quantity}(tau={asked!r}).high > {threshold!r}", *found).outcome is PASS:
            assert not share(asked) > threshold
        if verdict(f"{quantity}(tau={asked!r}).high < {threshold!r}", *found).outcome is PASS:
            assert not share(asked) < threshold


def test_each_mechanism_is_judged_at_its_own_next_place() -> None:
    found = [*curve(ONE, (0, 0.0), (6, 0.0)), *curve(FOUR, (5, 0.9), (7, 0.0))]
    one = verdict("j(tau=6).high > 0.5", *found)
    assert (one.outcome, one.judged) == (INCONCLUSIVE, 2)
    assert one.worst is found[2]
    assert one.said.startswith("j of rr:epsilon=4 at tau = 5: high 0.9 > 0.5")


def test_what_stands_at_the_same_place_is_all_judged() -> None:
    for twice in ([(2, 0.1), (2, 0.9)], [(2, 0.9), (2, 0.1)]):
        assert verdict("j(tau=2).high > 0.5", *curve(ONE, *twice)).outcome is INCONCLUSIVE


def test_curves_of_one_mechanism_that_differ_elsewhere_are_all_judged() -> None:
    fine = finding("j", 0, 0, 0.1, ONE, tau=2.0, group="a")
    bad, beyond = finding("j", 0, 0, 0.9, ONE, tau=2.0, group="b"), finding("j", 0, 0, 0.1, ONE, tau=3.0, group="b")
    assert verdict("j(tau=2.5).high > 0.5", fine, bad).outcome is INCONCLUSIVE
    one = verdict("j(tau=2.5).high > 0.5", fine, beyond)
    assert (one.outcome, one.said) == (NOT_MEASURED, "the report has no j of rr:epsilon=1 at that place")
    assert verdict("j(tau=2.5, group=a).high > 0.5", fine, beyond).outcome is PASS


@pytest.mark.parametrize("place", [{}, {"tau": math.nan}, {"tau": "far"}])
def test_what_stands_at_no_place_counts_everywhere(place: dict[str, float | str]) -> None:
    odd = finding("j", 0.8, 0.8, 0.9, ONE, **place)
    assert verdict("j(tau=2).high > 0.5", finding("j", 0, 0, 0.1, ONE, tau=2.0), odd).outcome is FAIL
    assert verdict("j(tau=2).high > 0.5", odd).outcome is FAIL


def test_without_tau_every_place_counts() -> None:
    assert verdict("j.high > 0.5", *curve(ONE, *STEPS)).judged == len(STEPS)
    assert verdict("j.high > 0.5", *curve(ONE, *STEPS)).outcome is INCONCLUSIVE


# ---- what is missing


@pytest.mark.parametrize(
    ("line", "found", "said"),
    [
        ("nu_max.high > 10", [finding("j", 0, 0, 0, ONE, tau=1.0)], "the report has no nu_max"),
        ("advantge.high > 1", [finding("advantage", 0, 0, 0)], "the report has no advantge, but advantage"),
        ("advantage(tua=3).high > 1", [finding("advantage", 0, 0, 0)], "advantage has no tua"),
        ("q.high > 10", UNKNOWN_OF_ONE, "the report has no q of llp:k=8"),
        ("nu_max.high > 10", [finding("nu_max", 1, 2, 3, ONE), absent("nu_max", "llp:k=8")],
         "nu_max of llp:k=8 has no high: this loss is not defined for bags"),
        ("j(tau=6).high > 0.5", [*curve(ONE, (0, 0.0), (6, 0.0)), *curve(FOUR, (7, 0.9))],
         "the report has no j of rr:epsilon=4 at that place"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(line: str, found: list[Finding], said: str) -> None:
    one = verdict(line, *found)
    assert (one.outcome, one.said) == (NOT_MEASURED, said)
    assert one.worst is (found[-1] if "has no high" in said else None)


def test_where_others_fail_what_is_missing_does_not_hide_it() -> None:
    found = (finding("nu_max", 11, 12, 13, ONE), finding("nu_max", 19, 20, 21, FOUR), absent("nu_max", "llp:k=8"))
    one = verdict("nu_max.high > 10", *found)
    assert one.outcome is NOT_MEASURED and one.said.endswith(f"; and nu_max of {FOUR}: high 21 > 10, estimate 20")


def test_a_curve_that_was_not_judged() -> None:
    found = (*curve(ONE, (0, 0.0)), absent("j", "llp:k=8", k=8.0))
    assert verdict("j(tau=6).high > 0.5", *found).outcome is NOT_MEASURED
    assert verdict("j(tau=6, mechanism=rr:epsilon=1).high > 0.5", *found).outcome is PASS


# ---- waivers

WORST = finding("nu_max", 1, 12, 13, ONE)
LINES, FINE = ("nu_max.high > 10",), ("nu_max.high > 100",)
YESTERDAY = TODAY - datetime.timedelta(days=1)


@pytest.mark.parametrize(
    ("lines", "waived", "outcome", "about", "expired", "used"),
    [
        (LINES, waiver(), PASS, True, False, True), (LINES, waiver(until=TODAY), PASS, True, False, True),
        (LINES, waiver(until=YESTERDAY), FAIL, True, True, False),
        (FINE, waiver(until=YESTERDAY), FAIL, True, True, False),  # one that has run out fails even what passes
        (FINE, waiver(), PASS, True, False, False), (LINES, waiver("j"), FAIL, True, False, False),
        (LINES, waiver(dataset="0" * 64), FAIL, False, False, False),
        (LINES, waiver(dataset="0" * 64, until=YESTERDAY), FAIL, False, True, False),
        (FINE, waiver(dataset="0" * 64, until=YESTERDAY), PASS, False, True, False),
    ],
)  # fmt: skip
def test_a_waiver_takes_out_a_line_about_its_quantity_and_table_up_to_its_day(  # type: ignore[no-untyped-def]
    lines, waived, outcome, about, expired, used
) -> None:
    found = judged(lines, WORST, waivers=[waived])
    [one] = found.verdicts
    assert found.outcome is outcome and one.outcome is (FAIL if lines is LINES else PASS)
    assert (one.waiver is waived) == used and one.counts == (lines is LINES and not used)
    assert found.waivers == (Waived(waived, about, expired, used),)


def test_one_that_has_run_out_beside_one_that_has_not_still_fails() -> None:
    for both in ([waiver(until=YESTERDAY), waiver()], [waiver(), waiver(until=YESTERDAY)]):
        found = judged(LINES, WORST, waivers=both)
        assert (found.verdicts[0].waiver, found.outcome) == (waiver(), FAIL)


def test_what_was_not_measured_cannot_be_accepted_and_what_is_inconclusive_can() -> None:
    for findings in ((), (absent("nu_max", ONE),), (WORST, absent("nu_max", "llp:k=8"))):
        found = judged(LINES, *findings, waivers=[waiver()])
        assert (found.verdicts[0].outcome, found.verdicts[0].waiver) == (NOT_MEASURED, None)
        assert (found.outcome, found.waivers[0].used) == (FAIL, False)
    found = judged(LINES, finding("nu_max", 1, 2, INFINITY, ONE), waivers=[waiver()])
    assert (found.verdicts[0].outcome, found.outcome) == (INCONCLUSIVE, PASS)


# ---- the whole


def told(outcome: Outcome, waived: bool) -> Verdict:
    one = verdict("nu_max.high > 10", WORST)
    return replace(one, outcome=outcome, waiver=waiver() if waived else None)


UP_TO_THREE = [lines for size in range(4) for lines in itertools.combinations_with_replacement(Outcome, size)]


@pytest.mark.parametrize("outcomes", UP_TO_THREE)
def test_the_policy_is_as_good_as_its_worst_line(outcomes: tuple[Outcome, ...]) -> None:
    found = Judgement(tuple(told(one, waived=False) for one in outcomes))
    left = (one for one in (INCONCLUSIVE, UNPROVEN, Outcome.VACUOUS) if one in outcomes)
    assert found.outcome is (FAIL if {FAIL, NOT_MEASURED} & {*outcomes} else next(left, PASS))


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("rest", [PASS, INCONCLUSIVE, FAIL])
def test_a_waived_line_changes_nothing(outcome: Outcome, rest: Outcome) -> None:
    found = Judgement((told(outcome, waived=True), told(rest, waived=False)))
    assert found.outcome is rest


def test_judging_keeps_the_order_of_the_policy() -> None:
    lines = ("nu_max.high > 10", "j.high > 0.5", "nu_max.low > 0")
    assert [one.line for one in judged(lines, WORST).verdicts] == [*lines]
