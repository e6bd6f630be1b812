"""A cache that cannot be used costs time and nothing else."""

from __future__ import annotations

import pytest

from labeldp_audit.core import compiled as module
from labeldp_audit.core.compiled import compiled


def twice(x):
    return 2 * x


def test_results_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert compiled(twice)(21) == 42
    kept = list(tmp_path.rglob("*.nbc"))
    assert len(kept) == 1
    again = compiled(twice)
    assert again(21) == 42
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_damaged_cache_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    compiled(twice)(21)
    for path in tmp_path.rglob("*.nb?"):
        path.write_bytes(b"\x00 not what it was")
    assert compiled(twice)(21) == 42


def test_no_folder_to_keep_it_in(monkeypatch):
    real = module.njit

    def nowhere(function, **options):
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(function, **options)

    monkeypatch.setattr(module, "njit", nowhere)
    assert compiled(twice)(21) == 42


def test_a_full_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert compiled(twice)(21) == 42


@pytest.mark.parametrize("value", [0, 1, 7])
def test_inlined_code_does_the_same(value):
    assert module.inlined(twice)(value) == 2 * value
