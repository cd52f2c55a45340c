"""Pages in a real Chromium: modules that test them are marked with these, and take the fixtures `browser`, `page`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
CHROMIUM = next((path for path in BROWSERS if Path(path).exists()), None)
_OFF = (
    # What Playwright switches off: Chromium heeds the last list alone.
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch",
    # Two pages that every window makes ready for what drops down from its address bar, which nobody sees here: together
    # nearly half of what a test of a page takes.
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
)  # fmt: skip
FLAGS = [f"--disable-features={','.join(_OFF)}", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip

IN_A_BROWSER = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER: install Debian's chromium, or these pages go untested"),
]

HOSTILE = (Path(__file__).parent / "cases" / "payloads.txt").read_text(encoding="utf-8").splitlines()
"""Texts that would act if a page did not escape them."""


def follow(control: Any) -> None:
    """Click what leads to another page, and wait until that page is whole: a click alone ends when it has begun."""
    with control.page.expect_navigation():
        control.click()
