"""`python -m labeldp_audit`, and what the installed command calls."""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType
from typing import NoReturn


def main() -> int:
    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) is not signal.SIG_IGN:  # as under nohup
            signal.signal(each, _leave)
    from .cli.app import main as door

    return door()


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """While the rest is still loading there is nothing to tidy."""
    with contextlib.suppress(OSError):
        os.write(2, b"labeldp-audit: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    raise SystemExit(main())
