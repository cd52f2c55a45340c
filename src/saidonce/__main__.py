"""Run the command line, as `saidonce` or as `python -m saidonce`."""

from __future__ import annotations

from saidonce import _interrupts


def main() -> None:
    """Import the command line and run it."""
    _interrupts.stop_at_once()
    from saidonce.interfaces.cli import main as run  # noqa: PLC0415 - it is this that may be interrupted

    run()


if __name__ == "__main__":
    main()
