# SPDX-License-Identifier: Apache-2.0
# timeout: 600
"""`archivolt journal` prints the bytes that `tar -xO` gives: purged lines with their blanks, each group's own line, long lines."""
import glob
import os
import subprocess

from lib import Server, check, equal, in_parallel

THREADS, FILES, VERSIONS = 4, 200, 50


def journal_by_tar(server):
    out = b""
    for volume in sorted(glob.glob(os.path.join(server.volumes, "log-*.tar"))):
        done = subprocess.run(["tar", "-xO", "-f", volume, "--wildcards", "journal/[0-9]*.jsonl"], stdout=subprocess.PIPE)
        equal(done.returncode, 0, volume)
        out += done.stdout
    return out


def deposit(server, thread):
    with server.connect() as connection:
        for name in range(thread, FILES, THREADS):
            for version in range(VERSIONS):
                status = connection.request("PUT", f"/rest/much/{name}", b"%d of %d" % (version, name),
                                            {"Content-Type": "text/plain"}).status
                equal(status, 204 if version else 201, f"{name} {version}")


with Server(config="volume_size = 8M\n") as server:
    equal(server.put("/a/ü", "Ünïcode".encode()).status, 201)
    server.must("meta", "add", "/a/ü", "title", 'a "quoted" \\ value')
    in_parallel(THREADS, lambda thread: deposit(server, thread))
    server.must("purge", "/much")
    expected = journal_by_tar(server)
    longest = max(map(len, expected.splitlines()))
    check(longest > 1 << 20, f"the longest line has {longest} bytes: it fits one frame to the command")
    check(expected.count(b'{"purged":') >= FILES * VERSIONS, "too little was purged")
    last = [line for line in expected.splitlines() if line.startswith(b'{"op":"group"')]
    for arguments in ((), ("--json",)):
        done = server.must(*arguments, "journal")
        check(done.output == expected, f"journal {arguments} differs from tar: {len(done.output)}, {len(expected)} bytes")
    since = len(last) - 1
    equal(server.must("journal", "--after", str(since)).output.splitlines()[-1], last[-1], "after all groups but one")
    server.stop()
    check(server.must("journal").output == journal_by_tar(server), "without a server")
