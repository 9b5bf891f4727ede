"""A small schema registry with Confluent's API in this process, which can be told to fail; it keeps schemas as they came."""

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID


class Server(ThreadingHTTPServer):
    """Knows its connections, so that it can close them as a server does that ends."""

    daemon_threads = True

    def __init__(self, *args):
        super().__init__(*args)
        self.open = []

    def process_request(self, request, address):
        self.open.append(request)
        super().process_request(request, address)

    def close_all(self):
        for each in self.open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, address):
        """A client that does not trust the certificate, or gave up, is no news."""


class FakeRegistry:
    """Schemas by subject.

    Attributes:
        texts: of the schemas, the one with id 1 first.
        requests: what was asked, as (method, path, headers, body).
        faults: answers to give first, as (status, body); a number alone: wait that many seconds, then answer well.
        refuses: a text that makes schemas incompatible that have it; "": none is refused.
        guids: whether answers have a GUID, as those of newer registries.
        redirects_to: the header `Location` of all answers; "": none.

    """

    def __init__(self, *, guids=False, port=0, tls=None):
        self.texts = []
        self.subjects = {}
        self.requests = []
        self.faults = []
        self.refuses = ""
        self.redirects_to = ""
        self.guids = guids
        self.associations = {}
        self.connections = 0
        self.peers = []
        self.released = threading.Event()
        registry = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # headers and body in one packet

            def setup(self):
                super().setup()
                registry.connections += 1
                registry.peers.append(tls and self.connection.getpeercert())

            def do_GET(self):
                self.answer(b"")

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def answer(self, body):
                status, found = registry.answered(self.command, self.path, dict(self.headers), body)
                content = json.dumps(found).encode() if not isinstance(found, bytes) else found
                self.send_response(status)
                self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
                self.send_header("Content-Length", str(len(content)))
                if registry.redirects_to:
                    self.send_header("Location", registry.redirects_to)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def text(self, number):
        return self.texts[number - 1]

    def answered(self, method, path, headers, body):
        self.requests.append((method, path, headers, body))
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, tuple):
                return fault
            self.released.wait(fault)
        place = urlsplit(path)
        parts = [unquote(part) for part in place.path.strip("/").split("/")]
        return self._found(method, parts, parse_qs(place.query), json.loads(body) if body[:1] == b"{" else {})

    def _found(self, method, parts, query, body):
        if parts[0] == "token":
            return 200, {"access_token": "fresh", "expires_in": 3600}
        if parts[0] == "associations":
            found = self.associations.get(parts[3])
            return 200, [] if found is None else [{"subject": found}]
        if parts[:2] == ["schemas", "ids"]:
            number = int(parts[2])
            known = 0 < number <= len(self.texts)
            return (200, {"schema": self.text(number), **self._guid(number)}) if known else (404, _error(40403, "Schema not found"))
        if parts[0] == "subjects" and len(parts) == 3 and method == "POST":
            if self.refuses and self.refuses in body["schema"]:
                return 409, _error(409, f"READER_FIELD_MISSING_DEFAULT_VALUE {self.refuses}")
            number = self._number(body["schema"])
            versions = self.subjects.setdefault(parts[1], [])
            if number not in versions:
                versions.append(number)
            return 200, {"id": number, **self._guid(number)}
        if parts[0] == "subjects" and len(parts) == 2 and method == "POST":
            versions = self.subjects.get(parts[1])
            if versions is None:
                return 404, _error(40401, f"Subject '{parts[1]}' not found.")
            found = [number for number in versions if self.text(number) == body["schema"]]
            return (200, self._entity(parts[1], found[0])) if found else (404, _error(40403, "Schema not found"))
        if parts[0] == "subjects" and parts[2:] == ["versions", "latest"]:
            versions = self.subjects.get(parts[1])
            return (200, self._entity(parts[1], versions[-1])) if versions else (404, _error(40401, "Subject not found"))
        return 404, _error(404, f"nothing at {parts}")

    def _entity(self, subject, number):
        version = self.subjects[subject].index(number) + 1
        return {"subject": subject, "id": number, "version": version, "schema": self.text(number), **self._guid(number)}

    def _number(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1

    def _guid(self, number):
        return {"guid": str(UUID(int=number))} if self.guids else {}


def _error(code, message):
    return {"error_code": code, "message": message}
