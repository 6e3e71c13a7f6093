"""Sessions of Spark: which one is used, how far its jobs are, and what its errors say."""

import contextlib
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nabi import errors
from nabi.engines.spark.columns import arrow
from nabi.engines.workers import Step
from nabi.errors import EngineError, NabiError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS = re.compile(r"nabi\.errors\.(\w+): (.*)")
# What Python says at the end of a traceback, whose other lines begin with blanks.
RAISED = re.compile(r"^Traceback .*\n(?:[ \t].*\n)+(\S.*)", re.MULTILINE)
FAR = ("num_completed_tasks", "num_tasks")
LOOK = 0.5  # seconds between two looks at how far a job is
DIED = ("exited unexpectedly", "crashed", "ExecutorLostFailure", "executor lost")


def session_of(frame: Any = None) -> "SparkSession":
    """Return the session of a DataFrame, the active one, or a new one on this machine."""
    arrow()  # or say what to install
    from pyspark.sql import SparkSession

    if frame is not None:
        found: SparkSession = frame.sparkSession
        return found
    active = SparkSession.getActiveSession()
    return active if active is not None else new_session(None)


def new_session(url: str | None) -> "SparkSession":
    """Start a session: of a master, or by Spark Connect where the URL begins with sc://."""
    arrow()  # or say what to install
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if url is not None and url.startswith("sc://"):
        return builder.remote(url).getOrCreate()
    url = url or "local[*]"
    options = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    options["spark.ui.showConsoleProgress"] = "false"  # nabi shows its own
    if url.startswith("local"):
        options |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # with the packages that are here
    return builder.appName("nabi").master(url).config(map=options).getOrCreate()


# ---- what goes wrong ----


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turn errors of Spark into ours: what a worker has refused, or what Spark says of itself."""
    try:
        with warnings.catch_warnings():
            # Of pandas, which is not used here.
            warnings.filterwarnings("ignore", "PySpark does not yet", FutureWarning)
            yield
    except NabiError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j", "grpc")):
            raise
        raise _explained(str(error)) from error


def _explained(said: str) -> NabiError:
    ours = OURS.findall(said)
    if ours:
        name, message = ours[-1]
        return _of_class(getattr(errors, name, EngineError), message)
    if "No module named 'nabi'" in said:
        return EngineError(
            "the workers of Spark have no nabi: install it there, or let PYSPARK_PYTHON name a "
            "Python that has it (in sessions of your own, before they start)"
        )
    if "JAVA_GATEWAY_EXITED" in said:
        return EngineError(
            "Spark did not start; it needs Java 17 (on Debian: apt-get install "
            "default-jre-headless), and says why it fails above"
        )
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = lines[0] if lines else "Spark gave no reason"
    if any(sign in said for sign in DIED):
        return EngineError(
            f"a worker of Spark died at every attempt of a task ({first[:300]}); it may lack "
            f"memory: give executors more, or use more and smaller partitions"
        )
    raised = RAISED.findall(said)
    if raised:
        return EngineError(f"a task failed on its worker: {raised[-1][:500]}")
    return EngineError(f"Spark: {first[:500]}")


def _of_class(kind: Any, message: str) -> NabiError:
    """Return an error of this class, or of the first one above it that takes a message alone."""
    for each in kind.__mro__ if issubclass(kind, NabiError) else ():
        with contextlib.suppress(TypeError):
            found: NabiError = each(message)
            return found
    return EngineError(message)


# ---- how far it is ----


@contextlib.contextmanager
def followed(session: "SparkSession", what: str, watch: Step) -> Iterator[None]:
    """Tell how many tasks are done, while the block runs."""
    if type(session).__module__.startswith("pyspark.sql.connect"):

        def told(stages: Any = (), **_: Any) -> None:
            done, total = (sum(getattr(s, n) for s in stages) for n in FAR)
            watch(what, done, max(done, total))

        session.registerProgressHandler(told)
        try:
            yield
        finally:
            session.removeProgressHandler(told)
        return
    ended = threading.Event()
    tracker = session.sparkContext.statusTracker()
    thread = threading.Thread(target=_look, args=(tracker, what, watch, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _look(tracker: Any, what: str, watch: Step, ended: threading.Event) -> None:
    while not ended.wait(LOOK):
        infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        running = [info for info in infos if info is not None]
        if running:
            done = sum(info.numCompletedTasks for info in running)
            watch(what, done, sum(info.numTasks for info in running))
