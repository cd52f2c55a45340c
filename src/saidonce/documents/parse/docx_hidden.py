"""What a Word document holds but does not show: the prompts of empty form fields, and hidden text."""

from __future__ import annotations

from lxml import etree

from saidonce.documents.parse.draft import DocumentDraft

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")


def without_unseen(story: etree._Element, draft: DocumentDraft) -> None:
    """Take the runs out of a story that are no content, and warn of what was hidden.

    A content control says itself that it shows its prompt; it says nothing else until somebody has filled it in.
    """
    n_prompts = sum(_emptied(control) for control in list(story.iter(f"{_W}sdt")) if _shows_prompt(control))
    if n_prompts:
        draft.warn(f"form fields that nobody has filled in, without their prompts: {n_prompts}")
    hidden = [run for run in story.iter(f"{_W}r") if _is_hidden(run)]
    if any((text.text or "").strip() for run in hidden for text in run.iter(f"{_W}t")):
        draft.warn("hidden text was left out")
    for run in hidden:
        for text in list(run.iter(f"{_W}t", f"{_W}tab")):
            _drop(text)


def _shows_prompt(control: etree._Element) -> bool:
    mark = control.find(f"{_W}sdtPr/{_W}showingPlcHdr")
    return mark is not None and mark.get(f"{_W}val") not in _OFF


def _emptied(control: etree._Element) -> bool:
    """Take the texts out of a control, whose cells and paragraphs stay; return whether it had any."""
    content = control.find(f"{_W}sdtContent")
    texts = [] if content is None else list(content.iter(f"{_W}t"))
    for text in texts:
        _drop(text)
    return bool(texts)


def _is_hidden(run: etree._Element) -> bool:
    mark = run.find(f"{_W}rPr/{_W}vanish")
    return mark is not None and mark.get(f"{_W}val") not in _OFF


def _drop(node: etree._Element) -> None:
    above = node.getparent()
    if above is not None:
        above.remove(node)
