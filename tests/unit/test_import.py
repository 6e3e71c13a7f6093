"""What `import nabi` gives."""

import subprocess
import sys

CODE = "import nabi; print(nabi.report.of_crossval.__name__, 'train' in dir(nabi), nabi.metrics)"


def test_public_rooms_are_there_without_an_import_of_their_own():
    shown = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("of_crossval True <module 'nabi.metrics'")
