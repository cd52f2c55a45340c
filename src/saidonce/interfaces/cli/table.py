"""The table of commands: where each lies and how the help sums it up, so that neither needs its module."""

from __future__ import annotations

from saidonce.foundation import extras
from saidonce.interfaces.cli.group import Entry

REVIEW = "Review"
REPAIRS = extras.REPAIRS

COMMANDS = (
    Entry(
        "ingest",
        ".main_commands:ingest",
        "Ingest files and folders: parse them, remove repeats within each document, and store the rest.",
    ),
    Entry(
        "sync",
        ".syncing:sync",
        "Sync a collection with a source: a folder, a Git repository, object storage, a website, an export.",
    ),
    Entry("sources", ".syncing:app", "List and remove the sources that collections are synced from."),
    Entry(
        "search",
        ".main_commands:search",
        'Search the base; each answer appears once, with the places that repeat it under "also in".',
    ),
    Entry(
        "context",
        ".main_commands:context",
        "Pack what the base says about a question into a context for a language model.",
    ),
    Entry("ask", ".main_commands:ask", "Answer a question from the base, with citations."),
    Entry(
        "why",
        ".main_commands:why",
        "Explain where a block came from, what it absorbed, and what was dropped or kept apart.",
    ),
    Entry(
        "status",
        ".main_commands:status",
        "Show what the base holds, what was removed as repeats, and what looks unhealthy.",
    ),
    Entry(
        "doctor",
        ".doctor:doctor",
        "Show the protections of this machine, whether each is on and why, and what would make it faster.",
    ),
    Entry("documents", ".main_commands:documents", "List the documents of a collection."),
    Entry("remove", ".main_commands:remove", "Remove documents and everything that no other document supports."),
    Entry(
        "reembed",
        ".main_commands:reembed",
        "Re-embed a collection with the configured embedding model, all or nothing.",
    ),
    Entry("settings", ".main_commands:settings", "List every setting with its current value, unit and description."),
    Entry(
        "pairs",
        ".pairs:app",
        "Show, compare and rebuild the pair table: which texts are near each other, and how they compare.",
    ),
    Entry("queue", ".review:queue", "List the pairs waiting for review, the most valuable decision first.", REVIEW),
    Entry(
        "review",
        ".review_commands:app",
        "Show the review queue in groups, decide many pairs at once, and manage rules.",
        REVIEW,
    ),
    Entry("decisions", ".review:decisions", "List the log of decisions, newest first.", REVIEW),
    Entry(
        "rebuild",
        ".review:rebuild",
        "Rebuild all canonical blocks from the log of decisions, and compare them with the stored ones.",
        REVIEW,
    ),
    Entry("merge", ".review:merge", "Merge two blocks into one; nothing of either is lost.", REVIEW),
    Entry(
        "keep-apart",
        ".review:keep_apart",
        "Mark blocks as different; they are not queued again until their texts change.",
        REVIEW,
    ),
    Entry("conflict", ".review:conflict", "Mark blocks as contradicting each other; all stay, linked.", REVIEW),
    Entry("split", ".review:split", "Move members of a block into a block of their own.", REVIEW),
    Entry(
        "edit",
        ".review:edit",
        "Replace the text of a block; earlier texts are kept.",
        REVIEW,
    ),
    Entry("approve", ".review:approve", "Set the approval of a block; it lapses when its texts change.", REVIEW),
    Entry("own", ".review:own", "Set the owner of a block.", REVIEW),
    Entry("dismiss", ".review:dismiss", "Close a flag without marking its texts as different.", REVIEW),
    Entry("assign", ".review:assign", "Assign a flag to a person.", REVIEW),
    Entry(
        "audit",
        ".review:audit",
        "Record whether an automatic merge was right; too many wrong ones stop automatic merging.",
        REVIEW,
    ),
    Entry("revert", ".review:revert", "Undo a decision, or an earlier undo.", REVIEW),
    Entry(
        "opine",
        ".opinions:opine",
        "Get second opinions on the pairs waiting for review; the setting gray_zone says what they may decide.",
        REVIEW,
    ),
    Entry(
        "settled",
        ".opinions:settled",
        "List the pairs settled by second opinions, newest first; each decision can be undone.",
        REVIEW,
    ),
    Entry(
        "calibrate",
        ".calibrate:calibrate",
        "Measure thresholds on labelled pairs, and certify one whose wrong merges stay under a bound.",
    ),
    Entry(
        "dedupe",
        ".dedupe:dedupe",
        "Remove the repeats of a corpus, and report what was dropped and why.",
    ),
    Entry("serve", ".serve:serve", "Serve the pages and the API, and do the background work."),
    Entry(
        "mcp",
        ".mcp_command:mcp",
        "Serve the base to agents over the Model Context Protocol: search, context, get, why, propose.",
        extra=extras.MCP,
    ),
    Entry(
        "worker",
        ".people:worker",
        "Do the background work of all organisations until stopped, beside one or more servers.",
    ),
    Entry(
        "chat",
        ".chat:chat",
        "Chat with the assistant as a resident, line by line; end with an empty line or Ctrl-D.",
        extra=REPAIRS,
    ),
    Entry("people", ".people:people_app", "Manage people and their roles."),
    Entry("keys", ".people:keys_app", "Manage API keys of people and programs."),
    Entry(
        "security-log",
        ".security_log:security_log",
        "Show the security log, oldest first: sign-ins, refusals, keys, roles, exports, erasures, settings, backups.",
    ),
    Entry("channels", ".people:channels_app", "Manage notification channels for automatic merges and flags."),
    Entry(
        "evaluate",
        ".evaluate:app",
        "Measure retrieval, pair decisions, the fact guard and more on labelled data.",
    ),
    Entry("adjudicator", ".adjudicator:app", "Train, evaluate and show the local judge, which needs no network."),
    Entry("db", ".database:app", "Export and import an organisation's data, and migrate the database."),
    Entry(
        "backup",
        ".backups:backup",
        "Back up the embedded database while it is in use: all organisations, and the secret that signs links.",
    ),
    Entry(
        "restore",
        ".backups:restore",
        "Restore a backup into a data folder without a base, on this machine or another.",
    ),
    Entry(
        "gate",
        ".gate:app",
        "Check submissions for duplicates before they are created; fails closed and records every verdict.",
    ),
    Entry(
        "conversations", ".conversations:app", "Read, take over and replay conversations with residents.", extra=REPAIRS
    ),
    Entry("alarms", ".alarms:app", "List, acknowledge and end emergency alarms.", extra=REPAIRS),
    Entry(
        "call-outs",
        ".alarms:call_outs_app",
        "Show and set the call-out lists: who is called about an emergency, in which order.",
        extra=REPAIRS,
    ),
    Entry("issues", ".issues:issues_app", "List, move and update repair issues.", extra=REPAIRS),
    Entry("homes", ".homes:app", "Import and list homes: properties, residents and tenancies.", extra=REPAIRS),
    Entry(
        "residents",
        ".residents:app",
        "Data protection: erase or export a resident's data, and delete what is past its retention period.",
        extra=REPAIRS,
    ),
    Entry("demo", ".demo:app", "Run saidonce with sample data, to try it out.", extra=REPAIRS),
)
"""In the order of the help."""
