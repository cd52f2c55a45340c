"""Flow: who lives where. Homes come from a table, tenancies end, and residents get links to write by."""

from saidonce.homes.flow import (
    Change,
    Imported,
    Planned,
    SharedPhone,
    chat_name,
    end,
    import_homes,
    plan,
    resume,
    shared_phones,
)
from saidonce.homes.sheet import COLUMNS, Flaw, HomeRow, Sheet, read_sheet

__all__ = [
    "COLUMNS",
    "Change",
    "Flaw",
    "HomeRow",
    "Imported",
    "Planned",
    "SharedPhone",
    "Sheet",
    "chat_name",
    "end",
    "import_homes",
    "plan",
    "read_sheet",
    "resume",
    "shared_phones",
]
