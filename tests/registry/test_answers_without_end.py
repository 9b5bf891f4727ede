"""A registry that sends without end, a byte at a time, or compressed: a request ends, with an error that says why."""

import contextlib
import gzip
import itertools
import socket
import threading
import time

import pytest

from tailrace.config.secret import Secret
from tailrace.errors import RegistryError, RegistryUnavailableError
from tailrace.registry.bounded_answers import LARGEST
from tailrace.registry.connection import OAuthLogin, RegistryConnection
from tailrace.registry.http import RegistryClient

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PIECE = b"%x\r\n" % (1 << 20) + b" " * (1 << 20) + b"\r\n"


@contextlib.contextmanager
def server(pieces, pause=0.0):
    """The URL of a server that answers with these pieces, and what it has sent, in bytes."""
    sent = [0]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            with contextlib.suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(1 << 16)
                    for piece in pieces:
                        connection.sendall(piece)
                        sent[0] += len(piece)
                        time.sleep(pause)

        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", sent
        answering.join(10)
        assert not answering.is_alive()


def ask(url, **more):
    asking = RegistryClient(RegistryConnection(urls=(url,), name="schema.registry.url", retries=0, **more), "application/json")
    try:
        return asking.request("POST", "/subjects/s/versions", {"schema": '"int"'}, about="the schema of subject s")
    finally:
        asking.close()


@pytest.mark.parametrize(
    "pieces",
    [
        itertools.chain([CHUNKED], itertools.repeat(PIECE)),
        itertools.chain([OK + b"\r\n"], itertools.repeat(b" " * (1 << 20))),
        itertools.chain([OK + b"Content-Length: 99999999999999\r\n\r\n"], itertools.repeat(b" " * (1 << 20))),
        itertools.repeat(b"HTTP/1.1 100 Continue\r\nX: " + b"y" * 60_000 + b"\r\n\r\n"),
    ],
    ids=["chunks", "until the end", "a length", "headers"],
)
def test_an_answer_without_end_is_given_up(pieces):
    with server(pieces) as (url, sent):
        with pytest.raises(RegistryError, match=r"subject s, can't be used: it is larger than 16 MiB") as error:
            ask(url)
        assert url in str(error.value)
    assert sent[0] < LARGEST + (16 << 20), "no more than buffers hold"


@pytest.mark.parametrize("start", [OK + b"X-Slow: ", CHUNKED + b"ffff\r\n"], ids=["headers", "body"])
def test_an_answer_that_drips_is_one_that_does_not_come(start):
    began = time.monotonic()
    with (
        server(itertools.chain([start], itertools.repeat(b" ")), 0.05) as (url, _),
        pytest.raises(RegistryUnavailableError, match=r"does not answer.*(timed out|not whole after 0\.6 s)"),
    ):
        ask(url, read_timeout=0.3)
    assert time.monotonic() - began < 5


def test_a_compressed_answer_is_not_unpacked():
    body = gzip.compress(b" " * (4 << 20))
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    with server([head + body]) as (url, _), pytest.raises(RegistryError, match=r"it is compressed \('gzip'\)"):
        ask(url)


def test_the_answer_of_a_token_server_ends_too_and_the_key_in_its_url_is_not_told():
    with server(itertools.chain([CHUNKED], itertools.repeat(PIECE))) as (url, _):
        login = OAuthLogin(token_url=f"{url}/token?key=hush!", client_id="me", secret=Secret("s"), name="issuer.endpoint.url")
        assert "hush" not in repr(login)
        with pytest.raises(RegistryError, match=r"issuer\.endpoint\.url: the answer of http.*/token can't be used") as error:
            ask("http://127.0.0.1:9", login=login)
    assert "hush" not in str(error.value)
