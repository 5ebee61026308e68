#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a reader relies on in every file that git knows.

Refused: a source file without its SPDX line or its opening paragraph, a C file over 1,500 lines, a
folder of over 25 C files, tabs and trailing blanks, paths of one person's machine, a module of src/
without README.md. Functions over 100 lines are listed, not refused: the comment above says why.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE_LINES = 1500
FUNCTION_LINES = 100
FOLDER_FILES = 25
SPDX = "SPDX-License-Identifier: Apache-2.0"
CODE = (".c", ".h", ".py", ".sh", ".java")
TEXT = CODE + (".md", ".build", ".txt", ".xml", ".1", ".5", ".7", "")
# Written in two parts, so that this file does not refuse itself.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:wor" + r"k|far" + r"m|roo" + r"t|hom" + r"e/\w+)/")


def tracked():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listed.stdout.split("\n") if name and os.path.isfile(os.path.join(ROOT, name))]


def has_purpose(name, lines):
    """A C file opens with a comment after the SPDX line, a script with a docstring or comment."""
    rest = [line for line in lines[:6] if SPDX not in line and not line.startswith("#!")]
    first = next((line.strip() for line in rest if line.strip()), "")
    return first.startswith(("/*", "//", "#", '"""'))


def complaints_of(name, lines):
    if name.endswith(CODE) or os.path.basename(name) == "meson.build":
        if not any(SPDX in line for line in lines[:2]):
            yield 1, "no SPDX line at the top"
    if name.endswith(CODE) and lines and not has_purpose(name, lines):
        yield 2, "no opening paragraph that says its purpose"
    if name.endswith((".c", ".h")) and len(lines) > FILE_LINES:
        yield FILE_LINES, f"{len(lines)} lines, over {FILE_LINES}"
    for number, line in enumerate(lines, 1):
        if "\t" in line and not name.endswith((".tsv", ".txt")):
            yield number, "a tab"
        if line != line.rstrip() and not name.endswith((".md", ".1")):
            yield number, "blanks at the end"
        if MACHINE_PATHS.search(line):
            yield number, "a path of one machine"


def long_functions(name, lines):
    """Definitions whose body, `{` to `}` in column 0, is over the limit."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            if number - start > FUNCTION_LINES:
                yield start, f"function of {number - start} lines"
            start = None


def folders_without_readme(names):
    modules = {re.match(r"src/(frontend/)?[^/]+", name).group() for name in names
               if name.startswith("src/") and name.endswith(".c")}
    return sorted(folder for folder in modules if f"{folder}/README.md" not in names)


def crowded_folders(names):
    counts = {}
    for name in names:
        if name.endswith((".c", ".h")):
            counts[os.path.dirname(name)] = counts.get(os.path.dirname(name), 0) + 1
    # A module has up to as many headers as sources.
    return sorted(f"{folder}: {count} C files" for folder, count in counts.items()
                  if folder.startswith("src/") and count > 2 * FOLDER_FILES)


def main():
    names = tracked()
    found, warned = [], []
    for name in names:
        if os.path.splitext(name)[1] not in TEXT or name == "LICENSE" or name.startswith("tests/fuzz/corpus/"):
            continue
        try:
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                lines = file.read().split("\n")
        except UnicodeDecodeError:
            continue  # test data
        found += [f"{name}:{line}: {text}" for line, text in complaints_of(name, lines)]
        if name.endswith(".c"):
            warned += [f"{name}:{line}: {text}" for line, text in long_functions(name, lines)]
    found += [f"{folder}: no README.md" for folder in folders_without_readme(set(names))]
    found += crowded_folders(names)
    if warned:
        print("Worth a thought, not refused:\n" + "\n".join("  " + text for text in warned))
    print("\n".join(found) if found else f"{len(names)} files are in style")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
