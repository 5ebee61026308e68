# SPDX-License-Identifier: Apache-2.0
"""SWORD 1.3: a METS package becomes exactly its item; dry runs, mediation, and what is refused, which leaves nothing."""
from lib.check import check, contains, equal
from lib.deposits import (ATOM, FIELDS, FILES, METS, TERMS_1, archive, links, md5, mets_document, mets_package, refused, xml,
                          zipped)

PACKAGE = mets_package()


def lines_of(a, item):
    return [line.split("\t") for line in a.server.must("item", "show", item).text.splitlines()[1:]]


def exactly_its_item(a):
    answer = a.deposit(PACKAGE, {"Content-MD5": md5(PACKAGE), "X-Verbose": "true", "User-Agent": "Tester/1"})
    equal(answer.status, 201)
    item, = a.items()
    lines = lines_of(a, item)
    ours = ("dc.date.accessioned", "dc.date.available", "dc.description.provenance")
    handle_uri = f"http://hdl.handle.net/{item}"
    fields = [(name, value) for name, value, *rest in lines if not rest and name not in ours and value != handle_uri]
    equal(fields, FIELDS)
    files = {line[0]: line[1] for line in lines if len(line) == 3}
    wanted = {f"ORIGINAL/{name}": f"{len(data)} bytes" for name, data in FILES.items()}
    wanted["SWORD/p.zip"] = f"{len(PACKAGE)} bytes"
    wanted["METADATA/mets.xml"] = f"{len(mets_document())} bytes"
    equal(files, wanted)
    check_entry(a, answer, item)


def check_entry(a, answer, item):
    entry = xml(answer)
    equal(entry.findtext(ATOM + "id"), f"http://hdl.handle.net/{item}")
    equal(entry.findtext(ATOM + "title"), "A title in two lines")
    equal(entry.findtext(f"{ATOM}author/{ATOM}name"), "anna")
    equal([entry.findtext(TERMS_1 + name) for name in ("noOp", "userAgent", "packaging")], ["false", "Tester/1", METS])
    contains(entry.findtext(TERMS_1 + "verboseDescription"), "dc.title: A title in two lines")
    equal(len(links(entry, "part")), len(FILES))
    equal(answer.header("Location"), entry.find(ATOM + "content").get("src"))
    kept = a.request("GET", answer.header("Location"))
    equal((kept.status, kept.body, kept.header("Content-Type")), (200, PACKAGE, "application/zip"))
    for prefix in (b"<atom:entry ", b"<sword:treatment>", b"<atom:title>"):
        contains(answer.body, prefix, "prefixes that clients look for")


def dry_run(a):
    before = a.dump()
    answer = a.deposit(PACKAGE, {"X-No-Op": "true"})
    equal((answer.status, xml(answer).findtext(TERMS_1 + "noOp")), (201, "true"))
    equal(a.dump(), before, "after a dry run")
    refused(a.deposit(PACKAGE, {"X-No-Op": "maybe"}), 400, "ErrorBadRequest")
    equal(a.deposit(b"no zip", {"X-No-Op": "true"}).status, 400, "a dry run finds the same faults")


def others(a):
    entry = xml(a.deposit(PACKAGE, {"X-On-Behalf-Of": "anna"}, who="mia"))
    equal(entry.findtext(f"{ATOM}author/{ATOM}name"), "mia")
    equal(entry.findtext(f"{ATOM}contributor/{ATOM}name"), "anna")
    equal(a.deposit(PACKAGE, {"X-On-Behalf-Of": "mia"}).status, 201, "a depositor of the collection's group for another one")
    before = a.dump()
    refused(a.deposit(PACKAGE, {"X-On-Behalf-Of": "nobody"}, who="mia"), 401, "TargetOwnerUnknown")
    refused(a.deposit(PACKAGE, {"X-On-Behalf-Of": "otto"}, who="mia"), 401, "TargetOwnerUnknown", "who may not deposit")
    refused(a.deposit(PACKAGE, {"X-On-Behalf-Of": "mia"}, who="otto"), 412, "MediationNotAllowed", "no right to")
    refused(a.deposit(PACKAGE, {"X-On-Behalf-Of": "anna"}, who="mia", where=a.plain), 412, "MediationNotAllowed")
    equal(a.deposit(PACKAGE, who="otto").status, 403)
    equal(a.deposit(PACKAGE, where="123456789/999999").status, 404)
    equal(a.deposit(PACKAGE, where=a.community).status, 404, "a community takes nothing")
    equal(a.dump(), before)


def hostile(a):
    """Refused whole, whatever comes before the fault."""
    entity = '<!DOCTYPE mets [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    good = mets_document(files={"a.txt": b""})
    before = a.dump()
    for name, body in {
            "a name that leaves it": zipped({"mets.xml": good, "a.txt": b"x", "../../evil": b"x"}),
            "an absolute name": zipped({"mets.xml": good, "a.txt": b"x", "/etc/evil": b"x"}),
            "an external entity": zipped({"mets.xml": mets_document(files={"a.txt": b""}, prolog=entity), "a.txt": b"x"}),
            "a bomb": zipped({"mets.xml": good, "a.txt": bytes(20 << 20)}),
            "a file that is not there": zipped({"mets.xml": good}),
            "no mets.xml": zipped({"a.txt": b"x"}),
            "cut off": PACKAGE[:-30],
            "damaged": PACKAGE[:200] + b"????" + PACKAGE[204:],
            "empty": b""}.items():
        answer = a.deposit(body)
        check(answer.status in (400, 413, 415), f"{name}: {answer}")
        contains(answer.body, b"<sword:error ", name)
    refused(a.deposit(PACKAGE, {"Content-MD5": md5(b"else")}), 412, "ErrorChecksumMismatch")
    refused(a.deposit(PACKAGE, {"Content-MD5": "short"}), 400, "ErrorBadRequest")
    refused(a.deposit(PACKAGE, {"X-Packaging": "http://example.org/unknown"}), 415, "ErrorContent")
    equal(a.dump(), before, "after refused deposits")


def review(a):
    reviewed = a.collection("Reviewed", "--review")
    answer = a.deposit(PACKAGE, where=reviewed)
    equal(answer.status, 202)
    contains(xml(answer).findtext(ATOM + "id"), "/items/", "no handle before it is archived")
    equal(a.request("GET", answer.header("Location"), who="otto").status, 404, "others do not see it")


with archive() as a:
    exactly_its_item(a)
    dry_run(a)
    others(a)
    hostile(a)
    review(a)
    equal(a.request("GET", f"/sword/deposit/{a.open}").header("Allow"), "POST, OPTIONS")
    service = a.request("GET", f"/sword/servicedocument/{a.community}")
    contains(service.body, f'<app:collection href="http://127.0.0.1:{a.server.port}/sword/deposit/{a.open}">'.encode())
