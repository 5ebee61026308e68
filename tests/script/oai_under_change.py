# SPDX-License-Identifier: Apache-2.0
"""OAI-PMH while the store changes: a full harvest, then one from its responseDate, together know what the store holds."""
import random
import re
import shutil
import threading

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


def facts(answers):
    """identifier → what harvesters know, the later answer the stronger; for ListRecords with the metadata's text."""
    known = {}
    for answer in answers:
        if answer.errors == ["noRecordsMatch"]:
            continue
        equal(answer.errors, [])
        metadata = answer.metadata()
        for header in answer.headers:
            known[header.identifier] = (header.deleted, header.datestamp, header.sets,
                                        texts(metadata.get(header.identifier)))
    return known


def texts(element):
    return None if element is None else [(each.tag, each.text) for each in element.iter()]


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
    full = oai.pages("ListRecords", metadataPrefix="oai_dc", between=lambda _: writer.count < 6 and thread.join(0.3))
    writer.stop = True
    thread.join()
    archive.settle()
    check(writer.count >= BETWEEN, f"{writer.count} changes")
    later = oai.pages("ListRecords", metadataPrefix="oai_dc", from_=full[0].date)
    union = {**facts(full), **facts(later)}
    pages = oai.pages("ListRecords", metadataPrefix="oai_dc")
    store = facts(pages)
    equal({key: value for key, value in union.items() if store.get(key) != value}, {}, "known otherwise than it is")
    equal(set(union), set(store), "identifiers")
    prefix = "oai:archivolt.example.org:" if any(":archivolt." in key for key in store) else "oai:archive.example.org:"
    equal({key for key, value in store.items() if value[0]}, {prefix + handle for handle in writer.deleted}, "deleted")
    equal({key for key, value in store.items() if not value[0]}, {prefix + handle for handle in writer.live}, "live")
    tokens = [page.token for page in pages if page.token]
    before = everything(oai, tokens)
    archive.stop()
    shutil.rmtree(f"{archive.data}/catalog")
    archive.must("rebuild")
    archive.start()
    with archive.connect(None) as again:
        equal(everything(Harvester(again), tokens), before, "after a rebuild")
