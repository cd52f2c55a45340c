"""Settings from the environment."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource


class Environment(EnvSettingsSource):
    """Looks closely only at variables that are set: there are some 200 settings, and few of them are."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return a variable's value, the field's name, and whether it is complex; None if it is not set."""
        is_set = f"{self.env_prefix}{field_name}".lower() in self.env_vars
        # "Complex" ends the search for other names.
        return super().get_field_value(field, field_name) if is_set else (None, field_name, True)

    def prepare_field_value(self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool) -> Any:
        """Return a variable's value as the field needs it; None if it is not set."""
        return None if value is None else super().prepare_field_value(field_name, field, value, value_is_complex)
