"""HTML form controls as rows "label: value", as displayed to a reader of the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from saidonce.documents.parse.draft import one_line
from saidonce.documents.parse.html_line import BEHIND_LABELS, OpenLine

CONTROLS = frozenset({"input", "select", "textarea"})
MAX_OPTIONS = 30
"""Options that are named where none is selected; a longer list is a picker of countries or languages."""

_BOXES = ("checkbox", "radio")
_SILENT = frozenset({"hidden", "submit", "button", "reset", "image", "file", "password", "search"})


@dataclass(frozen=True, slots=True)
class ControlRow:
    """A control with its label.

    Attributes:
        label: empty if it has none, or if that is the text before it on its line.
        takes_line: the text before it on its line is its label, or nothing but the sign before one.
    """

    label: str
    value: str
    takes_line: bool = False

    def text(self, before: str) -> str:
        """Return it as text, behind the text before it if that is its label."""
        label = self.label or (before.rstrip(BEHIND_LABELS) if self.takes_line else "")
        if not label:
            return self.value
        return f"{label}: {self.value}".rstrip() if self.value else f"{label}:"


@dataclass(slots=True)
class Controls:
    """The controls of a page and their labels."""

    _labels: dict[str, etree._Element] = field(default_factory=dict)
    _ids: dict[str, etree._Element] = field(default_factory=dict)
    _tails: set[etree._Element] = field(default_factory=set)

    @classmethod
    def of(cls, root: etree._Element) -> Controls:
        """Return the labels below a node and the controls that they belong to."""
        controls = cls()
        for node in root.iter("*"):
            if node_id := node.get("id"):
                controls._ids.setdefault(node_id, node)
        for label in root.iter("label"):
            control = controls._ids.get(label.get("for") or "")
            if control is not None and control.tag in CONTROLS and not is_silent(control) and _label_text(label):
                controls._labels.setdefault(label.get("for") or "", label)
        return controls

    def is_spoken(self, node: etree._Element) -> bool:
        """Return whether a node is a label that is output before its control's value."""
        target = node.get("for") if node.tag == "label" else None
        return target is not None and self._labels.get(target) is node and not _inside(node)

    def takes_tail(self, node: etree._Element) -> bool:
        """Return whether the text after a control is its label."""
        return node in self._tails

    def row(self, node: etree._Element, line: OpenLine) -> ControlRow | None:
        """Return a control as a row; None if it displays no content.

        Args:
            line: text before it, its label if it has no other.
        """
        if is_silent(node):
            return None
        label, value = self._label(node), value_of(node)
        takes_line = not label and line.has_text()
        is_named = bool(label) or line.has_label()
        is_box = node.tag == "input" and (node.get("type") or "").casefold() in _BOXES
        if is_box and not is_named and (behind := one_line(node.tail or "")):
            self._tails.add(node)
            return ControlRow(behind, value, takes_line)
        if not is_named:
            return ControlRow("", value) if value and not is_box else None
        return ControlRow(label, value, takes_line) if value or not takes_line else None

    def _label(self, node: etree._Element) -> str:
        if (label := self._labels.get(node.get("id") or "")) is not None:
            return _label_text(label)
        naming = (self._ids.get(key) for key in (node.get("aria-labelledby") or "").split())
        stated = " ".join(_label_text(one) for one in naming if one is not None) or node.get("aria-label") or ""
        return one_line(stated).rstrip(BEHIND_LABELS)


def is_silent(node: etree._Element) -> bool:
    """Return whether a control displays no content: buttons, hidden and secret values, search boxes."""
    return node.tag == "input" and (node.get("type") or "text").casefold() in _SILENT


def value_of(node: etree._Element) -> str:
    """Return the displayed value of a control; empty if it has none or is not filled in."""
    if is_silent(node):
        return ""
    if node.tag == "textarea":
        return one_line(_all_text(node))
    if node.tag == "select":
        return _selected(node)
    if (kind := (node.get("type") or "text").casefold()) in _BOXES:
        states = ("selected", "not selected") if kind == "radio" else ("checked", "not checked")
        return states[0] if node.get("checked") is not None else states[1]
    return one_line(node.get("value") or "")


def _selected(node: etree._Element) -> str:
    options = list(node.iter("option"))
    chosen = [one_line(_all_text(o)) for o in options if o.get("selected") is not None]
    if any(chosen):
        return ", ".join(text for text in chosen if text)
    every = [one_line(_all_text(o)) for o in options if o.get("value") != ""]
    return " / ".join(text for text in every if text) if 0 < len(every) <= MAX_OPTIONS else ""


def _all_text(node: etree._Element) -> str:
    return "".join(str(piece) for piece in node.itertext("*"))


def _label_text(label: etree._Element) -> str:
    """Return the text of a label without the controls inside it."""
    texts = [label.text or ""]
    for inner in label:
        if inner.tag not in CONTROLS:
            texts.append(_all_text(inner))
        texts.append(inner.tail or "")
    return one_line(" ".join(texts)).rstrip(BEHIND_LABELS)


def _inside(label: etree._Element) -> bool:
    return any(True for _ in label.iter("input", "select", "textarea"))
