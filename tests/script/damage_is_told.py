# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""A flipped bit, a missing volume: verify names what is hurt; reads give an error, never wrong bytes."""
import json
import os
import re

from lib import Server, check, equal, volume_files
from lib.http import Closed

SMALL = b"small content that is looked for " * 10
LARGE = os.urandom(64) * (40 << 10)  # 2.5 MiB, in a bulk volume


def flip(server, needle):
    """Flips a bit in the middle of the first place that holds these bytes."""
    for path in volume_files(server.volumes):
        with open(path, "rb") as file:
            at = file.read().find(needle)
        if at >= 0:
            os.chmod(path, 0o644)
            with open(path, "r+b") as file:
                file.seek(at + len(needle) // 2)
                byte = file.read(1)[0]
                file.seek(at + len(needle) // 2)
                file.write(bytes([byte ^ 4]))
            return os.path.basename(path)
    raise AssertionError("the content is not in any volume")


def refuses_to_read(server, path, body):
    """No answer, or a broken one, may hold a whole body with wrong bytes."""
    try:
        answer = server.get(path)
    except Closed:
        return
    check(answer.status >= 500, f"{path}: {answer.status}")
    check(body[:20] not in answer.body, "bytes of a damaged block were sent")


with Server() as server:
    for path, body in (("/small", SMALL), ("/large", LARGE), ("/whole", b"whole")):
        equal(server.put(path, body).status, 201)
    server.must("seal")
    server.stop()
    volumes = {"/small": flip(server, SMALL), "/large": flip(server, LARGE[:4096])}
    server.start()
    for path, body in (("/small", SMALL), ("/large", LARGE)):
        refuses_to_read(server, path, body)
        equal(server.cli("cat", path).status, 6, f"cat {path}")
        target = os.path.join(server.folder, "out")
        equal(server.cli("get", path, target).status, 6, f"get {path}")
        check(not os.path.exists(target), "get left a file that is not what was stored")
    equal(server.get("/whole").body, b"whole")
    # A range beside the damage is whole and is given.
    equal(server.get("/large", {"Range": f"bytes={len(LARGE) - 10}-"}).body, LARGE[-10:])
    done = server.cli("--json", "verify", "--since", "1")
    equal(done.status, 6, "verify")
    told = {fault["path"]: fault for fault in map(json.loads, done.text.splitlines()) if "path" in fault}
    equal(set(told), set(volumes), "what verify names")
    for path, volume in volumes.items():
        equal((told[path]["volume"], told[path]["version"]), (int(re.findall(r"\d+", volume)[0]), 1), path)

with Server() as server:
    equal(server.put("/first", SMALL).status, 201)
    server.must("seal")
    equal(server.put("/second", b"second").status, 201)
    server.stop()
    missing = volume_files(server.volumes)[0]
    os.rename(missing, missing + ".away")
    server.comes_up()  # or refuses; either way it says which volume is missing
    said = server.log_text() + server.cli("--json", "verify", "--since", "1").text
    check(re.search(r"log-0*1\b|volume\"?[ :]1\b", said), f"the missing volume is not named: {said}")
    server.kill()
    os.rename(missing + ".away", missing)
    server.start()
    equal(server.get("/first").body, SMALL)
