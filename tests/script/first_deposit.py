# SPDX-License-Identifier: Apache-2.0
"""docs/howto/first-deposit.md can be pasted as it stands."""
import os
import subprocess

from lib import Server, check, equal
from lib.check import contains
from lib.programs import program

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def commands():
    """The indented blocks, in order, as one script."""
    with open(os.path.join(ROOT, "docs", "howto", "first-deposit.md")) as file:
        return "".join(line[4:] for line in file if line.startswith("    "))


script = commands()
check(script.count("curl") >= 4, "the blocks of the document were not found")
with Server() as server:
    path = os.path.dirname(os.path.abspath(program())) + ":" + os.environ["PATH"]
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=server.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=90,
                          env={**os.environ, "PATH": path, "ARCHIVOLT_DATA": server.data, "URL": f"http://127.0.0.1:{server.port}"})
    equal(done.returncode, 0, done.stdout)
    for words in ("dc.title\tOn first deposits", "dc.contributor.author\tMiller, Anna", "ORIGINAL/thesis.txt\t24 bytes",
                  "<atom:id>http://hdl.handle.net/123456789/", "thesis.txt "):
        contains(done.stdout, words)
