"""Adapter: a local adjudicator that needs no network: features of two texts, trees that read them, their training."""

from saidonce.learned.artefact import SHIPPED, Artefact, load, write
from saidonce.learned.features import NAMES, VERSION, Compared, features
from saidonce.learned.judge import LONGEST, Judged, LocalJudge
from saidonce.learned.nli import Contradictions
from saidonce.learned.training import Figures, Labelled, Wanted, recalibrated, trained
from saidonce.learned.words import nearness

__all__ = [
    "LONGEST",
    "NAMES",
    "SHIPPED",
    "VERSION",
    "Artefact",
    "Compared",
    "Contradictions",
    "Figures",
    "Judged",
    "Labelled",
    "LocalJudge",
    "Wanted",
    "features",
    "load",
    "nearness",
    "recalibrated",
    "trained",
    "write",
]
