#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every #include "module/…" of src/ and bench/ to src/DEPENDENCIES.

Refused as well: a cycle in the table, a module that it does not name, one front end that includes
another, and another module's *_private.h.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read_table():
    table = {}
    with open(os.path.join(ROOT, "src", "DEPENDENCIES")) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                module, _, allowed = line.partition(":")
                table[module.strip()] = set(allowed.split())
    return table


def cycles(table):
    """Modules that reach themselves."""
    for module in table:
        seen, todo = set(), list(table[module])
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += table.get(one, ())
        if module in seen:
            yield f"src/DEPENDENCIES: {module} depends on itself"


def sources():
    """(file, module, front end or None) of each C file."""
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "**", "*.[ch]"), recursive=True)):
        parts = os.path.relpath(path, os.path.join(ROOT, "src")).split(os.sep)
        yield path, parts[0], parts[1] if parts[0] == "frontend" and len(parts) > 2 else None
    for path in sorted(glob.glob(os.path.join(ROOT, "bench", "**", "*.[ch]"), recursive=True)):
        yield path, "bench", None


def complaints_of(path, module, front_end, table):
    with open(path) as file:
        includes = INCLUDE.findall(file.read())
    for include in includes:
        parts = include.split("/")
        target = parts[0] if len(parts) > 1 else module
        if target not in table and module != "bench":
            yield f'includes "{include}" of a module that src/DEPENDENCIES does not name'
        elif target != module and target in table and target not in table[module]:
            yield f'includes "{include}": {module} may not see {target}'
        elif target != module and include.endswith("_private.h"):
            yield f'includes "{include}", which is private'
        elif target == "frontend" and front_end and len(parts) > 2 and parts[1] != front_end:
            yield f'includes "{include}": front ends do not see each other'


def main():
    table = read_table()
    found = list(cycles(table))
    count = 0
    for path, module, front_end in sources():
        count += 1
        name = os.path.relpath(path, ROOT)
        if module not in table:
            found.append(f"{name}: src/DEPENDENCIES has no line for {module}")
            continue
        found += [f"{name}: {text}" for text in complaints_of(path, module, front_end, table)]
    print("\n".join(found) if found else f"{count} files keep to src/DEPENDENCIES")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
