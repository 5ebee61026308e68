# SPDX-License-Identifier: Apache-2.0
"""SWORD: what a deposit gives back, to whom: kept packages, zips made on demand, items deposited for others."""
from lib.check import contains, equal
from lib.deposits import (ATOM, ENTRY_TYPE, FILES, METS, METS_2, SIMPLE_ZIP, TERMS, archive, entry_document, links, members,
                          mets_package, refused, xml, zipped)

PACKAGE = mets_package()


def not_kept(a):
    """Where packages are not kept, the media link gives the files."""
    thrifty = a.collection("Thrifty", "--keep", "no")
    answer = a.deposit(PACKAGE, where=thrifty)
    equal(answer.status, 201)
    media = a.request("GET", answer.header("Location"))
    equal((media.status, members(media.body)), (200, FILES))
    head = a.request("HEAD", answer.header("Location"))
    equal(head.header("Content-Length"), str(len(media.body)))


def all_or_nothing(a):
    """A zip never lacks a file quietly: who may not read one of them gets none."""
    body, before = zipped(FILES), set(a.items())
    answer = a.request("POST", f"/swordv2/collection/{a.open}", body, {"Packaging": SIMPLE_ZIP})
    equal(answer.status, 201, answer.text)
    media = links(xml(answer), "edit-media")[0]
    equal(members(a.request("GET", media, who=None).body), FILES, "anonymous reads what is archived")
    item, = {handle.split("/")[1] for handle in set(a.items()) - before}
    place = f"/repository/{a.community.split('/')[1]}/{a.open.split('/')[1]}/{item}/ORIGINAL/second.txt"
    a.server.must("access", "set", place, "anonymous", "discover")
    equal(a.request("GET", media, who=None).status, 401)


def for_another(a):
    headers = {"Content-Type": "application/zip", "Packaging": METS_2, "In-Progress": "true", "On-Behalf-Of": "anna",
               "Content-Disposition": "attachment; filename=p.zip"}
    answer = a.request("POST", f"/swordv2/collection/{a.open}", PACKAGE, headers, who="mia")
    equal(answer.status, 201, answer.text)
    receipt = xml(answer)
    edit, statement = links(receipt, "edit")[0], links(receipt, "statement")[0]
    for who, status in (("anna", 200), ("mia", 200), ("otto", 404)):
        change = a.request("PUT", edit, entry_document(f"By {who}"), {"Content-Type": ENTRY_TYPE, "In-Progress": "true"}, who)
        equal(change.status, status, who)
    equal(xml(a.request("GET", edit)).findtext(ATOM + "title"), "By mia")
    deposits = [entry for entry in xml(a.request("GET", statement, who="mia")).findall(ATOM + "entry")
                if entry.find(TERMS + "depositedOn") is not None]
    equal([one.findtext(TERMS + "depositedBy") for one in deposits], ["mia"])


def unknown_packaging(a):
    answer = a.deposit(PACKAGE, {"X-Packaging": "http://example.org/unknown"})
    refused(answer, 415, "ErrorContent")
    contains(answer.text, METS, "what is known is listed")


def picky(a):
    """What a collection takes counts for bodies, not for requests without one."""
    a.server.must("collection", "set", a.plain, "accept", "application/zip")
    where = f"/swordv2/collection/{a.plain}"
    headers = {"Packaging": SIMPLE_ZIP, "Content-Type": "application/zip", "In-Progress": "true"}
    refused(a.request("POST", where, b"x", {"Content-Type": "text/plain"}), 415, "ErrorContent")
    receipt = xml(a.request("POST", where, zipped(FILES), headers))
    edit, media = links(receipt, "edit")[0], links(receipt, "edit-media")[0]
    refused(a.request("POST", media, b"x", {"Content-Type": "text/plain"}), 415, "ErrorContent")
    equal(a.request("DELETE", media).status, 204)
    equal(a.request("POST", edit, None, {"Content-Length": "0"}).status, 200)


with archive() as a:
    not_kept(a)
    all_or_nothing(a)
    for_another(a)
    unknown_packaging(a)
    picky(a)
