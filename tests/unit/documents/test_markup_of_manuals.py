"""Marks of MDX, mkdocs, Sphinx and AsciiDoc as they stand in manuals: what a reader sees of them is read, and no more.

The cases were written before the code that reads them.
"""

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

TEXT, CODE, LIST, HEAD, TABLE = Kind.PARAGRAPH, Kind.CODE, Kind.LIST, Kind.HEADING, Kind.TABLE


def _elements(text: str, name: str) -> list[tuple[Kind, str]]:
    return [(e.kind, e.text) for e in parse(name, text.encode()).elements]


MDX = {
    # boxes: their Markdown is read, and their kind is said
    "<Note>\n  Oil the **rails** with [grease](/grease).\n</Note>": [(TEXT, "Note: Oil the rails with grease.")],
    '<Note type="warning">\n  The shaft is open.\n</Note>': [(TEXT, "Warning: The shaft is open.")],
    "<Tip>\n\n- Oil it.\n- Test it.\n\n</Tip>": [(TEXT, "Tip"), (LIST, "- Oil it.\n- Test it.")],
    '<Callout type="error" title="Stop">\n  Never climb in.\n</Callout>': [
        (TEXT, "Error: Stop"),
        (TEXT, "Never climb in."),
    ],
    "<Steps>\n  <Step>\n    Lift the lid.\n  </Step>\n  <Step>\n    Shut it.\n  </Step>\n</Steps>": [
        (TEXT, "Lift the lid."),
        (TEXT, "Shut it."),
    ],
    # tabs and cards: the titles that are shown
    "<Tabs items={['Linux', 'Windows']}>\n  <Tab>\n    Run `lift`.\n  </Tab>\n  <Tab>\n    Run `lift.exe`.\n  </Tab>\n"
    "</Tabs>": [(TEXT, "Linux"), (TEXT, "Run lift."), (TEXT, "Windows"), (TEXT, "Run lift.exe.")],
    '<Tabs>\n<TabItem value="mac" label="macOS">\n\n```sh\nbrew install lift\n```\n\n</TabItem>\n</Tabs>': [
        (Kind.CAPTION, "macOS"),
        (CODE, "brew install lift"),
    ],
    '<div className="grid">\n  <Card\n    title="Slow doors"\n    description="They wait for 9 seconds."\n  >\n'
    "    <DoorPicture slow />\n  </Card>\n</div>": [(TEXT, "Slow doors"), (TEXT, "They wait for 9 seconds.")],
    # what a table of properties lists
    "<PropertiesTable\n  content={[\n    {\n      name: 'speed',\n      type: 'number',\n      description: \"Metres"
    " per second. Example: up('fast')\",\n    },\n    {\n      name: 'doors',\n      type: 'Door | undefined',\n"
    "      isOptional: true,\n      description: 'Both doors.',\n    },\n  ]}\n/>": [
        (
            LIST,
            "- speed (number): Metres per second. Example: up('fast')\n"
            "- doors (Door | undefined, isOptional): Both doors.",
        ),
    ],
    "<PropertiesTable\n  content={[\n    {\n      name: 'lift',\n      type: 'Lift',\n      properties: [\n        {\n"
    "          type: 'Lift',\n          parameters: [{ name: 'floor', type: 'number', description: `Where it is.` }],\n"
    "        },\n      ],\n    },\n  ]}\n/>": [
        (LIST, "- lift (Lift)\n  - (Lift)\n    - floor (number): Where it is."),
    ],
    '<IndexCards\n  cards={[\n    { title: "Doors", description: "How they shut.", href: "/doors" },\n  ]}\n/>': [
        (LIST, "- Doors: How they shut."),
    ],
    # marks in a cell are what it says
    "| Lift | Doors | Alarm |\n| --- | --- | --- |\n| A | <Check size={18} /> | <Cross size={18} /> |": [
        (TABLE, "Lift | Doors | Alarm\nA | Check | Cross"),
    ],
    # what no reader sees
    "import { Tabs } from '@/tabs';\nimport {\n  Card,\n} from 'cards';\n\n# Lifts\n\nGo up.": [
        (HEAD, "Lifts"),
        (TEXT, "Go up."),
    ],
    "{/* to be written */}\n\nGo up.": [(TEXT, "Go up.")],
    '<MDXImage\n  srcLight="/a.png"\n  width={800}\n  alt="A lift with two doors"\n/>': [
        (TEXT, "A lift with two doors"),
    ],
    "<PreviewDoors />\n\nGo up.": [(TEXT, "Go up.")],
    '<InstallPackages packages="@lifts/doors" />': [(TEXT, "packages: @lifts/doors")],
    "<Snippet text={`npm install lift`} prompt={false} />": [(CODE, "npm install lift")],
    # what only looks like a component
    "Use `Array<Door>` and compare x < Y here.": [(TEXT, "Use Array<Door> and compare x < Y here.")],
    "```tsx\n<Note>\n  Not a box.\n</Note>\nimport x from 'y';\n```": [
        (CODE, "<Note>\n  Not a box.\n</Note>\nimport x from 'y';"),
    ],
    "<Note\n\nThis tag is never closed.": [(TEXT, "<Note"), (TEXT, "This tag is never closed.")],
}

