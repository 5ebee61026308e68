# SPDX-License-Identifier: Apache-2.0
# timeout: 1800
# alone
"""A server that takes packages of every kind is killed again and again: each deposit is whole, once, or was never there.

    deposit_loop.py [ROUNDS]    6 rounds, 100 with --full

After each start every acknowledged item is there once with all its files, every other is whole or absent; no volume
holds bytes behind its last entry, no file is left over, `fsck` is clean. At the end `verify` reads every byte.
"""
import base64
import os
import random
import re
import sys
import threading
import time

from lib import FULL, Server, check, equal
from lib.deposits import (BINARY, ENTRY_TYPE, SIMPLE_ZIP, Archive, entry_document, mets_document, zipped)
from lib.http import Closed
from lib.tar_entries import read_entries

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100 if FULL else 6
SEED = int(os.environ.get("ARCHIVOLT_SEED", time.time_ns() % 1000000))
EPRINTS = "http://eprints.org/ep2/data/2.0"
SIZES = [0, 1, 100, 70000, 1200000, 2500000]
NAME = re.compile(r"(r\d+-\w+-\d+)_(\d+)_of_(\d+)\.bin")
LEFT_OVER = re.compile(r"\.new$|\.tmp$|\.redo")


def files_of(key, count):
    """They follow from the key, so that an item tells what it should hold."""
    sizes = random.Random(f"{key}-{count}").choices(SIZES, k=count)
    return {f"{key}_{n}_of_{count}.bin": random.Random(n).randbytes(size) for n, size in enumerate(sizes)}


def mets(a, key):
    files = files_of(key, 4)
    return a.deposit(zipped({"mets.xml": mets_document(f"{key}_0_of_4.bin", files), **files}))


def simple_zip(a, key):
    return a.deposit(zipped(files_of(key, 5)), {"X-Packaging": SIMPLE_ZIP})


def binary(a, key):
    (name, data), = files_of(key, 1).items()
    return a.deposit(data, {"X-Packaging": BINARY, "Content-Disposition": f"filename={name}"})


def create(a, body, media_type):
    return a.request("POST", f"/swordv2/collection/{a.open}", body, {"Content-Type": media_type})


def entry(a, key):
    return create(a, entry_document(f"{key}_0_of_0.bin"), ENTRY_TYPE)


def multipart(a, key):
    parts = [(f"Content-Type: {ENTRY_TYPE}\r\nContent-Disposition: attachment; name=atom", entry_document(key)),
             (f"Content-Type: application/zip\r\nPackaging: {SIMPLE_ZIP}\r\n"
              "Content-Disposition: attachment; name=payload; filename=p.zip", zipped(files_of(key, 3)))]
    body = b"".join(f"--x\r\n{head}\r\n\r\n".encode() + data + b"\r\n" for head, data in parts) + b"--x--\r\n"
    return create(a, body, "multipart/related; boundary=x")


def eprints(a, key):
    files = "".join(f'<file><filename>{name}</filename><data encoding="base64">{base64.b64encode(data).decode()}</data></file>'
                    for name, data in files_of(key, 2).items())
    body = (f'<eprints xmlns="{EPRINTS}"><eprint><title>{key}</title><documents><document><files>{files}</files></document>'
            "</documents></eprint></eprints>")
    return a.deposit(body.encode(), {"Content-Type": "text/xml", "X-Packaging": EPRINTS})


KINDS = (mets, simple_zip, binary, entry, multipart, eprints)


class Load:
    """One thread a kind; what was answered is acknowledged."""

    def __init__(self, a):
        self.a, self.acknowledged, self.failures, self.dying = a, set(), [], False

    def run(self, kind, round_number):
        number = 0
        try:
            while True:
                key = f"r{round_number}-{kind.__name__}-{number}"
                answer = kind(self.a, key)
                equal(answer.status, 201, f"{key}: {answer.text}")
                self.acknowledged.add(key)
                number += 1
        except (Closed, OSError) as failure:
            if not self.dying:
                self.failures.append(failure)
        except BaseException as failure:  # handed on
            self.failures.append(failure)


def key_of(a, item):
    """The key of a whole item; anything else fails."""
    lines = [line.split("\t") for line in a.server.must("item", "show", item).text.splitlines()]
    found = [NAME.fullmatch(value) for line in lines for value in line[:2] if value.startswith("r")]
    found += [NAME.fullmatch(line[0].split("/", 1)[1]) for line in lines if line[0].startswith("ORIGINAL/")]
    key, _, count = next(match for match in found if match).groups()
    files = {line[0].split("/", 1)[1]: line[1] for line in lines if line[0].startswith("ORIGINAL/")}
    wanted = {name: f"{len(data)} bytes" for name, data in files_of(key, int(count)).items()
              if data or "-mets-" not in key}  # METS leaves out what is empty
    equal(files, wanted, f"files of {key}")
    return key


def nothing_is_left_over(server):
    for folder, _, names in os.walk(server.data):
        equal([name for name in names if LEFT_OVER.search(name) and "catalog" not in folder], [], folder)
    for name in os.listdir(server.volumes):
        _, rest = read_entries(os.path.join(server.volumes, name))
        check(len(rest) in (0, 1024) and not any(rest), f"{name} has {len(rest)} bytes behind its last entry")


def one_round(a, load, known, round_number):
    load.dying = False
    threads = [threading.Thread(target=load.run, args=(kind, round_number)) for kind in KINDS]
    for thread in threads:
        thread.start()
    time.sleep(random.Random(f"{SEED}-{round_number}").uniform(0.1, 1.5))
    load.dying = True
    a.server.kill()
    for thread in threads:
        thread.join()
    equal(load.failures, [])
    a.server.start()
    nothing_is_left_over(a.server)
    items = a.items()
    known.update({item: key_of(a, item) for item in items if item not in known})
    equal(sorted(known), sorted(items), "items that were there before")
    equal(len(set(known.values())), len(known), "each deposit once")
    equal(load.acknowledged - set(known.values()), set(), "acknowledged and not there")
    done = a.server.cli("fsck")
    equal(done.status, 0, f"fsck: {done.text} {done.error_text}")


def main():
    print(f"seed {SEED}, {ROUNDS} rounds (ARCHIVOLT_SEED repeats the load, not the moments)", flush=True)
    with Server(config="volume_size = 16M\n") as server:
        a = Archive(server)
        load, known = Load(a), {}
        for round_number in range(ROUNDS):
            one_round(a, load, known, round_number)
            print(f"round {round_number}: {len(load.acknowledged)} acknowledged of {len(known)} items", flush=True)
        kinds = {key.split("-")[1] for key in load.acknowledged}
        equal(kinds, {kind.__name__ for kind in KINDS}, "kinds that were acknowledged at all")
        equal(server.cli("verify").status, 0, "verify")


main()
