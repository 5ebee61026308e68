# SPDX-License-Identifier: Apache-2.0
"""A server with a collection and persons, and packages made by hand that look like those in use."""
import contextlib
import hashlib
import io
import json
import xml.etree.ElementTree as ElementTree
import zipfile

from lib.check import equal
from lib.http import basic
from lib.server import Server

METS = "http://purl.org/net/sword-types/METSDSpaceSIP"
METS_2 = "http://purl.org/net/sword/package/METSDSpaceSIP"
SIMPLE_ZIP = "http://purl.org/net/sword/package/SimpleZip"
BINARY = "http://purl.org/net/sword/package/Binary"
ATOM = "{http://www.w3.org/2005/Atom}"
TERMS_1 = "{http://purl.org/net/sword/}"
TERMS = "{http://purl.org/net/sword/terms/}"
DCTERMS = "{http://purl.org/dc/terms/}"
ENTRY_TYPE = "application/atom+xml;type=entry"

FILES = {"first.txt": b"first\n" * 700, "second.txt": b"second\n" * 900, "third.bin": bytes(range(256)) * 33}


def zipped(files):
    """A zip of name: bytes, or of (name, bytes) pairs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, data)
    return out.getvalue()


def members(data):
    """What a zip holds, its checksums proven: name: bytes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archived:
        equal(archived.testzip(), None)
        return {info.filename: archived.read(info) for info in archived.infolist()}


def statement(name, value="", scheme="", **attributes):
    """An epdcx statement of Dublin Core or of the eprint terms, with white space as real ones have it."""
    scheme = f' epdcx:sesURI="{scheme}"' if scheme else ""
    extra = "".join(f' epdcx:{key}="{text}"' for key, text in attributes.items())
    body = f"<epdcx:valueString{scheme}>\n      {value}\n    </epdcx:valueString>" if value else ""
    return f'<epdcx:statement epdcx:propertyURI="{name}"{extra}>{body}</epdcx:statement>'


def mets_document(title="A title\n   in two lines", files=FILES, prolog=""):
    """Like the mets.xml of the sample that came with DSpace's SWORD client."""
    dc, terms, eprint = "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/", "http://purl.org/eprint/"
    work = [statement(dc + "type", valueURI=eprint + "entityType/ScholarlyWork"), statement(dc + "title", title),
            statement(terms + "abstract", "What it is about."), statement(dc + "creator", "Hollis, C.R."),
            statement(dc + "creator", "Monk, D.G."), statement(dc + "creator", "Jeffries, A.J."),
            statement(dc + "identifier", "http://www.example.org/some/identifier", terms + "URI"),
            statement(eprint + "terms/isExpressedAs", valueRef="expression")]
    expression = [statement(dc + "type", valueURI=eprint + "entityType/Expression"),
                  statement(dc + "language", "en", vesURI=terms + "RFC3066"),
                  statement(dc + "type", vesURI=eprint + "terms/Type", valueURI=eprint + "type/JournalArticle"),
                  statement(terms + "available", "2001-02"),
                  statement(eprint + "terms/status", vesURI=eprint + "terms/Status", valueURI=eprint + "status/PeerReviewed"),
                  statement(eprint + "terms/copyrightHolder", "A Publishing Group")]
    content = "".join(f'<file ID="file-{i}" MIMETYPE="text/plain"><FLocat LOCTYPE="URL" xlink:href="{name}"/></file>'
                      for i, name in enumerate(files))
    pointers = "".join(f'<div ID="div-{i}" TYPE="File"><fptr FILEID="file-{i}"/></div>' for i in range(len(files)))
    return f"""<?xml version="1.0" encoding="utf-8"?>{prolog}
<mets ID="m" OBJID="o" PROFILE="DSpace METS SIP Profile 1.0" xmlns="http://www.loc.gov/METS/"
  xmlns:xlink="http://www.w3.org/1999/xlink"><metsHdr CREATEDATE="2007-09-01T00:00:00"/>
 <dmdSec ID="dmd-1"><mdWrap MDTYPE="OTHER" OTHERMDTYPE="EPDCX" MIMETYPE="text/xml"><xmlData>
  <epdcx:descriptionSet xmlns:epdcx="http://purl.org/eprint/epdcx/2006-11-16/">
   <epdcx:description epdcx:resourceId="work">{"".join(work)}</epdcx:description>
   <epdcx:description epdcx:resourceId="expression">{"".join(expression)}</epdcx:description>
  </epdcx:descriptionSet></xmlData></mdWrap></dmdSec>
 <fileSec><fileGrp ID="g" USE="CONTENT">{content}</fileGrp></fileSec>
 <structMap ID="s" TYPE="LOGICAL"><div ID="d" DMDID="dmd-1" TYPE="SWORD Object">{pointers}</div></structMap></mets>
""".encode()


