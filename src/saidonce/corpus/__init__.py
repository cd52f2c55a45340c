"""Files of rows: read, deduplicate at corpus scale, write what is kept and what went.

In: JSONL, CSV, TSV or Parquet rows, or vectors. Out: kept rows, dropped rows each with the row that holds what it states.
May touch: `matching`, `foundation`, and the files it is told to read and write.
Start reading: `dedupe/flow.py`, then `files/table.py`.
"""
