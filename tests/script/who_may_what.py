# SPDX-License-Identifier: Apache-2.0
"""Users, passwords, tokens, roles and access rules, over HTTP; a change is in force at once."""
import json

from lib import Server, check, equal
from lib.http import basic


def status(server, method, path, who, body=None):
    return server.request(method, path, body, authorization=who).status


with Server() as server:
    equal(server.put("/a/secret", b"secret").status, 201)
    for who in (None, basic("admin", "wrong"), basic("nobody", server.token), "Bearer wrong", "Basic !!", "Nonsense"):
        equal(status(server, "GET", "/a/secret", who), 401, who)
    challenge = server.request("GET", "/a/secret", authorization=None).header("WWW-Authenticate")
    check("Basic" in (challenge or ""), f"no challenge: {challenge}")
    equal(status(server, "GET", "/a/secret", "Bearer " + server.token), 200)

    server.must("user", "add", "anna", "--role", "depositor")
    server.must("user", "passwd", "anna", input=b"correct horse\n")
    anna = basic("anna", "correct horse")
    # By the first rule a known person may deposit. This is the first time that the password is seen.
    equal(status(server, "PUT", "/a/annas", anna, b"hers"), 201)
    equal(server.get("/a/annas").body, b"hers", "a body behind a password that takes its time")
    server.must("access", "set", "/", "authenticated", "none")
    equal(status(server, "GET", "/a/secret", anna), 404, "may not even see it")
    equal(status(server, "GET", "/a/secret", basic("anna", "wrong")), 401)
    server.must("access", "set", "/a", "user:anna", "discover,read")
    equal(status(server, "GET", "/a/secret", anna), 200)
    equal(status(server, "PUT", "/a/secret", anna, b"x"), 403)
    equal(status(server, "PUT", "/a/other", anna, b"x"), 403)
    server.must("access", "set", "/a", "user:anna", "discover,read,append,write")
    equal(status(server, "PUT", "/a/other", anna, b"x"), 201)

    token = json.loads(server.must("--json", "token", "add", "anna").text)["token"]
    equal(status(server, "GET", "/a/other", "Bearer " + token), 200)
    server.must("user", "passwd", "anna", input=b"new words\n")
    equal(status(server, "GET", "/a/other", anna), 401, "the old password")
    equal(status(server, "GET", "/a/other", basic("anna", "new words")), 200)
    server.must("user", "rm", "anna")
    for who in (basic("anna", "new words"), "Bearer " + token):
        equal(status(server, "GET", "/a/other", who), 401, "a removed user")

    server.must("access", "set", "/a", "anonymous", "discover,read")
    equal(status(server, "GET", "/a/secret", None), 200, "anonymous")
    equal(status(server, "PUT", "/a/secret", None, b"x"), 401)
