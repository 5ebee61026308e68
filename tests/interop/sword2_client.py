# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""The Python client of SWORD 2 (sword2 0.3) works against us: all that its own tests do, but for multipart.

Under Python 3 its multipart requests fail before anything is sent; script/sword2_multipart writes them byte by byte. The
client runs in an environment of its own, in the cache folder outside the repository:

    sword2_client.py                                 installs it, starts a server, runs the session below
    sword2_client.py SERVICE-DOCUMENT PERSON TOKEN   the session, in that environment
"""
import base64
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SIMPLE_ZIP = "http://purl.org/net/sword/package/SimpleZip"


def environment():
    """The Python of the client's environment, which is made when it is missing."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "archivolt-tests", "sword2-0.3")
    mark = os.path.join(folder, "complete")
    if not os.path.exists(mark):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([os.path.join(folder, "bin", "pip"), "install", "--quiet", "--requirement",
                        os.path.join(HERE, "sword2_requirements.txt")], check=True)
        with open(mark, "w"):
            pass
    return os.path.join(folder, "bin", "python")


# ---- in the environment ----

def entry(sword2, title):
    return sword2.Entry(title=title, id="urn:x", dcterms_abstract="What it is about", dcterms_creator="A. Writer")


def reads(equal, connection, receipt, files):
    equal(receipt.valid, True, "receipt")
    again = connection.get_deposit_receipt(receipt.edit)
    equal((again.code, again.valid, again.title), (200, True, "By the client"))
    content = connection.get_resource(receipt.edit_media)
    equal((content.code, members(content.content)), (200, files))
    equal(connection.get_resource(receipt.edit_media, packaging="http://example.org/none", headers={}).code, 406)
    for statement in (connection.get_atom_sword_statement(receipt.atom_statement_iri),
                      connection.get_ore_sword_statement(receipt.ore_statement_iri)):
        equal([state[0] for state in statement.states], ["http://dspace.org/state/inprogress"])
        equal(len(statement.original_deposits), 1)
        equal(statement.original_deposits[0].deposited_by, "anna")


def changes(equal, connection, sword2, receipt):
    put = connection.update_files_for_resource(zipped({"b.txt": b"b"}), "p.zip", edit_media_iri=receipt.edit_media,
                                               mimetype="application/zip", packaging=SIMPLE_ZIP)
    equal(put.code, 204)
    added = connection.add_file_to_resource(receipt.edit_media, b"alone", "c d.txt", mimetype="text/plain")
    equal(added.code, 201)
    equal(added.location == receipt.edit_media, False, "a file has an IRI of its own")
    package = connection.add_file_to_resource(receipt.edit_media, zipped({"e.txt": b"e"}), "q.zip", mimetype="application/zip",
                                              packaging=SIMPLE_ZIP)
    equal((package.code, package.location), (201, receipt.edit_media))
    equal(members(connection.get_resource(receipt.edit_media).content), {"b.txt": b"b", "c d.txt": b"alone", "e.txt": b"e"})
    equal(connection.append(se_iri=receipt.se_iri, metadata_entry=entry(sword2, "Second"), in_progress=True).code, 200)
    equal(connection.update_metadata_for_resource(entry(sword2, "Third"), edit_iri=receipt.edit, in_progress=True).code in
          (200, 204), True)
    equal(connection.get_deposit_receipt(receipt.edit).title, "Third")
    equal(connection.delete_content_of_resource(edit_media_iri=receipt.edit_media).code, 204)
    equal(connection.complete_deposit(se_iri=receipt.se_iri).code, 200)


def session(where, person, token):
    import sword2
    from lib.check import equal
    connection = sword2.Connection(where, user_name=person, user_pass=token, error_response_raises_exceptions=False,
                                   honour_receipts=False)
    connection.get_service_document()
    equal((connection.sd.valid, connection.sd.version, len(connection.workspaces)), (True, "2.0", 1))
    collection, = connection.workspaces[0][1]
    package = zipped({"a.txt": b"a"})
    by_entry = connection.create(col_iri=collection.href, metadata_entry=entry(sword2, "By the client"), in_progress=True,
                                 suggested_identifier="slug")
    equal((by_entry.code, by_entry.valid), (201, True))
    equal(connection.update_files_for_resource(package, "a b.zip", edit_media_iri=by_entry.edit_media, packaging=SIMPLE_ZIP,
                                               mimetype="application/zip").code, 204)
    reads(equal, connection, by_entry, {"a.txt": b"a"})
    changes(equal, connection, sword2, by_entry)
    receipt = connection.create(col_iri=collection.href, payload=package, mimetype="application/zip", filename="p.zip",
                                packaging=SIMPLE_ZIP, in_progress=True)
    equal(receipt.code, 201)
    equal(connection.delete_container(edit_iri=receipt.edit).code, 204)
    refusals(equal, connection, collection, package, sword2.Connection(where, user_name=person, user_pass="wrong"))


def refusals(equal, connection, collection, package, unknown):
    options = {"col_iri": collection.href, "payload": package, "mimetype": "application/zip", "filename": "p.zip",
               "packaging": SIMPLE_ZIP}
    wrong_sum = connection.create(**options, md5sum="0" * 32)
    equal((wrong_sum.code, wrong_sum.error_href), (412, "http://purl.org/net/sword/error/ErrorChecksumMismatch"))
    unsure = connection.create(**options, in_progress="invalid")
    equal((unsure.code, unsure.error_href), (400, "http://purl.org/net/sword/error/ErrorBadRequest"))
    options["packaging"] = "http://example.org/none"
    unpacked = connection.create(**options)
    equal((unpacked.code, unpacked.error_href), (415, "http://purl.org/net/sword/error/ErrorContent"))
    try:
        unknown.get_service_document()
    except Exception as error:  # the client's own kinds differ by version
        equal("401" in str(error) or "Unauthor" in type(error).__name__, True, repr(error))
    equal(unknown.sd is None or not unknown.sd.valid, True, "a service document without the right password")


# ---- outside ----

def main():
    from lib.check import equal
    from lib.deposits import archive
    python = environment()
    with archive() as a:
        token = base64.b64decode(a.who["anna"].split()[1]).decode().split(":", 1)[1]
        done = subprocess.run([python, os.path.abspath(__file__),
                               f"http://127.0.0.1:{a.server.port}/swordv2/servicedocument/{a.open}", "anna", token])
        equal(done.returncode, 0, "the client's session")


if __name__ == "__main__":
    from lib.deposits import members, zipped
    if len(sys.argv) > 1:
        session(*sys.argv[1:])
    else:
        main()
