"""Files of rows: read, deduplicate at corpus scale, write kept and dropped rows.

In: JSONL, CSV, TSV or Parquet rows, or vectors. Out: kept rows, and each dropped row with the row that states it all.
May touch: `matching`, `foundation`, and the files named by its caller.
Start reading: `dedupe/flow.py`, then `files/table.py`.
"""
