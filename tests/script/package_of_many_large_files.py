# SPDX-License-Identifier: Apache-2.0
"""A package of 300 files that are too large for memory: one bulk volume, bounded memory; nothing is left of one that is refused or
killed on the way."""
import glob
import io
import json
import os
import re
import threading
import time
import zipfile

from lib import check, equal
from lib.deposits import SIMPLE_ZIP, archive
from lib.http import Closed

COUNT, SIZE = 300, (1 << 20) + 4096
BLOCK = os.urandom(8192)


def package(spoilt=False):
    """A zip that is some MiB small."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for number in range(COUNT):
            archive_file.writestr(f"{number:03}.bin", (b"%08d" % number + BLOCK * (SIZE // len(BLOCK) + 1))[:SIZE])
    body = out.getvalue()
    if spoilt:  # a file near the end does not inflate any more
        at = body.rfind(b"298.bin", 0, body.rfind(b"PK\x01\x02", 0, body.find(b"PK\x01\x02") + 4)) + 40
        body = body[:at] + bytes(64) + body[at + 64:]
    return body


def bulk_bytes(a):
    return {os.path.basename(path): os.path.getsize(path) for path in glob.glob(os.path.join(a.server.volumes, "bulk-*"))}


def deposit(a, body):
    return a.request("POST", f"/swordv2/collection/{a.plain}", body,
                     {"Content-Type": "application/zip", "Packaging": SIMPLE_ZIP, "Content-Disposition": "attachment; filename=p.zip"})


with archive() as a:
    a.server.must("collection", "set", a.plain, "keep", "no")
    good = package()
    answer = deposit(a, good)
    equal(answer.status, 201, answer.text[:300])
    [handle] = [handle for handle in a.items() if handle]
    files = [row for row in map(json.loads, a.server.must("--json", "item", "show", handle).text.splitlines())
             if row.get("bundle") == "ORIGINAL"]
    equal(len(files), COUNT)
    equal({row["size"] for row in files}, {SIZE})
    volumes = bulk_bytes(a)
    check(len(volumes) <= 2, f"bulk volumes: {volumes}")
    with open(f"/proc/{a.server.process.pid}/status") as file:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) >> 10
    check(peak < 300, f"{peak} MiB of memory")

    equal(deposit(a, package(spoilt=True)).status, 400)
    equal(bulk_bytes(a), volumes, "after a refusal")

    before = a.dump()

    def contextless(archive_, body):
        try:
            deposit(archive_, body)
        except (OSError, Closed):
            pass

    sender = threading.Thread(target=contextless, args=(a, good), daemon=True)
    sender.start()
    while sum(bulk_bytes(a).values()) < sum(volumes.values()) + 40 * SIZE:
        time.sleep(0.01)
    a.server.kill()
    sender.join()
    a.server.start()
    equal(bulk_bytes(a), volumes, "after a kill in the middle of a deposit")
    equal(a.dump(), before)
    a.server.must("fsck")
    a.server.must("verify")
    equal(deposit(a, good).status, 201)
    equal(len(a.items()), 2)
    a.server.must("verify")
