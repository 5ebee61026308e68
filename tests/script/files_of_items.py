# SPDX-License-Identifier: Apache-2.0
"""Files by the addresses of DSpace: ranges, conditions, names; closed ones, and damaged ones."""
import json
import os
import re

from lib import check, contains, equal, volume_files
from lib.deposit import Site, document, eprint

PDF = b"%PDF-1.4 " + b"looked for in the volume " * 20
FIELDS = "<type>article</type><title>Files</title>"
CLOSED = "<security>staffonly</security><date_embargo>2999-01-01</date_embargo>"

with Site() as site:
    handle = site.deposit(eprint(FIELDS, document("größe.pdf", PDF), document("page.html", b"<p>", "text/html")))
    files = re.findall(r'href="[^"]*(/bitstreams/[^/]*/download)"', site.ask(f"/handle/{handle}").text)
    pdf = next(file for file in files if site.ask(file).body == PDF)
    html = next(file for file in files if file != pdf)
    uuid = pdf.split("/")[2]
    name = "gr%C3%B6%C3%9Fe.pdf"
    same = [f"/bitstream/handle/{handle}/{name}", f"/server/api/core/bitstreams/{uuid}/content"]
    numbers = [n for n in range(1, 6) if site.ask(f"/bitstream/{handle}/{n}/any").body == PDF]
    equal(len(numbers), 1, "one sequence number")
    same += [f"/bitstream/{handle}/{numbers[0]}/{name}", f"/bitstream/handle/{handle}/renamed?sequence={numbers[0]}"]
    for target in [pdf, *same]:
        answer = site.ask(target)
        equal((answer.status, answer.body), (200, PDF), target)
        equal(answer.header("Content-Type"), "application/pdf")
        contains(answer.header("Content-Disposition"), f"inline; filename=")
        contains(answer.header("Content-Disposition"), f"filename*=UTF-8''{name}")
        tag = answer.header("ETag")
        part = site.ask(target, {"Range": "bytes=5-8"})
        equal((part.status, part.body, part.header("Content-Range")), (206, PDF[5:9], f"bytes 5-8/{len(PDF)}"))
        equal(site.ask(target, {"Range": "bytes=5-8", "If-Range": '"x"'}).status, 200)
        equal(site.ask(target, {"Range": "bytes=99999-"}).status, 416)
        equal(site.ask(target, {"If-None-Match": tag}).status, 304)
        equal(site.ask(target, {"If-Match": '"x"'}).status, 412)
        equal(site.ask(target, {"If-Modified-Since": answer.header("Last-Modified")}).status, 304)
        equal(site.ask(target, method="HEAD").header("Content-Length"), str(len(PDF)))
    contains(site.ask(html).header("Content-Disposition"), "attachment")
    equal(site.ask(html).header("X-Content-Type-Options"), "nosniff")
    for target in ("/bitstreams/0190/download", f"/bitstream/handle/{handle}/none.pdf", f"/bitstream/{handle}/99/x",
                   f"/bitstreams/{uuid}/other", f"/bitstream/{handle}/x/x"):
        equal(site.ask(target).status, 404, target)

    closed = site.deposit(eprint(FIELDS, document("closed.pdf", PDF + b"!", more=CLOSED)))
    target = f"/bitstream/handle/{closed}/closed.pdf"
    equal(site.ask(f"/handle/{closed}").status, 200, "its fields are open")
    equal(site.ask(target).status, 401)
    equal(site.ask(target, {"Range": "bytes=0-3"}).status, 401)
    equal(site.ask(target, authorization=site.anna).body, PDF + b"!")

    site.must("item", "withdraw", closed)
    equal(site.ask(target).status, 410, "withdrawn")
    site.must("item", "reinstate", closed)

    for path in volume_files(site.volumes):
        with open(path, "rb") as file:
            at = file.read().find(PDF[:100])
        if at >= 0:
            os.chmod(path, 0o644)
            with open(path, "r+b") as file:
                file.seek(at + 20)
                file.write(b"LOOKED")
    site.kill()
    site.start()
    for target in [pdf, *same]:
        answer = site.ask(target)
        equal(answer.status, 500, target)
        check(b"%PDF" not in answer.body and b"looked" not in answer.body.lower() and answer.header("Content-Disposition") is None, "wrong bytes were sent")
