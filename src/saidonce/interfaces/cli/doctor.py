"""doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, effective_settings, errors_reported, out, print_json

_MARKS = {(True, True): "on ", (True, False): "on ", (False, True): "OFF", (False, False): "off"}


def doctor(
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option(help="Exit with code 1 if a protection is off.")] = False,
) -> None:
    """Show the protections of this machine, whether each is on and why, and what would make it faster.

    Starts a parsing process to see what confines it, and checks the database login and the files of the base. Nothing
    is created or changed.

    **Example**: `saidonce doctor --json`
    """
    from saidonce.app.doctor import examine

    with errors_reported():
        checks = examine(effective_settings())
        if as_json:
            print_json(checks)
        else:
            area = ""
            for one in checks:
                if one.area != area:
                    area = one.area
                    out.print(area)
                out.print(f"  {_MARKS[one.is_on, one.protects]}  {one.name}: {clean(one.why)}")
        if strict and not all(one.is_on for one in checks if one.protects):
            raise typer.Exit(EXIT_FAILED)