def mets_package(title="A title\n   in two lines"):
    return zipped({"mets.xml": mets_document(title), **FILES})


FIELDS = [("dc.title", "A title in two lines"), ("dc.description.abstract", "What it is about."),
          ("dc.contributor.author", "Hollis, C.R."), ("dc.contributor.author", "Monk, D.G."),
          ("dc.contributor.author", "Jeffries, A.J."), ("dc.identifier.uri", "http://www.example.org/some/identifier"),
          ("dc.language.rfc3066", "en"), ("dc.type", "Journal Article"), ("dc.date.issued", "2001-02"),
          ("dc.description.version", "Peer Reviewed"), ("dc.rights.holder", "A Publishing Group")]


def entry_document(title="By entry", **terms):
    more = "".join(f"<dcterms:{name}>{value}</dcterms:{name}>" for name, value in terms.items())
    return f"""<?xml version="1.0"?><entry xmlns="http://www.w3.org/2005/Atom" xmlns:dcterms="http://purl.org/dc/terms/">
<title>{title}</title><id>urn:uuid:1</id><updated>2026-01-01T00:00:00Z</updated><author><name>A. Writer</name></author>
{more}</entry>""".encode()


def md5(data):
    return hashlib.md5(data).hexdigest()


def xml(answer):
    return ElementTree.fromstring(answer.body)


def links(document, rel):
    """Addresses of the links with this relation; a short one is of the terms of SWORD."""
    return [link.get("href") for link in document.iter(ATOM + "link")
            if link.get("rel") in (rel, TERMS[1:-1] + rel)]


class Archive:
    """anna deposits; mia, a curator, may do so for others where it is allowed; otto is a stranger. Two collections."""

    def __init__(self, server):
        self.server = server
        self.administrator = basic("admin", server.token)
        server.must("group", "add", "depositors")
        self.who, self.tokens = {}, {}
        for name in ("anna", "mia", "otto"):
            server.must("user", "add", name, "--role", "curator" if name == "mia" else "depositor")
            token = json.loads(server.must("--json", "token", "add", name).text)["token"]
            self.tokens[name] = token
            self.who[name] = basic(name, token)
            if name != "otto":
                server.must("group", "join", "depositors", name)
        self.community = server.must("community", "add", "Faculty").text.strip()
        self.open = self.collection("Open", "--on-behalf-of", "yes")
        self.plain = self.collection("Plain", "--on-behalf-of", "no")

    def collection(self, name, *options):
        return self.server.must("collection", "add", name, "--community", self.community, "--depositors", "depositors",
                                *options).text.strip()

    def request(self, method, target, body=None, headers=(), who="anna"):
        """target: a path, or a URL that an answer gave."""
        if target.startswith("http://"):
            target = "/" + target.split("/", 3)[3]
        with self.server.connect(self.who.get(who)) as connection:
            return connection.request(method, target, body, headers)

    def deposit(self, body, headers=(), who="anna", where=None):
        """By SWORD 1.3, METS unless the headers say something else."""
        pairs = {"Content-Type": "application/zip", "X-Packaging": METS, "Content-Disposition": "filename=p.zip"}
        pairs.update(headers)
        return self.request("POST", f"/sword/deposit/{where or self.open}", body, pairs, who)

    def items(self):
        rows = [line.split("\t") for line in self.server.must("item", "ls").text.splitlines()]
        return [row[0] for row in rows if row[1] == "item"]

    def dump(self):
        """All that is kept, but for the counter of numbers, which a deposit that is refused may move (and with it the
        end of the journal)."""
        lines = self.server.must("dump").text.splitlines()
        return [line for line in lines if not line.startswith(('{"family":"counter"', '{"family":"state"'))]


@contextlib.contextmanager
def archive(**options):
    with Server(**options) as server:
        yield Archive(server)


def refused(answer, status, error, about=""):
    """An error document with this status, whose address ends so."""
    equal((answer.status, xml(answer).get("href").rsplit("/", 1)[1]), (status, error), about)
