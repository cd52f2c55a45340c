"""Look-alikes of two editions that a person is not asked about, since the pages show them to be two; and what is asked.

All cases but four were written before the rules. Their pages are made up, after pairs that waited in the queues of
manuals.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_side_by_side_pages import (
    FOR_30,
    GARDEN,
    GREEN_KEY,
    KITCHEN,
    PRESSED,
    Editions,
    asked,
    is_about,
    opened,
    page,
    put,
    told_apart,
    was_flagged,
)

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.policy import SegmentStyle

__all__ = ["opened"]

ABOUT = page("About", GARDEN)
LEADS_IN: dict[str, object] = {"segment_style": SegmentStyle.PARAGRAPH}
"""What introduces an example is a heading of it."""

FOR_90_TOO = FOR_30.replace("30", "90")
INTO_INNER = "This writes the file invoice to /srv/out/work/invoice."
INTO_OUTER = "This writes the file invoice to /srv/out/invoice."
EXTRACT_ALL = (
    "```\n$ stow -r /srv/boxes extract 79766175 --into /srv/out --only /work/invoice\nenter the password of the box:\n"
    "extracting <box of /home/ann/work at 2019-05-08> into /srv/out\n```"
)
EXTRACT_FOLDER = EXTRACT_ALL.replace("79766175", "79766175:/work").replace("--only /work/invoice", "--only /invoice")
LISTED = (
    "```\n$ stow -r /srv/boxes list\nenter the password of the box:\nID        Date        Owner   Folder\n"
    "40dc1520  2019-05-08  kasimir  /home/ann/work\n79766175  2019-05-08  kasimir  /home/ann/work\n"
    "bdbd3439  2019-05-08  luigi    /home/art\n590c8fc8  2019-05-08  kazik    /srv\n```"
)
LISTED_AFTER = LISTED.replace("bdbd3439  2019-05-08  luigi    /home/art\n", "").replace("kasimir  /", "kasimir   /")
SHOWS_GROUPS = "Shows the list of all groups with their income and expense accounts only."
SHOWS_GROUPS_TOO = "Shows the list of all groups with their income and expense accounts only, or a summary."
REPAIR_SEE = (
    "For instructions how to repair a damaged box, see the chapter about repairs or follow what the check prints."
)
REPAIR_STEPS = (
    "The following steps help you to recover a box. They do not cover all kinds of damage that a box may have. If they"
    " do not work for you, ask for help, and include what the check printed."
)
DATABASE_PASSWORDS = (
    "If you don't want to keep the passwords of your databases in the configuration file, the program can read them"
    " from another place while it runs."
)
VAULT_PASSWORD = "Then you can use this password of the vault in your configuration file."
PASSPHRASE = (
    "Alternatively, specify the passphrase by a command, with the option `passphrase_command` of the configuration or"
    " the variable STOW_COMMAND. The page about security has more."
)
CREDENTIALS = (
    "The credential syntax works for several different options of a configuration file besides the passphrase."
)
PASS_CODE = "```yaml\npassphrase_command: pass path/to/stow-passphrase\n```"
VALIDATE = "```\nsudo validate-stow-config --config /etc/stow/config.yaml --strict\n```"
VALIDATE_SHOW = "```\nsudo validate-stow-config --config /etc/stow/config.yaml --strict --show\n```"
COLUMN_TRANSACTION = "The first column shows the change that was made to the transaction: added or modified."
COLUMN_ACCOUNT = "The first column shows the change that was made to the account: added or modified."
STATES = (
    "The program uses a state machine to manage the clock when the daemon is first started or when the network is"
    " congested. This page describes the design of the state machine."
)
STATES_128 = (
    "The program uses a state machine to manage the clock when the daemon is first started or when the network is"
    " congested. The time is then stepped by more than 128 ms, in a direction that the server names."
)
DELETED_28 = "Removed documents are erased from every machine after 28 days."
LONG_BURST = (
    "The command `select` affects how clocks are chosen. It can be used to select the quality and quantity of peers"
    " used to synchronize the clock, and is most useful where servers come and go. The ceiling is 15 by default."
)
OTHER_BURST = (
    "The command `select` alters variables whose defaults were tuned for a wide range of networks; some people cannot"
    " resist twisting the knobs. It can be used to select the quality and quantity of peers used to synchronize the"
    " clock. Numbers of layers, distances, delays, orphans and waits follow below. The ceiling is 16 by default."
)
OMIT = "Leave `sudo` out if the program was installed by an ordinary user."
OMIT_MORE = (
    "Leave `sudo` out if the program was installed by an ordinary user. And if both the administrator and a user"
    " installed it, each of the two installations has to be upgraded by itself, with the commands that follow here."
)
MILLER_DECIDES = (
    "Whether a tenant may keep a dog is decided by Ms. Miller. Write to the office at the front desk, and add a picture"
    " of the dog, its age and weight, and the letter of the insurance that pays for what the dog breaks in the house."
)
WALKER_DECIDES = MILLER_DECIDES.replace("Miller", "Walker")
QUEUE_SPEC = (
    "```yaml\ntriggers:\n- type: aws-queue\n  metadata:\n    region: north\n    table: orders\n    length: 20\n"
    "    retry: yes\n```"
)
STREAM_SPEC = QUEUE_SPEC.replace("aws-queue", "aws-queue-streams").replace("20", "50")
SECRET = (
    "```yaml\nkind: Secret\nmetadata:\n  name: keys\n  namespace: test\ndata:\n  user: coded-user\n"
    "  password: coded-password\n```"
)
SECRET_TOKEN = SECRET.replace("  password:", "  token: coded-token\n  password:")
NOTICES = (
    "The procedure for notices should be used only for complaints about copied works. All notices that are sent must"
    " identify the work."
)
POLICY_OF_NOTICES = (
    "The policy for notices may be used by anyone to report copied content. Read the guide before you submit a notice."
)
OWNER_COLUMN = (
    "- owner: who owns the garden that the pump belongs to, where this person lives, and who is asked instead of the"
    " owner while the house is let to somebody else for a season or for longer."
)
LIMIT_30 = "```yaml\nuploads:\n  timeout: 30\n  folder: /srv/uploads\n  retry: true\n```"
LIMIT_90 = LIMIT_30.replace("30", "90")

NOT_ASKED = [
    Editions(
        "two paths in one sentence on one page",
        {"restore.md": page("Restore", INTO_INNER, GARDEN)},
        {"restore.md": page("Restore", INTO_INNER, GARDEN, INTO_OUTER)},
        (("out/work/invoice", "out/invoice"),),
    ),
    Editions(
        "two commands on one page, after two sentences",
        {"restore.md": page("Restore", "To restore a single file:", EXTRACT_ALL, GARDEN)},
        {
            "restore.md": page(
                "Restore",
                "To restore a single file:",
                EXTRACT_ALL,
                GARDEN,
                "To leave out the folders above it:",
                EXTRACT_FOLDER,
            )
        },
        (("79766175 --into", "79766175:/work --into"),),
        settings=LEADS_IN,
    ),
    Editions(
        "what a command prints before and after",
        {"forget.md": page("Forget", "All boxes are listed:", LISTED, GARDEN)},
        {"forget.md": page("Forget", "All boxes are listed:", LISTED, GARDEN, "Now one is gone:", LISTED_AFTER)},
        (("luigi", "kazik"),),
        settings=LEADS_IN,
    ),
    Editions(
        "two windows on one page, described alike under two headings",
        {"budget.md": page("Budget", "## Window of expenses", SHOWS_GROUPS, GARDEN)},
        {
            "budget.md": page(
                "Budget", "## Window of expenses", SHOWS_GROUPS, GARDEN, "## View as a table", SHOWS_GROUPS_TOO, KITCHEN
            )
        },
        (("accounts only.", "or a summary"),),
    ),
    Editions(
        "a new page with other words about something near",
        {"check.md": page("Check", REPAIR_SEE, GARDEN), "about.md": page("About", KITCHEN)},
        {
            "check.md": page("Check", REPAIR_SEE, GARDEN),
            "about.md": page("About", KITCHEN),
            "repair.md": page("Repair", REPAIR_STEPS),
        },
        (("see the chapter", "following steps"),),
    ),
    Editions(
        "other words on two pages, in one of which a word is denied",
        {"databases.md": page("Databases", DATABASE_PASSWORDS), "vault.md": page("Vault", GARDEN)},
        {
            "databases.md": page("Databases", DATABASE_PASSWORDS, KITCHEN),
            "vault.md": page("Vault", GARDEN, VAULT_PASSWORD),
        },
        (("of your databases", "of the vault"),),
        settings={"merge_investigate_from": 0.5},
    ),
    Editions(
        "other words, the one gone from its page and the other new on its own",
        {"setup.md": page("Setup", PASSPHRASE), "passwords.md": page("Passwords", KITCHEN), "about.md": ABOUT},
        {"setup.md": page("Setup"), "passwords.md": page("Passwords", KITCHEN, CREDENTIALS), "about.md": ABOUT},
        (("STOW_COMMAND", "credential syntax"),),
    ),
    Editions(
        "a paragraph gone from its page, and code new on another",
        {"setup.md": page("Setup", PASSPHRASE), "passwords.md": page("Passwords", KITCHEN), "about.md": ABOUT},
        {"setup.md": page("Setup"), "passwords.md": page("Passwords", KITCHEN, PASS_CODE), "about.md": ABOUT},
        (("STOW_COMMAND", "path/to"),),
    ),
    Editions(
        "two commands on two pages of one edition, after two sentences",
        {
            "setup.md": page("Setup", "In the first versions, check the file by:", VALIDATE),
            "include.md": page("Include", KITCHEN),
        },
        {
            "setup.md": page("Setup", "In the first versions, check the file by:", VALIDATE, GARDEN),
            "include.md": page("Include", KITCHEN, "To see what was merged:", VALIDATE_SHOW),
        },
        (("stow-config --config", "--show"),),
        settings=LEADS_IN,
    ),
    Editions(
        "two specifications, each with the name of its own page, of which one begins with the other",
        {"aws-queue.md": page("Queue", QUEUE_SPEC), "about.md": ABOUT},
        {
            "aws-queue.md": page("Queue", QUEUE_SPEC),
            "aws-queue-streams.md": page("Streams", STREAM_SPEC),
            "about.md": ABOUT,
        },
        (("type: aws-queue\n", "aws-queue-streams"),),
    ),
    Editions(
        "two examples on two pages of both editions, one of which has a line more within",
        {"cloud.md": page("Cloud", SECRET), "table.md": page("Table", SECRET_TOKEN)},
        {"cloud.md": page("Cloud", SECRET, GARDEN), "table.md": page("Table", SECRET_TOKEN, KITCHEN)},
        (("kind: Secret", "coded-token"),),
    ),
    Editions(
        "other words about something near, with words of degree that say nothing of each other",
        {"notices.md": page("Notices", NOTICES), "policy.md": page("Policy", GARDEN), "about.md": ABOUT},
        {"notices.md": page("Notices", NOTICES), "policy.md": page("Policy", POLICY_OF_NOTICES), "about.md": ABOUT},
        (("copied works", "copied content"),),
    ),
    Editions(
        "two columns, each of which the nearest heading names",
        {"ledger.md": page("Ledger", "## List of transactions", COLUMN_TRANSACTION), "about.md": page("About", GARDEN)},
        {
            "ledger.md": page("Ledger of accounts", "## List of transactions", COLUMN_TRANSACTION, KITCHEN),
            "about.md": page("About", GARDEN),
            "main.md": page("Main window", "## Your accounts", COLUMN_ACCOUNT),
        },
        (("transaction", "account"),),
    ),
    Editions(
        "two pages of both editions that begin alike, one of which states a value",
        {"clock.md": page("Clock", STATES), "loop.md": page("Loop", STATES_128)},
        {"clock.md": page("Clock", STATES, GARDEN), "loop.md": page("Loop", STATES_128, KITCHEN)},
        (("This page describes", "128 ms"),),
    ),
]

STILL_ASKED = [
    Editions(
        "two values for one thing on one page, under two headings",
        {"backup.md": page("Backup", "## Deletion", FOR_30, GARDEN)},
        {"backup.md": page("Backup", "## Deletion", FOR_30, GARDEN, "## Servers", FOR_90_TOO)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "two people who decide one thing, on one page, under two headings",
        {"pets.md": page("Pets", "## Dogs", MILLER_DECIDES, GARDEN)},
        {"pets.md": page("Pets", "## Dogs", MILLER_DECIDES, GARDEN, "## Questions", WALKER_DECIDES)},
        (("Miller", "Walker"),),
        (("Miller", "Walker"),),
    ),
    Editions(
        "two values for one thing in code under one heading",
        {"uploads.md": page("Uploads", "## Example", LIMIT_30, GARDEN)},
        {"uploads.md": page("Uploads", "## Example", LIMIT_30, GARDEN, "## Example", LIMIT_90)},
        (("timeout: 30", "timeout: 90"),),
        (("timeout: 30", "timeout: 90"),),
    ),
    Editions(
        "a new page that contradicts an old one in quite other words, with a value of its own",
        {"backup.md": page("Backup", FOR_30), "about.md": page("About", GARDEN)},
        {
            "backup.md": page("Backup", FOR_30, KITCHEN),
            "about.md": page("About", GARDEN),
            "faq.md": page("Questions", DELETED_28),
        },
        (("30 days", "28 days"),),
        (("30 days", "28 days"),),
    ),
    Editions(
        "a passage that moved to another page, with a value that changed",
        {"backup.md": page("Backup", GARDEN, FOR_30), "servers.md": page("Servers", KITCHEN)},
        {"backup.md": page("Backup", GARDEN), "servers.md": page("Servers", KITCHEN, FOR_90_TOO)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "a passage that moved to another page in other words",
        {"pumps.md": page("Pumps", GARDEN, GREEN_KEY), "tanks.md": page("Tanks", KITCHEN)},
        {"pumps.md": page("Pumps", GARDEN), "tanks.md": page("Tanks", KITCHEN, PRESSED)},
        (("started", "press"),),
        (("started", "press"),),
    ),
    Editions(
        "a command that moved to another page and got an option",
        {"setup.md": page("Setup", GARDEN, "Check the file by:", VALIDATE), "include.md": page("Include", KITCHEN)},
        {
            "setup.md": page("Setup", GARDEN),
            "include.md": page("Include", KITCHEN, "Check the file by:", VALIDATE_SHOW),
        },
        (("stow-config --config", "--show"),),
        (("stow-config --config", "--show"),),
        settings=LEADS_IN,
    ),
    Editions(
        "a command that one page has in its old form, after the same sentence",
        {"setup.md": page("Setup", "Check the file by:", VALIDATE), "include.md": page("Include", KITCHEN)},
        {
            "setup.md": page("Setup", "Check the file by:", VALIDATE, GARDEN),
            "include.md": page("Include", KITCHEN, "Check the file by:", VALIDATE_SHOW),
        },
        (("stow-config --config", "--show"),),
        (("stow-config --config", "--show"),),
        settings=LEADS_IN,
    ),
    Editions(
        "a new page that says what an old one says, and much more",
        {"monitor.md": page("Monitor", OMIT), "upgrade.md": page("Upgrade", KITCHEN)},
        {"monitor.md": page("Monitor", OMIT, GARDEN), "upgrade.md": page("Upgrade", KITCHEN, OMIT_MORE)},
        (("ordinary user.", "And if both"),),
        (("ordinary user.", "And if both"),),
    ),
    Editions(
        "two pages that describe one command in other words but for one sentence, with two defaults",
        {"options.md": page("Options", LONG_BURST), "clocks.md": page("Clocks", KITCHEN)},
        {"options.md": page("Options", LONG_BURST, GARDEN), "clocks.md": page("Clocks", KITCHEN, OTHER_BURST)},
        (("default", "knobs"),),
        (("default", "knobs"),),
    ),
    Editions(
        "two paths in one sentence, of one page in two editions",
        {"restore.md": page("Restore", INTO_INNER, GARDEN), "about.md": page("About", KITCHEN)},
        {"restore.md": page("Restore", INTO_OUTER, GARDEN), "about.md": page("About", KITCHEN)},
        (("out/work/invoice", "out/invoice"),),
        (("out/work/invoice", "out/invoice"),),
    ),
    Editions(
        "what a page says in few of its former words",
        {"check.md": page("Check", REPAIR_SEE, GARDEN), "about.md": page("About", KITCHEN)},
        {"check.md": page("Check", REPAIR_STEPS, GARDEN), "about.md": page("About", KITCHEN)},
        (("see the chapter", "following steps"),),
        (("see the chapter", "following steps"),),
    ),
]


@pytest.mark.parametrize("case", [*NOT_ASKED, *STILL_ASKED], ids=lambda case: case.name)
def test_which_look_alikes_of_two_editions_are_asked(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)


def test_pieces_of_a_long_list_that_was_cut_elsewhere_are_not_asked(opened: Callable[..., KnowledgeBase]) -> None:
    """An item that is new moves all cuts below it; what is asked is where an item itself is new or was changed."""
    items = [
        f"- {name}: what the {name} column shows is how the {name} of the pump was measured, by whom it was written"
        f" down, and which of the meters in the cellar was read for it on the evening of that day."
        for name in "amber basalt cedar daisy ember fern garnet heron ivory jasper".split()
    ]
    changed = items[8].replace("meters in the cellar", "gauges in the attic")
    old = page("Columns", "The columns are as follows:", "\n".join(items))
    new = page("Columns", "The columns are as follows:", "\n".join([OWNER_COLUMN, *items[:8], changed, items[9]]))
    base = opened(segment_style=SegmentStyle.PARAGRAPH)
    put(base, "v1", {"columns.md": old, "about.md": ABOUT})
    put(base, "v2", {"columns.md": new, "about.md": ABOUT})

    assert any("only the cut" in d.reason for d in told_apart(base))
    waiting = asked(base)
    assert waiting
    assert all(any("owner:" in text or "ivory:" in text for text in texts) for texts in waiting)
