# SPDX-License-Identifier: Apache-2.0
"""A server with a community, a collection and a depositor, and deposits of EPrints XML into it."""
import base64
import re
from xml.sax.saxutils import escape

from lib.check import equal
from lib.http import basic
from lib.server import Server

EP3 = "http://eprints.org/ep2/data/2.0"


def document(name, data, media_type="application/pdf", more=""):
    """One document of an eprint, with one file."""
    return (f"<document><format>{media_type}</format>{more}<main>{escape(name)}</main><files><file>"
            f"<filename>{escape(name)}</filename><mime_type>{media_type}</mime_type><filesize>{len(data)}</filesize>"
            f'<data encoding="base64">{base64.b64encode(data).decode()}</data></file></files></document>')


def eprint(fields, *documents):
    """An EPrints XML document; fields is XML."""
    return (f'<?xml version="1.0" encoding="utf-8"?>\n<eprints xmlns="{EP3}"><eprint>{fields}'
            f'<documents>{"".join(documents)}</documents></eprint></eprints>').encode()


class Site(Server):
    """handle prefix 123456789; community and collection are handles."""

    def __init__(self, **options):
        super().__init__(**options)
        self.must("user", "add", "anna", "--role", "depositor")
        self.must("group", "add", "depositors")
        self.must("group", "join", "depositors", "anna")
        self.community = self.must("community", "add", "Faculty <of> Arts").text.strip()
        self.collection = self.must("collection", "add", "Theses", "--community", self.community, "--depositors",
                                    "depositors").text.strip()
        anna = re.search(r"token:\s*(\S+)", self.must("token", "add", "anna").text).group(1)
        self.anna = basic("anna", anna)

    def ask(self, target, headers=(), method="GET", authorization=None, body=None):
        """One request on a connection of its own; by nobody unless told."""
        with self.connect(authorization) as connection:
            return connection.request(method, target, body, headers)

    def deposit(self, xml, headers=()):
        """Deposits as anna; the handle."""
        with self.connect(self.anna) as connection:
            answer = connection.request("POST", f"/sword/deposit/{self.collection}", xml,
                                        [("Content-Type", "application/xml"), ("X-Packaging", EP3),
                                         ("Content-Disposition", "filename=eprint.xml"), *headers])
        equal(answer.status, 201, answer.text)
        return re.search(r"<atom:id>[^<]*/(\d+/\d+)</atom:id>", answer.text).group(1)
