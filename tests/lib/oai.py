# SPDX-License-Identifier: Apache-2.0
"""A harvester of OAI-PMH that takes nothing for granted: each answer is parsed, its frame checked."""
import re
import urllib.parse
import xml.etree.ElementTree

from lib.check import check, equal

NAMESPACE = "http://www.openarchives.org/OAI/2.0/"
SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def tag(name):
    return f"{{{NAMESPACE}}}{name}"


class Header:
    def __init__(self, element):
        self.identifier = element.findtext(tag("identifier"))
        self.datestamp = element.findtext(tag("datestamp"))
        self.sets = tuple(each.text for each in element.findall(tag("setSpec")))
        self.deleted = element.get("status") == "deleted"
        check(element.get("status") in (None, "deleted"), f"status {element.get('status')}")
        check(SECONDS.fullmatch(self.datestamp), f"datestamp {self.datestamp}")

    def __repr__(self):
        return f"<{self.identifier} {self.datestamp}{' deleted' if self.deleted else ''}>"


class Answer:
    """One answer: `errors`, codes; `headers`; `token`, None when there is no element, "" when it is empty."""

    def __init__(self, response):
        equal(response.status, 200, response.text)
        equal(response.header("Content-Type"), "text/xml; charset=UTF-8")
        self.body = response.body
        self.root = xml.etree.ElementTree.fromstring(response.body)
        equal(self.root.tag, tag("OAI-PMH"))
        check(not re.search(rb"<\w+:(request|error|header|record|Identify)\b", self.body), "OAI's elements have no prefix")
        self.date = self.root.findtext(tag("responseDate"))
        check(SECONDS.fullmatch(self.date), f"responseDate {self.date}")
        self.request = self.root.find(tag("request"))
        self.errors = [error.get("code") for error in self.root.findall(tag("error"))]
        self.headers = [Header(each) for each in self.root.iter(tag("header"))]
        self.token_element = next(self.root.iter(tag("resumptionToken")), None)
        self.token = None if self.token_element is None else self.token_element.text or ""

    @property
    def without_date(self):
        return re.sub(rb"<responseDate>[^<]*</responseDate>", b"", self.body)

    def metadata(self):
        """The root elements of records' metadata by identifier; None: the record has none."""
        found = {}
        for record in self.root.iter(tag("record")):
            holder = record.find(tag("metadata"))
            check(holder is None or len(holder) == 1, "metadata holds one element")
            found[Header(record.find(tag("header"))).identifier] = None if holder is None else holder[0]
        return found


class Harvester:
    """Over one connection. arguments: keywords (from_ for from), or a raw query."""

    def __init__(self, connection, path="/oai/request"):
        self.connection, self.path = connection, path

    def query(self, raw=None, **arguments):
        return raw if raw is not None else urllib.parse.urlencode(
            [(key.rstrip("_"), value) for key, value in arguments.items() if value is not None])

    def ask(self, raw=None, **arguments):
        return Answer(self.connection.request("GET", f"{self.path}?{self.query(raw, **arguments)}"))

    def post(self, raw=None, **arguments):
        return Answer(self.connection.request("POST", self.path, self.query(raw, **arguments).encode(),
                                              {"Content-Type": "application/x-www-form-urlencoded"}))

    def fault(self, raw=None, **arguments):
        """The one code of a refused request."""
        answer = self.ask(raw, **arguments)
        equal(len(answer.errors), 1, answer.body)
        return answer.errors[0]

    def each_page(self, verb, between=None, **arguments):
        """The answers of a list, one after the other; between(answer) is called before the next is drawn."""
        answer = self.ask(verb=verb, **arguments)
        yield answer
        while answer.token:
            if between:
                between(answer)
            answer = self.ask(verb=verb, resumptionToken=answer.token)
            yield answer

    def pages(self, verb, **arguments):
        """All answers of a list."""
        return list(self.each_page(verb, **arguments))

    def headers(self, verb="ListIdentifiers", metadataPrefix="oai_dc", **arguments):
        """Of all pages; none when nothing matches."""
        answers = self.pages(verb, metadataPrefix=metadataPrefix, **arguments)
        if answers[0].errors == ["noRecordsMatch"]:
            return []
        for answer in answers:
            equal(answer.errors, [])
        return [header for answer in answers for header in answer.headers]
