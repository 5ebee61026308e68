# SPDX-License-Identifier: Apache-2.0
"""Who deposits may not change what is archived; the sender's documents, packages and provenance are not for everybody.

Also over /rest, where an item is a container like others.
"""
import io
import json
import zipfile

from lib import Server, check, equal
from lib.http import basic

METS = """<?xml version="1.0" encoding="utf-8"?>
<mets ID="m" OBJID="x" PROFILE="DSpace METS SIP Profile 1.0" xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink">
<dmdSec ID="d"><mdWrap MDTYPE="OTHER" OTHERMDTYPE="EPDCX" MIMETYPE="text/xml"><xmlData>
<epdcx:descriptionSet xmlns:epdcx="http://purl.org/eprint/epdcx/2006-11-16/"><epdcx:description>
<epdcx:statement epdcx:propertyURI="http://purl.org/dc/elements/1.1/title"><epdcx:valueString>A title</epdcx:valueString></epdcx:statement>
</epdcx:description></epdcx:descriptionSet></xmlData></mdWrap></dmdSec>
<fileSec><fileGrp USE="CONTENT"><file ID="f" MIMETYPE="text/plain"><FLocat LOCTYPE="URL" xlink:href="a.txt"/></file></fileGrp></fileSec>
<structMap><div DMDID="d"><fptr FILEID="f"/></div></structMap></mets>"""


def package():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mets.xml", METS)
        archive.writestr("a.txt", b"the file")
    return out.getvalue()


def token_of(server, name):
    return json.loads(server.must("--json", "token", "add", name).text)["token"]


def ask(server, person, method, path, body=None, headers=None):
    with server.connect(person) as connection:
        return connection.request(method, path, body, headers or {})


with Server() as server:
    for name in ("anna", "bob"):
        server.must("user", "add", name, "--role", "depositor")
    server.must("group", "add", "depositors")
    server.must("group", "join", "depositors", "anna")
    server.must("group", "join", "depositors", "bob")
    community = server.must("community", "add", "Faculty").text.strip()
    collection = server.must("collection", "add", "Theses", "--community", community, "--depositors", "depositors").text.strip()
    anna, bob = (basic(name, token_of(server, name)) for name in ("anna", "bob"))
    head = {"Content-Type": "application/zip", "X-Packaging": "METSDSpaceSIP", "Content-Disposition": "filename=p.zip"}
    made = ask(server, anna, "POST", f"/sword/deposit/{collection}", package(), head)
    equal(made.status, 201, made.body)
    item = "/rest/repository/" + "/".join(handle.split("/")[1] for handle in (community, collection)) + "/3"
    equal(ask(server, None, "GET", item + "/ORIGINAL/a.txt").body, b"the file")
    for inner in ("/METADATA/mets.xml", "/SWORD/p.zip"):
        equal(ask(server, None, "GET", item + inner).status, 401, inner)
        equal(ask(server, anna, "GET", item + inner).status, 200, inner)
        check(ask(server, bob, "GET", item + inner).status in (403, 404), inner)
    for person in (anna, bob):
        for where in ("/ORIGINAL/more.txt", "/ORIGINAL/a.txt", "/more.txt"):
            equal(ask(server, person, "PUT", item + where, b"x", {"Content-Type": "text/plain"}).status, 403, where)
        equal(ask(server, person, "DELETE", item).status, 403)
    for accept in ("application/json", "application/n-triples", "text/html"):
        shown = ask(server, None, "GET", item + "?limit=10", None, {"Accept": accept}).body
        check(b"A title" in shown and b"provenance" not in shown, f"{accept}: {shown[:2000]}")
        to_administrator = ask(server, basic("admin", server.token), "GET", item + "?limit=10", None, {"Accept": accept}).body
        check(b"provenance" in to_administrator, f"{accept}: administrator")
