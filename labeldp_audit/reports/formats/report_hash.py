"""A report's own hash, by which a changed one is known. It is no signature: a forger can seal anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

KEY = "seal"


def hash_of(document: Mapping[str, object]) -> str:
    """A hash of all but itself; spaces and the order of keys do not matter."""
    rest = {key: value for key, value in document.items() if key != KEY}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
