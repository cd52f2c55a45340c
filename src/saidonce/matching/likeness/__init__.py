"""How alike two texts are, as numbers, and decision trees over them; both local judges read them."""

from saidonce.matching.likeness.features import ABSENT, NAMES, VERSION, Compared, features
from saidonce.matching.likeness.trees import Forest, forest, from_lightgbm, unplanted
from saidonce.matching.likeness.words import ComparedWord, Pieces, nearness, weight_of, words_of

__all__ = [
    "ABSENT",
    "NAMES",
    "VERSION",
    "Compared",
    "ComparedWord",
    "Forest",
    "Pieces",
    "features",
    "forest",
    "from_lightgbm",
    "nearness",
    "unplanted",
    "weight_of",
    "words_of",
]
