"""The typed facts of texts, and what two texts say differently."""

from saidonce.matching.facts.accounting import (
    added_figures,
    changed_grammar,
    figures,
    first_difference,
    incomplete_sentences,
    is_read,
    is_reworded,
    moved_words,
    other_code,
    read_language,
    same_words,
    takes_back,
)
from saidonce.matching.facts.analyse import same_in_order
from saidonce.matching.facts.cells import moved_cells
from saidonce.matching.facts.compare import compare, covers, speak_of_two_things
from saidonce.matching.facts.exchanged import exchanged_words
from saidonce.matching.facts.first_person import is_in_first_person
from saidonce.matching.facts.headings import headings_contradict
from saidonce.matching.facts.leads import moved_below
from saidonce.matching.facts.lexicon import TABLES, known_words, one_spelling, table, word_list
from saidonce.matching.facts.literals import lost_value, turned_compounds
from saidonce.matching.facts.loose_words import loose_words
from saidonce.matching.facts.markup import in_one_markup, quotes_in_part
from saidonce.matching.facts.modals import obliges_alone, obliges_otherwise
from saidonce.matching.facts.moved import moves_for_reasons, shows_the_reason
from saidonce.matching.facts.numerals import months, weekdays
from saidonce.matching.facts.plain import (
    SET_ALIKE,
    InPlainWords,
    abbreviations,
    in_full,
    in_plain_phrases,
    in_plain_words,
    may_be_set_alike,
    set_alike,
    spelled_right,
)
from saidonce.matching.facts.plain.layouts import in_one_layout
from saidonce.matching.facts.plain.points import turned_points
from saidonce.matching.facts.point_ends import points_run_on, weighed_otherwise
from saidonce.matching.facts.polarity import denies_otherwise
from saidonce.matching.facts.readings import other_reading
from saidonce.matching.facts.replaced import with_replaced
from saidonce.matching.facts.result import Change, Comparison, Pairing
from saidonce.matching.facts.settled import is_settled
from saidonce.matching.facts.signs import changed_lines, is_same_code, other_fenced, other_signs
from saidonce.matching.facts.spelled import other_dot, other_spelled_code
from saidonce.matching.facts.standing import other_standing
from saidonce.matching.facts.table_rows import counts_in_order, moved_rows, same_rows, stand_alone, turned_rows
from saidonce.matching.facts.values import may_be_value
from saidonce.matching.facts.written import Written

__all__ = [
    "SET_ALIKE",
    "TABLES",
    "Change",
    "Comparison",
    "InPlainWords",
    "Pairing",
    "Written",
    "abbreviations",
    "added_figures",
    "changed_grammar",
    "changed_lines",
    "compare",
    "counts_in_order",
    "covers",
    "denies_otherwise",
    "exchanged_words",
    "figures",
    "first_difference",
    "headings_contradict",
    "in_full",
    "in_one_layout",
    "in_one_markup",
    "in_plain_phrases",
    "in_plain_words",
    "incomplete_sentences",
    "is_in_first_person",
    "is_read",
    "is_reworded",
    "is_same_code",
    "is_settled",
    "known_words",
    "loose_words",
    "lost_value",
    "may_be_set_alike",
    "may_be_value",
    "months",
    "moved_below",
    "moved_cells",
    "moved_rows",
    "moved_words",
    "moves_for_reasons",
    "obliges_alone",
    "obliges_otherwise",
    "one_spelling",
    "other_code",
    "other_dot",
    "other_fenced",
    "other_reading",
    "other_signs",
    "other_spelled_code",
    "other_standing",
    "points_run_on",
    "quotes_in_part",
    "read_language",
    "same_in_order",
    "same_rows",
    "same_words",
    "set_alike",
    "shows_the_reason",
    "speak_of_two_things",
    "spelled_right",
    "stand_alone",
    "table",
    "takes_back",
    "turned_compounds",
    "turned_points",
    "turned_rows",
    "weekdays",
    "weighed_otherwise",
    "with_replaced",
    "word_list",
]
