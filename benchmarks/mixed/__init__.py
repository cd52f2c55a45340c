"""A folder of mixed files with awkward content, each with the sentences that have to be kept of it.

The files and what is expected of them were written before any of them was ingested.
"""
