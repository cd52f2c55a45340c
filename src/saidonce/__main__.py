"""Run the command line as `python -m saidonce`."""

from saidonce.interfaces.cli import main

main()
