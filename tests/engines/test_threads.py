"""Threads change the time and no number."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest
import threadpoolctl
from threadpoolctl import threadpool_info

from labeldp_audit.audits import calls, evidence, judging
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.engines.threads import in_threads, one_blas_thread


def test_blocks_run_side_by_side_in_their_order_and_few_are_in_flight():
    both, begun = threading.Barrier(2, timeout=10), []

    def blocks():
        for block in range(20):
            begun.append(block)
            yield block

    def work(block):
        both.wait()
        return block

    for result in in_threads(work, blocks(), 2):
        assert len(begun) - result <= 5
    assert result == 19 == begun[-1]


def blas_threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_blas_has_one_thread_until_the_last_has_left():
    with one_blas_thread():
        pass  # loads what will be limited
    before = blas_threads()
    with one_blas_thread():
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_libraries_that_are_loaded_later_are_limited_too(monkeypatch):
    looked = []
    with one_blas_thread():
        pass
    monkeypatch.setattr(threadpoolctl.ThreadpoolController, "_load_libraries", lambda _: looked.append(True))
    with one_blas_thread():
        pass
    assert looked == []
    monkeypatch.setitem(sys.modules, "loaded_later", ModuleType("loaded_later"))
    with one_blas_thread():
        pass
    assert len(looked) == 1


@pytest.mark.parametrize("command", [one for one in calls.COMMANDS if one not in ("verify", "attack")])
def test_all_that_makes_numbers_runs_on_one(command, monkeypatch):
    """Sums of more than 10 000 terms would depend on OMP_NUM_THREADS in the last digit."""

    class Seen(Exception):
        pass

    def look(*_, **__):
        raise Seen(blas_threads())

    monkeypatch.setattr(evidence, "read_and_estimate", look)
    line = ("advantage.high > 0.05",) if command in ("check", "tune") else ()
    mechanism = ("rr",) if command == "tune" else Settings.mechanism
    settings = Settings(mechanism=mechanism, policy=judging.policy_of(line))
    with pytest.raises(Seen) as seen:
        calls.COMMANDS[command][0]("t.csv", settings, Silent())
    assert set(seen.value.args[0]) == {1}
