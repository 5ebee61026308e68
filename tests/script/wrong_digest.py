# SPDX-License-Identifier: Apache-2.0
"""T43 dataverse#2788, T44 fcrepo PR#1624: a wrong digest is refused by name, and nothing is kept."""
import base64
import hashlib
import json

from lib import Server, check, contains, equal

BODY = b"the bytes that were meant"


def hexadecimal(name, data=BODY):
    return hashlib.new(name, data).hexdigest()


def base_64(name, data=BODY):
    return base64.b64encode(hashlib.new(name, data).digest()).decode()


RIGHT = [
    ("Digest", f"sha={hexadecimal('sha1')}"),
    ("Digest", f"md5={hexadecimal('md5')}"),
    ("Digest", f"sha-256={hexadecimal('sha256').upper()}"),
    ("Digest", f"sha-256={base_64('sha256')}"),
    ("Digest", f"sha-512={hexadecimal('sha512')}, md5={base_64('md5')}"),
    ("Content-Digest", f"sha-256=:{base_64('sha256')}:"),
    ("Content-Digest", f"sha-512=:{base_64('sha512')}:, sha-256=:{base_64('sha256')}:"),
    ("Repr-Digest", f"sha-256=:{base_64('sha256')}:"),
]
WRONG = [
    ("Digest", f"md5={hexadecimal('md5', b'other')}", "md5"),
    ("Digest", f"sha-256={hexadecimal('sha256')}, md5={hexadecimal('md5', b'other')}", "md5"),
    ("Content-Digest", f"sha-256=:{base_64('sha256', b'other')}:", "sha-256"),
    ("Content-Digest", f"sha-512=:{base_64('sha512')}:, sha-256=:{base_64('sha256', b'other')}:", "sha-256"),
    ("Repr-Digest", f"sha-512=:{base_64('sha512', b'other')}:", "sha-512"),
]
MALFORMED = [("Digest", "sha-256=b'" + base_64("sha256") + "'"), ("Content-Digest", "sha-256=notbytes"),
             ("Digest", "md5=zz")]
SHORT = "sha-256=" + hexadecimal("sha256")[:-2]  # hexadecimal of another length does not match, as in Fedora (3.5.1-C)

with Server() as server:
    for number, (name, value) in enumerate(RIGHT):
        equal(server.put(f"/right-{number}", BODY, {name: value}).status, 201, f"{name}: {value}")
        equal(server.get(f"/right-{number}").body, BODY)
    for number, (name, value, algorithm) in enumerate(WRONG):
        path = f"/wrong-{number}"
        answer = server.put(path, BODY, {name: value})
        check(answer.status in (400, 409), f"{name}: {value}: {answer}")
        contains(answer.text.lower(), algorithm, value)
        equal(server.get(path).status, 404, "something was kept")
        check(server.put(path, BODY + b"x" * (2 << 20), {name: value}).status in (400, 409), f"large, {value}")
        equal(server.get(path).status, 404, "something large was kept")
    for name, value in MALFORMED:
        equal(server.put("/malformed", BODY, {name: value}).status, 400, f"{name}: {value}")
        equal(server.get("/malformed").status, 404)
    equal(server.put("/malformed", BODY, {"Digest": SHORT}).status, 409, SHORT)
    # The old version stays when the digest of a new one is wrong.
    equal(server.put("/right-0", b"new", {"Digest": f"md5={hexadecimal('md5', b'other')}"}).status // 100, 4)
    equal(server.get("/right-0").body, BODY)

    answer = server.get("/right-0", {"Want-Digest": "sha-256"})
    contains(answer.header("Digest", ""), "sha-256=")
    answer = server.get("/right-0", {"Want-Repr-Digest": "sha-512=10"})
    contains(answer.header("Repr-Digest", ""), f"sha-512=:{base_64('sha512')}:")
