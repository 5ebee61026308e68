# SPDX-License-Identifier: Apache-2.0
"""Limits of packages are keys of the configuration; a refusal names its key and leaves nothing, below it all is taken."""
from lib.check import contains, equal
from lib.deposits import SIMPLE_ZIP, archive, mets_document, refused, zipped

SIMPLE = {"X-Packaging": SIMPLE_ZIP}
LIMITS = "package_files = 4\npackage_bytes = 8M\npackage_ratio = 2000\npackage_metadata_bytes = 64K\n"


def files(count, size):
    return zipped({f"{n}.bin": bytes([n]) * size for n in range(count)})


def document(words):
    return zipped({"mets.xml": mets_document(title="w " * words, files={"a.txt": b"a"}), "a.txt": b"a"})


def taken(a, body, headers):
    answer = a.deposit(body, headers)
    equal(answer.status, 201, answer)


def refused_by(a, key, body, headers):
    before = a.dump()
    answer = a.deposit(body, headers)
    refused(answer, 413, "MaxUploadSizeExceeded", key)
    contains(answer.body, key.encode())
    equal(a.dump(), before, f"after {key}")


with archive(config=LIMITS) as a:
    taken(a, files(4, 100), SIMPLE)
    refused_by(a, "package_files", files(5, 100), SIMPLE)
    taken(a, files(4, 2 << 20), SIMPLE)
    refused_by(a, "package_bytes", files(4, (2 << 20) + 1), SIMPLE)
    taken(a, document(1000), ())
    refused_by(a, "package_metadata_bytes", document(40000), ())

with archive(config="package_ratio = 10\n") as a:
    taken(a, files(2, 1 << 20), SIMPLE)
    refused_by(a, "package_ratio", files(1, (1 << 20) + 1), SIMPLE)
