# SPDX-License-Identifier: Apache-2.0
"""A raw HTTP/1.1 client: sends exactly the bytes given, reads exactly one response at a time.

It knows nothing beyond framing, so that a test sees what the server really says. A Connection
belongs to one thread.
"""
import base64
import socket
import urllib.parse


def quote(path):
    """A path, or its bytes, as it stands in a request line: all but A-Z a-z 0-9 - . _ ~ / is %XX."""
    data = path if isinstance(path, bytes) else path.encode()
    return urllib.parse.quote_from_bytes(data, safe="/-._~")


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Closed(Exception):
    """The server closed the connection before a whole response."""


class Response:
    def __init__(self, status, reason, headers, body, interim):
        self.status, self.reason, self.headers, self.body = status, reason, headers, body
        self.interim = interim  # statuses of 1xx answers before it

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name, default=None):
        values = self.all(name)
        return values[0] if values else default

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def __repr__(self):
        return f"<{self.status} {self.reason} {self.body[:200]!r}>"


class Connection:
    def __init__(self, port, authorization=None, timeout=60, tls=None, receive_bytes=None):
        """tls: an ssl.SSLContext; receive_bytes: of the socket's buffer, so that a slow reader is seen soon."""
        self.port = port
        self.authorization = authorization
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if receive_bytes:  # with segments as on a real network: those of loopback are larger than such a buffer
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.input = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.input.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def head(self, method, target, headers=()):
        """The bytes of a request's head. headers: a dict or pairs; a value of None leaves one out."""
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        names = {name.lower() for name, _ in pairs}
        if "host" not in names:
            pairs.insert(0, ("Host", f"127.0.0.1:{self.port}"))
        if self.authorization and "authorization" not in names:
            pairs.append(("Authorization", self.authorization))
        lines = [f"{method} {target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in pairs if value is not None]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")

    def request(self, method, target, body=None, headers=()):
        """One request with its body, and the response."""
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        if body is not None and not any(name.lower() == "content-length" for name, _ in pairs):
            pairs.append(("Content-Length", str(len(body))))
        self.send(self.head(method, target, pairs) + (body or b""))
        return self.response(method)

    def line(self):
        line = self.input.readline(65536)
        if not line.endswith(b"\n"):
            raise Closed(f"closed within a line: {line!r}")
        return line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")

    def exactly(self, count):
        data = self.input.read(count)
        if len(data) != count:
            raise Closed(f"closed after {len(data)} of {count} bytes")
        return data

    def read_head(self):
        version, status, reason = (self.line().split(" ", 2) + [""])[:3]
        if not version.startswith("HTTP/1."):
            raise Closed(f"not HTTP: {version}")
        headers = []
        while line := self.line():
            name, value = line.split(":", 1)
            headers.append((name, value.strip()))
        return int(status), reason, headers

    def response(self, method="GET"):
        interim = []
        while True:
            status, reason, headers = self.read_head()
            if status >= 200:
                break
            interim.append(status)
        response = Response(status, reason, headers, b"", interim)
        if method != "HEAD" and status not in (204, 304):
            response.body = self.read_body(response)
        return response

    def read_body(self, response):
        if "chunked" in response.header("Transfer-Encoding", "").lower():
            body = b""
            while size := int(self.line().split(";")[0], 16):
                body += self.exactly(size)
                self.line()
            while self.line():
                pass
            return body
        length = response.header("Content-Length")
        return self.exactly(int(length)) if length is not None else self.input.read()
