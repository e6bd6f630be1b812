"""How eta was estimated: what was tried, how well it guesses labels that it has not seen, and whether they fit it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR

from ...core.eta import Bin, EtaSummary, Tried
from ...core.report import Report
from .grid import Grid
from .spelling import NOTHING, count, measured, percent, places, plain, share, short

TITLE = "How eta was estimated"
GROUPS = "Do labels fit the estimates?"
_MOST, _OF_ONE_NAME = 7, 3  # rows of the table; of one estimator with several k
_LEVEL = "about 99 %"  # of all groups together, as audits/diagnostics.py has them
_NAMED = 2  # groups that a sentence names
_MOST_GROUPS = 20


def tried(report: Report) -> Grid | None:
    """The best first, and last what knowing no feature costs; None where there was no choice."""
    every = report.eta.tried
    if not every:
        return None
    reference, blind = _reference(every), report.dataset.blind_log_loss
    of_loss, of_more = places(one.standard_error for one in every), places(one.behind_error for one in every)
    rows = [
        [_used(one, report.eta), measured(one.log_loss, one.standard_error, of_loss), _more(one, reference, of_more)]
        for one in _shown(every)
    ]
    without = ["without features", f"{blind:.{of_loss}f}", f"{blind - reference.log_loss:.{of_more}f}"]
    header = ("estimator", "log loss", f"more than {_name(reference)}")
    return Grid(
        header, [*rows, without], (0,), f"{_note(every, blind)}{_same(every, reference)}{_glimpsed(report.eta)}"
    )


def _reference(every: Sequence[Tried]) -> Tried:
    """The one that the others were compared with, row by row."""
    return next((one for one in every if one.behind == one.behind_error == 0), every[0])


def _used(one: Tried, eta: EtaSummary) -> str:
    alone = sum(other.name == one.name for other in eta.tried) == 1
    used = one.name == eta.estimator and (alone or one.k == eta.k)
    return _name(one) + (" (used)" if used else "")


def _more(one: Tried, reference: Tried, digits: int) -> str:
    """How much more it loses than the first one."""
    if one.behind == one.behind_error == 0:
        return NOTHING if one == reference else "0"
    return measured(one.behind, one.behind_error, digits)


def _name(one: Tried) -> str:
    return plain(one.name) + ("" if one.k is None else f", k = {count(one.k)}")


def _shown(every: Sequence[Tried]) -> list[Tried]:
    """All where they are few, otherwise the best of each name."""
    if len(every) <= _MOST:
        return list(every)
    better = [sum(other.name == one.name for other in every[:place]) for place, one in enumerate(every)]
    return [one for one, rank in zip(every, better, strict=True) if rank < _OF_ONE_NAME][:_MOST]


def _note(every: Sequence[Tried], blind: float) -> str:
    rest = len(every) - len(_shown(every))
    left = f" {count(rest)} more of what was tried {'is' if rest == 1 else 'are'} in json." if rest else ""
    return (
        f"Log loss: how far guesses are off, on labels that they were made without. Smaller is better: 0 is being "
        f"sure and always right, {short(blind)} is knowing only how common each label is. ±: one standard error.{left}"
    )


def _same(every: Sequence[Tried], reference: Tried) -> str:
    same = [_name(one) for one in every if one.behind == one.behind_error == 0 and one != reference]
    return f" No different from {_name(reference)} on this table: {', '.join(same)}." if same else ""


def _glimpsed(eta: EtaSummary) -> str:
    """Neighbourhoods beside models."""
    if eta.metric != "score" or all(one.k is None for one in eta.tried):
        return ""
    return " Neighbourhoods (knn) were tried at some rows, and would be used only if clearly better."


def calibration(report: Report) -> str:
    """One line: do labels come as often as the estimates say?"""
    every = report.eta.reliability
    off = sorted((one for one in every if not one.fits), key=lambda one: -abs(one.said - one.came))
    if not every:
        return ""
    if not off:
        which = "in the one group" if len(every) == 1 else f"in all {count(len(every))} groups"
        return f"Calibration: {which} of like estimates the labels fit ({_LEVEL})."
    fit, some = len(every) - len(off), "; ".join(map(_misfit, off[:_NAMED]))
    more = f"; and {count(len(off) - _NAMED)} more" if len(off) > _NAMED else ""
    return (
        f"Calibration: in {count(fit)} of {count(len(every))} groups of like estimates the labels fit ({_LEVEL}); not "
        f"where {some}{more}.{_excuse(report.eta)}"
    )


def _misfit(one: Bin) -> str:
    return f"{percent(one.said)} % was said of label {plain(one.of)} and {percent(one.came)} % came ({_limits(one)} %)"


def _limits(one: Bin) -> str:
    return f"{percent(one.low, ROUND_FLOOR)} to {percent(one.high, ROUND_CEILING)}"


def _excuse(eta: EtaSummary) -> str:
    if eta.given or eta.metric == "score":
        return ""
    return (
        f" Some misfit is usual for shares among {count(eta.k or 0)} neighbours, which vary by chance and average over "
        f"people who are not alike."
    )


def groups(report: Report) -> Grid | None:
    """What was said and what came; of many groups those that do not fit, which may be none."""
    every = report.eta.reliability
    shown = [one for one in every if len(every) <= _MOST_GROUPS or not one.fits][:_MOST_GROUPS]
    if not every:
        return None
    header = ("label", "rows", "said, %", "came, %", f"came, {_LEVEL} limits", "fits")
    return Grid(header, list(map(_group, shown)), (0, 5), calibration(report))


def _group(one: Bin) -> list[str]:
    came, fits = percent(one.came), "yes" if one.fits else "no"
    return [plain(one.of), count(one.rows), percent(one.said), came, _limits(one), fits]


def made_of_scores(report: Report) -> str:
    """In words, what an estimate from a model's scores is."""
    eta, blind = report.eta, short(report.dataset.blind_log_loss)
    each = (
        "eta is the score as the labels of other rows correct it"
        if len(report.dataset.classes) == 2
        else "eta is what they say"
    )
    return (
        f"{plain(eta.estimator)}: rows are scored by models that saw none of their labels; {each}; its interval "
        f"comes from the {count(eta.k or 0)} rows with the nearest scores. Log loss on unseen labels "
        f"{short(eta.log_loss)}, without features {blind}."
    )


def made_near_scores(report: Report) -> str:
    """The same of neighbourhoods by scores and columns together."""
    eta, blind = report.eta, short(report.dataset.blind_log_loss)
    beside = (
        " and by the numbers that scores depend on, each weighed by how much they do (columns 1: all of these count as "
        "much as the score)"
        if any(column.role == "number" for column in report.dataset.columns)
        else ""
    )
    return (
        f"{plain(eta.estimator)}: rows are parted by lot and scored by models that saw no label of their part; eta is "
        f"the share of labels among the {count(eta.k or 0)} rows of the same part that are nearest by score{beside}; "
        f"{found(eta)}. Log loss on unseen labels {short(eta.log_loss)}, without features {blind}."
    )


def found(eta: EtaSummary) -> str:
    """In words, whether the nearest are all there."""
    return "all of them found" if eta.exact else f"{share(eta.recall)} of them found (measured)"
