"""Flow: files of any number and size without their repeats, stage by stage in a work folder, on any engine."""

from saidonce.corpus.run.flow import Corpora, Finished, RunOptions, run
from saidonce.corpus.run.inputs import STANDARD_INPUT, InputFile, expand, spool_stdin
from saidonce.corpus.run.outputs import Outputs, default_outputs
from saidonce.corpus.run.work import WorkFolder

__all__ = [
    "STANDARD_INPUT",
    "Corpora",
    "Finished",
    "InputFile",
    "Outputs",
    "RunOptions",
    "WorkFolder",
    "default_outputs",
    "expand",
    "run",
    "spool_stdin",
]
