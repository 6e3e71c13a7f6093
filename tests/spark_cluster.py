"""Spark for tests: a cluster of two workers on loopback, a Connect server, and texts to learn."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLUSTER = "local-cluster[2,1,1024]"
LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
OPTIONS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}


def need_java():
    """Skip where there is no Java; in CI that is an error."""
    if shutil.which("java") is None:
        give_up = pytest.fail if os.environ.get("CI") and os.geteuid() == 0 else pytest.skip
        give_up("no java here; on Debian: apt-get install default-jre-headless")


@contextlib.contextmanager
def cluster(**options):
    """A session of a master and two workers, each a process of its own."""
    need_java()
    os.environ.update(LOOPBACK)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(CLUSTER).appName("tests of nabi")
    session = builder.config(map={**OPTIONS, **options}).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextlib.contextmanager
def connect_server(folder):
    """The URL of a Spark Connect server, whose files are in a folder."""
    need_java()
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = OPTIONS | {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.master": "local[2]",
        "spark.log.level": "ERROR",
    }
    settings = [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
    started = subprocess.Popen(
        [home / "bin" / "spark-submit", *settings, "--class", SERVER, "spark-internal"],
        env={**os.environ, **LOOPBACK, "SPARK_HOME": str(home)},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(port, started)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        started.wait()


SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


def wait_for(port, started):
    """Wait until a server takes connections."""
    for _ in range(600):
        assert started.poll() is None, "the server of Spark Connect has ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise TimeoutError("the server of Spark Connect does not answer")


def labelled_texts(n=600, seed=0):
    """Texts in two alphabets with their labels; some are there twice."""
    rnd = random.Random(seed)
    words = [f"{letter}{i}" for letter in ("w", "한", "é", "z") for i in range(150)]
    rows = [(" ".join(rnd.choices(words, k=12)), "spam" if i % 3 else "ham") for i in range(n - 10)]
    return rows + rows[:10]
