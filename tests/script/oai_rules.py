# SPDX-License-Identifier: Apache-2.0
"""OAI-PMH, each rule of the protocol and each request of the Open Archives' validator: errors, dates, tokens, GET and POST."""
import re

from lib import Archive, Harvester, check, equal

LISTS = ("ListIdentifiers", "ListRecords")

# The validator's requests, then further ones of the same kinds: query, code.
FAULTS = [
    ("junk", "badVerb"), ("verb=junk", "badVerb"), ("", "badVerb"), ("verb=", "badVerb"),
    ("verb=identify", "badVerb"), ("verb=Identify&verb=Identify", "badVerb"), ("verb=junk&from=junk", "badVerb"),
    ("verb=GetRecord&metadataPrefix=oai_dc", "badArgument"),
    ("verb=GetRecord&identifier=oai:x:1", "badArgument"),
    ("verb=GetRecord&identifier=invalid%22id&metadataPrefix=oai_dc", "idDoesNotExist"),
    ("verb=GetRecord&identifier=%3Ca%3E%00%1b&metadataPrefix=oai_dc", "idDoesNotExist"),
    ("verb=GetRecord&identifier=%ff%fe&metadataPrefix=oai_dc", "idDoesNotExist"),
    ("verb=GetRecord&identifier=&metadataPrefix=oai_dc", "idDoesNotExist"),
    ("verb=GetRecord&identifier=oai:x:1&metadataPrefix=junk", "cannotDisseminateFormat"),
    ("verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai_dc&set=a", "badArgument"),
    ("verb=ListIdentifiers&until=junk", "badArgument"), ("verb=ListIdentifiers&from=junk", "badArgument"),
    ("verb=ListIdentifiers&resumptionToken=junk&until=1990-01-10", "badArgument"),
    ("verb=ListIdentifiers&resumptionToken=junk&metadataPrefix=oai_dc", "badArgument"),
    ("verb=ListRecords&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListRecords&resumptionToken=", "badResumptionToken"),
    ("verb=ListRecords&resumptionToken=" + "0" * 4000, "badResumptionToken"),
    ("verb=ListRecords&resumptionToken=%00%22%3C", "badResumptionToken"),
    ("verb=ListSets&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListRecords", "badArgument"), ("verb=ListIdentifiers", "badArgument"),
    ("verb=Identify&identifier=a", "badArgument"), ("verb=Identify&junk=a", "badArgument"),
    ("verb=ListSets&set=a", "badArgument"), ("verb=ListMetadataFormats&set=a", "badArgument"),
    ("verb=ListMetadataFormats&identifier=oai:junk:1", "idDoesNotExist"),
    ("verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc", "badArgument"),
    ("verb=ListRecords&metadataPrefix=OAI_DC", "cannotDisseminateFormat"),
    ("verb=ListRecords&metadataPrefix=", "cannotDisseminateFormat"),
    ("verb=ListRecords&metadataPrefix=oai_dc&set=junk", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&set=", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&until=1970-01-01", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=9999-12-31", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2001-01-02&until=2001-01-01", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2001-01-01&until=2002-01-01T00:00:00Z", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2001-01-01T00:00:00Z&until=2002-01-01", "badArgument"),
]
WRONG_DATES = ("junk", "", "2001", "2001-01", "2001-13-01", "2001-02-29", "2001-01-00", "01-01-2001", "2001-1-1",
               "2001-01-01T00:00:00", "2001-01-01T00:00Z", "2001-01-01T24:00:01Z", "2001-01-01T00:60:00Z",
               "2001-01-01T00:00:00.0Z", "2001-01-01T00:00:00%2B00:00", "2001-01-01%2000:00:00Z", "2001-01-01t00:00:00z",
               "%202001-01-01", "2001-01-01%20", "-2001-01-01")


def check_faults(oai):
    for query, code in FAULTS:
        equal(oai.fault(query), code, query)
        answer = oai.ask(query)
        if code in ("badVerb", "badArgument"):
            equal(answer.request.attrib, {}, f"{query}: no attributes after such a fault")
        else:
            equal(answer.request.get("verb"), re.search(r"verb=(\w+)", query).group(1), query)
        check(answer.request.text.startswith("http://127.0.0.1:"), "the request's content is the base URL")
    for verb in LISTS:
        for date in WRONG_DATES:
            for argument in ("from", "until"):
                query = f"verb={verb}&metadataPrefix=oai_dc&{argument}={date}"
                equal(oai.fault(query), "badArgument", query)


def check_identify(oai):
    answer = oai.ask(verb="Identify")
    texts = {each.tag.split("}")[1]: each.text for each in answer.root.iter()}
    equal(texts["baseURL"], answer.request.text, "baseURL")
    equal((texts["protocolVersion"], texts["deletedRecord"], texts["granularity"]),
          ("2.0", "persistent", "YYYY-MM-DDThh:mm:ssZ"))
    check(re.fullmatch(r"[^@:]+@[^@]+\.[a-z]+", texts["adminEmail"]), texts["adminEmail"])
    check(re.fullmatch(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]+)+", texts["repositoryIdentifier"]), texts["repositoryIdentifier"])
    check(texts["sampleIdentifier"].startswith(f"oai:{texts['repositoryIdentifier']}:"), texts["sampleIdentifier"])
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", texts["earliestDatestamp"]), texts["earliestDatestamp"])
    check(texts["earliestDatestamp"] <= answer.date, "it is not in the future")
    equal(len(re.findall(rb"<oai-identifier xmlns=", answer.body)), 1, "one description, without a prefix")
    equal(oai.post(verb="Identify").without_date, answer.without_date, "POST")
    before = str(int(texts["earliestDatestamp"][:4]) - 1) + texts["earliestDatestamp"][4:]
    equal(oai.fault(verb="ListRecords", metadataPrefix="oai_dc", until=before.replace("-02-29", "-02-28")), "noRecordsMatch")


