# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""An upload that breaks off at any byte leaves nothing, and the server goes on."""
import json

from lib import Server, equal

BODY = b"0123456789" * 30
LARGE = b"0123456789abcdef" * (3 << 16)  # 3 MiB: through a bulk volume


def cut(server, data):
    connection = server.connect()
    try:
        connection.send(data)
    except OSError:
        pass
    connection.close()


def whole(server, path, body, chunked):
    with server.connect() as connection:
        if not chunked:
            return connection.head("PUT", "/rest" + path, {"Content-Length": str(len(body))}) + body
        chunks = b"".join(f"{len(body[i:i + 7000]):x}\r\n".encode() + body[i:i + 7000] + b"\r\n"
                          for i in range(0, len(body), 7000))
        return connection.head("PUT", "/rest" + path, {"Transfer-Encoding": "chunked"}) + chunks + b"0\r\n\r\n"


with Server() as server:
    number = 0
    for chunked in (False, True):
        data = whole(server, "/cut/small", BODY, chunked)
        for length in list(range(0, len(data), 5)) + [len(data) - 1]:
            cut(server, data[:length])
            number += 1
        data = whole(server, "/cut/large", LARGE, chunked)
        for length in (len(data) // 3, (1 << 20) + 300, (2 << 20), len(data) - 1):
            cut(server, data[:length])
            number += 1
    for path in ("/cut/small", "/cut/large", "/cut"):
        equal(server.get(path).status, 404, f"{path} after {number} cuts")
    equal(server.put("/cut/small", BODY).status, 201)
    equal(server.put("/cut/large", LARGE).status, 201)
    equal(server.get("/cut/large").body == LARGE, True)
    equal(server.cli("fsck").status, 0)
    names = json.loads(server.get("/cut", {"Accept": "application/json"}).body)["children"]
    equal([child["name"] for child in names], ["large", "small"])
