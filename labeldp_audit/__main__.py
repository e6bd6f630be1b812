"""`python -m labeldp_audit`, and what the installed command calls."""

from __future__ import annotations


def main() -> int:
    from .cli.app import main as door

    return door()


if __name__ == "__main__":
    raise SystemExit(main())
