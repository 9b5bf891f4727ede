"""A TCP proxy between a client and a server that drops connections or stops forwarding when a test tells it to.

    with CuttingProxy("127.0.0.1", server.port) as proxy:
        connect("127.0.0.1", proxy.port)
        proxy.cut()

`cut` resets every connection; new ones are accepted immediately. `block` forwards nothing any more, on existing and new
connections, like a network that drops packets; `unblock` ends that. Kafka clients connect to the address that the broker
advertises: `KafkaBroker(advertised_port=proxy.port)`.
"""

import contextlib
import socket
import struct
import threading

CHUNK = 1 << 16
RESET = struct.pack("ii", 1, 0)  # SO_LINGER of zero seconds: closing sends RST


class CuttingProxy:
    """Listens from the start; the target need not be there yet."""

    def __init__(self, target_host, target_port, port=0):
        self._target = (target_host, target_port)
        self.host = "127.0.0.1"
        self._listener = socket.create_server((self.host, port), backlog=128)
        self.port = self._listener.getsockname()[1]
        self._open = threading.Event()
        self._open.set()
        self._lock = threading.Lock()
        self._pairs = set()
        self._half_closed = {}
        self._closed = False
        self.accepted = 0
        threading.Thread(target=self._accept, daemon=True, name="cutting-proxy").start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def address(self):
        """Where clients connect to."""
        return f"{self.host}:{self.port}"

    @property
    def connections(self):
        """How many connections there are at the moment."""
        with self._lock:
            return len(self._pairs)

    def cut(self):
        """Reset all connections; how many there were."""
        with self._lock:
            pairs, self._pairs, self._half_closed = self._pairs, set(), {}
        for pair in pairs:
            _reset(pair)
        return len(pairs)

    def block(self):
        """Let nothing through until `unblock`; connections stay open and hang."""
        self._open.clear()

    def unblock(self):
        """Let it flow again, what was held back first."""
        self._open.set()

    def close(self):
        """Cut everything and listen no more."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self._open.set()

    def _accept(self):
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._pairs.add((client,))
            threading.Thread(target=self._serve, args=(client,), daemon=True, name="cutting-proxy").start()

    def _serve(self, client):
        self._open.wait()
        try:
            server = socket.create_connection(self._target, timeout=10)
        except OSError:
            self._drop((client,))
            return
        server.settimeout(None)
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (client, server)
        if not self._paired(pair):
            server.close()
            return
        threading.Thread(target=self._pump, args=(pair, server, client), daemon=True, name="cutting-proxy").start()
        self._pump(pair, client, server)

    def _paired(self, pair):
        """False where the client was cut before its server answered."""
        with self._lock:
            if self._closed or pair[:1] not in self._pairs:
                return False
            self._pairs.remove(pair[:1])
            self._pairs.add(pair)
            return True

    def _pump(self, pair, from_, to):
        try:
            while data := from_.recv(CHUNK):
                self._open.wait()
                to.sendall(data)
            if not self._is_there(pair):
                return  # it was cut, which is what ended the reading: no orderly end, then
            to.shutdown(socket.SHUT_WR)  # the other direction may still have something to say
        except OSError:
            self._drop(pair)
        else:
            self._finish(pair, from_)

    def _is_there(self, pair):
        with self._lock:
            return pair in self._pairs

    def _finish(self, pair, ended):
        """One direction has ended; with both the connection has."""
        with self._lock:
            over = self._half_closed.pop(pair, None) not in (None, ended)
            if over:
                self._pairs.discard(pair)
            else:
                self._half_closed[pair] = ended
        if over:
            for end in pair:
                end.close()

    def _drop(self, pair):
        with self._lock:
            self._pairs.discard(pair)
            self._half_closed.pop(pair, None)
        _reset(pair)


def _reset(sockets):
    for end in sockets:
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.shutdown(socket.SHUT_RD)  # wakes the thread that reads it
        end.close()
