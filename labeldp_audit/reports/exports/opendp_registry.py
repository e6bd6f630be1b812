"""A draft of a record of OpenDP's registry of deployments of differential privacy, as YAML.

Schema: https://github.com/opendp/deployments-registry-data, schemas/deployments-schema.yaml. What only the publisher
can say begins with FILL IN; where the registry takes one of a few words or a date, it refuses the draft until that is
done. Strings are Markdown there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import SpecError
from ...core.quoting import plain
from ...core.release import ANYBODY
from ...core.report import COMPARED, TOOL, Report
from ..formats.json import visible
from ..formats.spelling import count, exact

FILL = "FILL IN"
_OPERATING_SYSTEM = "operating-system"  # where a manifest's noise comes from
_SHOWN = 200  # columns that are named
_NO_EPSILON = "no epsilon holds, so it is no deployment of differential privacy"


@dataclass(frozen=True)
class _Deployment:
    """What a record is made of."""

    name: str
    label: str
    classes: Sequence[str]
    columns: Sequence[str]  # that are published as they are
    rows: int
    mechanism: str
    guarantees: Sequence[Mapping[str, Any]]  # as in a manifest
    version: str
    bags: bool = False
    beside: Sequence[str] = ()  # columns that say how each label was drawn
    drawn: bool = False  # it is out, and was drawn as we draw
    most_rows: int = 1  # of one person, where that was counted


def of_report(report: Report) -> str:
    """Of a report that judges one mechanism and knows its epsilon."""
    compared = report.parameters.get(COMPARED, ())
    found = [one for one in report.findings if one.mechanism and one.mechanism not in compared]  # type: ignore[operator]
    specs = list(dict.fromkeys(one.mechanism for one in found))
    if len(specs) != 1:
        named = ", ".join(map(str, specs)) or "none"
        raise SpecError(f"a record is about one mechanism, and the report judges {named}", hint="audit one alone")
    known = [one for one in found if one.bag is not None]
    if not known or not report.dataset.columns:
        hint = "audit the table, or export the manifest of the release"
        raise SpecError("the report does not tell epsilon and columns", hint=hint)
    if known[0].claim is None or math.isinf(known[0].claim):
        raise SpecError(_NO_EPSILON, specs[0])
    data = report.dataset
    columns = [one.name for one in data.columns if one.role != "label"]
    guarantees = [{"epsilon": known[0].claim, "delta": 0.0, "viewer": ANYBODY, "theorem": "", "assumptions": []}]
    return _text(_Deployment(
        data.name, data.label, data.classes, columns, data.rows_used, str(specs[0]), guarantees, report.version,
        bags=(known[0].bag or 1) > 1,
    ))  # fmt: skip


def of_manifest(manifest: Mapping[str, Any], name: str) -> str:
    if not manifest["guarantees"]:
        raise SpecError(_NO_EPSILON, str(manifest["mechanism"]))
    if manifest.get("randomness") != _OPERATING_SYSTEM:
        raise SpecError("a release that was drawn from a seed protects nothing", name)
    if "columns" not in manifest["table"]:
        raise SpecError("the manifest does not name the columns", name, hint="release the table with this version")
    try:
        return _text(_described(manifest, name))
    except (KeyError, TypeError, ValueError, AttributeError):  # somebody wrote in it
        raise SpecError("the manifest is not as `release` wrote it", name) from None


def _described(manifest: Mapping[str, Any], name: str) -> _Deployment:
    table, label, published = manifest["table"], manifest["label"], manifest["published"]
    return _Deployment(
        name, label["column"], label["classes"], list(table["columns"]), int(table["rows"]), manifest["mechanism"],
        manifest["guarantees"], str(manifest["tool"]["version"]), bags=published["as"] == "bags",
        beside=[one for one in published["columns"] if published["as"] == "labels" and one != label["column"]],
        drawn=True, most_rows=int(manifest.get("people", {}).get("most_rows", 1)),
    )  # fmt: skip


# ---- the record


def _text(made: _Deployment) -> str:
    head = f"# A draft by {TOOL} {plain(made.version)}: {FILL} stands where only the publisher knows."
    return "\n".join((head, *_yaml(_record(made)))) + "\n"


def _record(made: _Deployment) -> Mapping[str, Any]:
    return {
        "url_slug": re.sub(r"[^a-z0-9]+", "_", made.name.lower()).strip("_") or "release",
        "deployment": {
            "basic": {
                "name": _code(made.name),
                "data_curators": [
                    {"data_curator_name": FILL, "data_curator_type": f"{FILL}: Government, Industry or Nonprofit"}
                ],
                "description": f"A table of {count(made.rows)} rows whose label {_code(made.label)} is protected by "
                f"{_code(made.mechanism)}.",
                "intended_use": FILL,
                "data_product_type": "Dataset",
                "data_product_region": FILL,
                "publication_date": f"{FILL}: YYYY-MM-DD",
            },
            "dp_variant": _variant(made),
            "privacy_loss": _loss(made),
            "deployment_model": {
                "model_name": "Central",
                "model_name_details": "The publisher holds the true labels and draws what is published.",
                "release_type": "One release",
                "release_type_details": f"{FILL}: a further release of the same labels spends its epsilon once more.",
                "data_source_type": "Static",
                "access_type": "Non-interactive",
            },
            "implementation": {
                "mechanisms": _drawn(made),
                "composition": "The epsilon is that of the whole release, all steps of the mechanism together.",
            },
            "administrative": {"status": "Draft", "registry_authors": [FILL], "tier": 2},
        },
    }  # fmt: skip


def _variant(made: _Deployment) -> Mapping[str, Any]:
    return {
        "variant_name": "Approximate DP" if _main(made)["delta"] else "Pure DP",
        "data_domain": f"Tables of these rows and these other cells, with any label {_code(made.label)} for each row, "
        f"one of {', '.join(map(_code, made.classes))}.",
        "unprotected_quantities": " ".join(_unprotected(made)),
    }


def _unprotected(made: _Deployment) -> Iterator[str]:
    listed = ", ".join(map(_code, made.columns[:_SHOWN]))
    left = len(made.columns) - _SHOWN
    listed += f" and {count(left)} more" if left > 0 else ""
    if not made.drawn:
        yield f"{FILL}: which columns beside the label are published as they are, of these: {listed}."
    elif listed:
        yield f"Every column beside the label, published as it is: {listed}."
    if listed:
        yield "What these features tell about a label is not protected, and no epsilon counts it."
    if made.beside:
        yield f"By which law each label was drawn: {', '.join(map(_code, made.beside))}."
    if made.bags:
        yield "Which rows share a bag."
    yield f"The number of rows{' and who is in the table' if listed else ''}."


def _loss(made: _Deployment) -> Mapping[str, Any]:
    main = _main(made)
    known = {name: float(main[name]) for name in ("epsilon", "delta") if name == "epsilon" or main[name]}
    people = (
        f"A person has up to {count(made.most_rows)} rows, and spends up to {count(made.most_rows)} times as much."
        if made.most_rows > 1
        else "Who has m rows spends m times as much."
    )
    return {
        "privacy_unit": "the label of one row",
        "privacy_unit_details": f"Two tables are adjacent if they differ in the label {_code(made.label)} of one row "
        f"and in nothing else (label differential privacy). {people}",
        "number_of_privacy_units": made.rows,
        "privacy_parameters": known,
        "privacy_parameters_details": " ".join(map(_guarantee, made.guarantees)),
    }


def _main(made: _Deployment) -> Mapping[str, Any]:
    """What holds for whoever reads the release; what others in it may see stands in the details."""
    return next((one for one in made.guarantees if one["viewer"] == ANYBODY), made.guarantees[0])


def _guarantee(one: Mapping[str, Any]) -> str:
    delta = f", delta {exact(one['delta'])}" if one["delta"] else ""
    source = f" ({plain(one['theorem'])})" if one["theorem"] else ""
    assumed = f", assuming: {'; '.join(map(plain, one['assumptions']))}" if one["assumptions"] else ""
    return f"Epsilon {exact(one['epsilon'])}{delta} for {plain(one['viewer'])}{source}{assumed}."


def _drawn(made: _Deployment) -> str:
    if not made.drawn:
        return f"{_code(made.mechanism)}. {FILL}: how the release was drawn; {TOOL} audited it before that."
    return (
        f"{_code(made.mechanism)}, drawn by {TOOL} {plain(made.version)}: noise is the operating system's and made of "
        "whole numbers, so that rounding gives nothing away."
    )


def _code(text: str) -> str:
    """Other people's words, in which nothing is markup or a formula."""
    return f"`{plain(text).replace('`', chr(39))}`"


# ---- YAML


def _yaml(values: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Blocks; lists and words as JSON writes them, which is YAML too."""
    for key, value in values.items():
        head = f"{'  ' * depth}{key}:"
        if isinstance(value, Mapping):
            yield head
            yield from _yaml(value, depth + 1)
        else:
            yield f"{head} {_scalar(value)}"


def _scalar(value: object) -> str:
    text = visible(json.dumps(value, ensure_ascii=False, allow_nan=False))
    # YAML 1.1 takes 1e-10 for a word, and 1.0e-10 for a number.
    return re.sub(r"^(-?\d+)e", r"\1.0e", text) if isinstance(value, float) else text
