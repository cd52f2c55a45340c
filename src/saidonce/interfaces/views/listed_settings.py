"""The settings that lists for people show: those of the repair assistant only where it is on."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation import extras
from saidonce.foundation.settings.origins import OriginKind, is_of_repairs
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.views.kb import SettingView, settings_view


@dataclass(frozen=True, slots=True)
class ListedSettings:
    """Settings in their order, and in a sentence which are left out; empty if none are."""

    rows: tuple[SettingView, ...]
    left_out: str


def listed_settings(settings: Settings) -> ListedSettings:
    """Return the settings to show; a setting of the repair assistant that has a value of its own is always shown."""
    rows = settings_view(settings)
    is_installed = extras.is_installed(extras.REPAIRS)
    if is_installed and settings.repairs_enabled:
        return ListedSettings(tuple(rows), "")
    shown = tuple(row for row in rows if row.origin is not OriginKind.DEFAULT or not is_of_repairs(row.name))
    cure = "repairs_enabled is false" if is_installed else f"{extras.command(extras.REPAIRS)} adds it"
    return ListedSettings(shown, f"{len(rows) - len(shown)} settings of the repair assistant are left out: {cure}")
