# SPDX-License-Identifier: Apache-2.0
"""SWORD 2.0 multipart deposits, byte by byte as the clients in Python, Java and PHP write them."""
import base64
import os
import shutil

from lib.check import equal
from lib.deposits import (BINARY, DCTERMS, ENTRY_TYPE, FILES, METS_2, SIMPLE_ZIP, archive, entry_document, links, md5,
                          members, mets_package, refused, xml, zipped)

PACKAGE = zipped(FILES)
ENTRY = entry_document(abstract="From the entry")


def in_lines(data, width=76):
    text = base64.b64encode(data)
    return b"\n".join(text[at:at + width] for at in range(0, len(text), width))


def body_of(boundary, parts, preamble=b"", end=b"\r\n"):
    out = preamble
    for head, data in parts:
        out += b"--" + boundary + end + end.join(line.encode() for line in head) + end + end + data + end
    return out + b"--" + boundary + b"--" + end


def python(entry, payload, packaging):
    """Both parts in base64; the entry's head does not say so. Lines end with LF."""
    boundary = b"===============0f1e_$"
    parts = [(['Content-Type: application/atom+xml; charset="utf-8"', "MIME-Version: 1.0",
               'Content-Disposition: attachment; name="atom"'], in_lines(entry)),
             (["Content-Type: application/zip", "MIME-Version: 1.0", f"Content-MD5: {md5(payload)}", f"Packaging: {packaging}",
               'Content-Disposition: attachment; name="payload"; filename="a%20b.zip"',
               "Content-Transfer-Encoding: base64"], in_lines(payload))]
    return body_of(boundary, parts, end=b"\n"), 'multipart/related; boundary="===============0f1e_$"; type="application/atom+xml"'


def java(entry, payload, packaging):
    """The payload is in base64 and its head does not say so; no quotes in the type."""
    parts = [(["Content-Type: application/atom+xml; charset=utf-8", "Content-ID: <atom>",
               "Content-Disposition: attachment; name=\"atom\""], entry),
             (["Content-Type: application/zip", "Content-ID: <payload>", f"Packaging: {packaging}",
               "Content-Disposition: attachment; name=\"payload\"; filename=\"a b.zip\""], base64.b64encode(payload))]
    return body_of(b"1700000000000", parts), "multipart/related; boundary=1700000000000; type=\"application/atom+xml\""


def php(entry, payload, packaging):
    """A preamble; the payload in one line of base64 that its head tells of; the last boundary ends the body."""
    parts = [(["MIME-Version: 1.0", "Content-Type: application/atom+xml", 'Content-Disposition: attachment; name="atom"'], entry),
             (["Content-Type: application/zip", f"Packaging: {packaging}", f"Content-MD5: {md5(payload)}",
               'Content-Disposition: attachment; name="payload"; filename="a b.zip"', "Content-Transfer-Encoding: base64"],
              base64.b64encode(payload))]
    return (body_of(b"===============SWORDPARTS==", parts, b"Media Post\r\n")[:-2],
            'multipart/related; boundary="===============SWORDPARTS=="; type="application/atom+xml"')


def plain(entry, payload, packaging):
    """As it is, the payload first, no names but types."""
    parts = [([f"Packaging: {packaging}", "Content-Type: application/zip",
               "Content-Disposition: attachment; filename*=UTF-8''a%20b.zip"], payload), (["Content-Type: " + ENTRY_TYPE], entry)]
    return body_of(b"x", parts), "multipart/related; boundary=x"


def send(a, method, target, written, headers=()):
    body, media_type = written
    return a.request(method, target, body, {"Content-Type": media_type, "In-Progress": "true", **dict(headers)})


def created(a, write):
    answer = send(a, "POST", f"/swordv2/collection/{a.open}", write(ENTRY, PACKAGE, SIMPLE_ZIP))
    equal(answer.status, 201, f"{write.__name__}: {answer.text}")
    receipt = xml(answer)
    equal(receipt.findtext(DCTERMS + "abstract"), "From the entry", write.__name__)
    media, edit = links(receipt, "edit-media")[0], links(receipt, "edit")[0]
    equal(members(a.request("GET", media).body), FILES, write.__name__)
    original, = links(receipt, "originalDeposit")
    kept = a.request("GET", original)
    equal((kept.body, original.rsplit("/", 1)[1]), (PACKAGE, "a%20b.zip"), write.__name__)
    return edit, media


