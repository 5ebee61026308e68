# SPDX-License-Identifier: Apache-2.0
"""OAI-PMH: every format is well-formed XML in its namespace whatever was stored, and those of files name what may be read."""
from lib import Archive, Harvester, check, contains, equal

NAMESPACES = {"oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/", "qdc": "http://dspace.org/qualifieddc/",
              "mods": "http://www.loc.gov/mods/v3", "mets": "http://www.loc.gov/METS/", "ore": "http://www.w3.org/2005/Atom",
              "rdf": "http://www.openarchives.org/OAI/2.0/rdf/", "dim": "http://www.dspace.org/xmlns/dspace/dim",
              "didl": "urn:mpeg:mpeg21:2002:02-DIDL-NS"}
HOSTILE = ["<a>&amp;]]>\"'</a>", "bell \x07 escape \x1b end", "\ufffe\uffff", "\U0001f4d6 \u202e x", "e\u0301 \u00e9",
           "x" * 60000, "<!--", "&#0;", "line\nbreak\ttab\r"]
FIELDS = ("dc.title", "dc.description.abstract", "dc.identifier.uri", "dc.subject", "dc.contributor.author", "eprints.note",
          "dc.date.issued", "dc.language.iso", "dc.type")
DOWNLOAD = "/bitstreams/"


def prefixes(oai):
    answer = oai.ask(verb="ListMetadataFormats")
    return [each.text for each in answer.root.iter("{http://www.openarchives.org/OAI/2.0/}metadataPrefix")]


def root_of(oai, handle, prefix):
    identifier = f"oai:archivolt.example.org:{handle}"
    return oai.ask(verb="GetRecord", identifier=identifier, metadataPrefix=prefix).metadata()[identifier]


def links(element):
    """The URLs of files in a record, wherever the format has them."""
    return [value for each in element.iter() for value in each.attrib.values() if DOWNLOAD in value]


with Archive() as archive, archive.connect(None) as connection:
    oai = Harvester(connection)
    equal(set(prefixes(oai)), set(NAMESPACES))
    handle = archive.deposit([("dc.title", "Files"), ("dc.contributor.author", "Lovelace, Ada")])
    for prefix, namespace in NAMESPACES.items():
        root = root_of(oai, handle, prefix)
        check(root.tag.startswith("{" + namespace + "}"), f"{prefix}: {root.tag}")
        found = links(root)
        equal(len(found), 1 if prefix in ("mets", "ore", "didl") else 0, f"{prefix}: {found}")
        for url in found:
            check(url.startswith(f"http://127.0.0.1:{archive.port}{DOWNLOAD}") and url.endswith("/download"), url)
        if prefix != "ore":
            contains("".join(root.itertext()), "Files", prefix)
    for path in ("METADATA/mets.xml", "SWORD/p.zip", "ORIGINAL/a.txt"):
        equal(archive.get(f"{archive.items[handle]}/{path}").status, 200, path)

    # A file that is closed is named no longer, and again when it is opened; the record stays.
    for rights, count in (("none", 0), ("discover,read", 1)):
        archive.must("access", "set", f"{archive.items[handle]}/ORIGINAL/a.txt", "anonymous", rights)
        archive.settle()
        for prefix in ("mets", "ore", "didl"):
            equal(len(links(root_of(oai, handle, prefix))), count, f"{prefix}, {rights}")

    # What was made is not shown after a change.
    archive.must("meta", "set", archive.items[handle], "dc.title", "Other")
    for prefix in NAMESPACES:
        text = "".join(root_of(oai, handle, prefix).itertext())
        check("Other" in text and "Files" not in text, f"{prefix}: {text}")

    hostile = []
    for value in HOSTILE:
        hostile.append(archive.deposit([("dc.title", "plain")]))
        for field in FIELDS:
            done = archive.cli("meta", "add", archive.items[hostile[-1]], field, value)
            check(done.status in (0, 1, 2), f"{field} {value[:20]!r}: {done.status} {done.error_text}")
    for prefix in NAMESPACES:
        answer = oai.ask(verb="ListRecords", metadataPrefix=prefix)
        equal(answer.errors, [], prefix)
        equal(len(answer.headers), 1 + len(hostile), prefix)
        for one in hostile:
            check(root_of(oai, one, prefix) is not None, f"{prefix} of {one}")
