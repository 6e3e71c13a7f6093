"""A PostgreSQL of a test's own: on loopback, in a temporary folder, as a user without rights."""

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
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
