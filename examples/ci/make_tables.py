"""Makes the two tables of this example: python make_tables.py [FOLDER].

Both have 3000 made-up people of a survey and the answer to a sensitive question, `treated`. In safe.csv features tell
little about it. risky.csv has a column more, `unit`: whoever was at the oncology unit has been treated.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from pathlib import Path

PEOPLE, SEED = 3000, 20270131
UNITS = ("surgery", "medicine", "dermatology", "cardiology")


def people(risky: bool) -> Iterator[dict[str, object]]:
    chance = random.Random(SEED)
    for _ in range(PEOPLE):
        age = min(95, max(18, round(chance.gauss(50, 17))))
        smokes = chance.random() < 0.25
        oncology = chance.random() < 0.15
        treated = chance.random() < (0.98 if risky and oncology else 0.06 + 0.04 * (age > 60) + 0.03 * smokes)
        row: dict[str, object] = {
            "age": age,
            "smokes": "yes" if smokes else "no",
            "visits": int(chance.expovariate(0.5)),
        }
        unit = chance.choice(UNITS)
        if risky:
            row["unit"] = "oncology" if oncology else unit
        yield row | {"treated": int(treated)}


def write(file: Path, risky: bool) -> None:
    rows = list(people(risky))
    with file.open("w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    write(folder / "safe.csv", risky=False)
    write(folder / "risky.csv", risky=True)
