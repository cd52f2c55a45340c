"""Files of rows: read, deduplicate at corpus scale, write what is kept and what went.

In: JSONL, CSV, TSV or Parquet rows, or vectors. Out: kept rows, and each dropped row with the row that states it all.
May touch: `matching`, `foundation`, and the files it is told to read and write.
Start reading: `dedupe/flow.py`, then `files/table.py`.
"""
