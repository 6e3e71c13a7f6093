"""Processes that fork, or end, while other threads use a model."""

import subprocess
import sys

import pytest

SETUP = """
import os, threading, time
import nabi
TEXTS = ["a b c d " * 50, "e f g h " * 50] * 500
model = nabi.TextClassifier().fit(TEXTS, ["x", "y"] * 500)
begun = threading.Event()

def forever():
    while True:
        {call}
        begun.set()

threading.Thread(target=forever, daemon=True).start()
begun.wait()
"""
FORKS = """
for _ in range(30):
    child = os.fork()
    if not child:
        docs = model.partial_fit(["a"], ["x"]).class_count_.sum()
        os._exit(0 if (docs - 1) % 1000 == 0 else 3)
    assert os.waitpid(child, 0)[1] == 0
print("done", flush=True)
os._exit(0)
"""
CALLS = {
    "predict": "model.predict(TEXTS)",
    "learn": "model.partial_fit(TEXTS, ['x', 'y'] * 500)",
    "add": "(model + model).predict(TEXTS[:9])",
}
# Eight threads that are nearly always inside a call, some with two models' locks.
CROWD = """
import os, threading
import nabi
TEXTS, LABELS = ["a b c d " * 50, "e f g h " * 50] * 50, ["x", "y"] * 50
models = [nabi.TextClassifier().fit(TEXTS, LABELS) for _ in range(3)]
CALLS = [
    lambda a, b: a + b,
    lambda a, b: b + a,
    lambda a, b: a.predict(TEXTS),
    lambda a, b: b.partial_fit(TEXTS, LABELS),
    lambda a, b: a.save("a.nabi"),
    lambda a, b: nabi.TextClassifier().fit(TEXTS, LABELS),
    lambda a, b: a.explain("a e"),
    lambda a, b: a.calibrate(TEXTS, LABELS),
]
begun = threading.Barrier(len(CALLS) + 1)

def forever(call, number):
    begun.wait()
    while True:
        call(models[number % 3], models[(number + 1) % 3])

for number, call in enumerate(CALLS):
    threading.Thread(target=forever, args=(call, number), daemon=True).start()
begun.wait()
for _ in range(20):
    child = os.fork()
    if not child:
        (models[0] + models[1]).predict(TEXTS)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
print("done", flush=True)
os._exit(0)
"""
# A thread holds a model while it waits for a second thread, which calls another model.
NESTED = """
import os, threading
import nabi
a, b = (nabi.TextClassifier().fit(["x", "y"], [0, 1]) for _ in range(2))
held, forking = threading.Event(), threading.Event()
os.register_at_fork(before=forking.set)  # runs before nabi's own

def second():
    forking.wait()
    b.predict(["x"])

def first():
    with a.exclusive():
        held.set()
        other = threading.Thread(target=second)
        other.start()
        other.join()

thread = threading.Thread(target=first)
thread.start()
held.wait()
child = os.fork()
if not child:
    a.predict(["x"])
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
print("done", flush=True)
os._exit(0)
"""

# A fork that takes long, after a call that it waited for has not ended within a second.
SLOW = """
import os, threading
held, forking, begun, cut = threading.Event(), threading.Event(), threading.Event(), []
os.register_at_fork(before=lambda: cut.append(begun.wait(1)))  # runs after nabi's own
import nabi
a, b = (nabi.TextClassifier().fit(["x", "y"], [0, 1]) for _ in range(2))
os.register_at_fork(before=forking.set)  # runs before it

def texts():
    begun.set()
    yield "x"

def second():
    forking.wait()
    b.predict(texts())

def first():
    with a.exclusive():
        held.set()
        other = threading.Thread(target=second)
        other.start()
        other.join()

thread = threading.Thread(target=first)
thread.start()
held.wait()
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
thread.join()
print(cut, flush=True)
os._exit(0)
"""

