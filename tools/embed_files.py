#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C table of whole files, for the build: embed_files.py OUTPUT.c HEADER STRUCT TABLE FILE..."""
import os
import sys


def bytes_of(path):
    with open(path, "rb") as file:
        data = file.read()
    lines = ["    " + ",".join(str(byte) for byte in data[at:at + 24]) for at in range(0, len(data), 24)]
    return len(data), ",\n".join(lines)


def main():
    output, header, struct, table, *files = sys.argv[1:]
    with open(output, "w") as out:
        out.write(f'/* SPDX-License-Identifier: Apache-2.0 */\n/* Written by tools/embed_files.py. */\n#include "{header}"\n\n')
        rows = []
        for number, path in enumerate(files):
            length, text = bytes_of(path)
            out.write(f"static const unsigned char file_{number}[] = {{\n{text}}};\n\n")
            rows.append(f'    {{"{os.path.basename(path)}", (const char *)file_{number}, {length}}},\n')
        out.write(f"const struct {struct} {table}[] = {{\n{''.join(rows)}    {{NULL, NULL, 0}}}};\n")


main()
