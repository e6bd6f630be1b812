"""Free text as weights of its words and of pairs of words that follow one another.

Words are hashed, so no vocabulary is kept. A word counts if at least FEWEST rows hold it; its weight is its TF-IDF with
sublinear counts, and the weights of each row have length 1. No label is read. Scripts that put no blanks between words
have single characters and pairs of them instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Integers

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # Thai to Khmer, Japanese, Chinese
WORD = rf"[{UNSPACED}]|[^\W{UNSPACED}]+"
BUCKETS = 1 << 22  # of hashes
MOST_WORDS = 1 << 17  # the most frequent ones
FEWEST = 3  # rows that hold a word which a model may learn from
OTHERS = 10  # rows that hold the word of another row, for a model to learn what it says
COMMON = 0.9  # of the rows: a word that more of them hold tells none apart
SHARED = 0.05  # of the rows: if fewer share a word with OTHERS, no model can read the text


@dataclass(frozen=True)
class Words:
    weights: Any  # sparse (rows, words), float32, the most frequent words first
    readable: bool  # enough rows share words for a model to learn what they say


def weigh_words(texts: Sequence[str], row: Integers) -> Words:
    """Return the words of each row, whose text is `texts[row]`."""
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    hashing = HashingVectorizer(
        token_pattern=WORD, ngram_range=(1, 2), n_features=BUCKETS, alternate_sign=False, norm=None, dtype=np.float32
    )
    counts = hashing.transform(texts)
    # How many rows hold the words of each bucket. Of long tables, words that nobody shares fall into one by chance.
    times = np.bincount(row, minlength=len(texts))
    rows = np.bincount(counts.indices, np.repeat(times, np.diff(counts.indptr)), BUCKETS).astype(np.int64)
    chance = 4 * (int(rows.sum()) // BUCKETS)
    shared = (rows > OTHERS + chance) & (rows <= COMMON * len(row))
    sharing = times[(counts @ shared.astype(np.float32)) > 0].sum()
    with_text = times[np.diff(counts.indptr) > 0].sum()
    frequent = np.flatnonzero(rows >= FEWEST + chance)
    weights = counts[:, frequent[np.argsort(-rows[frequent], kind="stable")][:MOST_WORDS]][row]
    if weights.shape[1]:
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(weights)
    return Words(weights, bool(sharing >= SHARED * with_text))
