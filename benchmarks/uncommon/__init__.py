"""Files of `benchmarks.uncommon_folder`, and their expectations, which were written before any of them was read.

Everything in them is made up.
"""
