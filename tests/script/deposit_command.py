# SPDX-License-Identifier: Apache-2.0
"""archivolt deposit: packages of each kind to servers of each profile, each accepted once, whatever fails on the way."""
import http.client
import http.server
import json
import os
import signal
import subprocess
import threading

from lib import check, equal, fails_with, program, run_program
from lib.deposits import archive, mets_package, zipped

ENV = {"ARCHIVOLT_PASSWORD": ""}


def deposit(a, *words, env=None):
    return run_program([program(), "--data", "/nowhere", "deposit", *words, "--user", "anna"], env={**ENV, **(env or {})})


def url_1(a):
    return f"http://127.0.0.1:{a.server.port}/sword/deposit/{a.open}"


def url_2(a):
    return f"http://127.0.0.1:{a.server.port}/swordv2/collection/{a.open}"


def write(a, name, body):
    path = os.path.join(a.server.folder, "out", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(body)
    return path


def title_of(a, handle):
    lines = a.server.must("item", "show", handle).text.splitlines()
    return next((line.split("\t")[1] for line in lines if line.startswith("dc.title\t")), "")


def each_kind(a):
    mets, plain = write(a, "mets/one thing;ä.zip", mets_package("By METS")), write(a, "plain/files.zip", zipped({"a.txt": b"a"}))
    binary = write(a, "plain/note.txt", b"a note")
    before = set(a.items())
    done = deposit(a, mets, "--to", url_1(a), "--json")
    equal(done.status, 0, done.error_text)
    row = json.loads(done.text)
    equal((row["source"], row["status"], row["title"]), (mets, 201, "By METS"))
    equal(a.request("GET", row["location"]).status, 200, "Location")
    equal(title_of(a, row["identifier"].split("hdl.handle.net/")[1]), "By METS", "the handle")
    done = deposit(a, os.path.dirname(binary), "--to", url_2(a), "--jobs", "2", "--type", "text/plain", "--packaging", "binary")
    equal((done.status, len(done.text.splitlines())), (0, 2), done.error_text)
    done = deposit(a, plain, "--to", url_2(a), "--on-behalf-of", "mia", "--in-progress")
    equal(done.status, 0, done.error_text)
    equal(len(set(a.items()) - before), 4)
    equal(len(a.server.must("item", "ls", "--state", "in-progress").text.splitlines()), 1)
    check("SWORD/one thing;ä.zip\t" in a.server.must("item", "show", row["identifier"].split("hdl.handle.net/")[1]).text,
          "the name of the package as it was sent")


def what_is_refused(a):
    package = write(a, "bad/p.zip", mets_package())
    before = a.dump()
    fails_with(deposit(a, package, "--to", url_1(a), env={"ARCHIVOLT_PASSWORD": "wrong"}), 4, "a wrong password")
    fails_with(deposit(a, package, "--to", url_1(a) + "999"), 3, "no such collection")
    fails_with(deposit(a, package, "--to", url_1(a), "--packaging", "http://example.org/x"), 1, "a packaging that it does not know")
    fails_with(deposit(a, package + ".none", "--to", url_1(a)), 3, "no such file")
    fails_with(deposit(a, package, "--to", "http://127.0.0.1:1/x", "--retry", "0"), 1, "nobody there")
    fails_with(deposit(a, package, "--to", "ftp://127.0.0.1/x"), 1, "not HTTP")
    fails_with(deposit(a, package), 2, "no address")
    fails_with(deposit(a, package, "--to", url_1(a), "--sword", "4"), 2, "no such profile")
    fails_with(deposit(a, package, "--to", url_2(a), "--dry-run"), 1, "a dry run by SWORD 2")
    found = deposit(a, package, "--to", f"http://127.0.0.1:{a.server.port}/sword/servicedocument/{a.community}")
    fails_with(found, 1, "a service document")
    check(f"/sword/deposit/{a.open}" in found.error_text, f"it names the collections: {found.error_text}")
    bad = write(a, "bad/z.zip", zipped({"mets.xml": b"<mets"}))
    done = deposit(a, os.path.dirname(package), "--to", url_1(a), "--dry-run")
    equal((done.status, len(done.text.splitlines())), (1, 1), "a dry run of one that is good and one that is not")
    check(bad in done.error_text and "mets.xml" in done.error_text, done.error_text)
    equal(a.dump(), before)


def goes_on_after_a_kill(a):
    for number in range(120):
        write(a, f"many/{number:03}.zip", mets_package(f"Number {number}"))
    folder, map_file = os.path.join(a.server.folder, "out/many"), os.path.join(a.server.folder, "map.jsonl")
    before = len(a.items())
    command = [program(), "deposit", folder, "--to", url_1(a), "--user", "anna", "--map", map_file, "--jobs", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **ENV})
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with open(map_file, "rb+") as file:  # one line lost, one cut
        lines = file.read().splitlines(keepends=True)
        check(len(lines) >= 4, "the map")
        file.truncate(sum(map(len, lines[:-1])) - 7)
    equal(deposit(a, folder, "--to", url_1(a), "--map", map_file).status, 0)
    with open(map_file) as file:
        rows = [json.loads(line) for line in file]
    equal((rows[0]["to"], len(rows)), (url_1(a), 121))
    equal(sorted(row["source"] for row in rows[1:]), sorted(os.path.join(folder, name) for name in os.listdir(folder)))
    titles = sorted(title_of(a, handle) for handle in a.items() if handle)
    equal([title for title in titles if title.startswith("Number")], sorted(f"Number {number}" for number in range(120)))
    equal(len(a.items()) - before, 120, "each once")
    done = deposit(a, folder, "--to", url_1(a), "--map", map_file)
    equal((done.status, done.text), (0, ""), "nothing is left to do")
    fails_with(deposit(a, folder, "--to", url_2(a), "--map", map_file), 5, "a map of another address")


