"""Which table is it? SHA-256 of its bytes, as reports name it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def of_parts(parts: Iterable[tuple[str, str]]) -> str:
    """Name and digest of each: of one its digest, of many that of the sorted list."""
    known = list(parts)
    if len(known) == 1:
        return known[0][1]
    lines = sorted(f"{name}\0{digest}\n" for name, digest in known)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
