#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documents hold together.

Every relative link of every Markdown file leads to a file (and its #heading); every command that
`archivolt --help` lists has its page in docs/man, as the program writes it, and every page renders without a warning.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PROGRAM = os.path.join(ROOT, "build", "archivolt")
MAN = os.path.join(ROOT, "docs", "man")


def tracked(pattern):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern], cwd=ROOT,
                            stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listed.stdout.split() if os.path.isfile(os.path.join(ROOT, name))]


def without_code(text):
    """Markdown without fenced and indented code, where brackets mean other things."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def anchors(path):
    with open(path) as file:
        headings = re.findall(r"^#+ (.*)$", file.read(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links():
    for name in tracked("*.md"):
        with open(os.path.join(ROOT, name)) as file:
            targets = LINK.findall(without_code(file.read()))
        for target in targets:
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(ROOT, os.path.dirname(name), file)) if file else os.path.join(ROOT, name)
            if not os.path.exists(path):
                yield f"{name}: the link to {target} leads nowhere"
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                yield f"{name}: {target}: no such heading"


def commands():
    """Names that `archivolt --help` lists: indented, before a sentence."""
    shown = subprocess.run([PROGRAM, "--help"], stdout=subprocess.PIPE, text=True)
    return re.findall(r"^ +([a-z][a-z-]*) +[A-Z]", shown.stdout, re.M)


def stale_manual():
    """Each page is what the program writes now."""
    found = commands()
    if len(found) < 20:
        yield f"archivolt --help lists only {found}"
    for command in [None, *found]:
        page = os.path.join(MAN, f"archivolt-{command}.1" if command else "archivolt.1")
        wanted = subprocess.run([PROGRAM, "--man", *([command] if command else [])], stdout=subprocess.PIPE, text=True).stdout
        if not os.path.exists(page) or open(page).read() != wanted:
            yield f"{os.path.relpath(page, ROOT)} is not what the program says: run tools/write_manual.sh"


def badly_rendered():
    for path in sorted(glob.glob(os.path.join(MAN, "*.[0-9]"))):
        done = subprocess.run(["man", "--warnings", "-l", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
        if done.returncode != 0 or done.stderr.strip():
            yield f"{os.path.relpath(path, ROOT)}: {done.stderr.strip()[:400]}"


def main():
    found = [*broken_links(), *stale_manual(), *badly_rendered()]
    print("\n".join(found) if found else "links lead somewhere, every command is in the manual")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
