"""python -m benchmarks.known KIND SEED ROWS TABLE TRUTH: a table from a population of tests/worlds.py, and its truth.

Run by truth.py in a process of its own: see child.py for why.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .truth import FEW_TAUS, PI, TAUS, WEAK

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


def main(kind: str, seed: str, rows: str, table: str, truth: str) -> None:
    from worlds import KINDS

    population = KINDS[kind](int(seed))
    columns, labels, _ = population.draw(int(rows), np.random.default_rng((int(seed), int(rows))))
    pq.write_table(columns.append_column("label", pa.array(labels)), table)
    known = what_is_true(population)
    Path(truth).write_text(json.dumps(known), encoding="utf-8")


def what_is_true(population: Any) -> dict[str, object]:
    from known_truth import Truth, losses, people, share_above

    eta = people(population)
    truth = Truth.of(eta, np.array(TAUS), PI)
    weak = 1 / (1 + math.exp(float(WEAK.partition("=")[2])))  # how often a label is flipped
    few = share_above(losses(eta[:, 1], float(truth.prior[1]), weak), np.array(FEW_TAUS)) if len(truth.j) else truth.j
    return {
        "traits": population.traits,
        "prior": truth.prior.tolist(),
        "best": truth.best_log_loss,
        "blind": truth.blind_log_loss,
        "j": truth.j.tolist(),
        "few": few.tolist(),
        "advantages": {name: mean.value for name, mean in truth.advantages.items()},
        "standard_errors": {name: mean.standard_error for name, mean in truth.advantages.items()},
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
