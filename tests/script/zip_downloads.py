# SPDX-License-Identifier: Apache-2.0
"""Zips of items, collections and lists: size known, restartable by Range, nothing left out quietly."""
import io
import json
import os
import zipfile

from lib import check, equal
from lib.deposit import Site, document, eprint

BIG = os.urandom(3 << 20)
TEXT = b"text" * 1000
FIELDS = "<type>article</type><title>Zipped</title>"
CLOSED = "<security>staffonly</security><date_embargo>2999-01-01</date_embargo>"


def opened(answer):
    equal((answer.status, answer.header("Content-Type")), (200, "application/zip"), answer.text[:200])
    equal(answer.header("Content-Length"), str(len(answer.body)))
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    equal(archive.testzip(), None)
    return {name: archive.read(name) for name in archive.namelist()}


with Site() as site:
    one = site.deposit(eprint(FIELDS, document("größe.bin", BIG, "application/octet-stream"), document("b.txt", TEXT, "text/plain")))
    two = site.deposit(eprint(FIELDS, document("closed.pdf", b"%PDF", more=CLOSED)))
    name_1, name_2 = one.replace("/", "-"), two.replace("/", "-")

    answer = site.ask(f"/handle/{one}.zip")
    equal(opened(answer), {"größe.bin": BIG, "b.txt": TEXT})
    equal(answer.header("Content-Disposition"), f'attachment; filename="{name_1}.zip"')
    whole, tag = answer.body, answer.header("ETag")
    head = site.ask(f"/handle/{one}.zip", method="HEAD")
    equal((head.status, head.header("Content-Length"), head.header("ETag")), (200, str(len(whole)), tag))

    # restarted anywhere it is the same zip
    for first in (0, 1, 29, 70, 1000, len(TEXT) + 200, len(whole) // 2, len(whole) - 300, len(whole) - 1):
        part = site.ask(f"/handle/{one}.zip", {"Range": f"bytes={first}-", "If-Range": tag})
        equal((part.status, part.header("Content-Range")), (206, f"bytes {first}-{len(whole) - 1}/{len(whole)}") if first else (200, None)
              if part.status == 200 else (206, f"bytes 0-{len(whole) - 1}/{len(whole)}"), first)
        check(part.body == whole[first:], f"bytes from {first} on")
    part = site.ask(f"/handle/{one}.zip", {"Range": "bytes=100-199"})
    equal((part.status, part.body), (206, whole[100:200]))
    part = site.ask(f"/handle/{one}.zip", {"Range": "bytes=-22"})
    equal((part.status, part.body), (206, whole[-22:]))
    equal(site.ask(f"/handle/{one}.zip", {"Range": f"bytes={len(whole)}-"}).status, 416)
    equal(site.ask(f"/handle/{one}.zip", {"Range": "bytes=5-", "If-Range": '"other"'}).status, 200)
    equal(site.ask(f"/handle/{one}.zip", {"If-None-Match": tag}).status, 304)
    equal(site.ask(f"/handle/{one}.zip", {"If-Match": '"other"'}).status, 412)

    # a file that is closed to the reader is named
    found = opened(site.ask(f"/handle/{two}.zip"))
    equal(sorted(found), ["MISSING.txt"])
    check(found["MISSING.txt"].startswith(b"closed.pdf\t"), found["MISSING.txt"])
    equal(sorted(opened(site.ask(f"/handle/{two}.zip", authorization=site.anna))), ["closed.pdf"], "its owner has it")

    # collections and lists
    collection = opened(site.ask(f"/handle/{site.collection}.zip"))
    equal(sorted(collection), sorted([f"{name_1}/größe.bin", f"{name_1}/b.txt", "MISSING.txt"]))
    equal(collection[f"{name_1}/größe.bin"], BIG)
    uuid = next(json.loads(line)["uuid"] for line in site.must("--json", "item", "ls").text.splitlines() if f'"{two}"' in line)
    listed = opened(site.ask("/download.zip", {"Content-Type": "text/plain"}, "POST", body=f"{one}\n{uuid}\n123456789/999\n".encode()))
    equal(sorted(listed), sorted([f"{name_1}/größe.bin", f"{name_1}/b.txt", "MISSING.txt"]))
    equal(len(listed["MISSING.txt"].splitlines()), 2)
    equal(sorted(opened(site.ask("/download.zip", {"Content-Type": "application/json"}, "POST", body=json.dumps([one]).encode()))),
          sorted([f"{name_1}/größe.bin", f"{name_1}/b.txt"]))
    for body, kind, status in ((b"", "text/plain", 400), (b"{}", "application/json", 400), (b"[", "application/json", 400),
                               (b"x" * (2 << 20), "text/plain", 413)):
        equal(site.ask("/download.zip", {"Content-Type": kind}, "POST", body=body).status, status, body[:9])
    equal(site.ask("/download.zip").status, 405)
    equal(site.ask("/handle/123456789/999.zip").status, 404)
    equal(site.ask(f"/handle/{site.community}.zip").status, 404)
    check(collection["MISSING.txt"].startswith(f"{name_2}/closed.pdf\t".encode()), collection["MISSING.txt"])
    site.must("item", "withdraw", one)
    equal(site.ask(f"/handle/{one}.zip").status, 410)
    equal(sorted(opened(site.ask(f"/handle/{site.collection}.zip"))), ["MISSING.txt"])
