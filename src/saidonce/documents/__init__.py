"""Documents: file formats, the parsing sandbox, segmentation and salience.

In: named bytes. Out: `Document`, `Segment`, salience. A file that cannot be read is an error that names the file.
May touch: `foundation`, and a child process for each parse.
Start reading: `parse/reading.py`, then `parse/sandbox.py`, then `segment.py`.
"""
