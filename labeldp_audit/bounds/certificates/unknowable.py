"""What no amount of rows entitles anybody to say (CERTIFICATES, Proposition; there with its proof).

Let no single combination of features have positive probability. Cut their space into N cells of the same mass, and in
each let a coin with the chance eta decide once for all who is there. Where the n rows lie in different cells, which is
so but for n^2 / 2N, their labels have the same law as before: but each person's label is now certain from the
features. A limit that is valid for every eta has to allow for that.
"""

from __future__ import annotations

NOBODY_CAN_CERTIFY = (
    "No table, however large, can show that anybody is safe. Features that seem to say little may in truth give every "
    "label away, in a way that no sample can tell from chance. So without an assumption about eta there is no upper "
    "limit for the privacy loss, for the share of people above a loss, for its mean or its largest value, for a "
    "divergence, or for how often the best attacker is right; and no lower limit above 0 for how often he is wrong, or "
    "for what a release adds to his guess. Only people with exactly the same features are an exception."
)
