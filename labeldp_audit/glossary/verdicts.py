"""Policies: what is asked of a report, and what came of it."""

from __future__ import annotations

from .entry import MATHEMATICS, PITFALLS, Entry

_JOINTLY = "P(every low <= its number <= every high) >= confidence"
_EXCEPT = (
    "Exceptions: equivalent_epsilon and equivalent_k have no limits; those of columns, and low of "
    "advantages from bags that were drawn, take chance as normal; and the number of j and nu_max is that of averages "
    "over rows with like scores, not of people."
)

ENTRIES = (
    Entry(
        "tuned", "Least noise that meets a policy",
        "the weakest release of its kind that meets the policy",
        "the last strength before the first that does not pass, of those looked at from the most noise to the least",
        f"{PITFALLS}, tuning the noise; a search on this table, no theorem",
        "The value of the parameter to use on this table. No value: no noise of that kind is shown to meet the "
        "policy, mostly as the features alone break it. Limits hold at every strength at once, so the one picked "
        "is as sure as any; at.binds is the line of the policy that decides. low and high are this value and its "
        "neighbour with which the policy does not hold: no confidence limits.",
        ("epsilon", "k", "inconclusive"),
    ),
    Entry(
        "low", "Lower limit",
        "the number is at least this, with the confidence of the report",
        _JOINTLY,
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "A line such as 'certified_nu_max.low > 10' fails only where harm is shown, so that it passes shows nothing, "
        f"least of all on a small table. Rounded outward wherever it is printed; JSON has all digits. {_EXCEPT}",
        ("estimate", "high", "confidence"),
    ),
    Entry(
        "estimate", "Estimate",
        "the best single guess, without its error",
        "by the method that the finding names",
        "the finding's own method",
        "For orientation. A rule that looks at an estimate lets chance decide: look at low or high.",
        ("low", "high"),
    ),
    Entry(
        "high", "Upper limit",
        "the number is at most this, with the confidence of the report",
        _JOINTLY,
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "A line such as 'advantage.high > 0.02' passes only where safety is shown. high of advantage needs no "
        f"assumption about eta. {_EXCEPT}",
        ("estimate", "low", "confidence"),
    ),
    Entry(
        "confidence", "Confidence",
        "how surely all limits of a report hold together",
        f"{_JOINTLY}; 0.99 unless you ask otherwise",
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "It covers one report. Choosing columns, k or an estimator by what earlier reports said makes it less. "
        f"{_EXCEPT}",
        ("low", "high"),
    ),
    Entry(
        "inconclusive", "Inconclusive",
        "the estimate passes, the limit does not: nobody knows",
        "line(limit) holds and line(estimate) does not",
        "exit status 4 of labeldp-audit check",
        "More rows make limits narrower. Until then it is not shown that the policy holds. --exit-zero reports it "
        "without stopping a pipeline.",
        ("low", "high", "waiver"),
    ),
    Entry(
        "not_measured", "Not measured",
        "the report has no such number: the policy is not shown to hold",
        "no finding of that quantity at that place, or one without the limit asked for",
        "exit status 1 of labeldp-audit check",
        "Counts as a failure, and no waiver covers it: a risk can be accepted once it is known.",
        ("inconclusive", "waiver"),
    ),
    Entry(
        "waiver", "Waiver",
        "a risk that somebody accepts: for one quantity, one table, until a day, for a reason",
        "[[policy.waiver]] with quantity, dataset (sha256 of the table), until and reason",
        "the policy file",
        "Lines about that quantity do not count for that very table until that day. One that has run out fails, so "
        "that nobody forgets it. A changed table has another sha256 and needs another waiver.",
        ("inconclusive", "not_measured"),
    ),
)  # fmt: skip
