"""`release`: what was typed becomes a protected table beside its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Any

import typer

from ..core.errors import SpecError
from ..core.quoting import plain
from ..core.registry import rounded
from ..core.release import ANYBODY, PEER
from ..engines import machine
from ..reports.formats.call import quoted
from ..reports.formats.spelling import short
from ..reports.words import listed
from . import configuration, terminal

_FEW = 6  # classes that are named
_READ = ("delimiter", "decimal", "no_header", "drop_null_labels", "order")  # how a table and its release are read
_VIEWERS = {ANYBODY: "anybody who reads it", PEER: "the other people in it"}


def perform(context: typer.Context) -> int:
    asked = configuration.begin(context, data="argument DATA", to="--to FILE")
    if asked is None:
        return terminal.FINE
    data = context.params["data"]
    insecure = bool(asked["insecure_for_testing"])
    if asked.origins["seed"] != configuration.DEFAULT and not insecure:
        hint = "a release that can be repeated protects nothing; --insecure-for-testing allows one"
        raise SpecError("--seed is not for releases", hint=hint)
    machine.check_addresses()
    from ..audits import release
    from ..data import write
    from ..reports import sentences

    settings, to = asked.settings(), Path(asked["to"])
    force = bool(asked["force"])
    places = release.check_places(data, settings, to, force)
    with terminal.watched(bool(asked["quiet"])) as progress:
        keep_order = bool(asked["keep_order"])
        made = release.prepare(
            data, settings, progress, keep_order=keep_order, insecure=insecure, folder=to.absolute().parent
        )
        terminal.warn(map(sentences.sentence, made.remarks), bool(asked["quiet"]))
        files = release.files(made, data, settings, to, progress)
        write.write_all(files, places=places, new=not force)
        if made.heterogeneity is not None and not asked["quiet"]:
            low, high = made.heterogeneity
            phi = f"between {low:.2f} and {high:.2f} of 2: how much labels depend on features inside a cluster"
            terminal.say(f"heterogeneity, for you alone as it depends on labels: {phi}")
    whole = asked["format"] == "json"
    manifest, following = release.plain(made.manifest), _next(asked, data, to)
    terminal.show(
        json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        if whole
        else _text(manifest, to, following if made.mechanism.law_known else following[1:])
    )
    if not asked["quiet"]:
        terminal.say(f"wrote {', '.join(str(one.path) for one in files)}")
    return terminal.FINE


def _text(manifest: Mapping[str, Any], to: Path, following: Sequence[str]) -> str:
    """What was released, what it spends, what it does not promise, and what to do next."""
    from ..audits import release

    label, table = manifest["label"], manifest["table"]
    lines = [
        f"{to.name}  {table['rows']:,} rows  label {label['column']} ({_listed(label['classes'])})",
        *_released(manifest),
        "",
        *_kept(manifest["learner"]),
        "what the features alone tell about a label is not protected, and no epsilon counts it",
    ]
    if manifest["guarantees"]:
        lines.append(_of_people(manifest))
    if left_out := table["not_published"]:
        lines.append(f"not published: {plain(listed(left_out, _FEW))}")
    lines.append(f"manifest: {release.beside(to)[0]}")
    lines += [f"{'      ' if i else 'next: '}{one}" for i, one in enumerate(following)]
    return "\n".join(lines) + "\n"


def _next(asked: configuration.Configuration, data: str, to: Path) -> list[str]:
    """The calls that check and attack the release, with what was typed of how the table is read."""
    read, features = (configuration.typed_options(asked, names) for names in (_READ, ("categorical", "exclude")))
    return [
        quoted(["labeldp-audit", "verify", str(to), "--original", data, *read]),
        quoted(["labeldp-audit", "attack", data, str(to), *read, *features]),
    ]


def _of_people(manifest: Mapping[str, Any]) -> str:
    """What a person spends who has several rows."""
    if "people" not in manifest:
        return "each row counts as one person: m rows of one person spend m times as much (--group COLUMN counts them)"
    most, column, epsilon = (manifest["people"][name] for name in ("most_rows", "column", "epsilon"))
    spent = f"{most:,} times as much" if epsilon is None else f"epsilon {short(epsilon, ROUND_CEILING, 6)}"
    return f"a person has up to {most:,} rows by {column}, and spends up to {spent}"


def _listed(classes: Sequence[str]) -> str:
    few = ", ".join(classes[:_FEW])
    return few if len(classes) <= _FEW else f"{few} and {len(classes) - _FEW} more"


def _kept(learner: Mapping[str, Any]) -> list[str]:
    """How often labels stay what they are, where one channel replaces all of them."""
    channel = learner.get("channel")
    if not channel or len(channel) > len(channel[0]):
        return []
    least, most = (pick(row[c] for c, row in enumerate(channel)) for pick in (min, max))
    share = f"{least:.1%}" if least == most else f"{least:.1%} to {most:.1%}"
    return [f"a label stays what it is with probability {share.replace('%', ' %')}"]


def _released(manifest: Mapping[str, Any]) -> list[str]:
    """The guarantees, in a few words; several of them a line each."""
    from ..audits import release

    each = " for each row" if manifest.get("people", {}).get("most_rows", 1) > 1 else ""
    said, guarantees = f"RELEASED by {rounded(manifest['mechanism'])}", manifest["guarantees"]
    if manifest["randomness"] == release.SEEDED:
        return [
            f"FOR TESTS ONLY: drawn from a seed by {rounded(manifest['mechanism'])}.",
            "Whoever knows the seed knows the labels.",
        ]
    guarantees = [one for one in guarantees if not _is_said(one, guarantees)]
    if not guarantees:
        return [f"{said}: no epsilon.", "Who knows all other labels of a bag reads the last one off its count."]
    if len(guarantees) == 1:
        return [f"{said}: {_spent(guarantees[0], each)}."]
    return [f"{said}:", *(f"  {_spent(one, each)}" for one in guarantees)]


def _is_said(one: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it says nothing, as a delta of 1 does, or nothing beyond another one for the same viewer."""

    def strength(some: Mapping[str, Any]) -> tuple[float, float]:  # as it is printed
        return float(f"{float(some['epsilon']):.6g}"), float(some["delta"])

    epsilon, delta = strength(one)
    better = (strength(other) for other in others if other["viewer"] == one["viewer"])
    return delta >= 1 or any(e <= epsilon and d <= delta and (e, d) != (epsilon, delta) for e, d in better)


def _spent(one: Mapping[str, Any], each: str = "") -> str:
    """No less than what is spent: the manifest has every digit."""
    delta = f", delta {short(one['delta'], ROUND_CEILING, 3)}" if one["delta"] else ""
    epsilon = one["epsilon"] if isinstance(one["epsilon"], str) else short(one["epsilon"], ROUND_CEILING, 6)
    return f"epsilon {epsilon}{delta}{each} for {_VIEWERS[one['viewer']]}"
