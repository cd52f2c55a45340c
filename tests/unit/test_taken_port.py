"""A taken port is told with the options that the command has."""

from __future__ import annotations

import socket

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.http import server


@pytest.mark.parametrize(("is_demo", "options"), [(True, "with --port"), (False, "with --port or --host")])
def test_a_taken_port_is_told_with_the_options_that_the_command_has(
    is_demo: bool, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class People:
        def people(self) -> tuple[()]:
            return ()

    class Base:
        settings = Settings()

        class store:  # noqa: N801
            people = People()

    monkeypatch.setattr(server, "create_app", lambda *_: lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError) as refused:
        server.run(Base(), ("127.0.0.1", taken.getsockname()[1]), lambda: None, None, is_demo)  # type: ignore[arg-type]
    assert str(refused.value).endswith(options)
