"""How to read a report: sentences that explain its numbers to the person who publishes the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ...core.eta import EtaSummary
from ...core.finding import Bound, Finding
from ...core.report import Report
from . import attacker, compared, curves, gains, phrases, spelling
from .headline import too_wide
from .spelling import count, high, low, nats, plain, share, short

_CLASSES = 6  # whose chances a sentence names
_TAUS = (1.0, 3.0, 6.0)  # examples of what tau does to odds; the middle one is spelled out


def before_tables(report: Report) -> tuple[str, ...]:
    """What has to be known before what a release adds can be read."""
    return _said(report, (attacker.before, attacker.classes_alike)) if gains.gains_of(report) else ()


def sentences(report: Report) -> tuple[str, ...]:
    return _said(report, _SENTENCES)


def of_losses(report: Report) -> tuple[str, ...]:
    """What belongs beside the curves."""
    return _said(report, (_noise, _odds, _width, _average)) if curves.curves_of(report) else ()


def of_the_worst(report: Report) -> tuple[str, ...]:
    """What belongs beside the largest losses."""
    return _said(report, (_infinite, *(() if curves.curves_of(report) else (_average, _odds))))


def of_gains(report: Report) -> tuple[str, ...]:
    return _said(report, attacker.AFTER_TABLES)


def of_features(report: Report) -> tuple[str, ...]:
    """What was estimated of labels, given the features."""
    return _said(report, (_spread, _of_classes, _bracket))


def _said(report: Report, asked: Sequence[Callable[[Report], str]]) -> tuple[str, ...]:
    found = (sentence(report) for sentence in asked)
    return tuple(plain(sentence) for sentence in found if sentence)


def _noise(report: Report) -> str:
    found = curves.curves_of(compared.planned(report))
    curve = curves.strongest(found) if found else None
    if curve is None or curve.epsilon is None or curve.pi is None:
        return ""
    if math.isinf(curve.epsilon):
        return f"{curve.mechanism} publishes every label as it is: everybody's loss is infinite."
    return (
        f"{curve.mechanism} flips each label with probability {short(curve.pi, digits=3)} and promises a loss of at "
        f"most {nats(curve.epsilon)} to people whose features nobody knows. Here they are known: the loss is what "
        f"features and released label tell together, averaged over label and noise."
    )


def _odds(report: Report) -> str:
    """e^tau as a factor, and what the middle example does to the rarer label."""
    prior = report.dataset.prior
    if len(prior) != 2 or not _asked(report, curves.QUANTITY, "nu_max", "mean_loss"):
        return ""
    factors = ", ".join(f"{nats(tau) if tau == 1 else short(tau)}: ×{spelling.factor(tau)}" for tau in _TAUS)
    part, factor = min(prior), math.exp(_TAUS[1])
    after = part * factor / (1 - part + part * factor)
    return (
        f"A loss of tau multiplies an attacker's odds on the true label by e^tau ({factors}): at tau = "
        f"{short(_TAUS[1])} a label that {share(part)} of people have becomes {share(after)} likely."
    )


def _width(report: Report) -> str:
    found = curves.curves_of(compared.planned(report))
    if not found:
        return ""
    _, bound = curves.strongest(found).decisive()
    if not too_wide(bound) or report.eta.k is None:
        return ""
    who, wider = "neighbours a row", "wider neighbourhoods"
    if phrases.scored(report):
        who, wider = "rows with like scores", "rows whose scores are less alike"
    return (
        f"The lower ends of the intervals are what the data shows of such averages; everything above them is what "
        f"{count(report.eta.k)} {who} cannot rule out, not what is known. More rows narrow them. A "
        f"larger --k does too, but over {wider}, which hide more of those who stand out."
    )


def _infinite(report: Report) -> str:
    """Why nu_max is infinite, or is not but has no upper limit."""
    found = [one for one in _asked(report, "nu_max") if one.bound.estimate == math.inf and not _in_the_clear(one)]
    if not found:
        return ""
    return (
        f"The estimate is infinite because {_pure(report.eta)}: there the features may give the label "
        f"away, and no noise on the labels would hide it.{_doubt(report.eta)}"
    )


def _average(report: Report) -> str:
    """An average has no upper limit: this is as true of a finite estimate."""
    found = [one for one in _asked(report, "mean_loss", "jeffreys", "weighted_jeffreys") if not _in_the_clear(one)]
    if not any(one.bound.high == math.inf for one in found):
        return ""
    said = (
        "No upper limit exists for the average loss: one person whose features give the label away makes it infinite."
    )
    if any(one.bound.estimate == math.inf for one in found):
        said += f" Where an estimate is infinite, it is because {_pure(report.eta)}.{_doubt(report.eta)}"
    return f"{said} What is shown are the lower limits."


def _pure(eta: EtaSummary) -> str:
    if eta.given:
        return "somebody's given probabilities allow one class only"
    if eta.metric == "score":
        return "labels of one class only came where scores had let some of another be expected"
    many = f"{count(eta.one_class)} of {count(eta.queries)}" if eta.one_class else "some"
    return f"{many} neighbourhoods hold one class only"


def _doubt(eta: EtaSummary) -> str:
    if eta.k is None:
        return ""
    where = "there" if eta.metric == "score" else f"among {count(eta.k)} neighbours"
    return f" One class {where} is a sign of that, not proof."


def _spread(report: Report) -> str:
    found = {finding.quantity: finding.bound for finding in report.findings}
    least, most = found.get("eta_min"), found.get("eta_max")
    if least is None or most is None or len(report.dataset.prior) != 2:
        return ""
    return (
        f"Given the features, the chance of the label {report.dataset.positive} {_runs(report.eta)} from "
        f"{short(least.estimate)} to {short(most.estimate)}{_shown(report.eta, least, most)}. Without them it is "
        f"{short(report.dataset.prior[1])}."
    )


def _runs(eta: EtaSummary) -> str:
    return "runs, as given," if eta.given else "is estimated to run"


def _shown(eta: EtaSummary, least: Bound, most: Bound) -> str:
    if eta.given or least.high is None or most.low is None:
        return ""
    return f"; shown: at most {high(least)} for some people, at least {low(most)} for some"


def _of_classes(report: Report) -> str:
    """The same for each of many classes."""
    ends: dict[str, dict[str, Bound]] = {}
    for finding in _asked(report, "eta_min", "eta_max"):
        ends.setdefault(str(finding.at.get("class", "")), {})[finding.quantity] = finding.bound
    said = [f"{name} from {_run(pair, report.eta)}" for name, pair in ends.items() if name and len(pair) == 2]
    if not said:
        return ""
    rest = f"; and {count(len(said) - _CLASSES)} more" if len(said) > _CLASSES else ""
    source = "given" if report.eta.given else "estimated"
    return f"Chances of each label given the features, as {source}: {'; '.join(said[:_CLASSES])}{rest}."


def _run(pair: Mapping[str, Bound], eta: EtaSummary) -> str:
    least, most = pair["eta_min"], pair["eta_max"]
    shown = _shown(eta, least, most).replace("; shown: ", ", shown: ")
    return f"{short(least.estimate)} to {short(most.estimate)}{shown}"


def _bracket(report: Report) -> str:
    """Where no release is judged; with one it stands above its table."""
    if gains.gains_of(report):
        return ""
    return " ".join(filter(None, (attacker.bracket(report), attacker.classes_alike(report))))


def _asked(report: Report, *quantities: str) -> Sequence[Finding]:
    return [one for one in report.findings if one.quantity in quantities and one.bound.estimate is not None]


def _in_the_clear(finding: Finding) -> bool:
    return finding.at.get("epsilon") == math.inf


_SENTENCES: tuple[Callable[[Report], str], ...] = (
    _noise, _width, _infinite, _average, _spread, _of_classes, _bracket, _odds, *attacker.AFTER_TABLES,
)  # fmt: skip
