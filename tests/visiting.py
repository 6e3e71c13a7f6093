"""A person at the page: a real server process, and a browser that notes all that goes wrong."""

import http.client
import json
import os
import re
import select
import subprocess
import sys

ENDED = 120  # seconds that a server may take to start or to end
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(event.violatedDirective);
});
"""
SPAM = "you have won a free prize, claim it now"
HAM = "lunch at noon with the team"
TEXTS = [f"{words} {i}" for i in range(40) for words in (SPAM, HAM)]
CLASSES = [{"name": "spam", "key": "1"}, {"name": "ham", "key": "2"}]


class Serving:
    """`nabi serve --data`, in a process that can be killed and started again at the same port."""

    def __init__(self, data, *command):
        self.data, self.command, self.port = data, command or ("serve",), 0
        self.start()

    def start(self):
        command = [sys.executable, "-m", "nabi.cli", *self.command, "--data", str(self.data)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.port = self._announced()
        self.token = (self.data / "token").read_text().strip()

    def _announced(self):
        """The port, once the server says where it is."""
        said = ""
        while select.select([self.process.stdout], [], [], ENDED)[0]:
            line = self.process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                return int(found[1])
            said += line
            assert line, f"the server does not start: {said}"
        raise AssertionError(f"the server does not start: {said}")

    def kill(self):
        """End the server as a power cut would."""
        self.process.kill()
        self.process.wait(ENDED)
        self.process.stdout.close()

    def close(self):
        self.kill()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, token=None, seconds=ENDED):
        """(status, answer)"""
        one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        data = None if body is None else json.dumps(body)
        one.request(method, path, data, {"Authorization": f"Bearer {token or self.token}"})
        response = one.getresponse()
        text = response.read()
        one.close()
        is_json = response.headers["Content-Type"] == "application/json"
        return response.status, json.loads(text) if is_json else text

    def fill(self, texts=TEXTS, classes=CLASSES):
        """Name classes and add texts, as the set-up does."""
        assert self.ask("POST", "/project", {"classes": classes})[0] == 200
        assert self.ask("POST", "/pool", {"texts": [{"text": text} for text in texts]})[0] == 200
        return self

    def person(self, name):
        """The token of another person, who may label."""
        command = ["store", "token", "add", name, "--data", str(self.data)]
        add = [sys.executable, "-m", "nabi.cli", *command]
        return subprocess.run(add, check=True, capture_output=True, text=True).stdout.split()[-1]

    def labels(self):
        """{text: label} of all that is on the server's disk."""
        answer = self.ask("GET", "/examples?limit=1000")[1]
        return {one["text"]: one["label"] for one in answer["examples"]}


class Visit:
    """A browser of its own (cookies, storage) at the page."""

    # How the browser says that a server was killed or a line is broken, at whatever moment.
    EXPECTED = (
        "net::ERR_CONNECTION_",
        "net::ERR_INTERNET_DISCONNECTED",
        "net::ERR_SOCKET_NOT_CONNECTED",
        "net::ERR_NETWORK_",
        "net::ERR_TIMED_OUT",
        "net::ERR_EMPTY_RESPONSE",
        "net::ERR_CONTENT_LENGTH_MISMATCH",
        "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
    )

    def __init__(self, browser, serving, *, view="", token=None, language="en-US", **options):
        viewport = {"width": 1280, "height": 900}
        given = {"viewport": viewport, "locale": language, "accept_downloads": True, **options}
        self.serving, self.token = serving, token or serving.token
        self.context = browser.new_context(**given)
        self.context.add_init_script(WATCH)
        self.errors = []
        self.page = self.opened(view)

    def opened(self, view=""):
        """A new tab."""
        page = self.context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(f"{self.serving.address}/#token={self.token}")
        page.wait_for_selector("html[data-ready=yes]")
        if view:
            self.go(view, page)
        return page

    def _said(self, message):
        """Note what the console says, but that a killed server does not answer."""
        if not any(each in message.text for each in self.EXPECTED):
            self.errors.append(message.text)

    def expect(self, status):
        """The console says that the server refused a request, which was meant."""
        (said,) = [each for each in self.errors if f"status of {status}" in each]
        self.errors.remove(said)

    def go(self, view, page=None):
        (page or self.page).locator(f"[data-view={view}]").first.click()
        (page or self.page).wait_for_selector(f"main[data-view={view}]")

    def text(self):
        """The text that waits for a label."""
        return self.page.locator("#card .words").inner_text()

    def label(self, number=1, right=lambda text: "1" if "prize" in text else "2"):
        """Press keys as fast as the page shows texts; the texts that were labelled."""
        found = []
        for _ in range(number):
            self.page.wait_for_selector("#card .words")
            found.append(self.text())
            self.page.keyboard.press(right(found[-1]))
        return found

    def saved(self):
        """Wait until the server has all that was done here."""
        self.page.wait_for_function(
            "() => !Object.keys(localStorage).some((name) => name.startsWith('nabi.outbox'))"
        )

    def violations(self):
        return self.page.evaluate("window.violations")
