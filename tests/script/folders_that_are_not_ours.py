# SPDX-License-Identifier: Apache-2.0
"""A folder that is not ours, a newer format, a folder in use: refused with a clear word, nothing touched."""
import os
import re

from lib import Server, check, contains, equal, fails_with, program, run_program, temporary_folder, volume_files


def serve(folder):
    return run_program([program(), "--data", folder, "serve", "--http", "127.0.0.1:0"], timeout=60)


with temporary_folder() as folder:
    fails_with(serve(os.path.join(folder, "absent")), 3, "a folder that is not there")
    with open(os.path.join(folder, "thesis.doc"), "w") as file:
        file.write("mine")
    for done in (serve(folder), run_program([program(), "init", folder])):
        check(done.status != 0 and done.error_text.strip(), f"{done.arguments}: {done.status}")
    equal(os.listdir(folder), ["thesis.doc"], "something was left in a folder that is not ours")

with Server() as server:
    fails_with(run_program([program(), "init", server.data]), 5, "init of a data folder")
    done = serve(server.data)
    fails_with(done, 5, "a second server")
    contains(done.error_text, str(server.process.pid), "the holder is not named")
    equal(server.put("/a", b"a").status, 201)
    server.stop()

    first = [path for path in volume_files(server.volumes) if "log-" in path][0]
    with open(first, "rb") as file:
        data = file.read()
    match = re.search(rb"format", data[:2048])
    check(match, "the first entry of a volume does not name its format")
    before = {path: os.path.getsize(path) for path in volume_files(server.volumes)}
    # The entry's bytes say `format` and a number; a later number is a newer Archivolt's.
    newer = re.sub(rb'(format"?[ :=]+"?)1', rb"\g<1>9", data[:2048], count=1)
    check(newer != data[:2048], "no format number 1 in the first entry")
    os.chmod(first, 0o644)
    with open(first, "r+b") as file:
        file.write(newer)
    done = serve(server.data)
    check(done.status != 0, "a newer format was opened for writing")
    contains(done.error_text, "format")
    equal({path: os.path.getsize(path) for path in volume_files(server.volumes)}, before, "volumes were changed")
