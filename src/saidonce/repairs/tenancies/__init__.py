"""Tenancies: import homes from a table, end and resume tenancies, and give residents links for the web chat."""

from saidonce.repairs.tenancies.flow import (
    Planned,
    RowChange,
    SharedPhone,
    TenancyImport,
    chat_name,
    end,
    import_homes,
    plan,
    resume,
    shared_phones,
)
from saidonce.repairs.tenancies.sheet import COLUMNS, Flaw, HomeRow, TenancySheet, read_sheet

__all__ = [
    "COLUMNS",
    "Flaw",
    "HomeRow",
    "Planned",
    "RowChange",
    "SharedPhone",
    "TenancyImport",
    "TenancySheet",
    "chat_name",
    "end",
    "import_homes",
    "plan",
    "read_sheet",
    "resume",
    "shared_phones",
]
