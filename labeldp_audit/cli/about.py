"""What the program says of itself: its version, its manual page, how shells complete it."""

from __future__ import annotations

from collections.abc import Mapping


def told(given: Mapping[str, object]) -> str:
    """given: what was typed; one thing, and perhaps --verbose."""
    if given.get("version"):
        from . import versions

        return versions.told(bool(given.get("verbose")))
    if given.get("man"):
        from . import manual

        return manual.page()
    from . import shells

    if "show_completion" in given:
        return shells.script(shells.named(str(given["show_completion"])))
    return shells.install(shells.named(str(given["install_completion"])))
