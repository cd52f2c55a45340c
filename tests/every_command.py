"""A line for every command: what it is called with, and what it does where there is no base."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.interfaces.cli import walk

VERDICT = "gv-0123456789ab"
ID = "0123abcd"

CREATES = """
ingest folder | sync folder | serve | worker | chat | demo repairs | people add Ann | keys make Ann
channels add file out.jsonl | homes import homes.csv | gate check lines.jsonl | gate import lines.jsonl
db import export.jsonl | db migrate | evaluate retrieval beir | evaluate context beir
"""
"""These make a base where there is none."""

NEEDS_NONE = """
doctor | settings | calibrate pairs.jsonl | dedupe rows.jsonl | adjudicator show
adjudicator train judge --no-decisions --pairs pairs.jsonl | adjudicator evaluate pairs.jsonl
evaluate pairs pairs.jsonl | evaluate contrast folder | evaluate said-again dialogues.jsonl
evaluate scenarios scenarios | evaluate tenants --n 1 | evaluate emergencies | evaluate questions questions
db new-key key.txt | restore backups
"""
"""These read files, the settings or the program itself."""

READS = f"""
sources list | sources remove {ID} | search words | context words | ask words | why {ID} | status | documents
remove name | reembed main | pairs show | pairs compare | pairs rebuild | pairs translations | queue | review groups
review bulk merge 1 | review rules | review add-rule number | review throughput | decisions | rebuild
merge {ID} {ID} | keep-apart {ID} {ID} | conflict {ID} {ID} | split {ID} {ID} | edit {ID} text | approve {ID}
own {ID} Ann | dismiss 1 | assign 1 Ann | audit 1 --wrong | revert 1 | opine | settled | mcp
people list | people role Ann reviewer | people leave Ann | keys list | keys revoke {ID} | security-log
channels list | channels remove {ID} | channels test {ID} | evaluate quality | db export new.jsonl | backup backups
gate retry | gate recheck | gate again | gate verdict {VERDICT} | gate override {VERDICT} --why x
gate release {VERDICT} | gate export new.jsonl | gate replay | gate stats | gate list | gate reembed | gate held
gate held show {VERDICT} | gate held decide {VERDICT} --let-through --why x | gate held undo {ID}
gate held assign {VERDICT} --to Ann | gate held note {VERDICT} text | gate held throughput
gate held audit {VERDICT} --wrong | conversations list | conversations show {ID} | conversations take-over {ID}
conversations hand-back {ID} | conversations write {ID} text | conversations approve {ID} {ID}
conversations undo {ID} | conversations replay {ID} | alarms list | alarms acknowledge {ID} | alarms all-clear {ID}
call-outs show | call-outs set lists.json | issues list | issues show {ID} | issues close {ID}
issues move {ID} done | issues own {ID} Ann | issues propose {ID} 2031-05-05T10:00
issues book {ID} 2031-05-05T10:00 | issues cancel-visit {ID} | issues assign {ID} Ann | issues revoke {ID}
homes list | homes end {ID} | homes undo {ID} | homes link {ID} | residents erase {ID} --yes
residents export {ID} --out new.zip | residents retention | residents log
"""
"""These read a base or change what it holds, and refuse a place without one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A command with its arguments."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)


def lines(table: str) -> list[Line]:
    """The lines of a table above."""
    return [Line(tuple(each.split())) for each in table.replace("\n", " | ").split(" | ") if each.strip()]


def paths_of(table: str) -> list[str]:
    """Paths of the commands that a table calls."""
    known = {path.removeprefix("saidonce").strip() for path, _ in walk()}
    return [max((p for p in known if f"{line.text} ".startswith(f"{p} ")), key=len) for line in lines(table)]