MKDOCS = {
    "!!! tip\n    Oil the rails.\n": [(TEXT, "Tip: Oil the rails.")],
    '!!! warning "Mind"\n    The shaft is open.\n': [(TEXT, "Warning: Mind"), (TEXT, "The shaft is open.")],
    "!!! note\n    - Oil it.\n    - Test it.\n": [(TEXT, "Note"), (LIST, "- Oil it.\n- Test it.")],
    "??? danger\n    ```sh\n    lift --drop\n    ```\n": [(TEXT, "Danger"), (CODE, "lift --drop")],
    "> [!NOTE]\n> Oil the rails.": [(TEXT, "Note: Oil the rails.")],
    '=== ":octicons-file-code-16: lift.toml"\n\n    ```toml\n    speed = 3\n    ```\n': [
        (Kind.CAPTION, "lift.toml"),
        (CODE, "speed = 3"),
    ],
    ":material-lock:{ .lg .middle } **Doors**": [(TEXT, "Doors")],
    "- :fontawesome-brands-github: Sources": [(LIST, "- Sources")],
    "| Lift | Alarm |\n| --- | --- |\n| A | :material-check: |\n| B | :material-close: |": [
        (TABLE, "Lift | Alarm\nA | :material-check:\nB | :material-close:"),
    ],
    ":material-check: Lift A has an alarm.": [(TEXT, ":material-check: Lift A has an alarm.")],
    "![A lift](lift.png){ loading=lazy .off-glb } stands here.": [(TEXT, "A lift stands here.")],
    '[Order one](/order){ .md-button target="_blank" }': [(TEXT, "Order one")],
    "The set {a, b} has two doors, {x=1} one.": [(TEXT, "The set {a, b} has two doors, {x=1} one.")],
    "# Doors\n\n::: lifts.doors.Door\n    options:\n      members:\n      - open\n\nGo on.": [
        (HEAD, "Doors"),
        (TEXT, "Go on."),
    ],
    "::: warning\nThe shaft is open.\n:::": [(TEXT, "Warning"), (TEXT, "The shaft is open.")],
    '```toml title="lift.toml"\nspeed = 3\n```': [(Kind.CAPTION, "lift.toml"), (CODE, "speed = 3")],
    '```tsx filename="app/page.tsx" highlight="2-3"\nup();\n```': [(Kind.CAPTION, "app/page.tsx"), (CODE, "up();")],
    "```toml config-example\nspeed = 3\n```": [(CODE, "speed = 3")],
}

