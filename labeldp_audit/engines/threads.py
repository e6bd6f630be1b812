"""Where independent blocks run: threads here, a cluster later; same numbers either way.

Blocks must not depend on each other and results are handed back in the order of the blocks, so that the number of
threads changes nothing but the time.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
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


@lru_cache(1)
def _blas_libraries(modules: int) -> Any:
    """Find those that are loaded; anew once there are more modules, as each may bring one of its own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_BLAS = threading.Lock()
_limits: list[Any] = []  # one for each who is inside; the first holds what was before


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Around all that makes numbers of a report: same bytes whatever OMP_NUM_THREADS is, as the order in which BLAS
    adds depends on it. This holds for the whole process; the last to leave lifts it, so that learners that run side
    by side do not lift it for each other."""
    import scipy.linalg  # noqa: F401  # its BLAS is another one, and only libraries that are loaded are limited

    with _BLAS:
        _limits.append(None if _limits else _blas_libraries(len(sys.modules)).limit(limits=1))
    try:
        yield
    finally:
        with _BLAS:
            first = _limits[0]
            _limits.pop()
            if not _limits:
                first.restore_original_limits()
