"""Data protection: who a person is to us, what is kept about them, erasing it, handing it out, and letting it go.

In: a resident's id, a phone number or a conversation, and the stores of one organisation. Out: what was found, what
was written, and an entry in the log of data acts, which holds nothing of the person. Start reading at `people`.
"""

from saidonce.repairs.personal_data.deps import PersonalDataDeps
from saidonce.repairs.personal_data.erasing import (
    ErasureOptions,
    ErasureReport,
    erase_confirmed,
    erase_person,
    plan_erasure,
)
from saidonce.repairs.personal_data.handing_out import SECTIONS, hand_out
from saidonce.repairs.personal_data.people import Belongings, find_person
from saidonce.repairs.personal_data.retaining import Retention, RetentionReport, retain, retention_of

__all__ = [
    "SECTIONS",
    "Belongings",
    "ErasureOptions",
    "ErasureReport",
    "PersonalDataDeps",
    "Retention",
    "RetentionReport",
    "erase_confirmed",
    "erase_person",
    "find_person",
    "hand_out",
    "plan_erasure",
    "retain",
    "retention_of",
]
