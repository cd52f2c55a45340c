"""Data protection over HTTP: erase a resident, hand out everything about one, and the log of both."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from saidonce.errors import UsageError
from saidonce.foundation.model import Scope
from saidonce.interfaces.http.callers import MayAdmin, MaySeeResidents
from saidonce.interfaces.http.repairs import deps_of, render_repairs
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.http.site import Caller, authorise, caller_of, check_form, site_of
from saidonce.interfaces.views.personal_data import DataActView, ErasureView
from saidonce.platform.security_log import record_act
from saidonce.repairs.personal_data import ErasureOptions, PersonalDataDeps, erase_person, hand_out

residents_api = APIRouter(tags=["residents"])
residents_pages = APIRouter(include_in_schema=False)


def _data_deps(request: Request) -> PersonalDataDeps:
    org = caller_of(request).base.settings.org
    return PersonalDataDeps(deps_of(request), site_of(request).repairs.media(org), secrets.token_bytes)


DataDeps = Annotated[PersonalDataDeps, Depends(_data_deps)]


Who = Annotated[
    str, Field(min_length=1, max_length=200, description="resident id, phone number with +, or conversation id")
]


class EraseResident(Body, json_schema_extra=example({"who": "r-uma", "dry_run": True})):
    """Resident whose data is erased, and what stays of their issues."""

    who: Who
    keep_photos: bool = Field(default=False, description="keep the photos of issues")
    forget_problems: bool = Field(default=False, description="also erase the descriptions of issues")
    dry_run: bool = Field(default=False, description="only report what would be erased")


class ExportResident(Body, json_schema_extra=example({"who": "r-uma"})):
    """Resident whose data is exported."""

    who: Who


@residents_api.post("/residents/erase", summary="Erase everything about a resident")
def erase(caller: MayAdmin, data_deps: DataDeps, body: EraseResident) -> ErasureView:
    """Erase a resident, and return what was erased and the log entry; this cannot be undone."""
    options = ErasureOptions(body.keep_photos, not body.forget_problems)
    report = erase_person(data_deps, body.who, caller.name, options, body.dry_run)
    if report.act is not None:
        record_act(caller.base.store, report.act)
    return ErasureView.show(report)


@residents_api.post(
    "/residents/export",
    summary="Export everything about a resident",
    response_class=Response,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}},
)
def export(caller: MayAdmin, data_deps: DataDeps, body: ExportResident) -> Response:
    """Return a ZIP with `data.json` and the files."""
    return _zip(data_deps, body.who, caller)


@residents_api.get("/residents/acts", summary="List erasures and exports of residents' data")
def acts(_caller: MaySeeResidents, data_deps: DataDeps) -> list[DataActView]:
    """Return the log, oldest first; it contains no personal data."""
    return [DataActView.show(act) for act in data_deps.deps.store.acts()]


@residents_pages.get("/repairs/residents/{who}/data")
def page(request: Request, who: str) -> Response:
    """Show what erasing a resident would delete, with the form to do it."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    report = erase_person(_data_deps(request), who, caller.name, is_dry_run=True)
    return render_repairs(request, caller, "repairs_erase.html", who=who, report=report)


@residents_pages.post("/repairs/residents/{who}/{verb}")
def act(
    request: Request,
    who: str,
    verb: str,
    csrf: Annotated[str, Form()],
    sure: Annotated[str, Form()] = "",
    keep_photos: Annotated[str, Form()] = "",
    forget_problems: Annotated[str, Form()] = "",
) -> Response:
    """Erase a resident after a confirmation, or hand out what is kept about them."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    if verb == "export":
        return _zip(_data_deps(request), who, caller)
    if verb != "erase" or not sure:
        raise UsageError("confirm that erasing a resident cannot be undone")
    options = ErasureOptions(bool(keep_photos), not forget_problems)
    report = erase_person(_data_deps(request), who, caller.name, options)
    if report.act is not None:
        record_act(caller.base.store, report.act)
    return RedirectResponse("/repairs/homes", 303)


def _zip(data_deps: PersonalDataDeps, who: str, caller: Caller) -> Response:
    packed, entry = hand_out(data_deps, who, caller.name)
    record_act(caller.base.store, entry)
    headers = {"Content-Disposition": f'attachment; filename="resident-{entry.subject[:8]}.zip"',
               "Cache-Control": "no-store"}  # fmt: skip
    return Response(packed, media_type="application/zip", headers=headers)
