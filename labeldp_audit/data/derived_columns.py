"""Categories that are made of other columns: hours, weekdays and months of instants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import compute

from .scan import CategoryScan, NumberScan

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CYCLES = {
    "hour": (compute.hour, pa.array([f"{hour:02d}" for hour in range(24)])),
    "weekday": (compute.day_of_week, pa.array(WEEKDAYS)),
    "month": (compute.month, pa.array([f"{month:02d}" for month in range(13)])),
}


@dataclass(frozen=True)
class Cycle:
    """The hour, weekday or month of an instant, in UTC where it has a time zone."""

    column: str
    what: str

    def levels(self, array: pa.Array) -> pa.Array:
        if pa.types.is_timestamp(array.type):
            array = array.cast(pa.timestamp(array.type.unit))
        number, names = CYCLES[self.what]
        found = number(array)
        missing = found.is_null().to_numpy(zero_copy_only=False)
        # Hours of instants beyond Arrow's calendar are beyond 24.
        place = found.fill_null(0).to_numpy(zero_copy_only=False) % len(names)
        return names.take(pa.array(place, mask=missing))


def derived_columns(scanned: Sequence[NumberScan | CategoryScan]) -> dict[str, Cycle]:
    """Return what each derived column is made of, by the name of the column."""
    found: dict[str, Cycle] = {}
    taken = {one.name for one in scanned}
    for part in (part for one in scanned if isinstance(one, NumberScan) for part in _parts_of_number(one)):
        name = f"{part.column} ({part.what})"
        while name in taken:
            name += "'"
        taken.add(name)
        found[name] = part
    return found


def _parts_of_number(scan: NumberScan) -> Iterator[Cycle]:
    if pa.types.is_timestamp(scan.type) or pa.types.is_time(scan.type):
        yield Cycle(scan.name, "hour")
    if pa.types.is_timestamp(scan.type) or pa.types.is_date(scan.type):
        yield Cycle(scan.name, "weekday")
        yield Cycle(scan.name, "month")
