"""Which table is it? SHA-256 of its bytes, as reports name it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

MEGABYTE = 1 << 20


def of_stream(file: BinaryIO) -> str:
    return of_blocks(blocks_of(file))


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(MEGABYTE):
        yield block


def of_blocks(blocks: Iterable[Any], stopped: Callable[[], bool] = lambda: False) -> str:
    """blocks: of bytes, or of what shows its bytes as they are in memory."""
    hashed = hashlib.sha256()
    for block in blocks:
        if stopped():
            break
        hashed.update(block)
    return hashed.hexdigest()


def of_parts(parts: Iterable[tuple[str, str]]) -> str:
    """Name and digest of each: of one its digest, of many that of the sorted list."""
    known = list(parts)
    if len(known) == 1:
        return known[0][1]
    lines = sorted(f"{name}\0{digest}\n" for name, digest in known)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
