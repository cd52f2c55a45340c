"""MyST, the Markdown of Sphinx: its directives, roles, targets and definitions are read as their reader sees them.

Nearly all cases were written before the code that reads them.
"""

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

TEXT, CODE, LIST, HEAD, TABLE = Kind.PARAGRAPH, Kind.CODE, Kind.LIST, Kind.HEADING, Kind.TABLE
ROWS = "Tool | Price\nHammer | 12"


def _elements(text: str, name: str = "lifts.md") -> list[tuple[Kind, str]]:
    return [(e.kind, e.text) for e in parse(name, text.encode()).elements]


PROSE = {
    # reStructuredText inside Markdown
    "```{eval-rst}\n.. doctest::\n\n   >>> floors(2)\n   3\n```": [(CODE, ">>> floors(2)\n3")],
    "```{eval-rst}\n.. note::\n\n   Keep the doors shut.\n```": [(TEXT, "Note: Keep the doors shut.")],
    "```{eval-rst}\n.. module:: lifts\n\n.. autofunction:: lifts.up\n```\n\nGo on.": [(TEXT, "Go on.")],
    "```{eval-rst}\n.. envvar:: LIFT_SPEED\n\n   Metres per second.\n```": [
        (CODE, "LIFT_SPEED"),
        (TEXT, "Metres per second."),
    ],
    "```{eval-rst}\nA lift with :func:`~lifts.doors` and ``stop()``.\n```": [(TEXT, "A lift with doors and stop().")],
    "- One:\n\n  ```{eval-rst}\n  .. code-block:: python\n\n     up(2)\n  ```\n- Two": [
        (LIST, "- One:"),
        (CODE, "up(2)"),
        (LIST, "- Two"),
    ],
    ":::{eval-rst}\n.. versionadded:: 2.1\n:::": [(TEXT, "versionadded 2.1")],
    # what a version changed
    "```{versionadded} 2.1\n```": [(TEXT, "versionadded 2.1")],
    "```{deprecated} 3.0\nUse the stairs.\n```": [(TEXT, "deprecated 3.0"), (TEXT, "Use the stairs.")],
    ":::{versionchanged} 2.4 It stops on each floor.\n:::": [(TEXT, "versionchanged 2.4: It stops on each floor.")],
    ":::{versionremoved} 4.0\n:::": [(TEXT, "versionremoved 4.0")],
    # boxes keep their kind
    ":::{warning}\nThe shaft is open.\n:::": [(TEXT, "Warning: The shaft is open.")],
    "```{danger} Never climb in.\n```": [(TEXT, "Danger: Never climb in.")],
    "```{tip}\n- Oil it.\n- Test it.\n```": [(TEXT, "Tip:"), (LIST, "- Oil it.\n- Test it.")],
    "```{admonition} Before you start\n:class: tip\nOil the rails.\n```": [
        (TEXT, "Before you start"),
        (TEXT, "Oil the rails."),
    ],
    ":::{seealso}\nThe page of doors.\n:::": [(TEXT, "See also:"), (TEXT, "The page of doors.")],
    "````{tab-set}\n```{tab-item} Linux\nRun `lift`.\n```\n```{tab-item} Windows\nRun `lift.exe`.\n```\n````": [
        (TEXT, "Linux"),
        (TEXT, "Run lift."),
        (TEXT, "Windows"),
        (TEXT, "Run lift.exe."),
    ],
    # objects: their signature is said nowhere else
    "```{py:function} open_doors(wait=3)\nOpens **both** doors.\n```": [
        (CODE, "open_doors(wait=3)"),
        (TEXT, "Opens both doors."),
    ],
    "```{envvar} LIFT_SPEED\nMetres per second.\n```": [(CODE, "LIFT_SPEED"), (TEXT, "Metres per second.")],
    ":::{confval} lift.speed\n:type: int\n\nMetres per second.\n:::": [
        (CODE, "lift.speed\ntype: int"),
        (TEXT, "Metres per second."),
    ],
    # code
    "```{code-block} python\n:linenos:\n:emphasize-lines: 1\n\nup(2)\n```": [(CODE, "up(2)")],
    "```{code-block} python\n---\nlineno-start: 10\n---\nup(2)\n```": [(CODE, "up(2)")],
    "```{doctest}\n>>> floors(2)\n3\n```": [(CODE, ">>> floors(2)\n3")],
    "```{testsetup} *\n   import lifts\n```": [(CODE, "import lifts")],
    "```{mermaid}\n:align: center\n\nflowchart TD\n  A --> B\n```": [(CODE, "flowchart TD\n  A --> B")],
    "```{math}\n:label: force\nF = m a\n```": [(CODE, "F = m a")],
    "```{code-cell} ipython3\n:tags: [hide-input]\n\nup(2)\n```": [(CODE, "up(2)")],
    # tables and pictures
    "```{list-table} Prices\n:header-rows: 1\n\n* - Tool\n  - Price\n* - Hammer\n  - 12\n```": [
        (Kind.CAPTION, "Prices"),
        (TABLE, ROWS),
    ],
    "```{csv-table}\n:header: Tool,Price\n\nHammer,12\n```": [(TABLE, ROWS)],
    "```{table} Prices\n| Tool | Price |\n|---|---|\n| Hammer | 12 |\n```": [(TEXT, "Prices"), (TABLE, ROWS)],
    "```{figure} lift.png\n:alt: A lift.\n\nThe lift in *spring*.\n```": [
        (TEXT, "A lift."),
        (TEXT, "The lift in spring."),
    ],
    "```{image} lift.png\n:alt: A lift.\n```": [(Kind.CAPTION, "A lift.")],
    # lists of contents, and what shows nothing
    "```{toctree}\n:maxdepth: 2\n\nfirst\nsecond/page\n```\n\nGo on.": [(TEXT, "Go on.")],
    ":::{toctree}\n:caption: More\n\nThe doors <doors>\nrails\n:::": [(TEXT, "More"), (LIST, "- The doors")],
    "```{currentmodule} lifts\n```\n\nGo on.": [(TEXT, "Go on.")],
    # targets
    "(doors)=\n## Doors\n\nOpen.": [(HEAD, "Doors"), (TEXT, "Open.")],
    "Shut.\n\n(the-rails)=\n\nOil them.": [(TEXT, "Shut."), (TEXT, "Oil them.")],
    # definitions
    "Cabin\n: Where people stand.": [(TEXT, "Cabin: Where people stand.")],
    "{func}`~lifts.up`:\n\n: Moves the cabin.\n  It stops on each floor.": [
        (TEXT, "up: Moves the cabin. It stops on each floor.")
    ],
    "Cabin\n: Where people stand.\n\n  It has a mirror.\n\nShaft\n: Where it moves.": [
        (TEXT, "Cabin: Where people stand."),
        (TEXT, "It has a mirror."),
        (TEXT, "Shaft: Where it moves."),
    ],
    ":::{glossary}\n\nCabin\n    Where people stand.\n\n    It has a {term}`mirror`.\n\nShaft\n    It is dark.\n:::": [
        (TEXT, "Cabin: Where people stand."),
        (TEXT, "It has a mirror."),
        (TEXT, "Shaft: It is dark."),
    ],
}

