"""homes import, list, end, undo, link."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.residents import Home
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_REFUSED, JsonOption, err, errors_reported, open_base, out, print_json

app = CommandSet("Import and list homes: properties, residents and tenancies.")

TenancyArgument = Annotated[str, typer.Argument(help="Id of the tenancy, as shown by `list`.", show_default=False)]


@app.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV file with a header.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would happen.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Import homes from a CSV table; importing the same table again changes nothing.

    Columns: address and resident are required; unit, building, postcode, phones (several separated by ;), starts, ends
    (days such as 2026-01-31), property_id, resident_id and tenancy_id are optional. A line with an error is reported
    and skipped, and the others are imported. A phone number shared with another resident is reported and imported.

    Exit codes: 0 all imported, 3 some lines refused.

    **Examples**

    * `saidonce homes import homes.csv --dry-run`
    * `saidonce homes import homes.csv --json`
    """
    from saidonce.interfaces.views.repairs import homes_import
    from saidonce.repairs.tenancies import import_homes, plan, read_sheet, shared_phones

    with errors_reported():
        sheet = read_sheet(_content(file))
    with open_base(creates=True) as base:
        store = base.store.conversations
        planned = plan(store, sheet)
        shared = shared_phones(store, planned)
        if not dry_run:
            import_homes(store, planned)
    counts = {change: sum(p.change == change for p in planned) for change in ("added", "changed", "same")}
    if as_json:
        print_json(homes_import(sheet, planned, shared))
    else:
        for flaw in sheet.flaws:
            err.print(clean(str(flaw)), style="red")
        for each in shared:
            err.print(clean(str(each)), style="yellow")
        counted = ", ".join(f"{n} {name}" for name, n in counts.items())
        out.print(f"{'dry run: ' if dry_run else ''}{counted}, {len(sheet.flaws)} refused")
    if sheet.flaws:
        raise typer.Exit(EXIT_REFUSED)


def _content(file: Path) -> str:
    if not file.exists():
        raise NotFoundError("file", str(file))
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as bad:
        raise UsageError(f"{str(file)!r} cannot be read: {bad.strerror}") from bad
    except UnicodeDecodeError as bad:
        raise UsageError(f"{str(file)!r} is not UTF-8 text; export the table as CSV") from bad


@app.command(name="list")
def list_(as_json: JsonOption = False) -> None:
    """List tenancies, including ended ones.

    **Example**: `saidonce homes list --json`
    """
    from saidonce.interfaces.views.repairs import HomeView

    with open_base() as base:
        homes = base.store.conversations.homes()
    if as_json:
        print_json([HomeView.show(h) for h in homes])
    else:
        out.print(
            "\n".join(_line(h) for h in homes) or "no homes yet; import them with 'saidonce homes import FILE.csv'"
        )


@app.command()
def end(tenancy: TenancyArgument, as_json: JsonOption = False) -> None:
    """End a tenancy now; the resident has to identify themselves again.

    **Example**: `saidonce homes end t-ana`
    """
    from saidonce.repairs.tenancies import end as end_tenancy

    with open_base() as base:
        _print_home(end_tenancy(base.store.conversations, tenancy, base.base.clock.now()), "ended", as_json)


@app.command()
def undo(tenancy: TenancyArgument, as_json: JsonOption = False) -> None:
    """Undo the end of a tenancy.

    **Example**: `saidonce homes undo t-ana`
    """
    from saidonce.repairs.tenancies import resume

    with open_base() as base:
        _print_home(resume(base.store.conversations, tenancy), "goes on", as_json)


@app.command()
def link(
    tenancy: TenancyArgument,
    new: Annotated[bool, typer.Option("--new", help="Create a new link; the previous one stops working.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print a resident's link to the chat page; anybody who has the link writes as that resident.

    Without the setting `public_url` only the path is printed.

    **Example**: `saidonce homes link t-ana`
    """
    from saidonce.app.repairs_service import Visitor, link_path, session_secret
    from saidonce.interfaces.views.repairs import HomeLink
    from saidonce.repairs.tenancies import chat_name

    with open_base() as base:
        name = chat_name(base.store.conversations, tenancy, secrets.token_bytes, new)
        path = link_path(session_secret(base.settings.data_dir.expanduser()), Visitor(base.settings.org, name))
        url = f"{base.settings.public_url.rstrip('/')}{path}"
    if as_json:
        print_json(HomeLink(tenancy=tenancy, link=url))
    else:
        out.print(url)


def one_home(homes: tuple[Home, ...], query: str) -> Home | None:
    """Return a resident's home by tenancy, name or number; None if there is none.

    Raises:
        UsageError: several people fit.
    """
    folded = query.strip().casefold()
    fitting = [
        h
        for h in homes
        if folded in (h.tenancy.id.casefold(), h.resident.name.casefold(), h.resident.name.casefold().split()[0])
        or query in h.resident.phones
    ]
    if len({h.resident.id for h in fitting}) > 1:
        names = ", ".join(f"{h.tenancy.id} ({clean(h.resident.name)})" for h in fitting)
        raise UsageError(f"{query!r} matches {names}; give the tenancy")
    return fitting[0] if fitting else None


def _line(home: Home) -> str:
    ends = f"  until {home.tenancy.ends_at:%Y-%m-%d}" if home.tenancy.ends_at else ""
    phones = " ".join(home.resident.phones) or "-"
    return clean(f"{home.tenancy.id}  {home.resident.name}  {home.property.whole_line}  {phones}{ends}")


def _print_home(home: Home, what: str, as_json: bool) -> None:
    from saidonce.interfaces.views.repairs import HomeView

    if as_json:
        print_json(HomeView.show(home))
    else:
        out.print(f"tenancy {clean(home.tenancy.id)} of {clean(home.resident.name)} {what}")
