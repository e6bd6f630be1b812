"""Machine code of a function, kept for the next run wherever that is possible.

numba keeps it beside the package or in the user's cache folder. Where neither can be written it gives up with an
error, on a full disk too, and a damaged file would be read; here each of these only costs the compilation. The cache
knows the file of the function alone: after changing one that it calls, remove __pycache__.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any], **more: Any) -> Any:
    try:
        dispatcher = njit(function, nogil=True, cache=True, **more)
    except RuntimeError:  # no folder to keep it in
        return njit(function, nogil=True, **more)
    cache = getattr(dispatcher, "_cache", None)
    for name in ("load_overload", "save_overload"):
        if hasattr(cache, name):
            setattr(cache, name, _forgiving(getattr(cache, name)))
    return dispatcher


def carefree(function: Callable[..., Any]) -> Any:
    """Dividing by zero gives what floats have for it. To look first whether it is one costs loops their vectors."""
    return compiled(function, error_model="numpy")


def inlined(function: Callable[..., Any]) -> Any:
    """Compiled into its callers: a call would cost more than what it does."""
    return njit(function, nogil=True, inline="always")


def _forgiving(use_cache: Callable[..., Any]) -> Callable[..., Any]:
    """None, which to numba means that nothing is kept, instead of an error."""

    def forgiving(*arguments: Any) -> Any:
        try:
            return use_cache(*arguments)
        except Exception:
            return None

    return forgiving
