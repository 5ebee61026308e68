# SPDX-License-Identifier: Apache-2.0
"""The password prompt on a terminal: no echo while it waits, echo again afterwards, also when it is interrupted."""
import fcntl
import os
import pty
import signal
import subprocess
import termios
import time

from lib import Server, check, equal
from lib.http import basic

ECHO = termios.ECHO


class Prompt:
    """`user passwd` with a terminal of its own."""

    def __init__(self, server):
        self.master, self.terminal = pty.openpty()
        self.process = subprocess.Popen(
            [server.binary, "--data", server.data, "user", "passwd", "anna"], stdin=self.terminal, stdout=self.terminal,
            stderr=self.terminal, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.said = b""

    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & ECHO)

    def wait_for(self, words):
        while words not in self.said:
            self.said += os.read(self.master, 1000)

    def ends(self):
        status = self.process.wait(60)
        deadline = time.monotonic() + 10
        while not self.echoes():
            check(time.monotonic() < deadline, f"the terminal is left without echo: {self.said!r}")
            time.sleep(0.01)
        os.close(self.master)
        os.close(self.terminal)
        return status


with Server() as server:
    server.must("user", "add", "anna")
    prompt = Prompt(server)
    prompt.wait_for(b"New password: ")
    check(not prompt.echoes(), "the password would be shown")
    os.write(prompt.master, b"secret word\n")
    equal(prompt.ends(), 0)
    check(b"secret" not in prompt.said, "the password was shown")

    for key, number in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):  # Ctrl-C, Ctrl-\
        prompt = Prompt(server)
        prompt.wait_for(b"New password: ")
        check(not prompt.echoes(), "the password would be shown")
        os.write(prompt.master, key)
        equal(prompt.ends(), 128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        prompt = Prompt(server)
        prompt.wait_for(b"New password: ")
        prompt.process.send_signal(number)
        equal(prompt.ends(), 128 + number)
    equal(server.request("OPTIONS", "/", authorization=basic("anna", "secret word")).status, 200, "the new password")
