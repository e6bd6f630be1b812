"""Labels without features (000, Mechanism 3): randomized response on the labels, which are published alone and in a
random order, so that whoever reads them learns how common classes are and no more.

Audits judge it for a reader who knows whose each label is, as randomized response; others learn less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..core.mechanism import Published
from .randomized_response import RandomizedResponse

JUDGED_AS = "judged as randomized response, for a reader who knows whose each label is; others learn less"


@dataclass(frozen=True)
class Dummy(RandomizedResponse):
    name: ClassVar[str] = "dummy"
    example: ClassVar[str] = "dummy:epsilon=1"
    summary: ClassVar[str] = "labels by randomized response, alone and in a random order, without any feature"
    theorem: ClassVar[str] = "randomized response of each label; the order and the lack of features are not counted"
    publishes: ClassVar[Published] = Published.ALONE

    @property
    def judged_as(self) -> str:
        return JUDGED_AS
