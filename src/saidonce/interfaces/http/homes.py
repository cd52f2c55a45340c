"""The landlord's page of properties and tenancies: list, add, import, end, and links for residents."""

from __future__ import annotations

import csv
import io
import secrets
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from saidonce.app.repairs_service import Visitor, link_path
from saidonce.errors import UsageError
from saidonce.foundation.model import Scope
from saidonce.foundation.model.residents import Home
from saidonce.interfaces.http.repairs import deps_of, render_repairs
from saidonce.interfaces.http.schemas import Body
from saidonce.interfaces.http.site import authorise, check_form, site_of
from saidonce.repairs import tenancies as tenants

homes = APIRouter(include_in_schema=False)

PAGE = 200
MAX_TABLE_CHARS = 1_500_000
FIELDS = ("address", "unit", "building", "postcode", "resident", "phones", "starts", "ends")
"""What the page asks for one home; ids are derived from it."""


class NewHome(Body):
    """A home as entered in the page's form; flaws are reported like those of a table's line."""

    csrf: str
    address: str = ""
    unit: str = ""
    building: str = ""
    postcode: str = ""
    resident: str = ""
    phones: str = ""
    starts: str = ""
    ends: str = ""


@homes.get("/repairs/homes")
def list_homes(request: Request, q: str = "") -> Response:
    """List homes, with those who live there."""
    caller = authorise(request, Scope.RESIDENTS)
    deps = deps_of(request)
    everyone = deps.store.homes()
    matches = [h for h in everyone if q.casefold().strip() in _words(h)]
    return render_repairs(
        request, caller, "repairs_homes.html", homes=matches[:PAGE], n=len(matches), n_all=len(everyone), q=q,
        now=deps.clock.now(), may_admin=caller.may(Scope.ADMIN), columns=tenants.COLUMNS, fields=FIELDS,
    )  # fmt: skip


@homes.post("/repairs/homes/import")
def import_table(
    request: Request,
    csrf: Annotated[str, Form()],
    table: Annotated[str, Form(max_length=MAX_TABLE_CHARS)] = "",
    file: Annotated[UploadFile | None, File()] = None,
    sure: Annotated[str, Form()] = "",
) -> Response:
    """Show what a table would change, with its flaws; import it once confirmed."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    content = _content(file) if file is not None and file.filename else table
    deps = deps_of(request)
    sheet = tenants.read_sheet(content)
    planned = tenants.plan(deps.store, sheet)
    if not sure:
        return render_repairs(request, caller, "repairs_import.html", planned=planned, flaws=sheet.flaws, table=content,
                     shared=tenants.shared_phones(deps.store, planned))  # fmt: skip
    tenants.import_homes(deps.store, planned)
    return RedirectResponse("/repairs/homes", 303)


@homes.post("/repairs/homes/add")
def add_home(request: Request, form: Annotated[NewHome, Form()]) -> Response:
    """Add one home, like a table with one line."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    check_form(request, caller, form.csrf)
    written = io.StringIO()
    csv.writer(written).writerows((FIELDS, [getattr(form, name) for name in FIELDS]))
    sheet = tenants.read_sheet(written.getvalue())
    if sheet.flaws:
        raise UsageError("; ".join(f"{flaw.column}: {flaw.why}" for flaw in sheet.flaws))
    store = deps_of(request).store
    tenants.import_homes(store, tenants.plan(store, sheet))
    return RedirectResponse("/repairs/homes", 303)


@homes.post("/repairs/homes/{tenancy}/{verb}")
def change_tenancy(request: Request, tenancy: str, verb: str, csrf: Annotated[str, Form()]) -> Response:
    """End a tenancy, undo that, or make a resident's link."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    deps = deps_of(request)
    match verb:
        case "end":
            tenants.end(deps.store, tenancy, deps.clock.now())
        case "undo":
            tenants.resume(deps.store, tenancy)
        case "link" | "new-link":
            name = tenants.chat_name(deps.store, tenancy, secrets.token_bytes, verb == "new-link")
            path = link_path(site_of(request).secret, Visitor(deps.store.org, name))
            root = site_of(request).base.settings.public_url or str(request.base_url)
            home = deps.store.home(tenancy)
            return render_repairs(request, caller, "repairs_link.html", link=f"{root.rstrip('/')}{path}", home=home)
        case _:
            raise UsageError(f"action must be end, undo, link or new-link, not {verb!r}")
    return RedirectResponse("/repairs/homes", 303)


def _words(home: Home) -> str:
    place, who = home.property, home.resident
    return " ".join((place.address, place.unit, place.building, place.postcode, who.name, *who.phones)).casefold()


def _content(file: UploadFile) -> str:
    try:
        return file.file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("the file is not UTF-8 text; save it as CSV UTF-8") from None
