# SPDX-License-Identifier: Apache-2.0
"""import of bags, EPrints documents, tables and trees; check, which says what a deposit would do and keeps nothing."""
import hashlib
import json
import os
import zipfile

from lib import check, equal
from lib.deposits import archive, mets_package

EPRINTS = """<?xml version="1.0" encoding="utf-8"?><eprints>
<eprint xmlns="http://eprints.org/ep2/data/2.0"><eprintid>71</eprintid><title>First eprint</title><type>article</type></eprint>
<eprint xmlns="http://eprints.org/ep2/data/2.0"><eprintid>72</eprintid><title>Second eprint</title><type>article</type></eprint></eprints>"""
TABLE = '''id,collection,dc.title[en],dc.contributor.author,dc.subject
+,123456789/9,"A title, with ""quotes""",One::a1::600||Two,
+,,Second,Three,x::y
'''


def write(a, name, body):
    path = os.path.join(a.server.folder, "in", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(body if isinstance(body, bytes) else body.encode())
    return path


def imported(a, form, source, *options):
    """Lines of a run by their names."""
    done = a.server.cli("--json", "import", form, source, a.open, *options)
    rows = [json.loads(line) for line in done.text.splitlines()]
    equal(done.status, int(any(row.get("outcome") == "failed" for row in rows)), done.error_text)
    return {row["name"]: row for row in rows if "name" in row}


def fields(a, handle):
    rows = map(json.loads, a.server.must("--json", "item", "show", handle).text.splitlines())
    return [(row["field"], row["value"]) for row in rows
            if "field" in row and not row["field"].startswith(("dc.date", "dc.identifier", "dc.description.provenance"))]


def files(a, handle):
    rows = map(json.loads, a.server.must("--json", "item", "show", handle).text.splitlines())
    return {(row["bundle"], row["path"]): (row["size"], row["type"]) for row in rows if "bundle" in row}


def bag(a, name, data):
    write(a, f"{name}/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    write(a, f"{name}/data/deep/x.txt", data)
    digest = hashlib.sha256(b"in the bag").hexdigest()
    write(a, f"{name}/manifest-sha256.txt", f"{digest}  data/deep/x.txt\n")
    return os.path.join(a.server.folder, "in", name)


def bags(a):
    good, bad = bag(a, "bags/good", "in the bag"), bag(a, "bags/bad", "not in the bag")
    with zipfile.ZipFile(os.path.join(os.path.dirname(good), "zipped.zip"), "w") as archive_file:
        for folder, _, names in os.walk(good):
            for name in names:
                path = os.path.join(folder, name)
                archive_file.write(path, "b/" + os.path.relpath(path, good))
    rows = imported(a, "bagit", os.path.dirname(good))
    equal({name: row["outcome"] for name, row in rows.items()}, {"good": "added", "bad": "failed", "zipped.zip": "added"})
    check("sha256" in rows["bad"]["message"], rows["bad"])
    equal(files(a, rows["good"]["handle"])["ORIGINAL", "deep/x.txt"], (10, "text/plain"))
    equal({row["outcome"] for row in imported(a, "bagit", good, "--run", "one").values()}, {"added"}, "a bag by itself")
    os.symlink("/etc/passwd", os.path.join(good, "data", "link"))
    rows = imported(a, "bagit", good, "--run", "two")
    check("neither file nor directory" in rows["good"]["message"], rows)


def trees(a):
    write(a, "tree/b/x.csv", "1,2")
    write(a, "tree/b/y/z.pdf", "%PDF")
    write(a, "tree/a.bin", b"\0")
    os.symlink("/etc/passwd", os.path.join(a.server.folder, "in/tree/b/link"))
    rows = imported(a, "tree", os.path.join(a.server.folder, "in/tree"))
    equal(sorted(rows), ["a.bin", "b"])
    check("link" in rows["b"]["report"], rows["b"])
    equal(files(a, rows["b"]["handle"]), {("ORIGINAL", "x.csv"): (3, "text/csv"), ("ORIGINAL", "y/z.pdf"): (4, "application/pdf")})
    equal(fields(a, rows["a.bin"]["handle"]), [("dc.title", "a.bin")])


def tables(a):
    rows = imported(a, "csv", write(a, "m.csv", TABLE))
    equal(sorted(rows), ["m.csv", "m.csv#2"])
    equal(fields(a, rows["m.csv"]["handle"]), [("dc.title", 'A title, with "quotes"'), ("dc.contributor.author", "One"),
                                               ("dc.contributor.author", "Two")])
    equal(fields(a, rows["m.csv#2"]["handle"]), [("dc.title", "Second"), ("dc.contributor.author", "Three"), ("dc.subject", "x::y")])
    for table, words in {"id,dc.title\n123456789/3,x\n": "would change an item", "dc.title\na,b\n": "2 cells for 1 columns",
                         "what\nx\n": "no name of a field", "dc.title\n": "without rows", 'dc.title\n"a': "not closed"}.items():
        rows = imported(a, "csv", write(a, "bad.csv", table))
        check(words in rows["bad.csv"]["message"], (table, rows))


def eprints(a):
    rows = imported(a, "eprints", write(a, "e.xml", EPRINTS))
    equal({name: row["title"] for name, row in rows.items()}, {"e.xml": "First eprint", "e.xml#2": "Second eprint"})
    rows = imported(a, "eprints", write(a, "e2.xml", EPRINTS.replace("</eprints>", "<eprint/>")))
    equal(rows["e2.xml"]["outcome"], "failed")


def checks(a):
    dump = a.dump()
    good = a.server.must("--json", "check", write(a, "p.zip", mets_package("To be checked")), "--collection", a.open)
    rows = [json.loads(line) for line in good.text.splitlines()]
    check({"field": "dc.title", "value": "To be checked"} in rows, "fields")
    check(any(row.get("path") == "first.txt" for row in rows), "files")
    equal((rows[-1]["packaging"], rows[-1]["items"], rows[-1]["state"]), ("mets", 1, "archived"))
    bad = a.server.cli("check", write(a, "bad.zip", mets_package().replace(b"third.bin", b"thirD.bin")), "--collection", a.open)
    equal(bad.status, 1)
    equal(a.server.cli("check", "/nowhere", "--collection", a.open).status, 3)
    equal(a.server.cli("check", write(a, "p.zip", b"x"), "--collection", "123456789/99").status, 3)
    equal(a.server.cli("check", write(a, "p.zip", b"x"), "--collection", a.open, "--as", "otto").status, 4, "who may not deposit")
    equal(a.dump(), dump)
    a.server.must("collection", "set", a.open, "packagings", "mets")
    equal(a.server.cli("check", write(a, "note.txt", b"x"), "--collection", a.open).status, 1, "a packaging that is not taken")


def limits(a):
    """Those of the configuration, as for any deposit."""
    write(a, "three/x/1", "1"), write(a, "three/x/2", "2"), write(a, "three/x/3", "3"), write(a, "three/y/1", "1")
    rows = imported(a, "tree", os.path.join(a.server.folder, "in/three"))
    equal({name: row["outcome"] for name, row in rows.items()}, {"x": "failed", "y": "added"})
    check("package_files" in rows["x"]["message"], rows["x"])
    done = a.server.cli("check", write(a, "p.zip", mets_package()), "--collection", a.open)
    check(done.status == 1 and "package_files" in done.error_text, done.error_text)


with archive(config="package_files = 2\n") as a:
    limits(a)
with archive() as a:
    bags(a)
    trees(a)
    tables(a)
    eprints(a)
    checks(a)
