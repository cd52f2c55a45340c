"""residents erase, export, retention, log."""

from __future__ import annotations

import getpass
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.errors import UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import whole_file
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, open_base, out, print_json

if TYPE_CHECKING:
    from saidonce.repairs.personal_data import PersonalDataDeps

app = CommandSet("Data protection: erase or export a resident's data, and delete what is past its retention period.")

WhoArgument = Annotated[
    str,
    typer.Argument(help="Resident id, phone number with +, or full conversation id.", show_default=False),
]
AsOption = Annotated[str, typer.Option("--as", help="Name for the log; that of your account by default.")]


@app.command()
def erase(
    who: WhoArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Erase; without it, only print what would be erased.")] = False,
    keep_photos: Annotated[bool, typer.Option("--keep-photos", help="Keep the photos of issues.")] = False,
    forget_problems: Annotated[
        bool, typer.Option("--forget-problems", help="Also erase the descriptions of issues.")
    ] = False,
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Erase everything about a resident permanently; issues stay without the person.

    **Examples**

    * `saidonce residents erase r-ana`
    * `saidonce residents erase +447700900001 --yes`
    """
    from saidonce.interfaces.views.personal_data import ErasureView
    from saidonce.platform.security_log import record_act
    from saidonce.repairs.personal_data import ErasureOptions, erase_person

    with open_base() as base:
        options = ErasureOptions(keep_photos, not forget_problems)
        report = erase_person(_data_deps(base), who, actor or getpass.getuser(), options, is_dry_run=not yes)
        if report.act is not None:
            record_act(base.store, report.act)
    if as_json:
        print_json(ErasureView.show(report))
        return
    out.print(f"{'erased' if yes else 'would be erased (confirm with --yes)'}: {_count_words(report.counts)}")
    if report.others:
        out.print(f"{len(report.others)} conversations with the same number belong to somebody else and are kept")


@app.command()
def export(
    who: WhoArgument,
    file: Annotated[Path, typer.Option("--out", help="ZIP to write; only you can read it.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Export everything about a resident to a ZIP: a JSON file, and the files that they sent.

    **Example**: `saidonce residents export r-ana --out ana.zip`
    """
    from saidonce.interfaces.views.personal_data import DataActView, ExportedView
    from saidonce.platform.security_log import record_act
    from saidonce.repairs.personal_data import hand_out

    with open_base() as base:
        if file.exists():
            raise UsageError(f"{str(file)!r} already exists")
        packed, act = hand_out(_data_deps(base), who, actor or getpass.getuser())
        record_act(base.store, act)
        _write(file, packed)
    if as_json:
        print_json(ExportedView(file=str(file), act=DataActView.show(act)))
    else:
        out.print(clean(f"{file}: {_count_words(dict(act.counts))}"))


@app.command()
def retention(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be deleted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete data older than keep_days (or org_keep_days); a worker does the same automatically.

    **Example**: `saidonce residents retention --dry-run`
    """
    from saidonce.interfaces.views.personal_data import RetentionView
    from saidonce.repairs.personal_data import retain, retention_of

    with open_base() as base:
        data_deps, keep = _data_deps(base), retention_of(base.settings, base.settings.org)
        report = retain(data_deps, keep, dry_run)
        while report.act is not None and (more := retain(data_deps, keep)).act is not None:
            report = more
    if as_json:
        print_json(RetentionView.show(report))
    else:
        what = "would be deleted in the next batch" if dry_run else "deleted in the last batch"
        out.print(f"{what}: {_count_words(report.counts)}")


@app.command()
def log(as_json: JsonOption = False) -> None:
    """List erasures, exports and deletions of residents' data, oldest first; the log names no resident.

    **Example**: `saidonce residents log`
    """
    from saidonce.interfaces.views.personal_data import DataActView

    with open_base() as base:
        acts = base.store.conversations.acts()
    if as_json:
        print_json([DataActView.show(act) for act in acts])
        return
    lines = [f"{a.n}  {a.at:%Y-%m-%d %H:%M}  {a.kind} by {a.by}  {_count_words(dict(a.counts))}" for a in acts]
    out.print("\n".join(map(clean, lines)) or "nothing yet")


def _data_deps(base: object) -> PersonalDataDeps:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.app.repairs_service import Repairs
    from saidonce.repairs.personal_data import PersonalDataDeps

    assert isinstance(base, KnowledgeBase)
    return PersonalDataDeps(Repairs(base, base.for_org).deps(), base.store.media, secrets.token_bytes)


def _count_words(counts: Mapping[str, int]) -> str:
    some = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n)
    return some or "nothing"


def _write(file: Path, content: bytes) -> None:
    """Write a new file that only its owner can read.

    Raises:
        UsageError: it is there already, or cannot be written.
    """
    try:
        with naming_full_disk(file), whole_file(file, is_private=True, is_new=True) as held:
            held.write(content)
    except FileExistsError:
        raise UsageError(f"{str(file)!r} already exists") from None
    except OSError as bad:
        raise UsageError(f"{str(file)!r} cannot be written: {bad.strerror}") from bad
