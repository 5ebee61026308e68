# SPDX-License-Identifier: Apache-2.0
"""Expect: 100-continue, chunked bodies, pipelining, POST with Slug, and heads that are wrong."""
import json
import re

from lib import Server, check, equal

with Server() as server:
    with server.connect() as connection:
        connection.send(connection.head("PUT", "/rest/e", {"Content-Length": "5", "Expect": "100-continue"}))
        equal(connection.read_head()[0], 100)
        connection.send(b"hello")
        equal(connection.response().status, 201)

        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in b"chunked")
        connection.send(connection.head("PUT", "/rest/c", {"Transfer-Encoding": "chunked"}) + chunks + b"0\r\n\r\n")
        equal(connection.response().status, 201)
        equal(connection.request("GET", "/rest/c").body, b"chunked")

        one = connection.head("GET", "/rest/c")
        connection.send(one * 5)
        equal([connection.response().body for _ in range(5)], [b"chunked"] * 5, "pipelined")

    # A refusal comes before the body is sent.
    with server.connect(authorization=None) as connection:
        connection.send(connection.head("PUT", "/rest/x", {"Content-Length": "5", "Expect": "100-continue"}))
        equal(connection.read_head()[0], 401)

    answer = server.request("POST", "/", b"posted", {"Slug": "given name", "Content-Type": "text/plain"})
    equal(answer.status, 201)
    check(answer.header("Location").endswith("/rest/given%20name"), answer.header("Location"))
    again = server.request("POST", "/", b"posted", {"Slug": "given name", "Content-Type": "text/plain"})
    equal(again.status, 201)
    check(again.header("Location") != answer.header("Location"), "a Slug that is taken was given again")
    equal(server.get("/given name").body, b"posted")

    for head in ("GET /rest/ HTTP/1.1\r\n\r\n", "GET rest HTTP/1.1\r\nHost: a\r\n\r\n", "NONSENSE\r\n\r\n",
                 "PUT /rest/x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                 "PUT /rest/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
                 "GET /rest/ HTTP/1.1\r\nHost: a\r\nX: " + "y" * 200000 + "\r\n\r\n"):
        with server.connect() as connection:
            connection.send(head.encode())
            seen = connection.input.readline().decode("latin-1")
            check(re.match(r"HTTP/1\.\d 4\d\d|HTTP/1\.\d 501|$", seen), f"{head[:60]!r}: {seen!r}")
    equal(server.get("/x").status, 404)
    equal(json.loads(server.get("/", {"Accept": "application/json"}).body) is not None, True)
