# SPDX-License-Identifier: Apache-2.0
"""The programs under test: a server in a temporary folder, and the command line beside it."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from lib.check import check, equal
from lib.http import Connection, basic, quote
from lib.programs import SANITIZER_REPORT, program, run_program
from lib.shim import Shim

FULL = os.environ.get("ARCHIVOLT_FULL") == "1"
START_SECONDS = 60


def temporary_folder():
    """A context manager: a new folder, removed at the end."""
    return tempfile.TemporaryDirectory(prefix="archivolt-test-")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A data folder with a server over it.

    with Server() as server: creates the folder, starts serving, and at the end stops the server,
    which must end with status 0 and without a sanitizer's report.
    """

    def __init__(self, env=None, wrap=(), serve_options=(), init_options=(), config="", start=True,
                 shim=False):
        self.env, self.wrap, self.serve_options = dict(env or {}), list(wrap), list(serve_options)
        self.binary = program()
        self.folder = tempfile.mkdtemp(prefix="archivolt-test-")
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "server.log")
        self.process = None
        self.port = free_port()
        self.shim = Shim(self.folder, self.volumes) if shim else None
        if shim:
            self.env.update(self.shim.env)
        done = run_program([self.binary, "init", *init_options, self.data], env=self.env)
        equal(done.status, 0, f"init: {done.error_text}")
        found = re.search(r"token:\s*(\S+)", done.text)
        check(found, f"init prints no token: {done.text!r}")
        self.token = found.group(1)
        if config:
            with open(os.path.join(self.data, "archivolt.conf"), "a") as file:
                file.write(config)
        if start:
            self.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.stop()
            else:
                self.kill()
                sys.stderr.write(self.log_text()[-4000:])
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def log_text(self):
        try:
            with open(self.log, errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    @property
    def volumes(self):
        return os.path.join(self.data, "volumes")

    # -- the process

    def launch(self):
        """Starts the process without waiting for it."""
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(
                [*self.wrap, self.binary, "--data", self.data, "serve", "--http",
                 f"127.0.0.1:{self.port}", *self.serve_options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self.env})

    def start(self):
        """Starts and waits for the ready line."""
        check(self.comes_up(), f"the server ended: {self.log_text()[-4000:]}")

    def comes_up(self):
        """Starts it: True when it is ready, False when it ended by itself."""
        self.launch()
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None:
                return False
            check(time.monotonic() < deadline, f"no ready line: {self.log_text()[-4000:]}")
            time.sleep(0.01)
        return True

    def is_ready(self):
        with open(self.log, "rb") as log:
            log.seek(self.log_start)
            return re.search(rb"\bready\b", log.read()) is not None

    def kill(self):
        """SIGKILL, as a power cut would look to the process."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        """SIGTERM; the server must end by itself with status 0."""
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"does not stop on SIGTERM: {self.log_text()[-4000:]}") from None
        self.process = None
        check(not SANITIZER_REPORT.search(self.log_text()), self.log_text()[-8000:])
        equal(status, 0, f"status of the server: {self.log_text()[-2000:]}")

    # -- talking to it

    def connect(self, authorization="token", timeout=60, **options):
        """A new connection. authorization: None for nobody, or the header's value; options: see Connection."""
        if authorization == "token":
            authorization = basic("admin", self.token)
        return Connection(self.port, authorization, timeout, **options)

    def request(self, method, path, body=None, headers=(), query="", authorization="token"):
        """One request on a connection of its own; path is the repository's, unencoded."""
        with self.connect(authorization) as connection:
            return connection.request(method, "/rest" + quote(path) + query, body, headers)

    def put(self, path, body, headers=()):
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        if not any(name.lower() == "content-type" for name, _ in pairs):
            pairs.append(("Content-Type", "application/octet-stream"))
        return self.request("PUT", path, body, pairs)

    def get(self, path, headers=(), query=""):
        return self.request("GET", path, None, headers, query)

    def delete(self, path, headers=()):
        return self.request("DELETE", path, None, headers)

    def cli(self, *arguments, input=b"", env=None, timeout=300):
        """Runs `archivolt --data DIR arguments…`, through the server when it runs."""
        return run_program([self.binary, "--data", self.data, *arguments], input, env, timeout)

    def must(self, *arguments, input=b"", timeout=300):
        """Like cli(), and it has to end with status 0."""
        done = self.cli(*arguments, input=input, timeout=timeout)
        equal(done.status, 0, f"{arguments}: {done.error_text} {done.text[-2000:]}")
        return done