RST = {
    ".. class:: Lift(floor, *, doors=2, \\\n                speed=3)\n\n   A lift.\n": [
        (CODE, "Lift(floor, *, doors=2,\nspeed=3)"),
        (TEXT, "A lift."),
    ],
    ".. class:: lifts.Lift\n\n   A lift.\n\n   .. attribute:: floor\n\n      Where it is.\n": [
        (CODE, "lifts.Lift"),
        (TEXT, "A lift."),
        (CODE, "floor"),
        (TEXT, "Where it is."),
    ],
    ".. class:: Door\n\n   A door.\n": [(CODE, "Door"), (TEXT, "A door.")],
    ".. class:: special\n\n   A paragraph in a style.\n": [(TEXT, "A paragraph in a style.")],
    ".. class:: big-table centred\n\nThe next paragraph.\n": [(TEXT, "The next paragraph.")],
    ".. class:: door(width)\n\n   A door.\n": [(CODE, "door(width)"), (TEXT, "A door.")],
    ".. comethod:: read(n)\n              :async:\n\n   Reads it.\n": [(CODE, "read(n)"), (TEXT, "Reads it.")],
    ".. comethod:: open(door)\n\n   Opens it.\n": [(CODE, "open(door)"), (TEXT, "Opens it.")],
    "speed : number, optional\n    Metres per second.\n": [(TEXT, "speed (number, optional): Metres per second.")],
    # what a version brought is said of what stands before it
    ".. method:: open(door)\n\n   Opens it.\n\n   .. versionadded:: 3.1\n": [
        (CODE, "open(door)"),
        (TEXT, "Opens it. (versionadded 3.1)"),
    ],
    ".. attribute:: floor\n\n   .. versionadded:: 3.1\n": [(CODE, "floor\nversionadded: 3.1")],
    ".. versionadded:: 3.1\n\nIt stops.\n": [(TEXT, "versionadded 3.1"), (TEXT, "It stops.")],
    ".. method:: open(door)\n\n   Opens it.\n\n   .. versionchanged:: 3.2\n      It waits.\n": [
        (CODE, "open(door)"),
        (TEXT, "Opens it."),
        (TEXT, "versionchanged 3.2: It waits."),
    ],
}

ADOC = {
    "* Doors\n* Ropes\n\nGetting help\n------------\n\nAsk us.\n\nMore\n----\n\nSee below.\n": [
        (LIST, "- Doors\n- Ropes"),
        (HEAD, "Getting help"),
        (TEXT, "Ask us."),
        (HEAD, "More"),
        (TEXT, "See below."),
    ],
    "* Doors\n----\nlift --up\n----\n": [(LIST, "- Doors"), (CODE, "lift --up")],
    "link:https://lifts.example[site] | https://lifts.example/faq[FAQ]\n": [(TEXT, "site | FAQ")],
    'image:https://x.example/a.svg?b=c["Build status", link="https://x.example/?q=a%3Ab"]\n\nGo up.\n': [
        (TEXT, "Build status"),
        (TEXT, "Go up."),
    ],
    "See link:doors.adoc[the doors] and image:a.png[a lift with doors].\n": [
        (TEXT, "See the doors and a lift with doors."),
    ],
}

HTML = {
    "<html><body><h1>Doors</h1><p>They shut.</p><div id='footer'><div id='footer-text'>Last updated"
    " 2023-12-08 15:32:03 UTC</div></div></body></html>": [(HEAD, "Doors"), (TEXT, "They shut.")],
    "<html><body><h1>Doors</h1><p>They shut.</p><div id='footer'>Doors are 90 cm wide in all houses.</div></body>"
    "</html>": [(HEAD, "Doors"), (TEXT, "They shut."), (TEXT, "Doors are 90 cm wide in all houses.")],
}

CASES = [
    *((name, text, shown) for name, cases in (
        ("lifts.mdx", MDX), ("lifts.md", MKDOCS), ("lifts.rst", RST), ("lifts.adoc", ADOC), ("lifts.html", HTML),
    ) for text, shown in cases.items()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "shown"), CASES)
def test_what_a_reader_sees_is_read(name: str, text: str, shown: list[tuple[Kind, str]]) -> None:
    assert _elements(text, name) == shown
