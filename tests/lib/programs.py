# SPDX-License-Identifier: Apache-2.0
"""Running programs: ours from the build folder under test, and others."""
import os
import re
import subprocess

from lib.check import check

BUILD = os.environ.get("ARCHIVOLT_BUILD") or os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build")
SANITIZER_REPORT = re.compile(r"AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:")


def program(name="archivolt"):
    return os.path.join(BUILD, name)


class Done:
    """How a command ended: exit status, and both outputs as bytes."""

    def __init__(self, arguments, status, output, error):
        self.arguments, self.status, self.output, self.error = arguments, status, output, error

    @property
    def text(self):
        return self.output.decode("utf-8", "replace")

    @property
    def error_text(self):
        return self.error.decode("utf-8", "replace")


def run_program(arguments, input=b"", env=None, timeout=300, cwd=None):
    done = subprocess.run(arguments, input=input, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, env={**os.environ, **(env or {})}, cwd=cwd)
    check(not SANITIZER_REPORT.search(done.stderr.decode("utf-8", "replace")),
          f"{arguments}: {done.stderr.decode('utf-8', 'replace')}")
    return Done(arguments, done.returncode, done.stdout, done.stderr)
