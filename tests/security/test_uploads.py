"""Every door that takes a file: one that cannot be used is refused with 422 and the reason, and nothing is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from saidonce.interfaces.http.server import described
from two_orgs import TwoOrgs, two_orgs

NOTHING = b"\x00\x01 no format at all"
UPLOADS: dict[str, tuple[str, dict[str, Any], str]] = {
    "POST /api/v1/documents": ("/api/v1/documents", {"files": {"file": ("x.md", NOTHING)}}, "x.md"),
    "POST /documents": ("/documents", {"files": {"files": ("x.md", NOTHING)}}, "x.md"),
    "POST /chat/{token}": (
        "/chat/{chat}", {"files": {"photo": ("x.jpg", NOTHING)}}, "his is not a photo or voice message: send JPEG",
    ),
    "POST /jobs/{token}": (
        "/jobs/{job}", {"files": {"photo": ("x.jpg", NOTHING)}, "data": {"verb": "done", "text": "done"}},
        "his is not a photo: send JPEG",
    ),
    "POST /repairs/homes/import": (
        "/repairs/homes/import", {"files": {"file": ("x.csv", b"\xff\xfe\xff")}, "data": {"sure": "yes"}},
        "not UTF-8 text",
    ),
}  # fmt: skip
"""Path, a bad file, and what the answer says of it, by door."""


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    made = two_orgs(tmp_path_factory.mktemp("orgs"))
    yield made
    made.close()


def send(orgs: TwoOrgs, name: str, sent: dict[str, Any]) -> Any:
    path, owner = UPLOADS[name][0].format(**orgs.home.ids), orgs.home.sessions["owner"]
    if path.startswith("/api/"):
        return orgs.ask("POST", path, headers={"Authorization": f"Bearer {orgs.home.keys['owner']}"}, **sent)
    data = {**sent.get("data", {}), "csrf": owner.token}
    return orgs.ask("POST", path, visit=owner, **{**sent, "data": data})


def takes_files(route: Any) -> bool:
    return any("UploadFile" in str(field.field_info.annotation) for field in route.dependant.body_params)


def test_every_door_that_takes_a_file_is_here() -> None:
    included = [r for r in described().routes if hasattr(r, "effective_route_contexts")]
    routes = [each for r in included for each in r.effective_route_contexts()]
    doors = {f"{method} {route.path}" for route in routes if takes_files(route) for method in route.methods}
    assert doors == UPLOADS.keys(), "give each door that takes a file a bad one, in UPLOADS of this test"


@pytest.mark.parametrize("name", UPLOADS)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(orgs: TwoOrgs, name: str) -> None:
    before = orgs.home.kept()
    _, sent, reason = UPLOADS[name]
    answer = send(orgs, name, sent)
    assert answer.status_code == 422, answer.text[-300:]
    assert reason in answer.text
    after = orgs.home.kept()
    assert before[3:] == after[3:], "no message and no file is kept"
    assert before[1].documents == after[1].documents


def test_a_refused_document_is_named_with_its_reason(orgs: TwoOrgs) -> None:
    answer = send(orgs, "POST /api/v1/documents", {"files": {"file": ("broken.pdf", b"%PDF-1.7 broken")}})
    told = answer.json()
    assert (answer.status_code, told["error"]) == (422, "SourceRefused")
    (document,) = told["documents"]
    assert (document["name"], document["state"]) == ("broken.pdf", "refused")
    assert document["reason"]
    assert document["name"] in told["message"]


def test_a_file_that_can_be_used_is_taken_at_each_door(orgs: TwoOrgs) -> None:
    """So that the doors above refuse for the file alone."""
    from repairs_site import PNG

    good: dict[str, tuple[dict[str, Any], int]] = {
        "POST /api/v1/documents": ({"files": {"file": ("x.md", b"Lamps are switched off at night.")}}, 201),
        "POST /documents": ({"files": {"files": ("y.md", b"Doors are locked at ten.")}}, 200),
        "POST /chat/{token}": ({"files": {"photo": ("x.png", PNG)}}, 303),
        "POST /jobs/{token}": ({"files": {"photo": ("x.png", PNG)}, "data": {"verb": "done", "text": "done"}}, 303),
        "POST /repairs/homes/import": (
            {"files": {"file": ("x.csv", b"address,resident\n9 Elm Road,Uma\n")}, "data": {"sure": "yes"}}, 303,
        ),
    }  # fmt: skip
    assert good.keys() == UPLOADS.keys()
    for name, (sent, status) in good.items():
        assert send(orgs, name, sent).status_code == status, name