TERMS = {
    "```{raw} html\n<p>It moves <b>up</b>.</p>\n```\n\nGo on.": [(TEXT, "It moves up."), (TEXT, "Go on.")],
    "```{raw} latex\n\\newpage\n```\n\nGo on.": [(TEXT, "Go on.")],
    "`up`\n: It moves.": [(TEXT, "up: It moves.")],
    ":::{note}\n`up` moves.\n:::": [(TEXT, "Note: up moves.")],
    ":::{note}\n*Up* moves.\n:::": [(TEXT, "Note: Up moves.")],
    ":::{note}\n```sh\nup\n```\n:::": [(TEXT, "Note:"), (CODE, "up")],
    "Cabin\n: It moves.\nShaft\n: It is dark.\n: It is deep.\n\nGo on.": [
        (TEXT, "Cabin: It moves."),
        (TEXT, "Shaft: It is dark."),
        (TEXT, "It is deep."),
        (TEXT, "Go on."),
    ],
    "Cabin\n:   It moves\nup and down.\n\n        up(2)\n\n    Slowly.": [
        (TEXT, "Cabin: It moves up and down."),
        (CODE, "up(2)"),
        (TEXT, "Slowly."),
    ],
    "# Cabin\n\n: It moves.": [(HEAD, "Cabin"), (TEXT, ": It moves.")],
    "It moves.\nUp and down\n: always.": [(TEXT, "It moves. Up and down : always.")],
}

