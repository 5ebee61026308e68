# SPDX-License-Identifier: Apache-2.0
"""Commands without a server do not use up ids: each loses at most 100."""
import json

from lib import Server, check, equal

with Server(start=False) as server:
    server.must("mkdir", "/0")
    ids = []
    for number in range(1, 6):
        server.must("mkdir", f"/{number}")
        ids.append(json.loads(server.must("--json", "stat", f"/{number}").output)["id"])
    equal(ids, sorted(set(ids)), "ids grow")
    for earlier, later in zip(ids, ids[1:]):
        check(later - earlier <= 100, f"{ids}")
