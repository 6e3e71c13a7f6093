"""What the tests of engines share: a browser."""

import os
import shutil

import pytest

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")
ARGUMENTS += ("--disable-background-networking", "--disable-component-update", "--disable-quic")


@pytest.fixture(scope="module")
def browser():
    path = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if path is None:
        give_up = pytest.fail if os.environ.get("CI") and os.geteuid() == 0 else pytest.skip
        give_up("no chromium here; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        launched = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield launched
        launched.close()
