# SPDX-License-Identifier: Apache-2.0
# timeout: 600
"""Harvesters that others wrote see 250 records and deletions through several tokens as they are: identifiers, datestamps, sets, values."""
import json
import os
import subprocess

from lib import Archive, Harvester, check, equal, run_program

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = ("sickle", "scythe", "oaipmh")
COUNT = 250


def installed():
    done = subprocess.run([os.path.join(HERE, "install.sh"), "oai"], stdout=subprocess.PIPE, text=True)
    check(done.returncode == 0, "the harvesters could not be installed")
    return os.path.join(done.stdout.strip(), "oai-harvesters-1", "bin", "python")


def wanted(pages):
    lines = []
    for page in pages:
        metadata = page.metadata()
        for header in page.headers:
            values = {}
            for element in metadata[header.identifier] if metadata[header.identifier] is not None else ():
                values.setdefault(element.tag.split("}")[1], []).append(element.text)
            lines.append([header.identifier, header.datestamp, sorted(header.sets), header.deleted, values])
    return lines


python = installed()
with Archive() as archive, archive.connect(None) as connection:
    handles = archive.deposit_many(COUNT)
    archive.deposit([("dc.title", "Ünïcødé 📖 \u202e"), ("dc.contributor.author", "Б, А"), ("dc.contributor.author", "А, Б")])
    for handle in handles[:7]:
        equal(archive.delete(archive.items[handle]).status, 204)
    pages = Harvester(connection).pages("ListRecords", metadataPrefix="oai_dc")
    truth = wanted(pages)
    equal((len(pages), len(truth), sum(line[3] for line in truth)), (3, COUNT + 1, 7))
    for client in CLIENTS:
        done = run_program([python, os.path.join(HERE, "oai_client.py"), client, f"http://127.0.0.1:{archive.port}/oai/request"])
        equal(done.status, 0, f"{client}: {done.error_text}")
        equal([json.loads(each) for each in done.text.splitlines()], truth, client)