# The thread that forks holds a model; others wait for it, before their calls and within them.
HELD = """
import os, threading, time
import nabi
a, b = (nabi.TextClassifier().fit(["x", "y"], [0, 1]) for _ in range(2))
held = threading.Event()

def forks():
    child = os.fork()
    if not child:
        a.predict(["x"])
        b.predict(["x"])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

def texts():
    forks()
    yield "x"

def forever():
    while True:
        a.predict(["x"])

def nested():
    with b.exclusive():
        held.set()
        a.predict(["x"])

threading.Thread(target={waiting}, daemon=True).start()
{fork}
print("done", flush=True)
os._exit(0)
"""
EXCLUSIVE = """
with a.exclusive():
    {wait}
    forks()
"""
HOLDERS = {
    "block": ("forever", EXCLUSIVE.format(wait="time.sleep(0.05)")),
    "texts": ("forever", "a.partial_fit(texts(), [1], classes=[0, 1])"),
    "nested": ("nested", EXCLUSIVE.format(wait="held.wait()")),
}
# Ctrl-C stops calls of the main thread again and again; then another thread forks.
STOPPED = """
import os, signal, threading, time
import nabi
model = nabi.TextClassifier().fit(["x", "y"], [0, 1])
ended, calling = threading.Event(), False

def stop(number, frame):
    global calling
    if calling:
        calling = False
        raise KeyboardInterrupt

def kill():
    while not ended.is_set():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.0002)

def fork():
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)

signal.signal(signal.SIGINT, stop)
killer, forking = threading.Thread(target=kill), threading.Thread(target=fork)
killer.start()
for _ in range(300):
    try:
        calling = True
        while True:
            model.class_count_, model.is_calibrated, model.classes_
    except KeyboardInterrupt:
        pass
ended.set()
killer.join()
forking.start()
forking.join()
print("done", flush=True)
os._exit(0)
"""

# A thread learns texts of a queue, which the thread that forks fills afterwards.
QUEUE = """
import os, queue, threading
import nabi
model, texts = nabi.TextClassifier().fit(["x", "y"], [0, 1]), queue.Queue()
begun = threading.Event()

def coming():
    begun.set()
    yield from iter(texts.get, None)

thread = threading.Thread(target=lambda: model.partial_fit(coming(), [0, 1]))
thread.start()
begun.wait()
child = os.fork()
if not child:
    os._exit(int(model.partial_fit(["x"], [0]).class_count_.sum()))
for text in ("x", "y", None):
    texts.put(text)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), model.class_count_.sum())
"""
# A fork that does not wait for calls: the kernel reads the counts while the child is made.
AT_ONCE = "import nabi.base.locking\nnabi.base.locking._LONGEST_WAIT = 0\n"
ESTIMATOR = """
import os, threading
import numpy as np
from nabi.estimators import MultinomialNB
X, y = np.ones((2, 200_000)), np.array([0, 1])
model = MultinomialNB().fit(X, y)

def forever():
    while True:
        model.partial_fit(X, y)

threading.Thread(target=forever, daemon=True).start()
for _ in range(30):
    child = os.fork()
    if not child:
        counts = {*model.feature_count_.ravel().tolist(), *model.class_count_.tolist()}
        os._exit(len(counts))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
print("done", flush=True)
os._exit(0)
"""


def run(code, folder=None):
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=folder
    )


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_forked_process_uses_a_model_that_another_thread_was_using(call):
    done = run(SETUP.format(call=call) + FORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_forked_process_changes_counts_that_the_kernel_was_reading(call):
    done = run(AT_ONCE + SETUP.format(call=call) + FORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_thread_forks_though_a_call_waits_for_what_it_does_next():
    done = run(QUEUE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 4.0\n", "")


def test_a_forked_process_has_an_estimator_before_or_after_a_change():
    done = run(ESTIMATOR)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_fork_beside_eight_busy_threads_neither_starves_nor_waits_in_a_circle(tmp_path):
    done = run(CROWD, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_thread_that_waits_for_another_in_a_call_ends_though_a_third_forks():
    done = run(NESTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_call_does_not_begin_while_a_fork_takes_long():
    done = run(SLOW)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[False]\n", "")


@pytest.mark.parametrize(("waiting", "fork"), HOLDERS.values(), ids=HOLDERS)
def test_a_thread_forks_while_it_holds_a_model_that_others_wait_for(waiting, fork):
    done = run(HELD.format(waiting=waiting, fork=fork))
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_calls_that_ctrl_c_stopped_are_not_waited_for():
    done = run(STOPPED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_process_ends_while_a_daemon_thread_uses_a_model(call):
    done = run(SETUP.format(call=call))
    assert (done.returncode, done.stderr) == (0, "")
