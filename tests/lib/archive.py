# SPDX-License-Identifier: Apache-2.0
"""A server with a community, a collection and a depositor; items of any fields, deposited by SWORD."""
import io
import json
import re
import time
import zipfile
from xml.sax.saxutils import escape, quoteattr

from lib.check import check, equal, in_parallel
from lib.http import basic
from lib.server import Server

METS = """<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" PROFILE="DSpace METS SIP Profile 1.0">
<dmdSec ID="dmd"><mdWrap MDTYPE="OTHER" OTHERMDTYPE="DIM"><xmlData>
<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim">{fields}</dim:dim></xmlData></mdWrap></dmdSec>
<fileSec><fileGrp USE="CONTENT"><file ID="f" MIMETYPE="text/plain"><FLocat LOCTYPE="URL" xlink:href="a.txt"/></file></fileGrp></fileSec>
<structMap><div DMDID="dmd"><fptr FILEID="f"/></div></structMap></mets>"""


def package(fields):
    """A METSDSpaceSIP package of one small file. fields: pairs ("dc.title", value)."""
    elements = []
    for name, value in fields:
        words = dict(zip(("mdschema", "element", "qualifier"), name.split(".")))
        attributes = "".join(f" {key}={quoteattr(word)}" for key, word in words.items())
        elements.append(f"<dim:field{attributes}>{escape(value)}</dim:field>")
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("mets.xml", METS.format(fields="".join(elements)))
        archive.writestr("a.txt", "text of " + fields[0][1])
    return whole.getvalue()


def item_fields(n):
    return [("dc.title", f"Item {n}"), ("dc.contributor.author", f"Author {n}, First"),
            ("dc.contributor.author", f"Author {n}, Second"), ("dc.date.issued", f"{1900 + n % 120}"),
            ("dc.subject", f"<subject & \"{n}\">"), ("dc.type", "Article")]


class Archive(Server):
    """Beyond Server: `community` and `collection`, handles of the first of each, and `items`, a dict handle → path."""

    def __init__(self, **options):
        super().__init__(**options)
        self.must("user", "add", "anna", "--role", "depositor")
        self.must("group", "add", "depositors")
        self.must("group", "join", "depositors", "anna")
        self.depositor = basic("anna", re.search(r"token:\s*(\S+)", self.must("token", "add", "anna").text).group(1))
        self.community = self.must("community", "add", "Faculty of Arts").text.strip()
        self.collection = self.add_collection("Theses")
        self.items = {}
        self.settle()

    def settle(self):
        """Waits until changes of containers have reached what is in them, so that datestamps rest."""
        deadline = time.monotonic() + 60
        while True:
            with self.connect(None) as connection:
                health = json.loads(connection.request("GET", "/readyz").body)
            if health["follower_lag"] == 0 and health["follower_pending"] == 0:
                return
            check(time.monotonic() < deadline, f"followers do not come to rest: {health}")
            time.sleep(0.02)

    def add_collection(self, name):
        return self.must("collection", "add", name, "--community", self.community, "--depositors", "depositors").text.strip()

    def path_of(self, collection):
        return f"/repository/{self.community.split('/')[1]}/{collection.split('/')[1]}"

    def deposit(self, fields, collection=None, connection=None):
        """Deposits one item; returns its handle."""
        headers = {"Content-Type": "application/zip", "X-Packaging": "http://purl.org/net/sword-types/METSDSpaceSIP",
                   "Content-Disposition": "filename=p.zip", "Authorization": self.depositor}
        collection = collection or self.collection
        with connection or self.connect(None) as used:
            answer = used.request("POST", f"/sword/deposit/{collection}", package(fields), headers)
        equal(answer.status, 201, answer.text)
        found = re.search(r"<atom:id>http://hdl.handle.net/([^<]+)</atom:id>", answer.text)
        check(found, answer.text)
        handle = found.group(1)
        self.items[handle] = f"{self.path_of(collection)}/{handle.split('/')[1]}"
        return handle

    def deposit_many(self, count, first=0, threads=8, collection=None):
        """Items first … first + count - 1, by many threads at once; their handles in the order of their numbers."""
        return in_parallel(count, lambda n: self.deposit(item_fields(first + n), collection), threads)
