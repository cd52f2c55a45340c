"""doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, effective_settings, errors_reported, out, print_json

_MARKS = {(True, True): "on ", (True, False): "on ", (False, True): "OFF", (False, False): "off"}


def doctor(
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option(help="End with exit code 1 if a protection is off.")] = False,
) -> None:
    """Show what protects this machine: each protection, whether it is on, and why; and what makes it quicker.

    A parsing process is started and says what confines it; the database's login and the files of the base are looked
    at. Nothing is made or changed.

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
