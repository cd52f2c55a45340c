"""Tables of homes: every flaw is named with its line, the same table changes nothing, ends can be undone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.residents import Home
from saidonce.repairs.tenancies import (
    RowChange,
    chat_name,
    end,
    import_homes,
    plan,
    read_sheet,
    resume,
    shared_phones,
)
from saidonce.testing.memory_conversations import MemoryConversations

NOW = datetime(2026, 1, 17, tzinfo=UTC)
TABLE = """address,unit,resident,phones,starts,ends
12 Elm Road,Flat 2,Ana Bell,+44 7700 900001;0044 7700 900009,2024-03-01,
12 Elm Road,Flat 3,Ben Okafor,,2023-09-01,2026-12-31
"""


def brought(store: MemoryConversations, table: str) -> tuple[Home, ...]:
    import_homes(store, plan(store, read_sheet(table)))
    return store.homes()


@pytest.fixture
def store() -> MemoryConversations:
    return MemoryConversations("acme")


def test_a_table_is_kept_once(store: MemoryConversations) -> None:
    first = brought(store, TABLE)
    assert sorted(h.resident.name for h in first) == ["Ana Bell", "Ben Okafor"]
    ana = next(h for h in first if h.resident.name == "Ana Bell")
    assert ana.resident.phones == ("+447700900001", "+447700900009")
    assert ana.tenancy.starts_at == datetime(2024, 3, 1, tzinfo=UTC)
    assert {p.change for p in plan(store, read_sheet(TABLE))} == {RowChange.SAME}
    assert brought(store, TABLE) == first


def test_semicolons_a_byte_order_mark_and_another_order_of_columns_are_understood(store: MemoryConversations) -> None:
    sheet = read_sheet("\ufeffResident;Address\nAna Bell;12 Elm Road\n\n")
    assert [(r.line, r.home.resident.name, r.home.property.address) for r in sheet.rows] == [
        (2, "Ana Bell", "12 Elm Road")
    ]


@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        (",Flat 1,Zed,,,", "address", "a value is required"),
        ("1 A St,,,,,", "resident", "a value is required"),
        ("1 A St,,Zed,07700 900001,,", "phones", "not a number with country code"),
        ("1 A St,,Zed,,01/02/2026,", "starts", "not a date"),
        ("1 A St,,Zed,,2026-02-01,2026-02-01", "ends", "not after"),
        ("1 A St,,Zed", "", "3 cells"),
        ("1 A St,,Ze\x07d,,,", "resident", "not printable"),
        (f"{'x' * 201},,Zed,,,", "address", "longer"),
        ("12 Elm Road,Flat 2,Ana Bell,+447700900001,,", "", "the same tenancy as line 2"),
    ],
)
def test_a_flaw_names_its_line_and_costs_the_others_nothing(line: str, column: str, why: str) -> None:
    sheet = read_sheet(f"{TABLE}{line}\n9 Last Road,,Zoe Last,,,\n")
    assert [(f.line, f.column) for f in sheet.flaws] == [(4, column)]
    assert why in sheet.flaws[0].why
    assert len(sheet.rows) == 3


@pytest.mark.parametrize(
    "table", ["", "name,street\nx,y\n", "address\nx\n", "address,resident,address\na,b,c\n", 'a"b\n"']
)
def test_what_is_no_table_of_homes_is_said_to_be_none(table: str) -> None:
    sheet = read_sheet(table)
    assert sheet.rows == ()
    assert len(sheet.flaws) == 1


def test_what_a_channel_proved_outlives_the_next_table(store: MemoryConversations) -> None:
    ana = next(h for h in brought(store, TABLE) if h.resident.name == "Ana Bell")
    name = chat_name(store, ana.tenancy.id, bytes)
    assert chat_name(store, ana.tenancy.id, bytes) == name
    changed = TABLE.replace("Flat 2,Ana Bell,", "Flat 2,Ana Bell,").replace("2024-03-01", "2024-04-01")
    assert [p.change for p in plan(store, read_sheet(changed))] == [RowChange.CHANGED, RowChange.SAME]
    after = next(h for h in brought(store, changed) if h.resident.name == "Ana Bell")
    assert after.resident.external_ids == (f"web:{name}",)
    other = chat_name(store, ana.tenancy.id, lambda n: b"x" * n, renew=True)
    assert other != name
    renewed = store.home(ana.tenancy.id)
    assert renewed is not None
    assert renewed.resident.external_ids == (f"web:{other}",)


def test_a_tenancy_ends_and_goes_on(store: MemoryConversations) -> None:
    ana = next(h for h in brought(store, TABLE) if h.resident.name == "Ana Bell")
    end(store, ana.tenancy.id, NOW)
    assert all(h.resident.name != "Ana Bell" for h in store.homes_of([], "+447700900001", NOW))
    with pytest.raises(UsageError, match="ended on 2026-01-17"):
        end(store, ana.tenancy.id, NOW)
    assert resume(store, ana.tenancy.id).tenancy.ends_at is None
    with pytest.raises(UsageError, match="has no end"):
        resume(store, ana.tenancy.id)
    with pytest.raises(NotFoundError):
        end(store, "nobody", NOW)


def test_a_number_of_somebody_else_is_named_and_kept(store: MemoryConversations) -> None:
    brought(store, TABLE)
    other = "address,resident,phones,starts,ends\n9 Last Road,Zoe Last,+447700900009;+447700900077,{},\n"
    sheet = read_sheet(other.format("2025-01-01") + "9 Last Road,Yan Last,+447700900077,,2020-01-01\n")
    planned = plan(store, sheet)
    said = "line 2: phones: the number ending in 0009 is also that of Ana Bell (Flat 2, 12 Elm Road)"
    assert [str(s) for s in shared_phones(store, planned)] == [said]
    assert import_homes(store, planned).n_added == 2
    assert [str(s) for s in shared_phones(store, plan(store, sheet))] == [said]
    back = [str(s) for s in shared_phones(store, plan(store, read_sheet(TABLE)))]
    assert back == ["line 2: phones: the number ending in 0009 is also that of Zoe Last (9 Last Road)"]


def test_two_lines_of_a_table_may_share_a_number_and_are_told_so(store: MemoryConversations) -> None:
    table = "address,resident,phones\n1 A St,Al One,+447700900001\n2 B St,Bo Two,+447700900001\n"
    assert [s.line for s in shared_phones(store, plan(store, read_sheet(table)))] == [2, 3]


def test_one_resident_of_two_homes_shares_with_nobody(store: MemoryConversations) -> None:
    table = "address,resident,phones\n1 A St,Al One,+447700900001\n2 B St,Al One,+447700900001\n"
    assert shared_phones(store, plan(store, read_sheet(table))) == ()
