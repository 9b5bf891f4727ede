"""A server that does MySQL's handshake by a script, and records everything that a client sends.

It has no tables and knows no password: it plays an attacker's server to which a client connects by mistake.
"""

import contextlib
import socket
import struct
import threading

NONCE = b"abcdefghijklmnopqrst"
OK = b"\x00\x00\x00\x02\x00\x00\x00"
WITHOUT_TLS = 0x01FF_F7FF & ~(1 << 24)
WITH_TLS = WITHOUT_TLS | 1 << 11
TLS_REQUEST = 32  # the length of the packet by which a client asks for TLS


class ScriptedMySql:
    """Answers each packet of a client with the next of `answers`: bytes, or what a function makes of the packet.

    Attributes:
        heard: all packets of all clients.

    """

    user, host = "cdc", "127.0.0.1"

    def __init__(self, password, *answers, plugin="mysql_native_password", capabilities=WITHOUT_TLS):
        self.password = password
        self.heard = []
        self._answers = answers
        self._greeting = greeting(plugin, capabilities)
        self._listening = socket.create_server((self.host, 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                with client, contextlib.suppress(OSError, EOFError):
                    client.settimeout(20)
                    self._speak(client)

    def _speak(self, client):
        client.sendall(framed(self._greeting, 0))
        for answer in self._answers:
            packet, number = self._packet(client)
            client.sendall(framed(answer(packet) if callable(answer) else answer, number + 1))
        self._packet(client)  # what it says then; nobody answers

    def _packet(self, client):
        head = _exactly(client, 4)
        packet = _exactly(client, int.from_bytes(head[:3], "little"))
        self.heard.append(packet)
        return packet, head[3]


def greeting(plugin, capabilities):
    """The first packet of a server of version 8."""
    first, second = struct.pack("<HH", capabilities & 0xFFFF, capabilities >> 16)[:2], struct.pack("<H", capabilities >> 16)
    return (
        b"\x0a8.0.40\x00"
        + struct.pack("<I", 7)
        + NONCE[:8]
        + b"\x00"
        + first
        + b"\xff\x02\x00"
        + second
        + bytes([len(NONCE) + 1])
        + bytes(10)
        + NONCE[8:]
        + b"\x00"
        + plugin.encode()
        + b"\x00"
    )


def switch_to(plugin, data=NONCE + b"\x00"):
    """The packet that asks for another plugin."""
    return b"\xfe" + plugin.encode() + b"\x00" + data


def extra(data):
    """More for the plugin."""
    return b"\x01" + data


def framed(packet, number):
    return len(packet).to_bytes(3, "little") + bytes([number & 0xFF]) + packet


def _exactly(client, count):
    found = b""
    while len(found) < count:
        piece = client.recv(count - len(found))
        if not piece:
            raise EOFError
        found += piece
    return found
