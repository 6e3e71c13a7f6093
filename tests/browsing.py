"""A browser for tests: Debian's chromium, driven by playwright."""

import contextlib
import os
import shutil

import pytest

BROWSER = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@contextlib.contextmanager
def launched():
    """A browser; where there is none, the tests that want it are skipped, in CI they fail."""
    path = next((found for name in BROWSER if (found := shutil.which(name))), None)
    if path is None:
        installable = shutil.which("apt-get") and os.geteuid() == 0
        give_up = pytest.fail if os.environ.get("CI") and installable else pytest.skip
        give_up("no chromium here; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield found
        found.close()
