"""Flow: who lives where. Homes come from a table, tenancies end, and residents get links to write by."""

from saidonce.repairs.tenancies.flow import (
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
from saidonce.repairs.tenancies.sheet import COLUMNS, Flaw, HomeRow, Sheet, read_sheet

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
