"""Settings of the pair table."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from saidonce.foundation.settings.channels import setting


class PairSettings(BaseSettings):
    """Whether near texts are compared when they are written, and by how many processes."""

    pairs_enabled: bool = setting(True, "compare near texts when they are written, and store the results for searches")
    pair_workers: Annotated[int, Field(ge=0, le=256)] = setting(
        1,
        "processes that compare texts when many wait; 0 means one per core, the default of the command line; a script"
        " that sets more than 1 needs 'if __name__ == \"__main__\":'",
    )
