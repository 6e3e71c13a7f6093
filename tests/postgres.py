"""A PostgreSQL of a test's own: on loopback, in a temporary folder, as a user without rights."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

USER = "nobody"


def programs():
    """The folder of initdb and pg_ctl; None where there is no server."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    folders += [Path(found).parent] if found else []
    return next((path for path in folders if (path / "pg_ctl").exists()), None)


def missing():
    """Why no server can be had here; None where one can."""
    if programs() is None:
        return "no PostgreSQL server here; on Debian: apt-get install postgresql"
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        return "PostgreSQL does not run as root, and setpriv is missing"
    return None


def _run(*command):
    as_user = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups"]
    prefix = as_user if os.geteuid() == 0 else []
    done = subprocess.run([*prefix, *command], capture_output=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr.decode()


@contextmanager
def cluster():
    """Yield what psycopg.connect takes to reach a new cluster."""
    bin, folder = programs(), tempfile.mkdtemp(prefix="nabi-pg-", dir="/tmp")
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = f"{folder}/data"
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
    try:
        made = ("-U", "nabi", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        _run(bin / "initdb", "-D", data, *made)
        _run(bin / "pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"host=127.0.0.1 port={port} user=nabi dbname=postgres"
        finally:
            _run(bin / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def databases():
    """Yield a function that makes a new database and returns its address."""
    import psycopg

    with cluster() as reached, psycopg.connect(reached, autocommit=True) as admin:
        numbers = itertools.count(1)

        def made():
            name = f"store{next(numbers)}"
            admin.execute(f"create database {name}")
            info = admin.info
            return f"postgresql://{info.user}@{info.host}:{info.port}/{name}"

        yield made


class Restartable:
    """A database whose server can be killed, and started again; it syncs what it commits."""

    def __init__(self, folder, port):
        self.data, self._folder, self._port = f"{folder}/data", folder, port
        self.address = f"postgresql://nabi@127.0.0.1:{port}/postgres"
        self._made = 0

    def start(self):
        """Start the server, and wait until it answers."""
        options = f"-c listen_addresses=127.0.0.1 -p {self._port} -k {self._folder}"
        log = f"{self._folder}/log"
        command = (programs() / "pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")
        for _ in range(20):  # until no process of before is left
            with suppress(AssertionError):
                _run(*command)
                return
        _run(*command)

    def new(self):
        """Make a database, and return its address."""
        import psycopg

        self._made += 1
        with psycopg.connect(self.address, autocommit=True) as sql:
            sql.execute(f"create database store{self._made}")
        return f"{self.address.removesuffix('postgres')}store{self._made}"

    def kill(self):
        """Kill the server and all of its processes, as a loss of power would."""
        first = int(Path(self.data, "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # it makes no more of them
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in (first, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(Path(f"/proc/{pid}/stat").exists() and _runs(pid) for pid in (first, *children)):
            time.sleep(0.01)


def _runs(pid):
    """Whether a process runs, and is not only waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def restartable():
    """Yield a database that can be killed and started again."""
    folder = tempfile.mkdtemp(prefix="nabi-pg-", dir="/tmp")
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        made = Restartable(folder, free.getsockname()[1])
    options = ("-U", "nabi", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    try:
        _run(programs() / "initdb", "-D", made.data, *options)
        made.start()
        yield made
    finally:
        with suppress(FileNotFoundError):
            made.kill()
        shutil.rmtree(folder, ignore_errors=True)
