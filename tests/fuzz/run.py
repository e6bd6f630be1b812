"""FUZZ_N hostile inputs from FUZZ_SEED on all cores: prints each failure, and how to see it again.

make fuzz FUZZ_N=10000 FUZZ_SEED=1
python tests/fuzz/run.py --case 17     # one of them: its folder is kept and named
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

# One thread each: forks share no pool of threads with their parent.
os.environ |= {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "LABELDP_AUDIT_THREADS": "1",
    "OMP_WAIT_POLICY": "passive",
}

from fuzz import cases, playing, stock


def prepared() -> stock.Stock:
    for name in [name for name in os.environ if name.startswith("LABELDP_AUDIT_") and name != "LABELDP_AUDIT_THREADS"]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        return stock.made(Path(folder))


def found(seed: int, numbers: Any, all: stock.Stock) -> tuple[list[str], Counter[str]]:
    """What does not hold, and how often each kind of case ended in which status."""
    said, ended = [], Counter[str]()
    for number in numbers:
        case = cases.drawn(seed, number, all)
        played = playing.play(case)
        ended[f"{case.kind}: {played.status}"] += 1
        wrong = list(playing.faults(case, played))
        if wrong:
            last = played.err.decode(errors="replace").strip().splitlines()[:1]
            said.append(f"{case}\n    {'; '.join(wrong)}\n    {str(last)[:300]}")
            print(said[-1].encode(errors="backslashreplace").decode(), flush=True)
    return said, ended


def main() -> int:
    seed, many = int(os.environ.get("FUZZ_SEED", "0")), int(os.environ.get("FUZZ_N", "1000"))
    began = time.monotonic()
    all = prepared()
    if "--case" in sys.argv:
        case = cases.drawn(seed, int(sys.argv[-1]), all)
        folder = Path(tempfile.mkdtemp(prefix="case-"))
        played = playing.play(case, folder)
        print(f"{case}\nin {folder}\n{played.status}\n{played.err.decode(errors='replace')}")
        return 1 if [print(one) for one in playing.faults(case, played)] else 0
    workers = os.cpu_count() or 1
    pipes = []
    for worker in range(workers):
        reader, writer = os.pipe()
        if os.fork() == 0:
            said, ended = found(seed, range(worker, many, workers), all)
            with os.fdopen(writer, "w") as pipe:
                pipe.write(repr((len(said), dict(ended))))
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    failed, ended = 0, Counter[str]()
    import ast

    for reader in pipes:
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        count, statuses = ast.literal_eval(text) if text else (1, {"a worker died": 1})
        failed += count
        ended.update(statuses)
    for kind, count in sorted(ended.items()):
        print(f"{count:7,}  {kind}")
    print(f"{many:,} cases from seed {seed} in {time.monotonic() - began:.0f} s: {failed:,} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
