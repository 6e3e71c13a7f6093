"""From `pip install` of a wheel in a new environment to the first key on disk.

python -m bench.labelling.first_key [--wheel dist/nabi-....whl]

Without a wheel, one is built first, which does not count. Also: how much of the wheel is the page.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from browsing import launched

ROOT = Path(__file__).resolve().parents[2]
OF_THE_PAGE = re.compile(r"nabi/(server/(http/page|labelling)|report/web/shared)/")


def built(folder: Path) -> Path:
    """Build a wheel of the work tree with the tools of its environment."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    tools = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    made = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(ROOT)],
        env={**os.environ, **tools},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if made.returncode:
        sys.exit("the wheel was not built; run make .venv/.build-tools first")
    return next(folder.glob("*.whl"))


def without_the_page(wheel: Path, folder: Path) -> int:
    """Return how many bytes the wheel would have without the page and its shared parts."""
    less = folder / "less.whl"
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(less, "w", zipfile.ZIP_DEFLATED) as part:
        for name in whole.namelist():
            if not OF_THE_PAGE.match(name):
                part.writestr(name, whole.read(name))
    return less.stat().st_size


def first_key(wheel: Path, folder: Path) -> list[tuple[str, float]]:
    """Return what was done, and the seconds since the start."""
    texts, done, started = folder / "texts.csv", [], time.perf_counter()
    texts.write_text("text\n" + "".join(f"a message {i}\n" for i in range(1000)))
    quiet = {"stdout": subprocess.DEVNULL, "check": True}

    def note(what: str) -> None:
        done.append((what, time.perf_counter() - started))

    subprocess.run([sys.executable, "-m", "venv", folder / "new"], **quiet)
    note("new environment")
    bin_, extra = folder / "new" / "bin", f"nabi[server] @ {wheel.resolve().as_uri()}"
    subprocess.run([bin_ / "pip", "install", "--quiet", extra], **quiet)
    note("pip install")
    label = [bin_ / "nabi", "label", texts, "--classes", "spam,ham", "--no-open", "--port", "0"]
    with subprocess.Popen([*label, "--data", folder / "data"], stdout=subprocess.PIPE) as serving:
        try:
            address = (
                f"{_address(serving)}/#token={(folder / 'data' / 'token').read_text().strip()}"
            )
            note("nabi label says its address")
            with launched() as browser:
                page = browser.new_page()
                page.goto(address)
                page.wait_for_selector("#card .words")
                note("first text")
                page.keyboard.press("1")
                page.wait_for_selector(".tick-saved")
                note("first key is on disk")
        finally:
            serving.terminate()
    return done


def _address(serving: "subprocess.Popen[bytes]") -> str:
    assert serving.stdout is not None
    for line in serving.stdout:
        found = re.search(rb"http://[\d.]+:\d+", line)
        if found:
            return found[0].decode()
    raise SystemExit("nabi label ended without an address")


def main() -> None:
    """Print the seconds and sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="a wheel that was built (default: build one)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = given.wheel or built(folder)
        for what, seconds in first_key(wheel, folder):
            print(f"{seconds:6.1f} s  {what}")
        whole, less = wheel.stat().st_size, without_the_page(wheel, folder)
    print(f"wheel {whole / 1000:.0f} kB, without the page {less / 1000:.0f} kB")
    print(f"the page is {(whole - less) / 1000:.0f} kB of it")


if __name__ == "__main__":
    main()
