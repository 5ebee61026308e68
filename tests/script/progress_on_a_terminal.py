# SPDX-License-Identifier: Apache-2.0
"""put -r and get -r on a terminal tell files and bytes, done and in all, the rates, and the time left; nowhere else."""
import os
import pty
import re
import subprocess
import threading

from lib import Server, check, equal

SIZES = [3_000_000, 0, 100, 2_000_000]
SHOWN = re.compile(rb"(put|get): (\d+) of (\d+) files, (\d+\.\d) of (\d+\.\d) MB, \d+/s, \d+\.\d MB/s(, \d+ s left)?\x1b\[K")


def on_a_terminal(server, *arguments):
    """What the command writes to standard error, which is a terminal."""
    master, terminal = pty.openpty()
    said = []

    def read():
        try:
            while data := os.read(master, 4096):
                said.append(data)
        except OSError:
            pass  # the last writer has closed

    reader = threading.Thread(target=read)
    reader.start()
    process = subprocess.Popen([server.binary, "--data", server.data, *arguments], stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    equal(process.wait(120), 0, arguments)
    reader.join()
    os.close(master)
    return b"".join(said)


def go_round(server, name, files):
    tree, out = os.path.join(server.folder, "tree"), os.path.join(server.folder, name)
    total = b"%.1f" % (sum(SIZES) / 1e6)
    for arguments in (["put", "-r", tree, f"/{name}"], ["get", "-r", f"/{name}", out]):
        said = on_a_terminal(server, *arguments)
        shown = SHOWN.findall(said)
        check(shown, f"{arguments}: no progress: {said!r}")
        check(any(left for *_, left in shown), f"{arguments}: no time left: {said!r}")
        for what, done, of, bytes_done, bytes_of, _ in shown:
            equal((what.decode(), of, bytes_of), (arguments[0], b"%d" % files, total))
            check(int(done) <= files and float(bytes_done) <= float(total), f"more than all: {said!r}")
        quiet = on_a_terminal(server, "--quiet", *arguments)
        equal(quiet, b"", "--quiet")
    check(b"MB/s" not in server.must("put", "-r", tree, f"/{name}").error, "progress without a terminal")


with Server() as server:
    os.mkdir(os.path.join(server.folder, "tree"))
    os.mkdir(os.path.join(server.folder, "tree", "below"))
    for number, size in enumerate(SIZES):
        with open(os.path.join(server.folder, "tree", "below", f"file-{number}"), "wb") as file:
            file.write(os.urandom(size))
    go_round(server, "served", len(SIZES))
    server.stop()
    go_round(server, "alone", len(SIZES))
