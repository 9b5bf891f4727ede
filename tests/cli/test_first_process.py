"""`tailrace` as the first process of a container, which gets no signal that it has no handler for."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import psutil
import pytest

from tailrace_standins.servers.ports import HOST

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare"
)


def test_sigterm_ends_it_also_before_a_run_listens_for_it(tmp_path):
    with socket.create_server((HOST, 0)) as silent:  # a server that never greets
        silent.settimeout(60)
        properties = {
            "connector.class": "mysql",
            "database.hostname": HOST,
            "database.port": str(silent.getsockname()[1]),
            "database.user": "u",
            "database.password": "p",
            "database.server.id": "7",
            "topic.prefix": "first",
        }
        (tmp_path / "connector.json").write_text(json.dumps(properties))
        command = [sys.executable, "-m", "tailrace.cli.main", "check", str(tmp_path / "connector.json")]
        outside = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", *command], stderr=subprocess.DEVNULL)
        try:
            with silent.accept()[0]:
                (first,) = psutil.Process(outside.pid).children()
                first.send_signal(signal.SIGTERM)
                assert outside.wait(20) == 128 + signal.SIGTERM
        finally:
            outside.kill()
            outside.wait()
