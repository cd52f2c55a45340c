"""Whether a passage answers a question in so many words, and with which of its sentences.

In: a question and found passages. Out: the sentences that answer, word for word, and what speaks for it. A passage
answers only for a positive reason: it accounts for the question's words, and holds what the question asks for, such as
a day, a place or a sum. May touch: `foundation` alone. Start reading: `judging.py`.
"""

from saidonce.kb.verbatim.judging import Cited, CitedPassage, best_passage, judge_passage, plain_query
from saidonce.kb.verbatim.reading import ParsedQuestion, QuestionKind, read_question

__all__ = [
    "Cited",
    "CitedPassage",
    "ParsedQuestion",
    "QuestionKind",
    "best_passage",
    "judge_passage",
    "plain_query",
    "read_question",
]
"""Public names."""
