"""Where the value of a setting comes from, for whoever wants to change it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.settings.aliases import ALIASES, FLAG_ALIAS
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.foundation.settings.policy import Settings

OPTIONS = {"data_dir": "--data-dir", "database_url": "--database-url", "org": "--org"}
"""Settings that every command takes as an option, too; an option wins over everything else."""


class OriginKind(StrEnum):
    """Kind of place that a value comes from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    FILE = "file"
    """the settings file, or the program that opened the base"""


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Where a value comes from.

    Attributes:
        variable: of the environment; empty if none sets it.
    """

    kind: OriginKind
    variable: str = ""


def origin_of(settings: Settings, name: str, environment: Mapping[str, str] = os.environ) -> SettingOrigin:
    """Return where the value of a setting comes from; of several places the one that wins, options left aside."""
    if name not in settings.model_fields_set:
        return SettingOrigin(OriginKind.DEFAULT)
    own = f"{Settings.model_config['env_prefix']}{name}".upper()
    set_ = sorted(key for key in environment if key.upper() == own)
    set_ += sorted(key for key in environment if ALIASES.get(key) == name)
    set_ += [FLAG_ALIAS] * (FLAG_ALIAS.casefold() == name and bool(environment.get(FLAG_ALIAS)))
    return SettingOrigin(OriginKind.ENVIRONMENT, set_[0]) if set_ else SettingOrigin(OriginKind.FILE)


def how_to_change(settings: Settings, name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return in a sentence what to do to give a setting another value."""
    origin = origin_of(settings, name, environment)
    option = f", or the option {OPTIONS[name]} if the program is started with it" if name in OPTIONS else ""
    match origin.kind:
        case OriginKind.ENVIRONMENT:
            return f"change the environment variable {origin.variable}{option}, and restart the program"
        case OriginKind.FILE:
            return f"change {name} in the settings file{option}, and restart the program"
        case _:
            return f"add '{name} = ...' to the settings file{option}, and restart the program"


_REPAIRS_PREFIXES = (
    "use_llm_orchestration", "conversation_", "residents_", "keep_days", "org_keep_days", "emergency_", "response_",
    "done_", "contractor_",
)  # fmt: skip


def is_of_repairs(name: str) -> bool:
    """Return whether nothing but the repair assistant reads a setting; the switch for it is of the whole program."""
    of_channels = name in ChannelSettings.model_fields and name != "repairs_enabled"
    return of_channels or name.startswith(_REPAIRS_PREFIXES)
