"""What readers see, kept as files. UPDATE_GOLDEN=1 writes them anew: look at the difference before it is committed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labeldp_audit.reports import formats

FILES = {
    "certified-j.txt": "certified_tail", "joint.md": "joint_report",
    **{f"nu-max.{name}": "worst_report" for name in ("json", "csv")},
    **{f"estimate-eta.{name}": "eta_report" for name in ("json", "csv")},  # with a quantity that nobody knows yet
    **{f"advantage.{name}": "gain_report" for name in ("json", "csv")}, "certified-advantage.json": "certified_gain",
    **{f"{name}.screen.txt": f"{name}_report" for name in ("tail", "worst", "eta", "gain", "given", "joint", "tuned")},
}  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_what_readers_see(request: pytest.FixtureRequest, golden: Callable[[str, str], None], file: str) -> None:
    report, form = request.getfixturevalue(FILES[file]), formats.of_ending(file.rpartition(".")[2])
    golden(file, formats.screen(report) if ".screen." in file else formats.render(form, report))