ROLES = {
    "Call {func}`stop`.": "Call stop.",
    "Call {func}`~lifts.doors.close`.": "Call close.",
    "Call {meth}`Doors.close() <lifts.Doors.close>`.": "Call Doors.close().",
    "See {doc}`the page of doors <doors/index>`.": "See the page of doors.",
    "A {term}`cabin` and {term}`shafts <shaft>`.": "A cabin and shafts.",
    "It holds 10{sup}`3` kilograms.": "It holds 10^3 kilograms.",
    "Use H{sub}`2`O.": "Use H2O.",
    "A {py:class}`lifts.Cabin`.": "A lifts.Cabin.",
    "See {pep}`8`.": "See PEP 8.",
    "See {class}`~lifts.Cabin`s.": "See Cabins.",
    "Press {kbd}`Ctrl+C` in {guilabel}`Doors`.": "Press Ctrl+C in Doors.",
}

KEPT = {
    "The key {floor}`2` is no role.": "The key {floor}2 is no role.",
    "A set {1, 2} and {a}.": "A set {1, 2} and {a}.",
    "It is `{func}` and `x <y>`.": "It is {func} and x <y>.",
    "Send {ref} `now`.": "Send {ref} now.",
    "Ratio\n\n:2 to 3": "Ratio\n:2 to 3",
    "f(x)=\n\n4": "f(x)=\n4",
    "Time\n\n12: 30": "Time\n12: 30",
}

RST = {
    "The `class Meta <lifts.Cabin.Meta>` of it.": "The class Meta of it.",
    "Call `load <Cabin.load>` or `~lifts.Cabin.dump`.": "Call load or dump.",
    "A `Cabin <lifts.Cabin>`'s doors.": "A Cabin's doors.",
    "A `vector <int>` of floors.": "A vector <int> of floors.",
    "See `the page <https://lifts.example/doors>`.": "See the page <https://lifts.example/doors>.",
    "A `mirror` and `~/lifts`.": "A mirror and ~/lifts.",
    ":file:`/home/<user>` and :samp:`lift <floor>`": "/home/<user> and lift <floor>",
    "Run :command:`lift <floor>` or :doc:`read on <lifts/more>`.": "Run lift <floor> or read on.",
}


@pytest.mark.parametrize(("text", "expected"), [*PROSE.items(), *TERMS.items()])
def test_blocks_are_read_as_they_are_shown(text: str, expected: list[tuple[Kind, str]]) -> None:
    assert _elements(text) == expected


@pytest.mark.parametrize(("text", "expected"), [*ROLES.items(), *KEPT.items()])
def test_roles_show_their_text_and_nothing_else_is_taken_for_one(text: str, expected: str) -> None:
    assert "\n".join(shown for _, shown in _elements(text)) == expected


@pytest.mark.parametrize(("text", "expected"), RST.items())
def test_references_without_a_role_show_their_titles(text: str, expected: str) -> None:
    assert _elements(text, "lifts.rst") == [(TEXT, expected)]


def test_a_fence_inside_a_definition_does_not_end_the_glossary() -> None:
    inside = "\n    :::{seealso}\n    The shaft.\n    :::\n"
    text = f":::{{glossary}}\nCabin\n    It moves.\n{inside}\nShaft\n    It is dark.\n:::"
    expected = ["Cabin: It moves.", "See also:", "The shaft.", "Shaft: It is dark."]
    assert _elements(text) == [(TEXT, shown) for shown in expected]


