# SPDX-License-Identifier: Apache-2.0
# timeout: 3600
# build: gcc
"""OAI-PMH while the store changes: a full harvest, then one from its responseDate, together know what the store holds."""
import hashlib
import random
import re
import shutil
import threading
import xml.etree.ElementTree

from lib import FULL, Archive, Harvester, check, equal, item_fields

ITEMS = 100_000 if FULL else 260
BETWEEN = 5000 if FULL else 12  # changes while a harvest runs, at least


class Writer:
    """Changes items one after the other; `deleted` and `closed` are what it did, for the comparison."""

    def __init__(self, archive, handles):
        self.archive, self.live, self.random = archive, list(handles), random.Random(7)
        self.deleted, self.count, self.stop = set(), 0, False
        self.other = archive.add_collection("Reports")
        self.closed = archive.add_collection("Closed later")
        self.in_closed = {archive.deposit(item_fields(9000 + n), self.closed) for n in range(5)}
        archive.settle()

    def pick(self):
        return self.random.choice(self.live)

    def change(self):
        kind = self.count % 5
        self.count += 1
        if kind == 0:
            self.live.append(self.archive.deposit(item_fields(10000 + self.count)))
        elif kind in (1, 2):
            self.archive.must("meta", "set", self.archive.items[self.pick()], "dc.title", f"Edited {self.count}")
        elif kind == 3:
            handle = self.pick()
            self.live.remove(handle)
            self.deleted.add(handle)
            equal(self.archive.delete(self.archive.items[handle]).status, 204)
        else:
            handle = self.pick()
            self.archive.must("item", "move", handle, self.other)
            self.archive.items[handle] = f"{self.archive.path_of(self.other)}/{handle.split('/')[1]}"

    def run(self):
        while not self.stop or self.count < BETWEEN:
            self.change()
            if self.count == BETWEEN // 2:
                self.archive.must("access", "set", self.archive.path_of(self.closed), "anonymous", "none")
                self.deleted |= self.in_closed


class Harvest:
    """What a harvest of all records, or of those since a time, says: `known`, identifier → facts, the later ones the stronger."""

    def __init__(self, oai, between=None, **arguments):
        self.known, self.tokens, self.date = {}, [], None
        for answer in oai.each_page("ListRecords", between=between, metadataPrefix="oai_dc", **arguments):
            self.date = self.date or answer.date
            if answer.errors != ["noRecordsMatch"]:
                equal(answer.errors, [])
                self.take(answer)

    def take(self, answer):
        metadata = answer.metadata()
        for header in answer.headers:
            self.known[header.identifier] = (header.deleted, header.datestamp, header.sets,
                                             digest(metadata[header.identifier]))
        if answer.token:
            self.tokens.append(answer.token)


def digest(element):
    """Of a record's metadata; equal bytes have equal ones, and memory holds 100,000."""
    return None if element is None else hashlib.sha256(xml.etree.ElementTree.tostring(element)).hexdigest()


def everything(oai, tokens):
    """All answers to the usual questions but for responseDate; first answers without their tokens, which hold a time of expiry."""
    answers = [re.sub(rb"<resumptionToken.*?</resumptionToken>", b"", oai.ask(verb=verb, metadataPrefix="oai_dc").without_date)
               for verb in ("ListRecords", "ListIdentifiers")]
    answers += [oai.ask(verb="ListRecords", resumptionToken=token).without_date for token in tokens]
    return answers + [oai.ask(verb=verb).without_date for verb in ("Identify", "ListSets", "ListMetadataFormats")]


with Archive(serve_options=["--set", "base_url=http://archive.example.org"]) as archive, archive.connect(None) as connection:
    oai = Harvester(connection)
    writer = Writer(archive, archive.deposit_many(ITEMS))
    thread = threading.Thread(target=writer.run)
    thread.start()
    full = Harvest(oai, between=lambda _: writer.count < 6 and thread.join(0.3))
    writer.stop = True
    thread.join()
    archive.settle()
    check(writer.count >= BETWEEN, f"{writer.count} changes")
    later = Harvest(oai, from_=full.date)
    now = Harvest(oai)
    union, store = {**full.known, **later.known}, now.known
    equal({key: value for key, value in union.items() if store.get(key) != value}, {}, "known otherwise than it is")
    equal(set(union), set(store), "identifiers")
    prefix = "oai:archive.example.org:"
    equal({key for key, value in store.items() if value[0]}, {prefix + handle for handle in writer.deleted}, "deleted")
    equal({key for key, value in store.items() if not value[0]}, {prefix + handle for handle in writer.live}, "live")
    before = everything(oai, now.tokens)
    archive.stop()
    shutil.rmtree(f"{archive.data}/catalog")
    archive.must("rebuild")
    archive.start()
    with archive.connect(None) as again:
        equal(everything(Harvester(again), now.tokens), before, "after a rebuild")
