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


def run(code):
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_forked_process_uses_a_model_that_another_thread_was_using(call):
    done = run(SETUP.format(call=call) + FORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_process_ends_while_a_daemon_thread_uses_a_model(call):
    done = run(SETUP.format(call=call))
    assert (done.returncode, done.stderr) == (0, "")
