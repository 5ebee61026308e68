# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of commands: 0 done, 1 failed, 2 usage, 3 not found, 5 conflict; with a server and without.

What is missing on this machine is not found either, whatever the command.
"""
from lib import Server, equal, fails_with


def go_round(server, folder):
    server.must("mkdir", folder)
    server.must("put", "-", f"{folder}/file", input=b"file")
    fails_with(server.cli("cat", f"{folder}/absent"), 3)
    fails_with(server.cli("ls", f"{folder}/absent"), 3)
    fails_with(server.cli("get", f"{folder}/absent"), 3)
    fails_with(server.cli("mv", f"{folder}/absent", f"{folder}/x"), 3)
    fails_with(server.cli("meta", "ls", f"{folder}/absent"), 3)
    fails_with(server.cli("rm", f"{folder}/absent"), 3)
    fails_with(server.cli("rm", folder), 5, "rm of a full container")
    fails_with(server.cli("mkdir", folder), 5)
    fails_with(server.cli("no-such-command"), 2)
    fails_with(server.cli("put"), 2)
    fails_with(server.cli("ls", "--no-such-option", "/"), 2)
    for arguments in (["put", "/no/such/source", folder], ["put", "-r", "/no/such/source", folder],
                      ["put", "--journal", "/no/such/journal", __file__, f"{folder}/file"],
                      ["get", f"{folder}/file", "/no/such/target"], ["get", "-r", folder, "/no/such/target"],
                      ["export", "tree", folder, "/no/such/target"], ["export", "ocfl", "/no/such/target"],
                      ["purge", "--apply", "/no/such/copy"]):
        fails_with(server.cli(*arguments), 3, f"missing on this machine: {arguments}")
    server.must("rm", f"{folder}/file")
    fails_with(server.cli("cat", f"{folder}/file"), 3, "what is deleted")
    server.must("rm", folder)
    fails_with(server.cli("stat", folder), 3)
    server.must("mkdir", "-p", f"{folder}/a/b")
    server.must("rm", "-r", folder)
    equal(server.must("ls", "/").output, b"")


with Server() as server:
    go_round(server, "/served")
    server.stop()
    go_round(server, "/alone")
    fails_with(server.cli("cat", "/served/file"), 3)
