"""A cluster of Dask: where it is, and tasks that are followed until they end."""

import contextlib
import logging
import uuid
from collections.abc import Callable, Iterator
from importlib import import_module
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Self
from weakref import WeakSet

from nabi.base.threads import n_threads
from nabi.errors import EngineError, InputTypeError, MissingExtraError, NabiError

LONGEST = 30  # seconds that a cluster may be without a worker: Dask starts one again in 10
STEP = 1.0  # seconds between two looks at the workers

Client = Any  # distributed.Client, or the address of a scheduler
Future = Any  # distributed.Future
Watch = Callable[[str, int, int], None]  # told what is done, how many tasks have ended, of how many


class Cluster:
    """A client of a scheduler, and the tasks that it was given here."""

    def __init__(self, client: Any, watch: Watch | None) -> None:
        self.client, self._watch = client, watch or (lambda what, done, of: None)
        self._run = uuid.uuid4().hex[:12]
        self._tasks = 0
        self._alive: WeakSet[Any] = WeakSet()
        self._empty_since: float | None = None  # since when no worker was seen
        self._had_workers = False

    @classmethod
    @contextlib.contextmanager
    def connected(cls, client: Client | None, watch: Watch | None) -> Iterator[Self]:
        """The cluster of a client or of a scheduler's address.

        Without one, that of the client that is there already, or workers on this machine which
        end with the block. What has not ended by then is cancelled.
        """
        with _client(client) as found:
            cluster = cls(found, watch)
            try:
                yield cluster
            finally:
                with contextlib.suppress(Exception):  # of a scheduler that is gone
                    found.cancel(list(cluster._alive))

    @property
    def slots(self) -> int:
        """How many tasks run at a time; waits for the first worker."""
        while not (workers := self.workers()):
            sleep(STEP)
        return sum(worker["nthreads"] for worker in workers.values())

    def submit(self, what: str, function: Callable[..., Any], *args: Any) -> Future:
        """Give the workers a task; arguments may be tasks, whose results it gets."""
        return self.own(self.client.submit(function, *args, key=self.key(what), pure=False))

    def compute(self, what: str, function: Any, parts: Any, *args: Any) -> list[Future]:
        """Give the workers a task for each part of a dataframe."""
        from dask.delayed import delayed

        call = delayed(function)
        made = [call(each, *args, dask_key_name=self.key(what)) for each in parts]
        return [self.own(task) for task in self.client.compute(made)]

    def send(self, value: Any) -> Future:
        """Give the workers a value that many tasks use.

        It is a task of its own, which runs again if the workers are lost that have the value.
        """
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self.submit("model", _same, value)

    def key(self, what: str) -> str:
        """Return the name of a new task."""
        self._tasks += 1
        return f"nabi-{what}-{self._run}-{self._tasks}"

    def own(self, future: Future) -> Future:
        """Take a task that is to be cancelled if it has not ended."""
        self._alive.add(future)
        return future

    def wait(self, what: str, tasks: list[Future]) -> None:
        """Wait until all tasks have ended; raise the error of the first that fails.

        The list is emptied, so that a result stays with the workers only as long as another task,
        or the caller, has a use for it.
        """
        done: SimpleQueue[Any] = SimpleQueue()
        n = len(tasks)
        while tasks:
            tasks.pop().add_done_callback(done.put)
        self._watch(what, 0, n)
        for number in range(1, n + 1):
            _check(self._next(done))
            self._watch(what, number, n)

    def result(self, what: str, task: Future) -> Any:
        """Return the result of a task."""
        self.wait(what, [task])
        return task.result()

    def _next(self, done: "SimpleQueue[Any]") -> Future:
        """Return a task that has ended; an error if there are no workers any more."""
        while True:
            try:
                task = done.get(timeout=STEP)
            except Empty:
                self.workers()
            else:
                self._empty_since = None
                return task

    def workers(self) -> dict[str, Any]:
        """The workers that are there; an error if there have been none for long."""
        try:
            found: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, ValueError, RuntimeError) as error:
            raise EngineError(f"the scheduler of Dask does not answer: {error}") from None
        now = monotonic()
        if found:
            self._empty_since, self._had_workers = None, True
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since > LONGEST:
            where = self.client.scheduler.address if self.client.scheduler else "it"
            if self._had_workers:
                raise EngineError(
                    f"the workers of Dask have gone, and none came back within {LONGEST} s: "
                    f"perhaps a task needs more memory than they have, or its files crash them; "
                    f"see their logs, and start some: dask worker {where}"
                )
            raise EngineError(
                f"the scheduler of Dask has had no worker for {LONGEST} s; start some: "
                f"dask worker {where}"
            )
        return found


def _same(value: Any) -> Any:
    return value


def _check(task: Future) -> None:
    """Raise the error of a task that has failed."""
    if task.status == "finished":
        return
    if task.status != "error":
        raise EngineError(f"a task is {task.status}: the scheduler of Dask has ended or restarted")
    error = task.exception()
    if isinstance(error, NabiError | OSError | MemoryError):
        raise error from None
    if type(error).__name__ == "KilledWorker":
        raise EngineError(
            f"a task ended its worker again and again ({error.task}): perhaps it needs more "
            "memory than workers have, or its files crash them; see the logs of the workers"
        ) from error
    raise EngineError(f"a task failed on its worker: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _client(client: Client | None) -> Iterator[Any]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError("nabi.engines.dask", "dask") from None
    if client is None:
        with contextlib.suppress(ValueError):  # there is none
            client = distributed.Client.current()
    if isinstance(client, distributed.Client):
        yield client
    elif isinstance(client, str):
        with contextlib.closing(_at(distributed, client)) as found:
            yield found
    elif client is None:
        with _local(distributed) as here, distributed.Client(here, set_as_default=False) as found:
            yield found
    else:
        given = type(client).__name__
        raise InputTypeError(f"client is {given}, expected a distributed.Client or an address")


def _local(distributed: Any) -> Any:
    """A scheduler and workers on this machine, which others cannot reach; without a dashboard."""
    return distributed.LocalCluster(
        n_workers=n_threads(None),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,
    )


def _at(distributed: Any, address: str) -> Any:
    """A client of the scheduler at an address."""
    try:
        return distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"no scheduler of Dask at {address}: {error}; start one (dask scheduler), or name none "
            f"to use workers on this machine"
        ) from None
