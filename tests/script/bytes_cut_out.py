# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""An entry cut out of the open volume, or bytes put in: the store does not start, says where, and nothing is lost.

With the bytes put back every group is there; with zeros in their place only what was cut out is missing.
"""
import os
import tarfile

from lib import Server, check, equal, volume_files

BODIES = {f"/f{number:02d}": b"body %d " % number * 50 for number in range(12)}
WORDS = "is sound up to"


def content_entry(path, body):
    """Offset and length, header to padding, of the entry with this content."""
    with tarfile.open(path) as tar:
        for member in tar:
            if member.size == len(body) and tar.extractfile(member).read() == body:
                return member.offset, member.offset_data - member.offset + (member.size + 511) // 512 * 512
    raise AssertionError("the content is in no entry")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def expect_refused(server, path, content, words):
    write(path, content)
    check(not server.comes_up(), f"the server started: {words}")
    check(WORDS in server.log_text() and words in server.log_text(), server.log_text()[-1000:])
    for command in (["verify"], ["fsck"], ["journal"], ["rebuild"], ["ls", "/"]):
        done = server.cli(*command)
        equal(done.status, 6, f"{command}: {done.error_text}")
        check(WORDS in done.error_text and words in done.error_text, f"{command}: {done.error_text}")
    with open(path, "rb") as file:
        check(file.read() == content, "the volume was changed")
    equal(os.listdir(os.path.join(server.data, "lost+found")), [], "lost+found")


def expect_bodies(server, missing=()):
    server.start()
    for path, body in BODIES.items():
        seen = server.get(path)
        check(seen.status >= 500 if path in missing else seen.body == body, f"{path}: {seen}")
    server.kill()


with Server() as server:
    for path, body in BODIES.items():
        equal(server.put(path, body).status, 201)
    server.must("rm", "/f11")
    del BODIES["/f11"]
    server.kill()
    log = [path for path in volume_files(server.volumes) if "log-" in path][-1]
    with open(log, "rb") as file:
        whole = file.read()
    at, length = content_entry(log, BODIES["/f04"])
    expect_refused(server, log, whole[:at] + whole[at + length:], f"{length} bytes before it are missing")
    expect_refused(server, log, whole[:at] + b"x" * 700 + whole[at:], "700 bytes before it are too many")
    write(log, whole)
    expect_bodies(server)
    write(log, whole[:at] + b"\0" * length + whole[at + length:])
    expect_bodies(server, missing=["/f04"])
