"""The settings of a program: file, environment and arguments."""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path
from typing import Any

from saidonce.errors import SettingsError
from saidonce.foundation.settings.policy import Settings, load_settings

CONFIG_FILE = "saidonce.toml"

_log = logging.getLogger("saidonce")


def settings_from(config: Path | None = None, **overrides: Any) -> Settings:
    """Read settings from a file (by default `saidonce.toml` here, if there is one), environment and arguments.

    Raises:
        SettingsError: a value is malformed, a key unknown, or the file unreadable.
    """
    path = config or Path(CONFIG_FILE)
    if config is None and not path.is_file():
        return load_settings(None, warn=_log.warning, **overrides)
    try:
        return load_settings(tomllib.loads(path.read_text(encoding="utf-8")), warn=_log.warning, **overrides)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as bad:
        why = bad.strerror if isinstance(bad, OSError) else bad
        raise SettingsError("configuration file", str(path), f"a readable TOML file ({why})") from bad
