"""Files with structures that the first folder lacks, each with its expectations, written before any was read.

One module for each family; `benchmarks.awkward_folder` writes and evaluates them.
"""
