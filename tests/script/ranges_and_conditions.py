# SPDX-License-Identifier: Apache-2.0
"""Range, If-Range, ETag, If-Match, If-None-Match, If-Modified-Since as RFC 9110 says."""
import re

from lib import Server, check, equal

BODY = bytes(range(256)) * 1000

with Server() as server:
    equal(server.put("/f", BODY).status, 201)
    etag = server.get("/f").header("ETag")
    modified = server.get("/f").header("Last-Modified")
    check(re.fullmatch(r'"[^"]+"', etag), f"no strong ETag: {etag}")
    size = len(BODY)
    for value, part in (("bytes=0-0", BODY[:1]), ("bytes=100-199", BODY[100:200]), ("bytes=-5", BODY[-5:]),
                        (f"bytes={size - 1}-", BODY[-1:]), (f"bytes=10-{size * 9}", BODY[10:]),
                        (f"bytes=-{size * 2}", BODY)):
        answer = server.get("/f", {"Range": value})
        equal((answer.status, answer.body == part), (206, True), value)
        check(re.fullmatch(rf"bytes \d+-\d+/{size}", answer.header("Content-Range")), value)
    answer = server.get("/f", {"Range": "bytes=0-9, 1000-1009, -3"})
    equal(answer.status, 206, "several ranges")
    boundary = re.fullmatch(r"multipart/byteranges; boundary=\"?([^\"]+)\"?", answer.header("Content-Type")).group(1)
    parts = answer.body.split(b"--" + boundary.encode())[1:-1]
    equal([part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n") for part in parts],
          [BODY[:10], BODY[1000:1010], BODY[-3:]])
    answer = server.get("/f", {"Range": f"bytes={size}-"})
    equal((answer.status, answer.header("Content-Range")), (416, f"bytes */{size}"))
    for malformed in ("bytes=9-1", "bytes=x", "pages=1-2"):
        equal(server.get("/f", {"Range": malformed}).status in (200, 416), True, malformed)
    equal(server.get("/f", {"Range": "bytes=0-9", "If-Range": etag}).status, 206)
    equal(server.get("/f", {"Range": "bytes=0-9", "If-Range": '"other"'}).status, 200)

    equal(server.get("/f", {"If-None-Match": etag}).status, 304)
    equal(server.get("/f", {"If-None-Match": f'"x", W/{etag}'}).status, 304)
    equal(server.get("/f", {"If-None-Match": '"other"'}).status, 200)
    equal(server.get("/f", {"If-Modified-Since": modified}).status, 304)
    equal(server.get("/f", {"If-Match": '"other"'}).status, 412)

    equal(server.put("/f", b"new", {"If-Match": '"other"'}).status, 412)
    equal(server.put("/f", b"new", {"If-None-Match": "*"}).status, 412)
    equal(server.put("/absent", b"new", {"If-Match": "*"}).status, 412)
    equal(server.get("/absent").status, 404)
    equal(server.put("/f", b"new", {"If-Match": etag}).status, 204)
    equal(server.put("/f", b"newer", {"If-Match": etag}).status, 412, "a used ETag")
    equal(server.delete("/f", {"If-Match": etag}).status, 412)
    equal(server.get("/f").body, b"new")
    equal(server.delete("/f", {"If-Match": server.get("/f").header("ETag")}).status, 204)
