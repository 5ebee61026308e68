# SPDX-License-Identifier: Apache-2.0
# not a test: run by oai_harvesters.py
"""Harvests oai_dc by one client and prints what it saw, a JSON list a record. Run by the Python that the clients are installed for.

    oai_client.py sickle|scythe|oaipmh URL

A line: identifier, datestamp, sets sorted, whether it is deleted, values of each element in order.
"""
import json
import sys


def line(identifier, datestamp, sets, deleted, values):
    filled = {key: list(texts) for key, texts in (values or {}).items() if texts}
    print(json.dumps([identifier, datestamp, sorted(sets), deleted, filled], sort_keys=True))


def of_record(record):
    """Of sickle, and of scythe, which comes from it."""
    values = {} if record.deleted else record.metadata
    line(record.header.identifier, record.header.datestamp, record.header.setSpecs, record.deleted, values)


def by_sickle(url):
    import sickle
    for record in sickle.Sickle(url).ListRecords(metadataPrefix="oai_dc"):
        of_record(record)


def by_scythe(url):
    import oaipmh_scythe
    with oaipmh_scythe.Scythe(url) as scythe:
        for record in scythe.list_records(metadata_prefix="oai_dc"):
            of_record(record)


def by_oaipmh(url):
    """Asks by POST."""
    from oaipmh.client import Client
    from oaipmh.metadata import MetadataRegistry, oai_dc_reader
    registry = MetadataRegistry()
    registry.registerReader("oai_dc", oai_dc_reader)
    for header, metadata, _ in Client(url, registry).listRecords(metadataPrefix="oai_dc"):
        values = {} if header.isDeleted() else metadata.getMap()
        line(header.identifier(), header.datestamp().strftime("%Y-%m-%dT%H:%M:%SZ"), header.setSpec(), header.isDeleted(), values)


CLIENTS = {"sickle": by_sickle, "scythe": by_scythe, "oaipmh": by_oaipmh}

if __name__ == "__main__":
    CLIENTS[sys.argv[1]](sys.argv[2])
