"""What axe finds wrong with a page. A dark scheme changes colours alone, so there the rules on colours are asked."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT

COLOURS = ("color-contrast", "link-in-text-block")
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


SCHEMES = ("light", "dark")


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
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    response = page.evaluate("options => axe.run(options)", options)
    return [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in response["violations"]]


def flaws_by_scheme(page: Any, tags: tuple[str, ...] = ()) -> dict[str, list[tuple[str, list[Any]]]]:
    """Return what is wrong with a page in the light and in the dark: loaded once, its colours change in between."""
    broken = {}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("s => matchMedia(`(prefers-color-scheme: ${s})`).matches", scheme)
        broken[scheme] = flaws(page, scheme, tags)
    return {scheme: rules for scheme, rules in broken.items() if rules}
