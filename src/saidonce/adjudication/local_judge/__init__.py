"""A local adjudicator without network: features of two texts, decision trees over them, their training."""

from saidonce.adjudication.local_judge.artefact import SHIPPED, Artefact, load, write
from saidonce.adjudication.local_judge.judge import LONGEST, LocalJudge, MatchProbability
from saidonce.adjudication.local_judge.nli import Contradictions
from saidonce.adjudication.local_judge.training import (
    Labelled,
    TrainingFigures,
    TrainingOptions,
    recalibrated,
    trained,
)
from saidonce.matching.likeness.features import NAMES, VERSION, Compared, features
from saidonce.matching.likeness.words import nearness

__all__ = [
    "LONGEST",
    "NAMES",
    "SHIPPED",
    "VERSION",
    "Artefact",
    "Compared",
    "Contradictions",
    "Labelled",
    "LocalJudge",
    "MatchProbability",
    "TrainingFigures",
    "TrainingOptions",
    "features",
    "load",
    "nearness",
    "recalibrated",
    "trained",
    "write",
]