@pytest.mark.parametrize("text", ["```{button-link} https://lifts.example\nDoors\n```", "```{shaft} North\n```"])
def test_of_an_unknown_directive_nothing_is_lost(text: str) -> None:
    shown = "\n".join(shown for _, shown in _elements(text))
    assert all(word in shown for word in (("https://lifts.example", "Doors") if "button" in text else ("North",)))


CAPTIONS = {
    "a.md": "```{code-block} sh\n:caption: Doors of 2024\n\nup 2\n```",
    "a.rst": ".. code-block:: sh\n   :caption: Doors of 2024\n\n   up 2\n",
}


@pytest.mark.parametrize(("name", "text"), CAPTIONS.items())
def test_the_caption_of_code_is_kept(name: str, text: str) -> None:
    assert _elements(text, name) == [(TEXT, "Doors of 2024"), (CODE, "up 2")]


CONTENTS = {
    "Doors\n=====\n\n.. toctree::\n   :caption: Doors\n\n   Left <left>\n": [(HEAD, "Doors"), (LIST, "- Left")],
    "The Doors\n=========\n\nOpen.\n\n.. toctree::\n   :caption: The doors\n\n   left\n": [
        (HEAD, "The Doors"),
        (TEXT, "Open."),
    ],
    "Doors\n=====\n\n.. toctree::\n   :caption: Rails\n\n   left\n": [(HEAD, "Doors"), (TEXT, "Rails")],
    "Doors\n=====\n\nRails\n-----\n\n.. toctree::\n   :caption: Doors\n\n   left\n": [
        (HEAD, "Doors"),
        (HEAD, "Rails"),
        (TEXT, "Doors"),
    ],
    ".. toctree::\n   :caption: Doors\n\n   left\n": [(TEXT, "Doors")],
    "# Doors\n\n```{toctree}\n:caption: Doors\n\nleft\n```\n\nOpen.": [(HEAD, "Doors"), (TEXT, "Open.")],
    "# Doors\n\n:::{toctree}\n:caption: Rails\n\nleft\n:::": [(HEAD, "Doors"), (TEXT, "Rails")],
}


@pytest.mark.parametrize(("text", "expected"), CONTENTS.items())
def test_a_list_of_contents_does_not_repeat_the_heading_above_it(text: str, expected: list[tuple[Kind, str]]) -> None:
    assert _elements(text, "a.md" if "toctree}" in text else "a.rst") == expected


OBJECTS = {
    "a.rst": ".. confval:: lift.speed\n   :type: int\n   :default: 3\n   :noindex:\n\n   Metres per second.\n",
    "a.md": "```{confval} lift.speed\n:type: int\n:default: 3\n:noindex:\n\nMetres per second.\n```",
    "b.md": "```{eval-rst}\n.. confval:: lift.speed\n   :type: int\n   :default: 3\n\n   Metres per second.\n```",
    "c.md": "```{confval} lift.speed\n---\ntype: int\ndefault: 3\n---\nMetres per second.\n```",
}


@pytest.mark.parametrize(("name", "text"), OBJECTS.items())
def test_the_type_and_the_default_of_an_object_are_kept(name: str, text: str) -> None:
    assert _elements(text, name) == [(CODE, "lift.speed\ntype: int\ndefault: 3"), (TEXT, "Metres per second.")]


def test_the_value_of_a_datum_is_kept() -> None:
    text = ".. py:data:: FLOORS\n   :value: 9\n   :module: lifts\n\n   How many there are.\n"
    assert _elements(text, "a.rst") == [(CODE, "FLOORS\nvalue: 9"), (TEXT, "How many there are.")]


def test_what_came_and_what_goes_with_one_version_differ() -> None:
    came, goes = (_elements(f":::{{{name}}} 2.1\n:::") for name in ("versionadded", "deprecated"))
    assert came != goes


def test_what_other_files_hold_is_warned_of() -> None:
    for text in ("```{eval-rst}\n.. autoclass:: lifts.Cabin\n```\n\nGo on.", "```{include} doors.md\n```\n\nGo on."):
        assert any("from other files" in w for w in parse("lifts.md", text.encode()).warnings)
