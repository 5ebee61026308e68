# SPDX-License-Identifier: Apache-2.0
"""SWORD 2.0: create, read, change and delete an item; receipts, statements, and what is refused."""
from lib.check import check, contains, equal
from lib.deposits import (ATOM, BINARY, DCTERMS, ENTRY_TYPE, FILES, METS_2, SIMPLE_ZIP, TERMS, archive, entry_document, links,
                          md5, members, mets_package, refused, xml, zipped)

PACKAGE = mets_package()
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"


def create(a, body, headers=(), who="anna"):
    pairs = {"Content-Type": "application/zip", "Packaging": SIMPLE_ZIP, "In-Progress": "true",
             "Content-Disposition": "attachment; filename=p.zip"}
    pairs.update(headers)
    return a.request("POST", f"/swordv2/collection/{a.open}", body, pairs, who)


class Item:
    """What the receipt of a deposit leads to."""

    def __init__(self, answer):
        equal(answer.status, 201, answer.text)
        receipt = xml(answer)
        self.edit, = links(receipt, "edit")
        self.media = links(receipt, "edit-media")[0]
        self.feed = links(receipt, "edit-media")[1]
        self.add, = links(receipt, "add")
        self.atom, self.rdf = links(receipt, "statement")
        equal(answer.header("Location"), self.edit)
        check(answer.header("Content-Type").startswith(ENTRY_TYPE), answer.header("Content-Type"))
        equal(len(receipt.findall(TERMS + "treatment")), 1)


def state(a, item, who="anna"):
    feed = xml(a.request("GET", item.atom, who=who))
    term, = [c.get("term") for c in feed.findall(ATOM + "category") if c.get("scheme") == TERMS[1:-1] + "state"]
    rdf = a.request("GET", item.rdf, who=who)
    equal([s.get(RDF + "resource") for s in xml(rdf).iter(TERMS + "state")], [term])
    equal([s.text for s in xml(rdf).iter(TERMS + "packaging") if s.get(RDF + "resource") is None], [], "texts for resources")
    equal(rdf.header("Content-Type"), "application/rdf+xml; charset=UTF-8")
    return term.rsplit("/", 1)[1]


def content(a):
    item = Item(create(a, zipped(FILES), {"Content-MD5": md5(zipped(FILES))}))
    answer = a.request("GET", item.media)
    equal((answer.status, answer.header("Packaging"), members(answer.body)), (200, SIMPLE_ZIP, FILES))
    equal(answer.header("Content-Length"), str(len(answer.body)))
    feed = xml(a.request("GET", item.feed))
    equal([entry.findtext(ATOM + "title") for entry in feed.findall(ATOM + "entry")], sorted(FILES))
    by_accept = a.request("GET", item.media, headers={"Accept": "application/atom+xml;type=feed"})
    equal(by_accept.header("Content-Type"), "application/atom+xml;type=feed;charset=utf-8")
    refused(a.request("GET", item.media, headers={"Accept-Packaging": "http://example.org/x"}), 406, "ErrorContent")
    refused(a.request("GET", item.media, headers={"Accept-Packaging": METS_2}), 406, "ErrorContent", "was not deposited so")

    alone = a.request("POST", item.media, b"one more", {"Content-Type": "text/plain", "In-Progress": "true",
                                                       "Content-Disposition": "attachment; filename=more%20of%20it.txt"})
    equal(alone.status, 201, alone.text)
    check(alone.header("Location") != item.media, "a file has an IRI of its own")
    equal(a.request("GET", alone.header("Location")).body, b"one more")
    added = a.request("POST", item.media, zipped({"x/y.txt": b"y"}), {
        "Content-Type": "application/zip", "Packaging": SIMPLE_ZIP, "Content-Disposition": "attachment; filename=p.zip"})
    equal((added.status, added.header("Location")), (201, item.media))
    equal(members(a.request("GET", item.media).body), {**FILES, "more of it.txt": b"one more", "x/y.txt": b"y"})
    again = a.request("POST", item.media, b"else", {"Content-Disposition": "attachment; filename=first.txt"})
    equal(again.status, 409, "a name that is taken")
    equal(a.request("DELETE", alone.header("Location")).status, 204)
    equal(a.request("GET", alone.header("Location")).status in (404, 410), True)

    put = a.request("PUT", item.media, zipped({"new.txt": b"new", "first.txt": b"other"}), {
        "Content-Type": "application/zip", "Packaging": SIMPLE_ZIP, "Content-Disposition": "attachment; filename=q.zip"})
    equal((put.status, put.body), (204, b""), put.text)
    equal(members(a.request("GET", item.media).body), {"new.txt": b"new", "first.txt": b"other"})
    equal(a.request("DELETE", item.media).status, 204)
    equal(members(a.request("GET", item.media).body), {})
    equal(state(a, item), "inprogress")
    equal(a.request("DELETE", item.edit).status, 204)
    equal(a.request("GET", item.edit).status, 404)


