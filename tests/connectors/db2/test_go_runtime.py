"""The runtime of Go within the driver: what it must not do to a process."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.every_scenario import only_with_all
from tailrace.connectors.db2 import go_runtime
from tailrace_standins.servers.db2_server import StandInServer

BUSY = """
import sys, threading, time
from tailrace.config.secret import Secret
from tailrace.connectors.db2.connection import Address, connect_to

port, name, user, password, seconds = int(sys.argv[1]), *sys.argv[2:5], float(sys.argv[5])
longest = []

def work():
    begun = time.monotonic()
    while time.monotonic() < begun + seconds:
        before = time.monotonic()
        with connect_to(Address("127.0.0.1", port, name, user, Secret(password), query_seconds=600.0)) as session:
            for _ in range(30):
                list(session.batches("SELECT CURRENT SERVER FROM SYSIBM.SYSDUMMY1"))
        longest.append(time.monotonic() - before)

threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(max(longest))
"""


@only_with_all
@pytest.mark.drivers
@pytest.mark.slow
def test_sessions_of_many_threads_never_stand_still(db2_server: StandInServer) -> None:
    """Without the option they did, for 60 to 120 s, in most runs of this kind."""
    environment = {**os.environ, **go_runtime.lacking(os.environ), "GOMAXPROCS": "4"}
    given = map(str, (db2_server.port, db2_server.database, db2_server.user, db2_server.password, 25))
    done = subprocess.run([sys.executable, "-c", BUSY, *given], check=False, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 45


def test_a_process_that_began_without_it_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for text, told in (("A=1\0GODEBUG=netdns=go\0", 1), ("A=1\0GODEBUG=schedtrace=5\0", 0), ("broken\0\0", 1)):
        (tmp_path / "environ").write_text(text)
        monkeypatch.setattr(go_runtime, "_BEGAN_WITH", tmp_path / "environ")
        go_runtime.warn_if_lacking.cache_clear()
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            go_runtime.warn_if_lacking()
            go_runtime.warn_if_lacking()
        assert len(caplog.records) == told
    assert "spark.executorEnv.GODEBUG" in caplog.text
