# SPDX-License-Identifier: Apache-2.0
"""The addresses of EPrints lead to items, files and metadata; sitemaps have what anybody may read, and nothing else."""
import re
from xml.etree import ElementTree

from lib import check, contains, equal
from lib.deposit import Site, document, eprint

PDF = b"%PDF-1.4 eprint"
FIELDS = "<type>article</type><title>By number</title><contact_email>secret@example.org</contact_email>"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"

with Site() as site:
    base = f"http://127.0.0.1:{site.port}"
    handle = site.deposit(eprint(FIELDS, document("paper one.pdf", PDF)))
    other = site.deposit(eprint(FIELDS, document("other.pdf", PDF)))
    number = handle.split("/")[1]

    for target in (f"/{number}/", f"/{number}"):
        answer = site.ask(target)
        equal((answer.status, answer.header("Location")), (301, f"{base}/id/eprint/{number}/"), target)
    for target in (f"/id/eprint/{number}/", f"/id/eprint/{number}"):
        answer = site.ask(target)
        equal((answer.status, answer.header("Location")), (303, f"{base}/handle/{handle}"), target)
    xml = site.ask(f"/id/eprint/{number}", {"Accept": "application/vnd.eprints.data+xml"}).header("Location")
    equal(xml, f"{base}/cgi/export/eprint/{number}/XML/{number}.xml")
    for target in (f"/id/eprint/{number}/1/paper%20one.pdf", f"/{number}/1/paper%20one.pdf"):
        answer = site.ask(target)
        equal((answer.status, answer.body, answer.header("Content-Type")), (200, PDF, "application/pdf"), target)
    for name, root in (("XML", "eprints"), ("EP3", "eprint"), ("DC", "dc"), ("METS", "mets"), ("MODS", "mods"), ("DIDL", "DIDL"),
                       ("RDFXML", "RDF")):
        for target in (f"/cgi/export/eprint/{number}/{name}/x.xml", f"/cgi/export/{number}/{name}/x.xml"):
            answer = site.ask(target)
            equal(answer.status, 200, (target, answer.text[:200]))
            contains(ElementTree.fromstring(answer.body).tag, root.rstrip("s"), target)
            contains(answer.text, "By number", target)
            check("secret@example.org" not in answer.text, "an address of a person left")
    for target in (f"/cgi/export/eprint/{number}/Nothing/x", "/id/eprint/99999", f"/id/eprint/{number}/1/none.pdf", "/99999/1/x"):
        equal(site.ask(target).status, 404, target)

    def located(target):
        document_ = ElementTree.fromstring(site.ask(target).body)
        return [element.text for element in document_.iter(SITEMAP + "loc")]

    contains(site.ask("/robots.txt").text, f"Sitemap: {base}/sitemap.xml")
    [page] = located("/sitemap.xml")
    equal(located(page.removeprefix(base)), [f"{base}/handle/{handle}", f"{base}/handle/{other}"])
    check(re.search(r"<lastmod>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ</lastmod>", site.ask("/sitemaps/0").text), "lastmod")
    equal(site.ask("/sitemaps/1").status, 404)
    site.must("item", "withdraw", other)
    equal(located("/sitemaps/0"), [f"{base}/handle/{handle}"])
    equal(site.ask(f"/id/eprint/{other.split('/')[1]}").status, 410)
