"""What this machine has: cores and memory."""

from __future__ import annotations

import ctypes
import os

from ..core.errors import DataError

ENCODED = "the encoded table needs", "--exclude columns that are no features, or audit fewer rows"
# An audit of 300 rows took 2.2 to 2.3 GB of them, with 1 to 16 threads of BLAS and OpenMP on two cores; and some more.
ADDRESSES = 2_600_000_000
_RAISE = "ulimit -v unlimited; a limit of memory itself, as of a container, is no problem"


def available_cores() -> int:
    """The cores this process may use, which a container may have cut."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def give_back_memory() -> None:
    """What was let go goes back to the system; glibc keeps pieces that large arrays no longer fit into."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def check_memory(needed: int, of: tuple[str, str]) -> None:
    """Before the work, not after half of it."""
    there = installed_memory()
    if there is not None and needed > there:
        what, hint = of
        memory = f"{needed / 1e9:,.1f} GB of memory, this machine has {there / 1e9:,.1f} GB"
        raise DataError(f"{what} {memory}", hint=hint)


def check_addresses() -> None:
    """Before numerical libraries are loaded: where they cannot start their threads they end the process with words of
    their own, or wait for ever."""
    if os.name != "posix":
        return
    import resource

    there = resource.getrlimit(resource.RLIMIT_AS)[0]
    if there != resource.RLIM_INFINITY and there < ADDRESSES:
        what = f"not enough memory: ulimit -v leaves {there / 1e9:,.1f} GB of addresses, and libraries take"
        raise DataError(f"{what} {ADDRESSES / 1e9:,.1f} GB of them, most of which they never fill", hint=_RAISE)


def installed_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
