"""Decide whether two texts say the same: the ladder of decisions and the modules that it uses.

In: candidates, vectors, facts of texts, rulings. Out: decisions with the evidence of every rung.
May touch: `foundation`. Nothing here reads a store, a clock, a file or a network.
Start reading: `ladder/decide.py`, then `compared.py` (two texts as one pair), `guards.py` (what may object),
`facts/guards.py` and `vectors/index.py`.
"""
