"""Where independent blocks run: threads here, a cluster later; same numbers either way.

Blocks must not depend on each other and results are handed back in the order of the blocks, so that the number of
threads changes nothing but the time.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

Block = TypeVar("Block")
Result = TypeVar("Result")


class Progress(Protocol):
    """Told what is being done. The door shows it; everything else may ignore it."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins: `total` units of work, or None where nobody knows yet."""

    def advance(self, amount: float) -> None:
        """So much of the stage has been done."""


class Silent:
    """Progress that nobody watches."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        pass

    def advance(self, amount: float) -> None:
        pass


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


def run(work: Callable[[Block], Result], blocks: Iterable[Block], threads: int) -> Iterator[Result]:
    """work(block) for each block, at most `threads` at a time; results in the order of the blocks.

    Few blocks are in flight at once, so memory does not grow with their number; an interrupt waits for these alone.
    """
    if threads <= 1:
        yield from map(work, blocks)
        return
    pool = ThreadPoolExecutor(threads)
    flying: deque[Future[Result]] = deque()
    try:
        for block in blocks:
            flying.append(pool.submit(work, block))
            if len(flying) > 2 * threads:
                yield flying.popleft().result()
        while flying:
            yield flying.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
