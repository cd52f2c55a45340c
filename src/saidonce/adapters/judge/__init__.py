"""The network behind the port `EquivalenceJudge`; imported when one is chosen."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from saidonce.adapters.judge.cross_encoder import CrossEncoder

AUTO: Final = "auto"
NONE: Final = "none"

DISTRIBUTION: Final = "saidonce_judge"
"""Package of the distribution `saidonce-judge`, which holds the shipped judge's files and no code."""


def open_network(choice: str, threads: int = 1) -> CrossEncoder | None:
    """Open the network of the equivalence judge that the settings name; its files are checked, it is not loaded yet.

    Args:
        choice: `auto` for the installed distribution, `none`, or the folder of a judge.
        threads: pairs judged at once.

    Returns:
        None for `none`, and for `auto` where `saidonce-judge` is not installed.

    Raises:
        ArtefactError: the judge's files are absent or altered.
    """
    if choice == NONE:
        return None
    folder = installed_folder() if choice == AUTO else Path(choice).expanduser()
    if folder is None:
        return None
    from saidonce.adapters.judge.cross_encoder import CrossEncoder  # noqa: PLC0415 - only what is chosen is imported

    return CrossEncoder(folder, threads)


def installed_folder() -> Path | None:
    """Return the folder of the installed distribution's files, if it is installed."""
    spec = find_spec(DISTRIBUTION)
    places = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(places))) if places else None
