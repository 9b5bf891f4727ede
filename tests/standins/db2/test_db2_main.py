"""The command: `python -m tailrace_standins.db2`."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys

import pytest

from tailrace_standins.db2 import __main__ as command
from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.db2_server import GivenServer

SECONDS = 60


@pytest.mark.drivers
def test_it_serves_the_shop_whose_changes_are_captured_until_it_is_told_to_end() -> None:
    pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
    options = ("--port", "0", "--database", "SHOP", "--inventory", "--interval", "0.02", "--password", "for-a-test-1")
    program = [*dying_with_parent(), sys.executable, "-m", "tailrace_standins.db2", *options]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout
            told = re.fullmatch(r"Db2 stand-in on 127\.0\.0\.1:(\d+), database SHOP, user db2inst1\n", child.stdout.readline())
            assert told
            db2 = GivenServer(f"db2://db2inst1:for-a-test-1@127.0.0.1:{told[1]}/SHOP")
            db2.sql("UPDATE DB2INST1.PRODUCTS SET WEIGHT = 2 WHERE NAME = 'lantern'")
            db2.replication.step()
            assert db2.sql("SELECT IBMSNAP_OPERATION, ID FROM ASNCDC.CDC_DB2INST1_PRODUCTS") == [("D", 101), ("I", 101)]
            db2.disconnect()
        finally:
            child.send_signal(signal.SIGTERM)
            _, complaints = child.communicate(timeout=SECONDS)
    assert (child.returncode, complaints) == (0, "")


def test_a_port_that_is_taken_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert command.main(["--port", str(port)]) == 1
    assert f"no stand-in on port {port}: " in capsys.readouterr().err
