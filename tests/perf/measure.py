# SPDX-License-Identifier: Apache-2.0
"""What the measurements share: a release build, the server on a free port, the load tester, rows of figures.

A measurement that fails ends the program with exit status 1: figures of a run with errors are not figures.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from lib.server import free_port

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build-perf")


def build():
    """A release build; BUILD holds the programs after it."""
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        subprocess.run(["meson", "setup", BUILD, ROOT, "-Dbuildtype=release", "-Dtests=disabled", "-Dfuzz=false"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "archivolt", "archivolt-bench"], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def data_folder(options):
    """A new folder under --folder, removed at the end unless --keep."""
    folder = tempfile.mkdtemp(prefix="archivolt-perf-", dir=options.folder)
    try:
        yield os.path.join(folder, "data")
    finally:
        if options.keep:
            print("kept:", folder)
        else:
            shutil.rmtree(folder)


def add_folder_options(parser):
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--keep", action="store_true")


def program(name):
    return os.path.join(BUILD, name)


def bench(*words):
    """The objects that one run of archivolt-bench printed."""
    done = subprocess.run([program("archivolt-bench"), *map(str, words)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"the measurement {words[0]} failed (status {done.returncode}) {done.stdout}", file=sys.stderr)
        sys.exit(1)
    return [json.loads(line) for line in done.stdout.splitlines()]


def cpu_of_stat(path):
    """(name, user seconds, system seconds) of a process or a thread: fields 2, 14 and 15 of proc_pid_stat(5)."""
    with open(path) as file:
        head, _, rest = file.read().rpartition(")")  # the name may hold anything
    user, system = rest.split()[11:13]
    ticks = os.sysconf("SC_CLK_TCK")
    return head.partition("(")[2], int(user) / ticks, int(system) / ticks


class Server:
    """with Server(DATA) as server: a new data folder, served; at the end the server has ended."""

    def __init__(self, data):
        self.data = data
        self.process = None
        shown = subprocess.run([program("archivolt"), "init", self.data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, check=True).stdout
        self.token = shown.split("token: ")[1].strip()
        self.authority = f"127.0.0.1:{free_port()}"
        self.rest = f"http://{self.authority}/rest"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if self.process:
            self.stop(signal.SIGKILL if kind else signal.SIGTERM)

    def start(self):
        """Seconds until it was ready."""
        began = time.monotonic()
        self.process = subprocess.Popen([program("archivolt"), "--data", self.data, "serve", "--http", self.authority],
                                        stderr=subprocess.PIPE, text=True)
        if not any(line.startswith("archivolt: ready") for line in self.process.stderr):
            sys.exit(f"the server does not start (status {self.process.wait()})")
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        return time.monotonic() - began

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait()
        self.drain.wait()
        self.process = None
        if number == signal.SIGTERM and status != 0:
            sys.exit(f"the server ended with status {status}")

    def bench(self, workload, *words):
        """The one object that a workload against this server printed."""
        return bench(workload, self.rest, "--token", self.token, *words)[0]

    def cpu_seconds(self):
        """User and system time that the process has used, all its threads."""
        return cpu_of_stat(f"/proc/{self.process.pid}/stat")[1:]

    def background_cpu_seconds(self):
        """What the threads of RocksDB have used of it."""
        folder = f"/proc/{self.process.pid}/task"
        threads = [cpu_of_stat(os.path.join(folder, thread, "stat")) for thread in os.listdir(folder)]
        return sum(user + system for name, user, system in threads if name.startswith("rocksdb"))

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024

    def metrics(self):
        text = urllib.request.urlopen(f"http://{self.authority}/metrics").read().decode()
        return {name: float(value) for name, value in re.findall(r"^(archivolt_\S+) (\S+)$", text, re.M)}


class CpuMeter:
    """CPU time of the server for each operation: on a machine that others load, steadier than a rate."""

    def __init__(self, server):
        self.server = server
        self.before, self.background_before = server.cpu_seconds(), server.background_cpu_seconds()

    def microseconds(self, operations):
        """(user, system) an operation, since the last call or the beginning."""
        now = self.server.cpu_seconds()
        spent = [(after - before) * 1e6 / operations for after, before in zip(now, self.before)]
        self.before = now
        return spent

    def background_microseconds(self, operations):
        """What the threads that flush and compact the catalog used of it: seldom, and then much."""
        now = self.server.background_cpu_seconds()
        spent = (now - self.background_before) * 1e6 / operations
        self.background_before = now
        return spent


def row(what, figure, unit, *notes):
    print(f"{what:<52} {figure:>12,.1f} {unit:<8} {'; '.join(note for note in notes if note)}", flush=True)
