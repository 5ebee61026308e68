# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""A full disk (ENOSPC) or a failing one (EIO) at the n-th write: nothing is acknowledged falsely, nothing is lost.

After ENOSPC the server goes on by itself when there is space again; after EIO a restart heals.
"""
import errno

from lib import Server, check, equal

LARGE = b"L" * (3 << 20)


def attempt(server, acknowledged, name, n):
    for path, body in ((f"/{name}-{n}-small", b"small %d" % n), (f"/{name}-{n}-large", LARGE)):
        status = server.put(path, body).status
        if status == 201:
            acknowledged[path] = body
        else:
            check(status in (500, 503, 507), f"{path}: {status}")


def all_there(server, acknowledged):
    for path, body in acknowledged.items():
        check(server.get(path).body == body, f"{path} was acknowledged and is not as it was")


with Server(shim=True) as server:
    acknowledged = {}
    for name, number in (("full", errno.ENOSPC), ("failing", errno.EIO)):
        for n in range(1, 13):
            # The count begins with the process, so each n needs a fresh one.
            server.kill()
            server.shim.control(write_fail=n, write_errno=number)
            if server.comes_up():  # starting may write as well, and fail
                attempt(server, acknowledged, name, n)
                all_there(server, acknowledged)
            failed = len(server.shim.events("write_failed"))
            server.shim.control()
            server.kill()
            server.start()
            all_there(server, acknowledged)
        check(failed, "no write was ever made to fail")
    # ENOSPC for a while, every write: 507, then by itself writable again
    server.shim.control(write_fail="all", write_errno=errno.ENOSPC)
    equal(server.put("/f", b"x").status, 507)
    equal(server.put("/g", LARGE).status, 507)
    server.shim.control()
    for _ in range(100):
        status = server.put("/f", b"x").status
        if status == 201:
            break
        check(status == 507, f"{status} after the disk was full")
    equal(status, 201, "writable again when space returns")
    all_there(server, acknowledged)
    done = server.cli("fsck")
    equal(done.status, 0, f"fsck: {done.text}")
