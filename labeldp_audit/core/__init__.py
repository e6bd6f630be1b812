"""The nouns: what travels from a table to a report. Frozen, without mathematics.

Letters used everywhere
    n  rows          q  queries (rows whose neighbours are counted)      d  encoded features
    C  classes       k  neighbours asked for                             i  a record      c  a class
    eta    (q, C)    P(Y = c | x), what the features alone tell           "before"
    post   (q, C)    the same after the release                           "after"
    p                P(Y = positive), the prior
    pi               probability that randomized response flips a label
    tau              a privacy loss, in nats
    epsilon, delta   privacy only;  confidence  statistics only

Arrays are not copied: a function that receives one does not write to it.
"""
