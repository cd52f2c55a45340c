"""Flow: second opinions on pairs that wait for a person, as far as the mode of a collection allows.

load open pairs and their opinions -> ask, outside of any lock -> store -> settle, if the mode is "settle"
"""

from saidonce.kb.second_opinions.flow import OpineReport, OpinionOptions, ask_second_opinions
from saidonce.kb.second_opinions.resolution import Ground, outcome
from saidonce.kb.second_opinions.settlement import settled_by_opinions

__all__ = ["Ground", "OpineReport", "OpinionOptions", "ask_second_opinions", "outcome", "settled_by_opinions"]
