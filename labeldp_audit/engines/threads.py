"""Where independent blocks run: threads here, a cluster later; same numbers either way.

Blocks must not depend on each other and results are handed back in the order of the blocks, so that the number of
threads changes nothing but the time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

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
