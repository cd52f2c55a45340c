"""Flow: who lives where. Homes come from a table, tenancies end, and residents get links to write by."""

from saidonce.homes.flow import Change, Imported, Planned, chat_name, end, import_homes, plan, resume
from saidonce.homes.sheet import COLUMNS, Flaw, HomeRow, Sheet, read_sheet

__all__ = [
    "COLUMNS",
    "Change",
    "Flaw",
    "HomeRow",
    "Imported",
    "Planned",
    "Sheet",
    "chat_name",
    "end",
    "import_homes",
    "plan",
    "read_sheet",
    "resume",
]
