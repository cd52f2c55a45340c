"""What stands under an example directive that nobody knows: code if it is a program, text if it only looks like one."""

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

PROGRAMS = [
    '@lifts.command()\ndef up(floor):\n    """Send the cabin up.\n\n    The doors close first.\n    """\n    go(floor)',
    "@door.command()  # @door, not @lift!\ndef close():\n    pass",
    'class Cabin:\n    """One cabin."""\n\n    def stop(self):\n        # Why here?\n        self.brake = True',
    'ask("Go on", text="""\nIs the cabin empty?\n""")',
    'message = """\nThe lift is full.\n"""',
    "from lifts import up\n\n# Two floors at once.\nup(2)",
    'with lift("north") as cabin:\n    """Nothing is moved here."""\n    cabin.open()',
    "for floor in range(9):\n    # The cabin stops on each.\n    stop(floor)",
    'def help():\n    """Is it dangerous?\n\n    Not at all!\n    """',
    'async def wait():\n    """Waits."""\n    # Until somebody comes.\n    await bell()',
]

TEXTS = [
    "Say (politely) that the lift is full.",
    "Nobody is in.",
    '"""A text in quotation marks (three of them).\n\nNo program."""',
    "lift, cabin, door",
    "cabin is up",
    "Press (1), then {2}.\nWait for the bell!",
    "if the bell rings (twice), leave.",
    "The call up(2) moves the cabin.\n\n    up(2)",
]


def _kinds(content: str) -> list[Kind]:
    body = "\n".join(f"    {line}" if line else "" for line in content.split("\n"))
    text = f"Lifts\n=====\n\nBefore the example.\n\n.. lifts:example::\n\n{body}\n"
    return [e.kind for e in parse("lifts.rst", text.encode()).elements][2:]


@pytest.mark.parametrize("content", PROGRAMS)
def test_a_program_with_prose_in_it_is_code(content: str) -> None:
    assert _kinds(content) == [Kind.CODE]


@pytest.mark.parametrize("content", TEXTS)
def test_what_is_no_program_stays_text(content: str) -> None:
    assert Kind.PARAGRAPH in _kinds(content)
