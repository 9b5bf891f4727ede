"""The command: `python -m tailrace_standins.sqlserver`."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.standins.sqlserver.raw_client import RawClient, batch

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.sqlserver import __main__ as command
from tailrace_standins.sqlserver.tds.packets import Kind

SECONDS = 60


@contextmanager
def running(*options: str) -> Iterator[int]:
    """The command as a process of its own; gives its port. It must end by itself when it is told to."""
    with listening(1, *options) as (port,):
        yield port


@contextmanager
def listening(count: int, *options: str) -> Iterator[list[int]]:
    """The same with the ports that its first lines tell."""
    program = [*dying_with_parent(), sys.executable, "-m", "tailrace_standins.sqlserver", "--port", "0", *options]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout
        lines = [child.stdout.readline() for _ in range(count)]
        try:
            found = [int(port) for line in lines for port in re.findall(r" on 127\.0\.0\.1,(\d+)", line)]
            complaint = child.communicate(timeout=SECONDS)[1] if child.poll() is not None else ""
            assert len(found) == count, "".join(lines) + complaint
            assert lines[0].endswith("database inventory, user sa\n")
            yield found
        finally:
            child.send_signal(signal.SIGTERM)
            _, complaints = child.communicate(timeout=SECONDS)
    assert child.returncode == 0, complaints
    assert not complaints


def asked(port: int, sql: str) -> bytes:
    with RawClient(port) as client:
        client.enter()
        return client.ask(Kind.BATCH, batch(sql))


def test_it_serves_an_inventory_and_keeps_what_was_done_to_it_in_its_folder(tmp_path: Path) -> None:
    options = ("--folder", str(tmp_path / "data"), "--password", "secret", "--no-tls")
    with running(*options) as port:
        assert "lantern".encode("utf-16-le") in asked(port, "SELECT name FROM inventory.dbo.products")
        asked(port, "UPDATE products SET name = N'lamp' WHERE id = 101")
    with running(*options) as port:
        told = asked(port, "SELECT name FROM products")
        assert "lamp".encode("utf-16-le") in told
        assert "lantern".encode("utf-16-le") not in told


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with running() as port:
        assert command.main(["--port", str(port)]) == 1
    assert f"no stand-in on port {port}" in capsys.readouterr().err


def test_its_readable_secondary_shows_what_is_written_at_the_other_port() -> None:
    with listening(2, "--password", "secret", "--no-tls", "--secondary-port", "0") as (primary, secondary):
        asked(primary, "UPDATE inventory.dbo.products SET name = N'lamp' WHERE id = 101")
        assert "lamp".encode("utf-16-le") in asked(secondary, "SELECT name FROM inventory.dbo.products")
        assert "read-only".encode("utf-16-le") in asked(secondary, "DELETE inventory.dbo.products")


def test_a_secondary_for_read_intent_lets_nobody_else_in() -> None:
    options = ("--password", "secret", "--no-tls", "--secondary-port", "0", "--secondary-access", "read-only")
    with listening(2, *options) as (_, secondary), RawClient(secondary) as client:
        assert "application intent is set to read only".encode("utf-16-le") in client.enter()
