"""Run the command line as `python -m saidonce`."""

from saidonce.cli import main

main()
