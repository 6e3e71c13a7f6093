"""The OpenAPI document against the server: no status of 500 and above, no answer that it forbids.

python -m bench.server.schema [EXAMPLES] [SCHEMATHESIS]

Needs schemathesis (pip install schemathesis, in any environment); SCHEMATHESIS is its command.
`/changes` is left out, since it waits 20 s for news, and `/pool/file`, which refuses (422) bytes
that are no file of texts: that is more than a document can say.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.server.clients import load, nabi_server, request

TAUGHT = {"examples": [{"text": "good", "label": "a"}, {"text": "bad", "label": "b"}]}


def main(examples: int, command: str) -> int:
    """Run schemathesis on a server of its own; return its exit code."""
    if shutil.which(command) is None:
        print(f"{command} is not there: pip install schemathesis, and name its command")
        return 2
    with (
        tempfile.TemporaryDirectory() as folder,
        nabi_server(Path(folder, "store")) as (port, server),
    ):
        token = Path(folder, "store", "token").read_text().strip()
        load(port, lambda _: request("/learn", TAUGHT, token), clients=1, seconds=0.2)
        arguments = ["-H", f"Authorization: Bearer {token}", "--max-examples", str(examples)]
        for path in ("/changes", "/pool/file"):
            arguments += ["--exclude-path", path]
        address = f"http://127.0.0.1:{port}/openapi.json"
        done = subprocess.run([command, "run", address, *arguments], cwd=folder)
        print(f"server alive: {server.poll() is None}")
    return done.returncode


if __name__ == "__main__":
    number, *given = sys.argv[1:] or ["50"]
    sys.exit(main(int(number), *(given or ["schemathesis"])))
