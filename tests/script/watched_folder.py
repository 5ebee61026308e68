# SPDX-License-Identifier: Apache-2.0
"""archivolt watch: what is dropped into a folder becomes items once it is settled, each once; what is refused is put aside."""
import json
import os
import signal
import subprocess
import time

from lib import check, equal, program, run_program
from lib.deposits import archive, mets_package


def wait_for(about, condition):
    deadline = time.monotonic() + 60
    while not condition():
        check(time.monotonic() < deadline, about)
        time.sleep(0.05)


with archive() as a:
    folder = os.path.join(a.server.folder, "drop")
    os.mkdir(folder)

    def drop(name, body):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(body)

    def names(below=""):
        path = os.path.join(folder, below)
        return sorted(name for name in os.listdir(path) if name[0] != ".") if os.path.isdir(path) else []

    def titles():
        return sorted(json.loads(line)["name"] for line in a.server.must("--json", "item", "ls", "--in", a.open).text.splitlines())

    command = [program(), "--data", a.server.data, "watch", folder, a.open, "--settle", "1"]
    watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    drop("thesis.zip", mets_package("By a robot"))
    drop("scan.tif", b"II*\0")
    drop("series/1.tif", b"II*\0 1")
    drop("series/deep/2.tif", b"II*\0 2")
    drop("bad.zip", mets_package().replace(b"third.bin", b"thirD.bin"))
    drop("late.txt.part", b"half")
    drop(".hidden", b"x")
    wait_for("all are taken", lambda: names() == ["late.txt.part"])
    equal(titles(), ["", "By a robot", "series"])
    equal(names(".done"), ["scan.tif", "series", "thesis.zip"])
    equal(names(".failed"), ["bad.zip", "bad.zip.reason"])
    with open(os.path.join(folder, ".failed/bad.zip.reason")) as file:
        check("third.bin" in file.read(), "the reason")
    # a file that grows is not taken before it has settled
    with open(os.path.join(folder, "growing.txt"), "wb") as file:
        for number in range(20):
            file.write(b"%05d" % number)
            file.flush()
            time.sleep(0.15)
    wait_for("it is taken", lambda: names() == ["late.txt.part"])
    os.rename(os.path.join(folder, "late.txt.part"), os.path.join(folder, "late.txt"))
    wait_for("it has its name", lambda: names() == [])
    drop("scan.tif", b"II*\0 another")
    wait_for("the same name again", lambda: names() == [])
    equal(len(names(".done")), 6)
    watcher.send_signal(signal.SIGTERM)
    out, _ = watcher.communicate(timeout=30)
    equal(watcher.returncode, 0)
    equal(len(out.splitlines()), 6, out)
    equal(len(titles()), 6)
    sizes = []
    for line in a.server.must("--json", "item", "ls", "--in", a.open).text.splitlines():
        sizes += [row["size"] for row in map(json.loads, a.server.must("--json", "item", "show", json.loads(line)["uuid"]).text.splitlines())
                  if row.get("path") == "growing.txt"]
    equal(sizes, [100], "whole")

    # made, and not yet moved when it was killed: found again
    drop("again.txt", b"again")
    before = os.stat(os.path.join(folder, "again.txt"))
    once = [*command[:-2], "--settle", "0", "--once"]
    equal(run_program(once).status, 0)
    drop("again.txt", b"again")
    os.utime(os.path.join(folder, "again.txt"), ns=(before.st_atime_ns, before.st_mtime_ns))
    equal(run_program(once).status, 0)
    equal(len(titles()), 7, "once")
    drop("bad2.zip", b"PK\x03\x04" + bytes(100))
    equal(run_program(once).status, 1)
    equal(run_program([program(), "--data", a.server.data, "watch", folder + "x", a.open]).status, 3)
