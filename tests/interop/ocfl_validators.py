#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges OCFL storage roots by three validators that others wrote: rocfl, ocfl-py and ocfl-java.

    ocfl_validators.py ROOT…    judge these roots: exit 0 when none finds an error or a warning
    ocfl_validators.py          judge the judges: a valid root passes, each kind of fault is caught

No single one of them sees every fault, and several exit 0 on some, so their words are read too:
  rocfl      misses an object at the wrong path for the layout
  ocfl-py    exits 1 only for object paths; of a root only its printed words count
  ocfl-java  does not look at the hierarchy between the root and the objects
All three must also see the same number of objects, which is the number of object declarations.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 200  # object paths for one run of ocfl-py
BAD_WORDS = re.compile(r"\b((?i:error|warn|warning|invalid|not valid)|[EW]\d{3}[a-z]?)\b")


def cache():
    """The folder of the installed validators; installs them first when they are missing."""
    done = subprocess.run([os.path.join(HERE, "install.sh")], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit("ocfl_validators: the validators could not be installed")
    return done.stdout.strip()


def run(arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=dict(os.environ, NO_COLOR="1"))
    return done.returncode, done.stdout


def object_paths(root):
    return sorted(folder for folder, _, files in os.walk(root)
                  if any(name.startswith("0=ocfl_object_") for name in files))


def complaints(tool, status, output, lines):
    """What to report of one run: the offending lines, or the status when there are none."""
    found = [f"{tool}: {line.strip()}" for line in lines]
    if status != 0 and not found:
        found = [f"{tool}: exit status {status}: {output[-2000:]}"]
    return found


def judge_by_rocfl(tools, root, count):
    status, output = run([f"{tools}/rocfl-1.7.0/bin/rocfl", "-r", root, "validate"])
    summary = {name: int(number) for name, number in
               re.findall(r"^\s*(Total objects|Invalid objects|Storage issues):\s+(\d+)", output, re.M)}
    bad = [line for line in output.splitlines()
           if re.search(r"\b[EW]\d{3}\b", line) or re.search(r"is invalid|\[(ERROR|WARN)", line)]
    found = complaints("rocfl", status, output, bad)
    if not found and summary != {"Total objects": count, "Invalid objects": 0, "Storage issues": 0}:
        found = [f"rocfl: expected {count} objects and no issue, it says {summary}: {output[-2000:]}"]
    return found


def judge_objects_by_ocfl_py(tools, paths):
    found = []
    for first in range(0, len(paths), BATCH):
        some = paths[first:first + BATCH]
        status, output = run([f"{tools}/ocfl-py-2.1.0/bin/ocfl-validate.py", *some])
        bad = [line for line in output.splitlines() if BAD_WORDS.search(line)]
        found += complaints("ocfl-py object", status, output, bad)
        valid = len(re.findall(r"is VALID\b", output))
        if valid != len(some) and not found:
            found.append(f"ocfl-py object: {valid} of {len(some)} valid: {output[-2000:]}")
    return found


def judge_root_by_ocfl_py(tools, root, count):
    status, output = run([f"{tools}/ocfl-py-2.1.0/bin/ocfl-root.py", "validate", "--root", root,
                          "--validate-objects", "--check-digests"])
    bad = [line for line in output.splitlines() if BAD_WORDS.search(line)]
    found = complaints("ocfl-py root", status, output, bad)
    if not found and not re.search(rf"\b{count} / {count} are VALID\b", output):
        found.append(f"ocfl-py root: does not say that {count} objects are valid: {output[-2000:]}")
    return found


def judge_by_ocfl_java(tools, root, count):
    folder = f"{tools}/ocfl-java-2.2.2"
    status, output = run(["java", "-cp", f"{folder}/classes:{folder}/jars/*", "ValidateRoot", root])
    bad = [line for line in output.splitlines() if re.match(r"invalid |  (error|warning) ", line)]
    found = complaints("ocfl-java", status, output, bad)
    if not found and f"objects {count}\n" not in output:
        found.append(f"ocfl-java: expected {count} objects: {output[-2000:]}")
    return found


def judge(root):
    """Every complaint of every validator about a root, by validator; all lists empty when valid."""
    tools = cache()
    paths = object_paths(root)
    return {
        "rocfl": judge_by_rocfl(tools, root, len(paths)),
        "ocfl-py": judge_objects_by_ocfl_py(tools, paths)
        + judge_root_by_ocfl_py(tools, root, len(paths)),
        "ocfl-java": judge_by_ocfl_java(tools, root, len(paths)),
    }


def judge_roots(roots):
    bad = 0
    for root in roots:
        found = sum(judge(root).values(), [])
        print(f"{root}: {len(object_paths(root))} objects, {len(found)} complaints")
        for line in found[:50]:
            print("  " + line)
        bad += bool(found)
    return 1 if bad else 0


def judge_the_judges():
    import faulty_roots
    failures = 0
    for name, must_reject, build in faulty_roots.TABLE:
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "ocfl")
            faulty_roots.build_valid(root)
            build(root)
            found = judge(root)
        rejected = {tool for tool, lines in found.items() if lines}
        right = must_reject <= rejected if must_reject else not rejected
        print(f"{'ok  ' if right else 'FAIL'} {name}: rejected by {', '.join(sorted(rejected)) or 'none'}")
        if not right:
            failures += 1
            print("\n".join("  " + line for line in sum(found.values(), [])))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(judge_roots(sys.argv[1:]) if len(sys.argv) > 1 else judge_the_judges())
