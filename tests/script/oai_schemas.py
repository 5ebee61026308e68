# SPDX-License-Identifier: Apache-2.0
"""Answers of OAI-PMH and records in oai_dc and dim are as our schemas say; each schema refuses ten mutants of a good one."""
import os
import xml.etree.ElementTree

from lib import Archive, Harvester, check, equal, run_program, temporary_folder

SCHEMAS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schemas")

# What stands in a good answer, and what a mutant has instead.
FRAME_MUTANTS = [
    ('xmlns="http://www.openarchives.org/OAI/2.0/"', 'xmlns="http://www.openarchives.org/OAI/1.1/"'),
    ("</responseDate>", ".0</responseDate>"), ("<responseDate>", "<date/><responseDate>"), ('verb="', 'verb="list'),
    ("</request>", "</request><error code='badVerb'/>"), ("<identifier>oai:", "<identifier>"),
    ("<datestamp>2", "<datestamp>x2"), ("<setSpec>", "<setSpec>a b"), ("<header>", '<header status="gone">'),
    ("<header>", '<header status="deleted">'), ("<metadata>", "<metadata><record/>"), ("</metadata>", "</metadata><metadata/>"),
    ('cursor="', 'cursor="-'), ("</resumptionToken>", "junk</resumptionToken>"),
]
DC_MUTANTS = [
    ("oai_dc/", "oai_dc"), ("dc:title", "dc:name"), ("dc:title", "oai_dc:title"), ("dc:creator", "dc:author"),
    ("<dc:title>", '<dc:title qualifier="a">'), ("<dc:title>", "<dc:title><dc:title>x</dc:title>"), ("Item ", "<b/>Item "),
    ("<dc:title>", "words<dc:title>"), ("<dc:title>", "<dc:date/><dc:title>"), ("oai_dc.xsd", "dc.xsd"), ("oai_dc:dc", "dc:dc"),
]
DIM_MUTANTS = [
    ("xmlns/dspace/dim", "xmlns/dim"), ("ITEM", "COLLECTION"), ('mdschema="dc"', ""), ('mdschema="dc"', 'mdschema="d c"'),
    ('element="title"', ""), ('element="title"', 'element=""'), ('element="title"', 'element="title.main"'),
    ('element="title"', 'element="title" place="1"'), ("Item ", "<b/>Item "), ("<dim:field", "words<dim:field"),
    ("<dim:field", "<dim:field mdschema='dc' element='a'/><dim:field"), ("dim:dim", "dim:fields"),
]


class Schema:
    def __init__(self, name, folder):
        self.path, self.document = os.path.join(SCHEMAS, name + ".rng"), os.path.join(folder, name + ".xml")

    def takes(self, text):
        with open(self.document, "w", encoding="utf-8") as file:
            file.write(text)
        done = run_program(["xmllint", "--noout", "--relaxng", self.path, self.document])
        check(done.status in (0, 3), f"{self.path}: {done.status} {done.error_text}")  # 3: well-formed, not valid
        return done.status == 0

    def check(self, text, mutants=()):
        check(self.takes(text), f"{self.path} refuses {text[:3000]}")
        for there, instead in mutants:
            mutant = text.replace(there, instead) if there in ("dc:title", "dc:creator", "oai_dc:dc", "dim:dim") else \
                text.replace(there, instead, 1)
            check(mutant != text, f"{there} is not there")
            check(not self.takes(mutant), f"{self.path} takes {instead} for {there}")


def records(answer):
    for element in answer.metadata().values():
        if element is not None:
            yield element


def record_text(answer):
    """The first record's metadata, as it stands in the answer."""
    text = answer.body.decode()
    return text[text.index("<metadata>") + len("<metadata>"):text.index("</metadata>")]


with Archive() as archive, archive.connect(None) as connection, temporary_folder() as folder:
    oai = Harvester(connection)
    frame, dc, dim = (Schema(name, folder) for name in ("oai_pmh", "oai_dc", "dim"))
    for query in ("verb=Identify", "verb=ListSets", "verb=ListMetadataFormats", "verb=junk", "verb=ListRecords&from=%22%3C",
                  "verb=ListRecords&metadataPrefix=oai_dc", "verb=GetRecord&metadataPrefix=x&identifier=%3Ca%20b%01"):
        frame.check(oai.ask(query).body.decode())
    handles = archive.deposit_many(205)
    first = oai.ask(verb="ListRecords", metadataPrefix="oai_dc")
    second = oai.ask(verb="ListRecords", resumptionToken=first.token)
    frame.check(second.body.decode(), FRAME_MUTANTS)
    dc.check(record_text(first), DC_MUTANTS)
    dim.check(record_text(oai.ask(verb="ListRecords", metadataPrefix="dim")), DIM_MUTANTS)
    equal(archive.delete(archive.items[handles[0]]).status, 204)
    archive.must("meta", "add", archive.items[handles[1]], "dc.description.abstract", "bell \x07, <b>, \ufffe")
    for prefix, schema in (("oai_dc", dc), ("dim", dim)):
        for page in oai.pages("ListRecords", metadataPrefix=prefix):
            frame.check(page.body.decode())
        for element in list(records(page))[-3:]:
            schema.check(xml.etree.ElementTree.tostring(element, "unicode"))
    for page in oai.pages("ListIdentifiers", metadataPrefix="mets"):
        frame.check(page.body.decode())
