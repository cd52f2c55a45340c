"""A folder of mixed files with awkward content, each with the sentences that must be kept.

The files and their expectations were written before any of them was ingested.
"""
