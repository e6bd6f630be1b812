"""Where a policy is written: on the command line, in a configuration, in a file of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..audits import judging
from ..core.errors import SpecError
from ..core.policy import Policy
from ..policy import files
from ..policy.files import POLICY
from ..questions.every import QUANTITIES
from . import configuration
from .configuration import Configuration

_EXAMPLE = "for example --fail-if 'advantage.high > 0.05', or fail_if under [policy] in labeldp-audit.toml"


def policy_of(asked: Configuration) -> Policy | None:
    """Lines that were typed stand in for those of the configuration file, and beside those of --policy."""
    if "fail_if" not in asked.values:
        return None
    known, named = files.Known(QUANTITIES, judging.check), asked["policy"]
    lines = files.read(asked["fail_if"], asked.origins["fail_if"], known)
    kept = files.from_file(Path(named), known) if named else _configured(asked.file, bool(lines), known)
    if named or not lines:
        lines = (*lines, *kept.lines)
    return replace(kept, lines=lines) if lines else None


def _configured(path: Path | None, typed: bool, known: files.Known) -> Policy:
    """A policy without lines is a mistake, unless lines were typed beside its waivers."""
    found = configuration.section(path).get(POLICY) if path else None
    if found is None or path is None:
        return Policy(())
    kept = files.from_table(found, path, known)
    if not kept.lines and not typed:
        raise SpecError("no fail_if in the policy: nothing would be judged", path, hint=_EXAMPLE)
    return kept


def wanted(found: Policy | None) -> Policy:
    if found is None:
        raise SpecError("no policy: nothing says what blocks a release", hint=_EXAMPLE)
    return found


def unread(asked: Configuration) -> str:
    """A warning where --policy names a file that says more than its policy, of which nothing else is read."""
    named = asked.values.get("policy")
    if not named or (asked.file is not None and asked.file.resolve() == Path(named).resolve()):
        return ""
    section = configuration.section(Path(named))
    more = [key for key in section if key.replace("-", "_") in asked.keys] if POLICY in section else []
    return f"{named} also says {', '.join(more)}: --policy reads the policy alone; --config reads all" if more else ""


def shown(found: Policy | None) -> str:
    """As the end of a configuration file."""
    if found is None:
        return ""
    lines = ["", f"[{POLICY}]"]
    lines += [f"confidence = {found.confidence}"] if found.confidence else []
    lines += ["fail_if = ["]
    lines += [f"  {configuration.quoted(line.text)}," for line in found.lines] + ["]"]
    for one in found.waivers:
        lines += [
            "", f"[[{POLICY}.waiver]]", f"quantity = {configuration.quoted(one.quantity)}",
            f'dataset = "sha256:{one.dataset}"', f"until = {one.until.isoformat()}",
            f"reason = {configuration.quoted(one.reason)}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"
