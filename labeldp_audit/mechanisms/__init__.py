"""How labels are protected before they are released. One file each, and its name in this list."""

from __future__ import annotations

from ..registry import Registry
from .randomized_response import RandomizedResponse

MECHANISMS: Registry[RandomizedResponse] = Registry("mechanism", (RandomizedResponse,))
