#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds, runs every test, and ends with one line `N passed, N failed`. Called by ./test.

What is run, in this order:
  build/KIND        each kind of build of tools/build.sh
  tools/check_*     the checks of the source tree
  KIND/SUITE/NAME   programs that meson lists as tests, once for each kind of build
  script/NAME       tests/script/*.py against the ASan build; script-tsan/NAME with --full
  crash/NAME        tests/crash/*.py against the gcc build
  interop/NAME      tests/interop/*.py
A Python test is a program: exit 0 passed, anything else failed. There are no skips: what cannot
run has failed. Lines of its own near its head say how it is run:
  # timeout: SECONDS     killed after that; 120 when not said
  # alone                nothing else runs beside it
  # full                 only with --full
  # build: KIND          the server that it starts
The environment of each holds ARCHIVOLT_BUILD (folder of the build), ARCHIVOLT_FULL (1 with
--full) and PYTHONPATH (tests/, for `import lib`). Output goes to build-logs/, one file a test;
of a failed one the tail is shown.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build-logs")
FOLDERS = {"gcc": "build", "asan": "build-asan", "tsan": "build-tsan", "clang": "build-clang",
           "omit_sync": "build-omit-sync"}
QUICK_KINDS = ["gcc", "asan"]
FULL_KINDS = ["gcc", "asan", "clang", "tsan", "omit_sync"]
UNIT_KINDS = ["gcc", "asan", "clang", "tsan"]
SLOWER = {"asan": 3, "tsan": 6}
JOBS = 2
TAIL_LINES = 40
SANITIZERS = {
    "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=0:exitcode=66:suppressions="
                    + os.path.join(ROOT, "tools", "tsan_suppressions.txt"),
}


class Case:
    def __init__(self, name, command, kind=None, timeout=120, alone=False, env=None, cwd=ROOT):
        self.name, self.command, self.kind, self.cwd = name, command, kind, cwd
        self.timeout, self.alone, self.env = timeout, alone, env or {}


class Results:
    """Counts passed and failed and prints one line a case; used by several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = self.failed = 0
        self.names_failed = []

    def add(self, case, passed, failed, seconds, why=""):
        with self.lock:
            self.passed += passed
            self.failed += failed
            word = "FAIL" if failed else "ok  "
            print(f"{word} {seconds:6.1f} s  {case.name}{': ' + why if why else ''}", flush=True)
            if failed:
                self.names_failed.append(case.name)
                print(tail(log_path(case)), flush=True)


def log_path(case):
    return os.path.join(LOGS, re.sub(r"[^A-Za-z0-9_.-]", "-", case.name) + ".log")


def tail(path):
    try:
        with open(path, errors="replace") as file:
            lines = file.read().splitlines()[-TAIL_LINES:]
    except OSError:
        return ""
    return "\n".join("      | " + line[:400] for line in lines)


def run_case(case, results):
    """Runs one program in a process group of its own, which ends with it."""
    start = time.monotonic()
    with open(log_path(case), "wb") as log:
        try:
            process = subprocess.Popen(case.command, cwd=case.cwd, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, start_new_session=True,
                                       env={**os.environ, **SANITIZERS, **case.env})
        except OSError as error:
            log.write(f"cannot be started: {error}\n".encode())
            log.flush()
            return results.add(case, 0, 1, 0, "cannot be started")
        try:
            status, why = process.wait(case.timeout), ""
        except subprocess.TimeoutExpired:
            status, why = -1, f"still running after {case.timeout} s"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    passed, failed = count(case, status)
    return results.add(case, passed, failed, time.monotonic() - start, why)


def count(case, status):
    """A cmocka program counts as many as it ran, any other as one."""
    with open(log_path(case), errors="replace") as file:
        text = file.read()
    passed = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) test\(s\)", text, re.M))
    failed = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test\(s\)", text, re.M))
    if status == 0:
        return max(passed, 1), failed
    return passed, max(failed, 1)


def run_all(cases, results):
    """Two at a time; those that want to be alone afterwards, one by one."""
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda case: run_case(case, results), [c for c in cases if not c.alone]))
    for case in cases:
        if case.alone:
            run_case(case, results)


def build(kinds, results):
    """Builds each kind; returns the set of those that failed."""
    for kind in kinds:
        run_case(Case("build/" + kind, ["tools/build.sh", kind], timeout=1800), results)
    return {kind for kind in kinds if "build/" + kind in results.names_failed}


def meson_cases(kind):
    folder = os.path.join(ROOT, FOLDERS[kind])
    listed = subprocess.run(["meson", "introspect", "--tests", folder], stdout=subprocess.PIPE, check=True)
    for test in json.loads(listed.stdout):
        suite = test["suite"][0].split(":")[-1] if test["suite"] else "other"
        yield Case(f"{kind}/{suite}/{test['name']}", test["cmd"], kind, cwd=test["workdir"] or folder,
                   timeout=max(test["timeout"], 60) * SLOWER.get(kind, 1),
                   alone=not test["is_parallel"], env=test["env"])


def python_cases(folder, default_kind, full, again=False):
    """The programs of one folder; `again`: those that do not name a build, under a name of their own."""
    where = os.path.join(ROOT, "tests", folder)
    for file in sorted(os.listdir(where)):
        if not file.endswith(".py"):
            continue
        with open(os.path.join(where, file)) as source:
            head = "".join(source.readlines()[:40])
        if re.search(r"^# not a test\b", head, re.M) or (re.search(r"^# full$", head, re.M) and not full):
            continue
        kind = re.search(r"^# build: (\w+)$", head, re.M)
        if kind and again:
            continue
        kind = kind.group(1) if kind else default_kind
        seconds = re.search(r"^# timeout: (\d+)$", head, re.M)
        yield Case(f"{folder}{'-' + kind if again else ''}/{file[:-3]}", ["python3", os.path.join(where, file)], kind,
                   timeout=(int(seconds.group(1)) if seconds else 120) * SLOWER.get(kind, 1),
                   alone=bool(re.search(r"^# alone$", head, re.M)),
                   env={"ARCHIVOLT_BUILD": os.path.join(ROOT, FOLDERS[kind]),
                        "ARCHIVOLT_FULL": "1" if full else "0",
                        "PYTHONPATH": os.path.join(ROOT, "tests"), "PYTHONUNBUFFERED": "1"})


def tool_cases():
    for file in sorted(os.listdir(os.path.join(ROOT, "tools"))):
        if re.fullmatch(r"check_\w+\.py", file):
            yield Case("tools/" + file[:-3], ["python3", os.path.join(ROOT, "tools", file)])


def chosen(cases, pattern, broken, results):
    """The cases to run; those whose build failed are counted as failed at once."""
    run = []
    for case in cases:
        if pattern and pattern not in case.name:
            continue
        if case.kind in broken:
            results.add(case, 0, 1, 0, f"its build ({case.kind}) failed")
        else:
            run.append(case)
    return run


def all_cases(kinds, broken, full):
    yield from tool_cases()
    for kind in kinds:
        if kind in UNIT_KINDS and kind not in broken:
            yield from meson_cases(kind)
    yield from python_cases("script", "asan", full)
    if full:
        yield from python_cases("script", "tsan", full, again=True)
    yield from python_cases("crash", "gcc", full)
    yield from python_cases("interop", "gcc", full)


def main():
    parser = argparse.ArgumentParser(prog="test", description="Builds and runs the tests.")
    parser.add_argument("--full", action="store_true", help="every compiler, sanitizer and round")
    parser.add_argument("--only", metavar="PATTERN", help="only tests whose name holds PATTERN")
    options = parser.parse_args()
    os.makedirs(LOGS, exist_ok=True)
    results = Results()
    kinds = FULL_KINDS if options.full else QUICK_KINDS
    broken = build(kinds, results)
    run_all(chosen(all_cases(kinds, broken, options.full), options.only, broken, results), results)
    for name in results.names_failed:
        print("failed: " + name)
    print(f"{results.passed} passed, {results.failed} failed", flush=True)
    return 1 if results.failed or not results.passed else 0


if __name__ == "__main__":
    sys.exit(main())
