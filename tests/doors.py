"""The table of doors: every route of the application, what it needs, and what it answers to whom.

A row is named "METHOD /path", as the application has it. `needs` are the scopes that a caller must have, all of them;
`answer` is the status that the least of such callers gets for a request that reaches the act, on things that exist;
`others` is what the owner of another organisation gets for the very same request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from saidonce.foundation.model import Scope

R, S, W, V, A = Scope.READ, Scope.RESIDENTS, Scope.WRITE, Scope.REVIEW, Scope.ADMIN


@dataclass(frozen=True)
class Door:
    """One route that needs scopes.

    Attributes:
        needs: scopes of which none may be missing.
        answer: status for who has exactly these.
        others: status for an owner of another organisation; what they see and change is their own.
        ids: what the path's parameters name, as `Estate.ids` calls it; a word of its own is put as it is.
        sent: keyword arguments of the request; texts in braces are names of `Estate.ids`.
    """

    needs: frozenset[Scope]
    answer: int
    others: int
    ids: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Linked:
    """One route that needs a signed link: neither a key nor a session opens it.

    Attributes:
        link: which link of `Estate.ids` opens it.
        answer: status with that link.
    """

    link: str
    answer: int
    ids: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Open:
    """One route that answers everybody alike.

    Attributes:
        answer: status for whoever comes.
        why: reason for which nobody has to be known here.
    """

    answer: int
    why: str
    sent: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Apart:
    """One route that the table's callers do not fit; a test of its own proves it.

    Attributes:
        test: name of that test, in tests/security/test_doors.py.
    """

    test: str


Row = Door | Linked | Open | Apart


def _door(needs: set[Scope], answer: int, others: int = 404, ids: Mapping[str, str] | None = None, **sent: Any) -> Door:
    return Door(frozenset(needs), answer, others, ids or {}, sent)


BLOCK, FLAG, DECISION = {"id": "block"}, {"seq": "seq"}, {"seq": "decision"}
VERDICT, TALK, ISSUE, ALARM = {"id": "verdict"}, {"id": "conversation"}, {"id": "issue"}, {"id": "alarm"}
SLOT = {"starts_at": "2031-02-03T09:00:00+00:00", "ends_at": "2031-02-03T11:00:00+00:00"}
HOMES = "address,resident\n9 Elm Road,Uma Elm\n"
CALL_OUTS = '[[step]]\nchannels = ["{channel}"]\nwait_minutes = 10\n'
NEW_FILE = {"file": ("new.md", b"Ties are worn on Mondays.", "text/plain")}
CONTRACTOR = {"name": "Bo", "email": "bo@example.com"}
VISIT_FORM = {"day": "2031-02-03", "start": "09:00", "end": "11:00"}

API_OF_GATES_AND_REPAIRS: dict[str, Row] = {
    "POST gate/submissions": _door({W}, 200, 200, json={"text": "Wash the windows.", "key": "again"}),
    "POST gate/batches": _door({W}, 200, 200, json={"submissions": [{"text": "Wash the windows.", "key": "again"}]}),
    "GET gate/verdicts": _door({R}, 200, 200),
    "GET gate/verdicts/{id}": _door({R}, 200, 404, VERDICT),
    "POST gate/verdicts/{id}/override": _door({V}, 422, 404, VERDICT, json={"why": "it is admitted already"}),
    "POST gate/verdicts/{id}/release": _door({W}, 200, 404, VERDICT, json={"why": "another shop"}),
    "POST gate/retry": _door({V}, 422, 422, json={"gate": "main"}),
    "GET gate/stats": _door({R}, 200, 200, params={"gate": "main"}),
    "GET gate/events": _door({R}, 200, 200),
    "GET conversations": _door({S}, 200, 200),
    "GET conversations/{id}": _door({S}, 200, 404, TALK),
    "GET conversations/{id}/turns/{turn}/replay": _door({S}, 200, 404, {**TALK, "turn": "turn"}),
    "POST conversations/{id}/{verb}": _door({V, S}, 200, 404, {**TALK, "verb": "take-over"}, json={}),
    "GET issues": _door({S}, 200, 200),
    "GET issues/{id}": _door({S}, 200, 404, ISSUE),
    "POST issues/{id}": _door({V, S}, 200, 404, ISSUE, json={"state": "done"}),
    "GET homes": _door({S}, 200, 200),
    "POST homes/import": _door({A, S}, 200, 200, json={"table": HOMES}),
    "POST homes/{tenancy}/end": _door({A, S}, 200, 404, {"tenancy": "tenancy"}),
    "POST homes/{tenancy}/undo": _door({A, S}, 200, 404, {"tenancy": "ended tenancy"}),
}
"""The part of the API that answers under its former paths too."""

DOORS: dict[str, Row] = {
    **{
        f"{method} {root}{path}": row
        for root in ("/api/v1/", "/api/")
        for (method, path), row in ((name.split(" "), row) for name, row in API_OF_GATES_AND_REPAIRS.items())
    },
    # The base.
    "GET /api/v1/search": _door({R}, 200, 200, params={"q": "how long are backups kept?"}),
    "GET /api/v1/context": _door({R}, 200, 200, params={"q": "how long are backups kept?"}),
    **{
        f"POST {root}/rerank": _door({R}, 200, 200, json={"query": "backups", "documents": ["Backups are kept."]})
        for root in ("/api/v1", "/v1", "/v2")
    },
    "POST /api/v1/ask": _door({R}, 200, 200, json={"question": "how long are backups kept?"}),
    "GET /api/v1/status": _door({R}, 200, 200),
    "GET /api/v1/documents": _door({R}, 200, 200),
    "POST /api/v1/documents": _door({W}, 201, 201, files=NEW_FILE),
    "DELETE /api/v1/documents": _door({W}, 200, 200, params={"name": "{document}"}),
    "GET /api/v1/sources": _door({R}, 200, 200),
    "POST /api/v1/sources": _door({A}, 201, 201, json={"address": "https://docs.example.com/sitemap.xml"}),
    "POST /api/v1/sources/{id}/run": _door({W}, 202, 404, {"id": "source"}),
    "DELETE /api/v1/sources/{id}": _door({A}, 200, 404, {"id": "source"}),
    "GET /api/v1/blocks/{id}": _door({R}, 200, 404, BLOCK),
    "GET /api/v1/blocks/{id}/why": _door({R}, 200, 404, BLOCK),
    "POST /api/v1/blocks/{id}/split": _door({V}, 422, 404, BLOCK, json={"leaving": ["{block}"]}),
    "POST /api/v1/blocks/{id}/edit": _door({V}, 200, 404, BLOCK, json={"text": "Backups are kept."}),
    "POST /api/v1/blocks/{id}/approve": _door({V}, 200, 404, BLOCK, json={}),
    "POST /api/v1/blocks/{id}/own": _door({V}, 200, 404, BLOCK, json={"owner": "owner"}),
    "POST /api/v1/merges": _door({V}, 200, 404, json={"a": "{block}", "b": "{other block}"}),
    "POST /api/v1/apart": _door({V}, 200, 404, json={"a": "{block}", "others": ["{other block}"]}),
    # Review. Flags and decisions have numbers that each organisation counts for itself: theirs of the same number is
    # another one, and the decision here has a number that only the home organisation has come to.
    "GET /api/v1/queue": _door({R}, 200, 200),
    "GET /api/v1/translations": _door({R}, 422, 422),
    "GET /api/v1/queue/{seq}": _door({R}, 200, 200, FLAG),
    "POST /api/v1/queue/{seq}": _door({V}, 200, 200, FLAG, json={"verb": "dismiss"}),
    "GET /api/v1/decisions": _door({R}, 200, 200),
    "GET /api/v1/settled": _door({R}, 200, 200),
    "POST /api/v1/decisions/{seq}/revert": _door({V}, 200, 404, DECISION, json={}),
    "POST /api/v1/decisions/{seq}/audit": _door({V}, 200, 404, DECISION, json={"wrong": False}),
    "GET /api/v1/review/groups": _door({R}, 200, 200),
    "POST /api/v1/review/bulk": _door(
        {V}, 200, 200, json={"verb": "dismiss", "pairs": [{"flag": "{seq}", "seen": ""}]}
    ),
    "GET /api/v1/review/rules": _door({R}, 200, 200),
    "POST /api/v1/review/rules": _door({V}, 201, 201, json={"collection": "handbook", "differs": "version"}),
    "GET /api/v1/review/throughput": _door({R}, 200, 200),
    # What gates hold.
    "GET /api/v1/gate/held": _door({R}, 200, 200),
    "GET /api/v1/gate/held/throughput": _door({R}, 200, 200),
    "GET /api/v1/gate/held/{id}": _door({R}, 200, 404, VERDICT),
    "POST /api/v1/gate/held/decisions": _door({V}, 200, 404, json={"choice": "repeat", "items": [{"id": "{held}"}]}),
    "POST /api/v1/gate/held/decisions/{decision}/undo": _door({V}, 200, 404, {"decision": "held decision"}, json={}),
    "POST /api/v1/gate/held/assignments": _door({V}, 200, 404, json={"ids": ["{held}"], "to": "owner"}),
    "POST /api/v1/gate/held/{id}/notes": _door({V}, 200, 404, VERDICT, json={"text": "asked"}),
    "POST /api/v1/gate/held/{id}/audit": _door({V}, 422, 404, VERDICT, json={"right": True}),
    # People.
    "GET /api/v1/security-log": _door({A}, 200, 200),
    "GET /api/v1/people": _door({A}, 200, 200),
    "POST /api/v1/people": _door({A}, 201, 201, json={"name": "new", "role": "reader"}),
    "POST /api/v1/people/{name}/leave": _door({A}, 200, 200, {"name": "person"}),
    "GET /api/v1/keys": _door({A}, 200, 200),
    "POST /api/v1/keys": _door({A}, 201, 201, json={"person": "{person}"}),
    "DELETE /api/v1/keys/{id}": _door({A}, 200, 404, {"id": "key"}),
    "GET /api/v1/channels": _door({A}, 200, 200),
    "POST /api/v1/channels": _door({A}, 201, 201, json={"kind": "email", "target": "new@example.com"}),
    "DELETE /api/v1/channels/{id}": _door({A}, 200, 404, {"id": "channel"}),
    # Residents.
    "GET /api/v1/alarms": _door({S}, 200, 200),
    "POST /api/v1/alarms/{id}/{verb}": _door({V, S}, 200, 404, {**ALARM, "verb": "acknowledge"}),
    "GET /api/v1/call-outs": _door({S}, 200, 200),
    "POST /api/v1/call-outs": _door({A, S}, 200, 422, json={"file": CALL_OUTS}),
    "POST /api/v1/issues/{id}/owner": _door({V, S}, 200, 404, ISSUE, json={"owner": "owner"}),
    "POST /api/v1/issues/{id}/visit": _door({V, S}, 200, 404, ISSUE, json={"slots": [SLOT]}),
    "POST /api/v1/issues/{id}/visit/cancel": _door({V, S}, 422, 404, ISSUE),
    "POST /api/v1/issues/{id}/contractor": _door({V, S}, 200, 404, ISSUE, json=CONTRACTOR),
    "POST /api/v1/issues/{id}/contractor/revoke": _door({V, S}, 200, 404, ISSUE),
    "POST /api/v1/residents/erase": _door({A, S}, 200, 404, json={"who": "{resident}"}),
    "POST /api/v1/residents/export": _door({A, S}, 200, 404, json={"who": "{resident}"}),
    "GET /api/v1/residents/acts": _door({S}, 200, 200),
    # Pages of the base, and of its administration.
    "GET /": _door({R}, 200, 200),
    "GET /documents": _door({R}, 200, 200),
    "POST /documents": _door({W}, 200, 200, data={}, files={"files": NEW_FILE["file"]}),
    "GET /documents/{id}": _door({R}, 200, 404, {"id": "document id"}),
    "POST /documents/{id}/remove": _door({W}, 422, 404, {"id": "document id"}, data={}),
    "GET /ask": _door({R}, 200, 200, params={"q": "how long are backups kept?"}),
    "GET /sources": _door({R}, 200, 200),
    "POST /sources": _door({A}, 303, 303, data={"address": "https://docs.example.com/sitemap.xml"}),
    "POST /sources/{id}/{verb}": _door({W}, 303, 404, {"id": "source", "verb": "run"}, data={}),
    "GET /settings": _door({A}, 200, 200),
    "GET /people": _door({A}, 200, 200),
    "POST /people": _door({A}, 303, 303, data={"name": "newest", "role": "reader"}),
    "POST /people/{name}/{verb}": _door({A}, 303, 303, {"name": "person", "verb": "role"}, data={"role": "reader"}),
    "POST /keys/{id}/revoke": _door({A}, 303, 404, {"id": "key"}, data={}),
    # Pages of review.
    "GET /queue": _door({R}, 200, 200),
    "GET /queue/next": _door({V}, 200, 200),
    "GET /queue/bulk": _door({V}, 200, 200),
    "POST /queue/bulk": _door({V}, 422, 422, data={"typed": "0"}),
    "POST /queue/bulk/preview": _door({V}, 200, 200, data={"verb": "dismiss", "everything": "yes"}),
    "GET /decisions": _door({R}, 200, 200),
    "GET /review/rules": _door({R}, 200, 200),
    "GET /review/rules/new": _door({V}, 200, 200, params={"collection": "handbook", "differs": "version"}),
    "POST /review/rules": _door({V}, 303, 303, data={"collection": "handbook", "differs": "version"}),
    "GET /gate/held": _door({R}, 200, 200),
    "GET /gate/held/{id}": _door({R}, 200, 404, VERDICT),
    "POST /gate/held/again": _door({V}, 303, 303, data={"reason": "away"}),
    "POST /gate/held": _door({V}, 303, 200, data={"choice": "repeat", "items": "{held}"}),
    "POST /gate/held/{id}": _door({V}, 303, 404, {"id": "held"}, data={"choice": "repeat"}),
    "POST /gate/held/undo/{decision}": _door({V}, 303, 422, {"decision": "held decision"}, data={}),
    "GET /security": _door({A}, 200, 200),
    "GET /queue/{seq}": _door({R}, 200, 200, FLAG),
    "POST /queue/{seq}": _door({V}, 303, 303, FLAG, data={"ruling": "dismiss"}),
    "POST /decisions/{seq}/revert": _door({V}, 303, 404, DECISION, data={}),
    "POST /decisions/{seq}/audit": _door({V}, 303, 404, DECISION, data={"wrong": "no"}),
    "GET /gate": _door({R}, 200, 200),
    "GET /gate/charts/{name}.svg": _door({R}, 200, 200, {"name": "bands"}, params={"gate": "main"}),
    "GET /gate/{id}": _door({R}, 200, 404, VERDICT),
    "POST /gate/{id}/{verb}": _door({V}, 303, 404, {**VERDICT, "verb": "release"}, data={"why": "another shop"}),
    "GET /search": _door({R}, 200, 200, params={"q": "backups"}),
    "GET /blocks/{id}": _door({R}, 200, 404, BLOCK),
    "GET /evidence/{segment_id}/picture": _door({R}, 404, 404, {"segment_id": "block"}),
    "GET /evidence/{segment_id}/original": _door({R}, 404, 404, {"segment_id": "block"}),
    "POST /blocks/{id}/{verb}": _door({V}, 303, 404, {**BLOCK, "verb": "own"}, data={"owner": "owner"}),
    "GET /feed": _door({R}, 200, 200),
    "GET /dashboard": _door({R}, 200, 200),
    "GET /charts/{name}.svg": _door({R}, 200, 200, {"name": "growth"}),
    "GET /metrics": _door({R}, 200, 403),
    # Pages about residents.
    "GET /repairs": _door({S}, 200, 200),
    "POST /repairs/issues/{id}": _door({V, S}, 303, 404, ISSUE, data={"to": "done"}),
    "GET /repairs/conversations": _door({S}, 200, 200),
    "GET /repairs/conversations/{id}": _door({S}, 200, 404, TALK),
    "POST /repairs/conversations/{id}/{verb}": _door({V, S}, 303, 404, {**TALK, "verb": "take-over"}, data={}),
    "GET /repairs/notices": _door({S}, 200, 200),
    "GET /repairs/media/{sha256}": _door({S}, 200, 404, {"sha256": "sha256"}),
    "GET /repairs/issues/{id}": _door({S}, 200, 404, ISSUE),
    "POST /repairs/issues/{id}/owner": _door({V, S}, 303, 404, ISSUE, data={"owner": "owner"}),
    "POST /repairs/issues/{id}/visit": _door({V, S}, 303, 404, ISSUE, data=VISIT_FORM),
    "POST /repairs/issues/{id}/visit/offer": _door({V, S}, 422, 404, ISSUE, data={}),
    "POST /repairs/issues/{id}/visit/cancel": _door({V, S}, 422, 404, ISSUE, data={}),
    "POST /repairs/issues/{id}/contractor": _door({V, S}, 303, 404, ISSUE, data=CONTRACTOR),
    "POST /repairs/issues/{id}/contractor/revoke": _door({V, S}, 303, 404, ISSUE, data={}),
    "POST /repairs/alarms/{id}/{verb}": _door({V, S}, 303, 404, {**ALARM, "verb": "acknowledge"}, data={}),
    "GET /repairs/call-outs": _door({S}, 200, 200),
    "POST /repairs/call-outs": _door({A, S}, 303, 422, data={"file": CALL_OUTS}),
    "GET /repairs/residents/{who}/data": _door({A, S}, 200, 404, {"who": "resident"}),
    "POST /repairs/residents/{who}/{verb}": _door({A, S}, 200, 404, {"who": "resident", "verb": "export"}, data={}),
    "GET /repairs/homes": _door({S}, 200, 200),
    "POST /repairs/homes/import": _door({A, S}, 303, 303, data={"table": HOMES, "sure": "yes"}),
    "POST /repairs/homes/add": _door({A, S}, 303, 303, data={"address": "9 Elm Road", "resident": "Uma Elm"}),
    "POST /repairs/homes/{tenancy}/{verb}": _door({A, S}, 200, 404, {"tenancy": "tenancy", "verb": "link"}, data={}),
    "GET /demo": _door({A, S}, 200, 403),
    "POST /demo/whatsapp": _door({A, S}, 200, 403, data={"text": "The tap drips"}),
    "POST /demo/model": _door({A, S}, 303, 403, data={}),
    # By signed links.
    "GET /chat/{token}": Linked("chat", 200),
    "GET /chat/{token}/lines": Linked("chat", 200),
    "POST /chat/{token}": Linked("chat", 303, sent={"data": {"text": "It still drips"}}),
    "GET /chat/{token}/media/{sha256}": Linked("chat", 200, {"sha256": "sha256"}),
    "GET /jobs/{token}": Linked("job", 200),
    "POST /jobs/{token}": Linked("job", 303, sent={"data": {"verb": "accept"}}),
    "GET /jobs/{token}/media/{sha256}": Linked("job", 200, {"sha256": "job photo"}),
    "GET /alarms/{token}": Linked("alarm link", 200),
    "POST /alarms/{token}": Linked("alarm link", 303, sent={"data": {}}),
    # By signatures of channels.
    "GET /webhooks/{channel}/{org}": Apart("test_a_channel_is_told_its_challenge_for_the_right_token_alone"),
    "POST /webhooks/{channel}/{org}": Apart("test_a_post_of_a_channel_is_taken_when_signed_and_kept"),
    # For everybody.
    "GET /sign-in": Open(200, "asks who comes"),
    "POST /sign-in": Apart("test_signing_in_needs_the_token_of_the_form_and_a_key"),
    "POST /sign-out": Apart("test_signing_out_needs_the_token_of_the_form_and_ends_the_session"),
    "GET /oidc/begin": Open(404, "leads to the issuer; none is set here"),
    "GET /oidc/callback": Open(303, "comes back from the issuer; without a sign-in begun in this browser to the form"),
    "GET /docs": Open(200, "describes the program, not what it holds"),
    "GET /openapi.json": Open(200, "describes the program, not what it holds"),
    "GET /healthz": Open(200, "says to a supervisor that the server and its database answer"),
    "MOUNT /static": Open(200, "scripts and styles of the pages, from the package"),
}