def changed(a, write):
    edit, media = created(a, write)
    more = zipped({"more.txt": b"more"})
    added = send(a, "POST", edit, write(entry_document("Second", subject="s"), more, SIMPLE_ZIP))
    equal((added.status, added.header("Location")), (201, media), added.text)
    equal(members(a.request("GET", media).body), {**FILES, "more.txt": b"more"})
    equal([title.text for title in xml(added).findall(DCTERMS + "title")], ["By entry", "Second"])
    put = send(a, "PUT", edit, write(entry_document("Third"), more, SIMPLE_ZIP))
    equal(put.status, 200, put.text)
    equal(members(a.request("GET", media).body), {"more.txt": b"more"})
    equal([title.text for title in xml(put).findall(DCTERMS + "title")], ["Third"])


def refusals(a):
    before = a.dump()
    where = f"/swordv2/collection/{a.open}"
    body, media_type = php(ENTRY, PACKAGE, SIMPLE_ZIP)
    entry_alone = body_of(b"x", [(["Content-Type: " + ENTRY_TYPE], ENTRY)])
    not_base64 = body.replace(base64.b64encode(PACKAGE), b"UEsD*" * 40)
    for about, bad, status, error in (("cut off", body[:-40], 400, "ErrorBadRequest"),
                                      ("no payload", entry_alone, 400, "ErrorBadRequest"),
                                      ("no base64", not_base64, 400, "ErrorBadRequest"),
                                      ("another sum", body.replace(md5(PACKAGE).encode(), b"0" * 32), 412, "ErrorChecksumMismatch"),
                                      ("packaging", body.replace(SIMPLE_ZIP.encode(), b"x:y"), 415, "ErrorContent")):
        kind = "multipart/related; boundary=x" if bad is entry_alone else media_type
        refused(send(a, "POST", where, (bad, kind)), status, error, about)
    refused(send(a, "POST", where, (body, "multipart/related")), 400, "ErrorBadRequest", "no boundary")
    equal(a.dump(), before)


with archive() as a:
    for write in (python, java, php, plain):
        changed(a, write)
    # Longer than any piece that is decoded at once, and of every length at its end.
    for length in (200_000, 200_001, 200_002):
        data = os.urandom(length)
        large = send(a, "POST", f"/swordv2/collection/{a.open}", python(ENTRY, data, BINARY))
        equal(members(a.request("GET", links(xml(large), "edit-media")[0]).body), {"a b.zip": data})
    # Of a package with metadata of its own the entry's come first, and what it does not speak of is added.
    answer = send(a, "POST", f"/swordv2/collection/{a.open}", php(ENTRY, mets_package(), METS_2))
    terms = [(one.tag.replace(DCTERMS, ""), one.text) for one in xml(answer) if one.tag.startswith(DCTERMS)]
    equal([value for name, value in terms if name in ("title", "creator", "abstract", "issued")],
          ["By entry", "A. Writer", "From the entry", "2001-02"])
    # A file that is not a zip, in base64 that only its sum tells of; and text that is base64 by chance.
    for data, sent in ((b"some text\n" * 9, base64.b64encode(b"some text\n" * 9)), (b"UEsDBA==", b"UEsDBA==")):
        parts = [(["Content-Type: " + ENTRY_TYPE, 'Content-Disposition: attachment; name="atom"'], ENTRY),
                 (["Content-Type: text/plain", f"Packaging: {BINARY}", f"Content-MD5: {md5(data)}",
                   'Content-Disposition: attachment; name="payload"; filename="t.txt"'], sent)]
        answer = send(a, "POST", f"/swordv2/collection/{a.open}", (body_of(b"x", parts), "multipart/related; boundary=x"))
        media = links(xml(answer), "edit-media")[0]
        equal(members(a.request("GET", media).body), {"t.txt": data})
    refusals(a)
    # What was changed and replaced comes back from the volumes alone.
    a.server.stop()
    before = a.server.must("dump").text
    shutil.rmtree(os.path.join(a.server.data, "catalog"))
    a.server.must("rebuild")
    equal(a.server.must("dump").text, before, "rebuilt")
    a.server.must("fsck")
