"""What needs no model to be right: only that rows are independent draws from one population."""

from __future__ import annotations

from .entry import MATHEMATICS, TRAINING, UNIFIED, Entry

_ONE_SIDED = (
    "There is no upper limit, and no table can give one: features may give labels away in ways no sample shows."
)

_SMALL = (
    "Small groups hardly show, however large the table, as cells have at least 16 rows in each of five folds: where "
    "200 people lose 7 nats, some 3 are certified; a group of fewer than about 100 people hardly moves "
    "certified_nu_max, and one of fewer than about 300 people hardly counts in certified_j. A small table certifies "
    "little, whatever is true."
)

ENTRIES = (
    Entry(
        "certified", "What is certified",
        "holds whatever the population is, if rows are independent draws",
        "labels judge scores that were made without them: Clopper-Pearson limits on cells of like scores",
        f"{MATHEMATICS}: CERTIFICATES 0, a to c4, and the Proposition",
        "Bad scores make these limits say less; none makes them wrong. They are wrong where rows are copies, where "
        f"several rows are one person's, or where the table is no fair draw. {_SMALL}",
        ("certified_j", "certified_nu_max", "certified_advantage", "confidence"),
    ),
    Entry(
        "certified_j", "Share of people surely above a loss",
        "share of people whose loss is certain to be above tau",
        "in a cell whose eta has mean e, at least (e - z1) / (1 - z1) have eta > z1, and at least (z0 - e) / z0 have "
        "eta < z0, with z0 < z1 where nu_bar = tau",
        f"{MATHEMATICS}: CERTIFICATES b, J from below",
        "low is the whole of it: at least so many people lose more than tau, at all tau at once. "
        f"{_SMALL} {_ONE_SIDED}",
        ("certified", "j", "tau"),
    ),
    Entry(
        "certified_mean_loss", "Average loss, at least",
        "average loss, in nats",
        "sum over cells of share times min { nu_bar(z) : z in the limits of the cell's mean eta } (convexity)",
        f"{MATHEMATICS}: CERTIFICATES a",
        f"The average over people is at least low. {_ONE_SIDED}",
        ("certified", "mean_loss"),
    ),
    Entry(
        "certified_nu_max", "Largest loss, at least",
        "loss of the person who loses most, in nats",
        "epsilon + the largest, over cells, of |logit e - logit p| at the nearer ends of their limits, e the mean eta "
        "of a cell: somebody in it is at least as far out",
        f"{MATHEMATICS}: CERTIFICATES, Proposition",
        f"Somebody loses at least low. {_SMALL} {_ONE_SIDED}",
        ("certified", "nu_max"),
    ),
    Entry(
        "certified_renyi", "Divergence of the features, at least",
        "how far the features part people with the label from those without, in nats",
        "D_alpha(P1 || P0) = log E_P0 (P1 / P0)^alpha / (alpha - 1); alpha = 1 is the KL divergence; at.of says which "
        "way round",
        f"{TRAINING}, section 7; {MATHEMATICS}: CERTIFICATES a",
        "What features tell if they are released as they are. A theorem that adds noise of the labels to a divergence "
        f"needs an upper limit of it, and low is none. {_ONE_SIDED}",
        ("certified", "weighted_jeffreys"),
    ),
    Entry(
        "certified_uninformed_utility", "Right guesses from features, certified",
        "share of labels guessed from the features alone",
        "1 - (Clopper-Pearson upper limit on wrong guesses, made without the labels that judge them)",
        f"{MATHEMATICS}: CERTIFICATES c, c4",
        "The best guess is right at least so often. high is below 1 only where rows with equal features have different "
        "labels.",
        ("certified", "uninformed_utility"),
    ),
    Entry(
        "certified_informed_utility", "Right guesses with the release, certified",
        "share of labels guessed from the features and the release",
        "low: what an attacker got who was tried on labels not seen, or certified_uninformed_utility; high: 1",
        f"{MATHEMATICS}: CERTIFICATES c, c4",
        f"The best attacker is right at least so often once the release is out. {_ONE_SIDED}",
        ("certified", "informed_utility"),
    ),
    Entry(
        "certified_advantage", "What the release adds, certified",
        "what the release adds to the share of labels guessed",
        "high: the largest total variation between outputs, times the least of three upper limits of what the best "
        "guess misses: Clopper-Pearson on wrong guesses, E min(eta, 1 - eta) by limits of cells of scores, and twice "
        "the spread E eta (1 - eta); or a bound for totals made of these, if less. low: from pairs of rows with "
        "equal features, ((1 - sqrt(1 - 2 d)) / 2 - pi)_+ times their share, d how often their labels differ",
        f"{MATHEMATICS}: CERTIFICATES c, c4, B5; {UNIFIED}, Theorem 3.7",
        "No attacker gains more than high, so it can be gated on. low is above 0 only where rows repeat.",
        ("certified", "advantage", "advantage_bound"),
    ),
)  # fmt: skip
