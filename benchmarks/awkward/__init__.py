"""Files of structures that the first folder lacks, each with what is expected of it, written before any was read.

One module a family; `benchmarks.awkward_folder` lays them down and counts.
"""
