"""Flow: second opinions on pairs that wait for a person, as far as a collection lets them count.

look (what waits, and what was said of it?) -> ask, outside of any lock -> write down -> settle, if the mode is "settle"
"""

from saidonce.kb.second_opinions.flow import OpineReport, Wish, opine
from saidonce.kb.second_opinions.outcome import Ground, outcome
from saidonce.kb.second_opinions.settlement import settled

__all__ = ["Ground", "OpineReport", "Wish", "opine", "outcome", "settled"]
