"""What axe finds wrong with a page. A dark scheme changes colours alone, so there the rules on colours are asked."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe

COLOURS = ("color-contrast", "link-in-text-block")
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


def flaws(page: Any, scheme: str = "light", tags: tuple[str, ...] = ()) -> list[tuple[str, list[Any]]]:
    """Return each rule that a page breaks, with the first places.

    Args:
        page: as it stands in the browser.
        scheme: `dark` for the rules on colours alone; the others were asked in the light.
        tags: kinds of rules; all if there are none.
    """
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": list(COLOURS)}
    elif tags:
        options["runOnly"] = {"type": "tag", "values": list(tags)}
    found = Axe().run(page, options=options)
    return [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found.response["violations"]]
