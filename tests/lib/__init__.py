# SPDX-License-Identifier: Apache-2.0
"""What script tests stand on: the real programs in a temporary folder, raw HTTP, assertions.

    from lib import Server, equal

    with Server() as server:
        equal(server.put("/a", b"bytes").status, 201)
        server.kill(); server.start()
        equal(server.get("/a").body, b"bytes")

Standard library only. A failed assertion ends the program with exit status 1.
"""
from lib.archive import Archive, item_fields
from lib.check import check, contains, equal, fails_with, in_parallel
from lib.http import Connection, Response, quote
from lib.oai import Harvester
from lib.programs import program, run_program
from lib.server import FULL, Server, temporary_folder
from lib.volumes import journal_lines, unpack, volume_files

__all__ = ["Archive", "Connection", "FULL", "Harvester", "Response", "Server", "check", "contains", "equal", "fails_with",
           "in_parallel", "item_fields", "journal_lines", "program", "quote", "run_program", "temporary_folder",
           "unpack", "volume_files"]
