# SPDX-License-Identifier: Apache-2.0
"""OAI-PMH, lists of many pages: cursors, the empty last token, replays, and tokens that are foreign, altered or of another verb."""
from lib import Archive, Harvester, check, equal

COUNT = 250
PAGE = 100


def check_pages(pages, count):
    """Every record once, in order of time; cursors; a token on every page, on the last an empty one."""
    headers = [header for page in pages for header in page.headers]
    equal(len(headers), count)
    equal(len({header.identifier for header in headers}), count, "each record once")
    equal([header.datestamp for header in headers], sorted(header.datestamp for header in headers))
    equal([page.token_element.get("cursor") for page in pages], [str(n * PAGE) for n in range(len(pages))])
    equal([bool(page.token) for page in pages], [True] * (len(pages) - 1) + [False])
    equal(pages[-1].token, "", "the last token is there and empty")
    for page in pages[:-1]:
        check(page.token_element.get("expirationDate") > page.date, "tokens live for a while")
    check("expirationDate" not in pages[-1].token_element.attrib, "an empty token does not expire")
    return headers


def check_tokens(oai, pages, verb, other):
    for page, following in zip(pages, pages[1:]):
        token = page.token
        equal(oai.ask(verb=verb, resumptionToken=token).without_date, following.without_date, "a replay")
        equal(oai.post(verb=verb, resumptionToken=token).without_date, following.without_date, "POST")
        equal(oai.fault(verb=other, resumptionToken=token), "badResumptionToken", "of another verb")
        equal(oai.fault(verb="ListSets", resumptionToken=token), "badResumptionToken", "of another verb")
        equal(oai.fault(verb=verb, resumptionToken=token, metadataPrefix="oai_dc"), "badArgument")
        equal(oai.fault(verb="GetRecord", resumptionToken=token), "badArgument")
        for altered in (token[:-2], token + "00", "0" + token, token[2:], *(
                token[:at] + ("0" if token[at] != "0" else "1") + token[at + 1:] for at in range(0, len(token), 3))):
            equal(oai.fault(verb=verb, resumptionToken=altered), "badResumptionToken", altered)


with Archive() as archive, archive.connect(None) as connection:
    oai = Harvester(connection)
    handles = archive.deposit_many(COUNT)
    listed = {}
    for verb, other in (("ListIdentifiers", "ListRecords"), ("ListRecords", "ListIdentifiers")):
        pages = oai.pages(verb, metadataPrefix="oai_dc")
        listed[verb] = [repr(header) for header in check_pages(pages, COUNT)]
        check_tokens(oai, pages, verb, other)
    equal(listed["ListIdentifiers"], listed["ListRecords"])
    in_set = oai.pages("ListIdentifiers", metadataPrefix="dim", set="col_" + archive.collection.replace("/", "_"))
    equal([repr(header) for header in check_pages(in_set, COUNT)], listed["ListRecords"])
    equal({header.split(":")[2].split()[0] for header in listed["ListRecords"]}, set(handles))

    # Tokens live longer than the process, and are of one store.
    archive.kill()
    archive.start()
    with archive.connect(None) as again, Archive() as stranger, stranger.connect(None) as strange:
        equal(Harvester(again).ask(verb="ListRecords", resumptionToken=pages[0].token).without_date.replace(
            str(archive.port).encode(), b""), pages[1].without_date.replace(str(archive.port).encode(), b""))
        equal(Harvester(strange).fault(verb="ListRecords", resumptionToken=pages[0].token), "badResumptionToken")


# A first page that is all deletions is a page like any other.
with Archive() as archive, archive.connect(None) as connection:
    oai = Harvester(connection)
    gone = archive.deposit_many(PAGE + 5)
    for handle in gone:
        equal(archive.delete(archive.items[handle]).status, 204)
    live = archive.deposit_many(20, first=len(gone))
    pages = oai.pages("ListRecords", metadataPrefix="oai_dc")
    headers = check_pages(pages, len(gone) + len(live))
    equal([header.deleted for header in headers], [True] * len(gone) + [False] * len(live))
    equal({header.identifier for header in headers if header.deleted}, {f"oai:archivolt.example.org:{handle}" for handle in gone})
    for page in pages:
        for header in page.headers:
            equal(page.metadata()[header.identifier] is None, header.deleted, header.identifier)
