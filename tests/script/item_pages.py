# SPDX-License-Identifier: Apache-2.0
"""Pages of items, collections and communities: what people and machines find, and what is told of what is gone."""
import json
import re

from lib import check, contains, equal
from lib.deposit import Site, document, eprint
from lib.http import basic

TITLE = 'Lead & "gold" </script><b>'
FIELDS = """<type>article</type><title>Lead &amp; "gold" &lt;/script&gt;&lt;b&gt;</title>
<creators><item><name><family>Ayora</family><given>Berta</given></name></item>
<item><name><family>Zweig</family><given>Carl</given></name></item></creators>
<abstract>About metals.</abstract><date>2001-02</date><contact_email>secret@example.org</contact_email>"""


def meta(page, name):
    return re.findall(rf'<meta name="{name}" content="([^"]*)">', page.text)


with Site() as site:
    base = f"http://127.0.0.1:{site.port}"
    handle = site.deposit(eprint(FIELDS, document("a b.pdf", b"%PDF-1.4 a"), document("c.txt", b"text", "text/plain")))
    page = site.ask(f"/handle/{handle}")
    equal(page.status, 200, page.text)
    equal(meta(page, "citation_title"), ["Lead &amp; &quot;gold&quot; &lt;/script&gt;&lt;b&gt;"])
    equal(meta(page, "citation_author"), ["Ayora, Berta", "Zweig, Carl"])
    equal(meta(page, "citation_date"), ["2001-02"])
    equal(meta(page, "citation_abstract_html_url"), [f"{base}/handle/{handle}"])
    pdf = meta(page, "citation_pdf_url")[0]
    equal(site.ask(pdf.removeprefix(base)).body, b"%PDF-1.4 a")
    contains(page.text, "a b.pdf</a> 10 bytes")
    contains(page.text, "About metals.")
    check("<b>" not in page.text, "a title made markup")
    check("script-src" not in page.header("Content-Security-Policy"), "scripts are let in")
    contains(page.header("Content-Security-Policy"), "default-src 'none'")

    ld = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', page.text).group(1))
    equal(ld["name"], TITLE)
    equal([author["name"] for author in ld["author"]], ["Ayora, Berta", "Zweig, Carl"])
    equal([file["contentSize"] for file in ld["encoding"]], [10, 4])
    links = dict((rel, url) for url, rel in re.findall(r'<([^>]*)>; rel="([^"]*)"', page.header("Link")))
    equal(links["cite-as"], f"http://hdl.handle.net/{handle}")
    uuid = re.search(r"/items/([^/]*)/linkset", links["linkset"]).group(1)
    links_of = json.loads(site.ask(f"/items/{uuid}/linkset").body)["linkset"][0]
    equal(links_of["cite-as"], [{"href": f"http://hdl.handle.net/{handle}"}])
    equal([item["type"] for item in links_of["item"]], ["application/pdf", "text/plain"])
    check(all(links_of.values()), f"a relation without targets: {links_of}")
    for described in links_of["describedby"]:
        contains(site.ask(described["href"].removeprefix(base)).text, "Ayora, Berta")
    contains(page.text, f'<link rel="http://purl.org/net/sword/terms/edit" href="{base}/swordv2/edit/{uuid}">')
    same = site.ask(f"/items/{uuid}")
    equal(same.body, page.body)
    contains(same.text, f'<link rel="canonical" href="{base}/handle/{handle}">')

    # private fields: for who may change the item
    check("secret@example.org" not in page.text, "an address of a person left")
    check("secret@example.org" not in site.ask(f"/handle/{handle}", authorization=site.anna).text, "she may not change it any more")
    contains(site.ask(f"/handle/{handle}", authorization=basic("admin", site.token)).text, "secret@example.org")

    # conditions
    tag, modified = page.header("ETag"), page.header("Last-Modified")
    equal(site.ask(f"/handle/{handle}", {"If-None-Match": tag}).status, 304)
    equal(site.ask(f"/handle/{handle}", {"If-Modified-Since": modified}).status, 304)
    equal(site.ask(f"/handle/{handle}", {"If-Match": '"other"'}).status, 412)
    head = site.ask(f"/handle/{handle}", method="HEAD")
    equal((head.status, head.header("Content-Length"), head.header("ETag")), (200, str(len(page.body)), tag))
    equal(site.ask(f"/handle/{handle}", method="PUT", body=b"x").status, 405)

    # above it
    contains(site.ask(f"/handle/{site.community}").text, f'<a href="{base}/handle/{site.collection}">Theses</a> (collection)')
    collection = site.ask(f"/handle/{site.collection}")
    contains(collection.text, f'href="{base}/handle/{handle}"')
    contains(collection.header("Link"), f'<{base}/swordv2/collection/{site.collection}>; rel="http://purl.org/net/sword/terms/deposit"')
    check(handle not in site.ask(f"/handle/{site.collection}?after={handle.split('/')[1]}").text, "after is passed over")

    # what is not there, not for all, or gone
    equal(site.ask("/handle/123456789/999").status, 404)
    equal(site.ask("/items/0190").status, 404)
    site.must("item", "withdraw", handle, "--reason", "plagiarism & more")
    for target in (f"/handle/{handle}", f"/items/{uuid}"):
        gone = site.ask(target)
        equal(gone.status, 410)
        contains(gone.text, "plagiarism &amp; more")
        contains(gone.text, f"http://hdl.handle.net/{handle}")
        check("About metals" not in gone.text, "the tombstone tells too much")
    equal(site.ask(f"/handle/{handle}", {"If-None-Match": tag}).status, 410)
    site.must("item", "reinstate", handle)
    equal(site.ask(f"/handle/{handle}").status, 200)
    path = f"/repository/{site.community.split('/')[1]}/{site.collection.split('/')[1]}/{handle.split('/')[1]}"
    equal(site.delete(path).status, 204)
    equal(site.ask(f"/handle/{handle}").status, 410, "deleted")
    site.must("purge", path)
    gone = site.ask(f"/handle/{handle}")
    equal(gone.status, 410, "purged")
    contains(gone.text, "It has been deleted")
