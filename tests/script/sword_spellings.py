# SPDX-License-Identifier: Apache-2.0
"""One deposit by SWORD 1.3 in the spellings of clients in use, and many of them at once."""
import base64
import hashlib

from lib.check import check, equal, in_parallel
from lib.deposits import METS, METS_2, archive, md5, mets_package
from lib.http import Closed

PACKAGE = mets_package()


def names(a, item):
    lines = a.server.must("item", "show", item).text.splitlines()
    return [line.split("\t")[0].split("/", 1)[1] for line in lines if line.startswith("SWORD/")]


def with_expect(a):
    with a.server.connect(a.who["anna"]) as connection:
        connection.send(connection.head("POST", f"/sword/deposit/{a.open}", {
            "Content-Type": "application/zip", "X-Packaging": METS, "Content-Length": str(len(PACKAGE)),
            "Expect": "100-continue"}))
        equal(connection.read_head()[0], 100)
        connection.send(PACKAGE)
        return connection.response()


def chunked(a):
    with a.server.connect(a.who["anna"]) as connection:
        connection.send(connection.head("POST", f"/sword/deposit/{a.open}", {
            "Content-Type": "application/zip", "X-Packaging": METS, "Transfer-Encoding": "chunked"}))
        for start in range(0, len(PACKAGE), 1000):
            piece = PACKAGE[start:start + 1000]
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.send(b"0\r\n\r\n")
        return connection.response()


def without_credentials(a):
    """A client that waits to be asked who it is: refused, and what follows on the connection is read as it should be."""
    before = a.dump()
    with a.server.connect(None) as connection:
        head = connection.head("POST", f"/sword/deposit/{a.open}", {
            "Content-Type": "application/zip", "X-Packaging": METS, "Content-Length": str(len(PACKAGE))})
        connection.send(head + PACKAGE)
        answer = connection.response()
        equal((answer.status, answer.header("WWW-Authenticate")), (401, 'Basic realm="SWORD"'))
        equal(a.dump(), before)
        connection.authorization = a.who["anna"]
        try:
            again = connection.request("POST", f"/sword/deposit/{a.open}", PACKAGE,
                                       {"Content-Type": "application/zip", "X-Packaging": METS})
        except (Closed, OSError):
            check(answer.header("Connection", "").lower() == "close", "closed without a word")
            again = a.deposit(PACKAGE)
    return again


SPELLINGS = {
    "a bare name": ({"Content-Disposition": "filename=p.zip"}, "p.zip"),
    "a quoted name": ({"Content-Disposition": 'attachment; filename="a b.zip"'}, "a b.zip"),
    "a name by the rules": ({"Content-Disposition": "attachment; filename*=UTF-8''%C3%BC.zip"}, "ü.zip"),
    "a name in UTF-8": ({"Content-Disposition": 'attachment; filename="ü.zip"'}, "ü.zip"),
    "an escaped name": ({"Content-Disposition": "attachment; filename=a%20b.zip"}, "a b.zip"),
    "MD5 in capitals": ({"Content-MD5": md5(PACKAGE).upper()}, "p.zip"),
    "MD5 in base64": ({"Content-MD5": base64.b64encode(hashlib.md5(PACKAGE).digest()).decode()}, "p.zip"),
    "the name of SWORD 2": ({"X-Packaging": METS_2}, "p.zip"),
    "a bare packaging": ({"X-Packaging": "METSDSpaceSIP"}, "p.zip"),
    "headers of SWORD 2": ({"X-Packaging": None, "Packaging": METS_2}, "p.zip"),
    "blanks and capitals": ({"X-Verbose": " True ", "X-No-Op": "FALSE"}, "p.zip"),
}

with archive() as a:
    seen = set()
    for way in (with_expect, chunked, without_credentials):
        equal(way(a).status, 201, way.__name__)
    for about, (headers, name) in SPELLINGS.items():
        seen = set(a.items())
        equal(a.deposit(PACKAGE, headers).status, 201, about)
        item, = set(a.items()) - seen
        equal(names(a, item), [name], about)

    count = len(a.items())
    statuses = in_parallel(32, lambda i: a.deposit(PACKAGE, {"Content-MD5": md5(PACKAGE)}).status)
    equal(statuses, [201] * 32, "at once")
    equal(len(set(a.items())), count + 32)
