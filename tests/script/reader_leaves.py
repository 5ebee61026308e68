# SPDX-License-Identifier: Apache-2.0
"""dump and journal stop when nobody reads them any more: at the command line (`| head -1`), and at the admin socket."""
import os
import socket
import struct
import subprocess
import threading
import time

from lib import Server, check, contains, equal

FILES = 600
LONG = "x" * 180  # so that what is listed is more than a pipe holds


def first_line(server, *arguments):
    """The command's first line, its exit status and what it said, when its reader leaves after that line."""
    process = subprocess.Popen([server.binary, "--data", server.data, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read().decode()
    return line, process.wait(60), said


def reader_leaves(server):
    for arguments in (["dump"], ["journal"], ["ls", "-R", "/"], ["--json", "ls", "-R", "/"]):
        line, status, said = first_line(server, *arguments)
        check(line.endswith(b"\n"), f"{arguments}: no line")
        equal(status, 1, f"{arguments}: {said}")
        contains(said, "cannot write to standard output")


def endless(listener):
    """A server whose answer has no end."""
    peer, _ = listener.accept()
    line = b'{"name":"x"}'
    try:
        while True:
            peer.sendall((b"L" + struct.pack(">I", len(line)) + line) * 1000)
    except OSError:
        peer.close()


def endless_answer(server):
    """The command itself must stop: what it asks never does."""
    path = os.path.join(server.data, "archivolt.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        for arguments in (["dump"], ["journal"], ["ls", "/"]):
            thread = threading.Thread(target=endless, args=(listener,))
            thread.start()
            equal(first_line(server, *arguments)[1], 1, arguments)
            thread.join()
    os.unlink(path)


def connections(server):
    """Descriptors of the server that are sockets: one for each admin connection that it still serves, and a few."""
    folder = f"/proc/{server.process.pid}/fd"
    return sum(os.path.islink(path := os.path.join(folder, name)) and os.readlink(path).startswith("socket:")
               for name in os.listdir(folder))


def settled(server):
    """Their number once it stays the same for a second: those of earlier commands end in their own time."""
    seen, since = connections(server), time.monotonic()
    while time.monotonic() < since + 1:
        time.sleep(0.05)
        if connections(server) != seen:
            seen, since = connections(server), time.monotonic()
    return seen


def peer_closes(server, command):
    before = settled(server)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(os.path.join(server.data, "archivolt.sock"))
        call = b'{"command":"%s"}' % command
        peer.sendall(b"C" + struct.pack(">I", len(call)) + call)
        equal(len(peer.recv(1000)), 1000, "the beginning of the answer")
        check(connections(server) > before, "the connection is not served")
    deadline = time.monotonic() + 60
    while connections(server) > before:
        check(time.monotonic() < deadline, f"{command} goes on for a peer that has gone")
        time.sleep(0.05)


with Server() as server:
    os.makedirs(os.path.join(server.folder, "tree"))
    for number in range(FILES):
        with open(os.path.join(server.folder, "tree", f"file-{number}-{LONG}"), "w") as file:
            file.write(str(number))
    server.must("--quiet", "put", "-r", os.path.join(server.folder, "tree"), "/tree")
    reader_leaves(server)
    for command in (b"dump", b"journal"):
        peer_closes(server, command)
    equal(server.get(f"/tree/file-7-{LONG}").body, b"7")
    server.stop()
    endless_answer(server)
    reader_leaves(server)