class Flaky(http.server.BaseHTTPRequestHandler):
    """Somebody else's server: answers what `plan` says; None hangs up after the body has come."""
    plan, seen = [], []

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_error(405)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Flaky.seen.append((dict(self.headers), body))
        status = Flaky.plan.pop(0)
        if status is None:
            self.close_connection = True
            return
        content = b"" if status != 201 else b'<entry xmlns="http://www.w3.org/2005/Atom"><id>x</id><link rel="edit" href="/e/1"/></entry>'
        self.send_response(status)
        self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Cut(Flaky):
    """Between us and the real server: the first answer never comes back."""
    target, calls = None, 0

    def do_GET(self):
        self.forward(b"")

    def do_POST(self):
        self.forward(self.rfile.read(int(self.headers["Content-Length"])))

    def forward(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", Cut.target)
        connection.request(self.command, self.path, body, dict(self.headers))
        answer = connection.getresponse()
        content = answer.read()
        if self.command == "POST":
            Cut.calls += 1
        if self.command == "POST" and Cut.calls == 1:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name in ("Server", "Location"):
            if answer.getheader(name):
                self.send_header(name, answer.getheader(name))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def an_answer_is_lost(a):
    """Archivolt honours Idempotency-Key: the package is sent again, and its item is there once."""
    Cut.target = a.server.port
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cut)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    package, before = write(a, "lost/p.zip", mets_package("Lost answer")), len(a.items())
    done = deposit(a, package, "--to", f"http://127.0.0.1:{server.server_port}/sword/deposit/{a.open}", "--json")
    equal((done.status, Cut.calls), (0, 2), done.error_text)
    equal((json.loads(done.text)["title"], len(a.items()) - before), ("Lost answer", 1))
    server.shutdown()


def others(a):
    """503 is tried again; what was sent without an answer is not, unless it is asked for."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Flaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, package = f"http://127.0.0.1:{server.server_port}/c", write(a, "flaky/p.zip", mets_package())

    def run(plan, *words):
        Flaky.plan, Flaky.seen = list(plan), []
        return deposit(a, package, "--to", url, *words)

    done = run([503, 429, 201], "--json")
    equal((done.status, json.loads(done.text)["location"], len(Flaky.seen)), (0, "/e/1", 3), done.error_text)
    with open(package, "rb") as file:
        equal({body for _, body in Flaky.seen}, {file.read()})
    equal(len({head["Idempotency-Key"] for head, _ in Flaky.seen}), 1, "one key for all tries")
    equal(Flaky.seen[0][0]["X-Packaging"], "http://purl.org/net/sword-types/METSDSpaceSIP")
    equal(Flaky.seen[0][0]["Content-Disposition"], "filename=p.zip")
    done = run([503], "--retry", "0")
    equal((done.status, len(Flaky.seen)), (5, 1))
    done = run([None, 201])
    equal((done.status, len(Flaky.seen)), (1, 1), "it may be there")
    check("may have been stored" in done.error_text, done.error_text)
    equal((run([None, 201], "--retry-unsure").status, len(Flaky.seen)), (0, 2))
    equal((run([400]).status, len(Flaky.seen)), (1, 1), "what is wrong stays wrong")
    equal((run([302]).status, len(Flaky.seen)), (5, 1), "not sent elsewhere")
    server.shutdown()


with archive() as a:
    ENV["ARCHIVOLT_PASSWORD"] = a.tokens["anna"]
    each_kind(a)
    what_is_refused(a)
    goes_on_after_a_kill(a)
    an_answer_is_lost(a)
    others(a)
