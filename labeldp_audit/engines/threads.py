"""Where independent blocks run: threads here, a cluster later; same numbers either way.

Blocks must not depend on each other and results are handed back in the order of the blocks, so that the number of
threads changes nothing but the time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Block = TypeVar("Block")
Result = TypeVar("Result")


def in_threads(work: Callable[[Block], Result], blocks: Iterable[Block], threads: int) -> Iterator[Result]:
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


# ---- sums of BLAS


class _Limit:
    """BLAS on one thread, as the order of its sums depends on their number. This holds for the whole process; whoever
    leaves last lifts it, so that learners that run side by side do not lift it for each other."""

    def __init__(self) -> None:
        self.lock, self.users = threading.Lock(), 0
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.limit = _one_thread()

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                self.limit.restore_original_limits()


def _one_thread() -> Any:
    import scipy.linalg  # noqa: F401  # its BLAS is another one, and only libraries that are loaded are limited
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Around all that makes numbers of a report: same bytes whatever OMP_NUM_THREADS is."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
