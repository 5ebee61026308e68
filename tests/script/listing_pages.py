# SPDX-License-Identifier: Apache-2.0
"""Listing a container by pages: every child once, in order of bytes, while others come and go."""
import json
import re

from lib import Server, check, contains, equal, in_parallel

COUNT = 250


def follow(connection, target):
    """All names by following rel="next"."""
    names, pages = [], 0
    while target:
        answer = connection.request("GET", target, headers={"Accept": "application/json"})
        equal(answer.status, 200, target)
        names += [child["name"] for child in json.loads(answer.body)["children"]]
        pages += 1
        found = [re.match(r'<([^>]+)>;\s*rel="?next"?', link) for link in answer.all("Link")]
        targets = [match.group(1) for match in found if match]
        target = re.sub(r"^https?://[^/]+", "", targets[0]) if targets else None
    return names, pages


with Server() as server, server.connect() as connection:
    wanted = sorted((f"child {n} ü&?" for n in range(COUNT)), key=str.encode)
    in_parallel(COUNT, lambda n: equal(server.put(f"/c/{wanted[n]}", b"").status, 201), threads=8)
    for limit in (1, 7, 100, 250, 1000):
        names, pages = follow(connection, f"/rest/c?limit={limit}")
        equal(names, wanted, f"limit {limit}")
        check(pages <= COUNT // limit + 1, f"limit {limit}: {pages} pages")
    equal(follow(connection, "/rest/c")[0], wanted, "without a limit")

    whole = connection.request("GET", "/rest/c", headers={"Accept": "application/n-triples"})
    equal(whole.text.count("http://www.w3.org/ns/ldp#contains"), COUNT, "N-Triples")
    page = connection.request("GET", "/rest/c?limit=10", headers={"Accept": "text/html"})
    contains(page.text, "child 0 ü&amp;?", "HTML escapes names")

    # After a name that has gone meanwhile, the page goes on behind it.
    equal(server.delete("/c/" + wanted[9]).status, 204)
    after = connection.request("GET", "/rest/c?limit=3&after=child%209%20%C3%BC%26%3F",
                               headers={"Accept": "application/json"})
    last = wanted.index("child 9 ü&?")
    equal([child["name"] for child in json.loads(after.body)["children"]], wanted[last + 1:last + 4])
    for bad in ("limit=0", "limit=-1", "limit=x", "limit=99999999999999999999", "after=%FF"):
        equal(connection.request("GET", "/rest/c?" + bad).status, 400, bad)
    lines = server.must("ls", "--limit", "5", "--after", wanted[3], "/c").text.splitlines()
    equal(len(lines), 5)
