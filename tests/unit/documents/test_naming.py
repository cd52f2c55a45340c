"""Which document somebody means."""

from __future__ import annotations

from pathlib import Path

import pytest

from saidonce.documents.naming import documents_named
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import StoredDocument
from world import NOON

HERE = Path("/home/ann")


def document(id_: str, *names: str, collection: str = "main") -> StoredDocument:
    return StoredDocument(id_ * 32, collection, names[0], "f", 1, "", "txt", "en", None, NOON, 1, 1, "s", names)


BASE = (
    document("a", "/home/ann/notes/keys.txt", "/home/ann/copies/keys-old.txt"),
    document("b", "/home/ann/notes/heating.txt"),
    document("c", "/home/ann/other/heating.txt"),
    document("d", "https://example.com/docs/rules/"),
    document("e", "/home/ann/odd\x1b[1m.txt"),
)


@pytest.mark.parametrize(
    ("asked", "id_", "names"),
    [
        ("/home/ann/notes/keys.txt", "a", ["/home/ann/notes/keys.txt"]),
        ("notes/keys.txt", "a", ["/home/ann/notes/keys.txt"]),
        ("./notes/../notes/keys.txt", "a", ["/home/ann/notes/keys.txt"]),
        ("keys.txt", "a", ["/home/ann/notes/keys.txt"]),
        ("keys-old.txt", "a", ["/home/ann/copies/keys-old.txt"]),
        ("other/heating.txt", "c", ["/home/ann/other/heating.txt"]),
        ("https://example.com/docs/rules/", "d", ["https://example.com/docs/rules/"]),
        ("docs/rules", "d", ["https://example.com/docs/rules/"]),
        ("odd\N{REPLACEMENT CHARACTER}[1m.txt", "e", ["/home/ann/odd\x1b[1m.txt"]),
        ("bbbb", "b", ["/home/ann/notes/heating.txt"]),
        ("A" * 32, "a", ["/home/ann/notes/keys.txt", "/home/ann/copies/keys-old.txt"]),
    ],
)
def test_a_document_goes_by_its_name_by_the_end_of_one_or_by_its_id(asked: str, id_: str, names: list[str]) -> None:
    ((meant, called),) = documents_named(asked, BASE, HERE)
    assert (meant.id, list(called)) == (id_ * 32, names)


def test_what_may_mean_several_lists_them_and_what_means_none_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"is the end of 2 documents: '/home/ann/notes/heating.txt', '/home/ann/other"):
        documents_named("heating.txt", BASE, HERE)
    with pytest.raises(NotFoundError, match=r"no document 'heatin.txt'; did you mean .*heating.txt"):
        documents_named("heatin.txt", BASE, HERE)
    with pytest.raises(NotFoundError):
        documents_named("eys.txt", BASE[:1], HERE)
    with pytest.raises(NotFoundError, match="lists the names"):
        documents_named("zzz", (), HERE)


def test_one_name_in_several_collections_is_no_question_for_a_filter() -> None:
    both = (BASE[1], document("9", "/home/ann/notes/heating.txt", collection="other"))
    assert {d.collection for d, _ in documents_named("notes/heating.txt", both, HERE)} == {"main", "other"}