def check_methods(connection, oai):
    target = "/oai/request?verb=ListIdentifiers&metadataPrefix=oai_dc"
    got, head = connection.request("GET", target), connection.request("HEAD", target)
    equal((head.status, head.header("Content-Type"), head.body), (200, "text/xml; charset=UTF-8", b""))
    equal(head.header("Content-Length"), str(len(got.body)))
    form = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}
    equal(connection.request("POST", "/oai/request", b"verb=Identify", form).status, 200)
    equal(connection.request("POST", "/oai/request", b"verb=Identify", {"Content-Type": "text/xml"}).status, 415)
    equal(connection.request("PUT", "/oai/request", b"", form).status, 405)
    equal(connection.request("GET", "/oai/junk?verb=Identify").status, 404)
    equal(connection.request("GET", "/server/oai/request?verb=Identify").status, 200)
    equal(oai.post("verb=ListRecords&metadataPrefix=oai_dc&from=junk").errors, ["badArgument"])


def check_dates(oai, header):
    """A record is in the range of its own second and of its own day, and outside those beside."""
    day = header.datestamp[:10]
    for date in (header.datestamp, day):
        for verb in LISTS:
            found = oai.headers(verb, from_=date, until=date)
            check(header.identifier in [each.identifier for each in found], f"{verb} of {date}")
    for range_ in ({"until": "2001-01-01"}, {"from_": "9999-12-31T23:59:59Z"}, {"until": "1969-12-31T23:59:59Z"}):
        equal(oai.headers(**range_), [], str(range_))
    hour, minute, second = (int(part) for part in re.split("[TZ:]", header.datestamp)[1:4])
    if 0 < second < 59:
        for other, argument in ((second - 1, "until"), (second + 1, "from_")):
            found = oai.headers(**{argument: f"{day}T{hour:02}:{minute:02}:{other:02}Z"})
            check(header.identifier not in [each.identifier for each in found], f"{argument} {other} of {header}")


def check_record(oai, header):
    answer = oai.ask(verb="GetRecord", identifier=header.identifier, metadataPrefix="oai_dc")
    equal([(each.identifier, each.datestamp, each.sets) for each in answer.headers],
          [(header.identifier, header.datestamp, header.sets)])
    equal(answer.request.attrib, {"verb": "GetRecord", "identifier": header.identifier, "metadataPrefix": "oai_dc"})
    equal(oai.post(verb="GetRecord", identifier=header.identifier, metadataPrefix="oai_dc").without_date, answer.without_date)
    formats = oai.ask(verb="ListMetadataFormats", identifier=header.identifier)
    prefixes = [each.text for each in formats.root.iter("{http://www.openarchives.org/OAI/2.0/}metadataPrefix")]
    check("oai_dc" in prefixes, prefixes)
    for prefix in prefixes:
        metadata = oai.ask(verb="GetRecord", identifier=header.identifier, metadataPrefix=prefix).metadata()
        equal(metadata[header.identifier] is None, header.deleted, prefix)
    for wrong in (header.identifier[:-1], header.identifier + "0", header.identifier.upper(), header.identifier + "%00"):
        equal(oai.fault(verb="GetRecord", identifier=wrong, metadataPrefix="oai_dc"), "idDoesNotExist", wrong)


with Archive() as archive, archive.connect(None) as connection:
    oai = Harvester(connection)
    check_faults(oai)
    check_identify(oai)
    check_methods(connection, oai)
    for verb in LISTS:
        equal(oai.fault(verb=verb, metadataPrefix="oai_dc"), "noRecordsMatch", "an empty store")
    handle = archive.deposit([("dc.title", "One")])
    headers = oai.headers()
    equal([(each.identifier, each.deleted) for each in headers], [(f"oai:archivolt.example.org:{handle}", False)])
    equal(set(headers[0].sets), {"com_" + archive.community.replace("/", "_"), "col_" + archive.collection.replace("/", "_")})
    check_dates(oai, headers[0])
    check_record(oai, headers[0])
    equal(oai.ask(verb="ListRecords", metadataPrefix="oai_dc").token, None, "a complete list has no token")
    sets = oai.ask(verb="ListSets")
    equal({each.text for each in sets.root.iter("{http://www.openarchives.org/OAI/2.0/}setSpec")}, set(headers[0].sets))
    equal(archive.delete(archive.items[handle]).status, 204)
    gone = oai.headers()
    equal([(each.identifier, each.deleted, each.sets) for each in gone], [(headers[0].identifier, True, headers[0].sets)])
    check(gone[0].datestamp >= headers[0].datestamp, "a deletion moves the datestamp")
    check_record(oai, gone[0])
    check_faults(oai)
