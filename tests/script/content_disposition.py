# SPDX-License-Identifier: Apache-2.0
"""T27 dataverse#7188, T28 metacat#1129: a file's name in Content-Disposition, by RFC 6266 and 8187.

An ASCII fallback that any parser can read, and filename* whenever the name is more than that.
"""
import re
import urllib.parse

from lib import Server, check, equal
from lib.names import KEPT


def names_of(value):
    """(fallback, extended) of one header value, read strictly."""
    match = re.fullmatch(r'(attachment|inline); filename="((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"'
                         r"(?:; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*))?", value)
    check(match, f"not a strict Content-Disposition: {value!r}")
    fallback = re.sub(r"\\(.)", r"\1", match.group(2))
    return fallback, urllib.parse.unquote(match.group(3), errors="strict") if match.group(3) else None


with Server() as server:
    for report, name in KEPT:
        equal(server.put("/f/" + name, b"x").status, 201)
        values = server.get("/f/" + name).all("Content-Disposition")
        equal(len(values), 1, report)
        fallback, extended = names_of(values[0])
        equal(extended if extended is not None else fallback, name, report)

    equal(server.put("/other", b"x", {"Content-Disposition": "attachment; filename=\"a b.txt\""}).status, 201)
    equal(names_of(server.get("/other").header("Content-Disposition"))[0], "a b.txt")