def metadata(a):
    answer = create(a, entry_document(abstract="An abstract", issued="2025"), {
        "Content-Type": "application/atom+xml; type=entry", "Packaging": None, "Content-Disposition": None, "Slug": "s"})
    item = Item(answer)
    receipt = xml(answer)
    equal(receipt.findtext(ATOM + "title"), "By entry")
    equal(receipt.findtext(DCTERMS + "issued"), "2025")
    equal([value.text for value in receipt.findall(DCTERMS + "creator")], ["A. Writer"])

    add = a.request("POST", item.add, entry_document(title="A second title", subject="Added"),
                    {"Content-Type": ENTRY_TYPE, "In-Progress": "true"})
    equal(add.status, 200, add.text)
    receipt = xml(a.request("GET", item.edit))
    equal([value.text for value in receipt.findall(DCTERMS + "title")], ["By entry", "A second title"])
    equal(receipt.findtext(DCTERMS + "subject"), "Added")
    put = a.request("PUT", item.edit, entry_document(title="Instead"), {"Content-Type": ENTRY_TYPE, "In-Progress": "true"})
    equal(put.status, 200, put.text)
    receipt = xml(a.request("GET", item.edit))
    equal([value.text for value in receipt.findall(DCTERMS + "title")], ["Instead"])
    equal(receipt.findall(DCTERMS + "subject"), [])

    relevant = a.request("PUT", item.media, PACKAGE, {"Content-Type": "application/zip", "Packaging": METS_2,
                                                      "Metadata-Relevant": "true"})
    equal(relevant.status, 204, relevant.text)
    equal(xml(a.request("GET", item.edit)).findtext(ATOM + "title"), "A title in two lines")
    kept = a.request("GET", item.media, headers={"Accept-Packaging": METS_2})
    equal((kept.body, kept.header("Packaging")), (PACKAGE, METS_2))
    statement = xml(a.request("GET", item.atom))
    originals = [entry for entry in statement.findall(ATOM + "entry") if entry.find(TERMS + "depositedOn") is not None]
    equal([(one.findtext(TERMS + "packaging"), one.findtext(TERMS + "depositedBy")) for one in originals], [(METS_2, "anna")])

    equal(state(a, item), "inprogress")
    done = a.request("POST", item.add, None, {"Content-Length": "0", "In-Progress": "false"})
    equal(done.status, 200, done.text)
    equal(state(a, item), "archived")
    once_more = {"Content-Length": "0", "In-Progress": "false", "Authorization": a.administrator}
    equal(a.request("POST", item.add, None, once_more, who=None).status, 409, "once more")
    fixed = a.request("PUT", item.edit, entry_document(), {"Content-Type": ENTRY_TYPE})
    equal(fixed.status, 403, "archived: no longer its depositor's")
    by_admin = a.request("PUT", item.edit, entry_document(), {"Content-Type": ENTRY_TYPE,
                                                              "Authorization": a.administrator}, who=None)
    equal(by_admin.status, 200, by_admin.text)
    identifiers = [one.text for one in xml(by_admin).findall(DCTERMS + "identifier")]
    contains(identifiers, f"http://hdl.handle.net/{a.items()[-1]}", "what this program wrote stays")


def completed_by_change(a):
    reviewed = a.collection("Reviewed", "--review")
    headers = {"Content-Type": ENTRY_TYPE, "In-Progress": "true"}
    item = Item(a.request("POST", f"/swordv2/collection/{reviewed}", entry_document(), headers))
    equal(a.request("GET", item.edit, who="otto").status, 404, "others do not see it")
    equal(a.request("PUT", item.edit, entry_document("Last"), {"Content-Type": ENTRY_TYPE}).status, 200)
    equal(state(a, item), "inreview")


def refusals(a):
    item = Item(create(a, zipped(FILES)))
    before = a.dump()
    refused(create(a, PACKAGE, {"In-Progress": "invalid"}), 400, "ErrorBadRequest")
    refused(create(a, PACKAGE, {"Content-MD5": md5(b"else")}), 412, "ErrorChecksumMismatch")
    refused(create(a, PACKAGE, {"Packaging": "http://example.org/x"}), 415, "ErrorContent")
    refused(create(a, PACKAGE, {"On-Behalf-Of": "richard"}, who="mia"), 403, "TargetOwnerUnknown")
    refused(a.request("PUT", item.edit, entry_document(), {"Content-Type": ENTRY_TYPE, "On-Behalf-Of": "richard"}), 403,
            "TargetOwnerUnknown", "a change for somebody unknown")
    refused(a.request("PUT", item.edit, PACKAGE, {"Content-Type": "application/zip"}), 415, "ErrorContent")
    refused(a.request("PUT", item.edit, b"<entry", {"Content-Type": ENTRY_TYPE}), 400, "ErrorBadRequest")
    refused(a.request("PUT", item.media, b"no zip", {"Packaging": SIMPLE_ZIP}), 400, "ErrorBadRequest")
    refused(a.request("PUT", item.media, b"x", {"Packaging": BINARY, "Content-MD5": md5(b"y")}), 412, "ErrorChecksumMismatch")
    equal(a.request("PUT", item.media, b"x", {"Packaging": BINARY}, who="otto").status, 404)
    refused(a.request("PATCH", item.media, b"x"), 405, "MethodNotAllowed")
    for method, target in (("POST", f"/swordv2/collection/{a.open}"), ("PUT", item.media), ("GET", "/swordv2/servicedocument")):
        equal(a.request(method, target, b"x" if method != "GET" else None, who="nobody").status, 401, target)
    equal(a.dump(), before)


with archive() as a:
    content(a)
    metadata(a)
    completed_by_change(a)
    refusals(a)
    service = xml(a.request("GET", f"/swordv2/servicedocument/{a.community}"))
    equal(service.findtext(TERMS + "version"), "2.0")
    equal(a.server.must("fsck").status, 0)
