"""How far an estimate of eta is to be trusted, as the labels it has not seen tell."""

from __future__ import annotations

from ..core.eta import Bin, Eta
from ..core.table import Table
from ..estimators import reliability as calibration

_BINS, _DOUBT = 10, 0.01
_FEWEST = 50  # rows of a group
_MIXTURES = ("stack", "atoms")


def reliability(table: Table, eta: Eta) -> tuple[Bin, ...]:
    labels = table.labels[eta.rows]
    bins = max(1, min(_BINS, len(labels) // _FEWEST))
    return tuple(calibration.table(eta.probability, labels, table.dataset.classes, bins, _DOUBT / eta.choices))


def warnings(command: str, table: Table, eta: Eta, bins: tuple[Bin, ...]) -> list[str]:
    return [*_about_sight(command, table, eta), *_about_tried(eta), *_about_order(eta), *_about_reliability(eta, bins)]


def _about_order(eta: Eta) -> list[str]:
    if eta.order_p is None or eta.ordered:
        return []
    return [
        f"labels contradict the order of the scores (p = {eta.order_p * eta.choices:.2g}): somewhere people with "
        f"higher scores have clearly fewer positives, so limits rest on rows with like scores alone, and are wide"
    ]


def _about_reliability(eta: Eta, bins: tuple[Bin, ...]) -> list[str]:
    """Counts of few neighbours are spread wider than eta, which is known and taken out of what is made from them."""
    if eta.metric in ("l2", "learned"):
        return []
    off = [one for one in bins if not one.fits]
    if not off:
        return []
    worst = max(off, key=lambda one: abs(one.said - one.came))
    return [
        f"estimates do not fit the labels in {len(off)} of {len(bins)} groups of like estimates: where "
        f"{worst.said:.3g} was said of {worst.of} on average, {worst.came:.3g} came "
        f"({worst.low:.3g} to {worst.high:.3g}, about {100 * (1 - _DOUBT):g} % for all groups)"
    ]


def _about_tried(eta: Eta) -> list[str]:
    """A mixture that is clearly better than the best of what it mixes: each of them sees what the others do not."""
    if not eta.tried or eta.tried[0].name not in _MIXTURES:
        return []
    single = next((one for one in eta.tried if one.name not in _MIXTURES), None)
    if single is None or single.behind < max(3 * single.behind_error, 0.005 * eta.log_loss):
        return []
    return [
        f"{eta.tried[0].name} guesses unseen labels clearly better than the best single model, {single.name} (log loss "
        f"{eta.log_loss:.4f}, {single.behind:.4f} less): each sees what others miss, so there may be more to know than "
        f"this report says"
    ]


def _about_sight(command: str, table: Table, eta: Eta) -> list[str]:
    """Neighbours that guess no better than the shares of the classes do see nothing, and show nothing to be absent."""
    if eta.sees(table.dataset):
        return []
    losses = f"log loss {eta.log_loss:.4f}, without features {table.dataset.blind_log_loss:.4f}"
    if eta.counts is None:
        return [
            f"the given probabilities guess labels no better than the shares of the classes do ({losses}): what the "
            f"features tell may be missed, and what an attacker gains from them too"
        ]
    if eta.metric == "score":
        return [
            f"the model guesses labels no better than the shares of the classes do ({losses}): either the features "
            f"tell next to nothing, or it does not find what they tell"
        ]
    worthless = "estimates mean little" if command == "advantage" else "upper limits mean nothing"
    return [
        f"neighbours guess labels no better than the shares of the classes do ({losses}): either the features tell "
        f"next to nothing, or distances hide what they tell, and then {worthless}; leave out columns that tell "
        f"nothing, or ask few at a time"
    ]
