# SPDX-License-Identifier: Apache-2.0
"""HTTPS: deposits and ranges over it, plain HTTP refused at its port, a bad key file named at the start."""
import os
import ssl

from lib import Server, check, contains, equal, run_program


def make_pair(folder, name):
    """A self-signed certificate for 127.0.0.1 and its key."""
    certificate, key = (os.path.join(folder, f"{name}.{kind}") for kind in ("certificate", "key"))
    done = run_program(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate])
    equal(done.status, 0, done.error_text)
    return certificate, key


def serve_with(server, certificate, key):
    server.serve_options = ["--set", f"http_tls_certificate={certificate}", "--set", f"http_tls_key={key}"]


def talk(server, tls):
    content = os.urandom(300000)
    with server.connect(tls=tls) as connection:
        answer = connection.request("PUT", "/rest/file", content, {"Content-Type": "application/octet-stream"})
        equal(answer.status, 201)
        equal(answer.header("Location"), f"https://127.0.0.1:{server.port}/rest/file")
        equal(connection.request("GET", "/rest/file").body, content, "the whole")
        part = connection.request("GET", "/rest/file", headers={"Range": "bytes=65530-131080"})
        equal((part.status, part.header("Content-Range")), (206, "bytes 65530-131080/300000"))
        equal(part.body, content[65530:131081], "a range")
    contains(server.log_text(), f"ready on https://127.0.0.1:{server.port}")


def plain_is_refused(server):
    with server.connect() as connection:
        try:
            connection.send(connection.head("GET", "/rest/"))
            seen = connection.input.read(4096)
        except ConnectionError:
            seen = b""
    check(b"HTTP/1.1 2" not in seen and b"archivolt" not in seen.lower(), f"an answer to plain HTTP at the TLS port: {seen!r}")


def must_not_start(server, certificate, key, named):
    serve_with(server, certificate, key)
    started = server.comes_up()
    said = server.log_text()[server.log_start:]
    check(not started, f"it started with {certificate} and {key}")
    check(server.process.wait() != 0, "status 0 although it did not start")
    server.process = None
    contains(said, named)
    check("ready" not in said, said)


with Server(start=False) as server:
    certificate, key = make_pair(server.folder, "one")
    _, other_key = make_pair(server.folder, "other")
    nonsense = os.path.join(server.folder, "nonsense.key")
    with open(nonsense, "w") as file:
        file.write("-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----\n")

    must_not_start(server, certificate, os.path.join(server.folder, "absent.key"), "absent.key")
    must_not_start(server, os.path.join(server.folder, "absent.pem"), key, "absent.pem")
    must_not_start(server, certificate, os.path.join(server.data, "archivolt.conf"), "archivolt.conf")
    must_not_start(server, certificate, nonsense, nonsense)
    must_not_start(server, nonsense, key, nonsense)
    must_not_start(server, certificate, other_key, other_key)
    must_not_start(server, certificate, "", "http_tls_key")

    serve_with(server, certificate, key)
    server.start()
    talk(server, ssl.create_default_context(cafile=certificate))
    plain_is_refused(server)
    talked = ssl.create_default_context(cafile=certificate)
    with server.connect(tls=talked) as connection:  # and it goes on after the one that was refused
        equal(connection.request("GET", "/livez").status, 200)
    server.stop()
