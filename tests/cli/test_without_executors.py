"""A cluster that has no executor for a run: a real standalone master without any worker."""

import json
import os
import signal
import subprocess
import sys

import pytest

from support.mysql_settings import properties_for
from support.spark_cluster import SparkCluster
from tailrace.sinks.lease_file import LeaseFile
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]


def test_a_run_that_waits_for_an_executor_heeds_sigterm_and_leaves_its_lease(mysql_server, database, tmp_path):
    mysql_server.sql(f"CREATE TABLE {database}.t (id INT PRIMARY KEY)")
    properties = properties_for(mysql_server, table_include_list=f"{database}.t")
    (tmp_path / "connector.json").write_text(json.dumps(properties))
    with SparkCluster(tmp_path, workers=0) as cluster:
        command = [sys.executable, "-m", "tailrace.cli.main", "run", str(tmp_path / "connector.json")]
        command += ["--to", f"files:{tmp_path}/out", "--master", cluster.url]
        with (tmp_path / "said").open("wb") as said:
            run = subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, "COLUMNS": "200"})
        try:
            text = (tmp_path / "said").read_text
            wait_until(lambda: "trying a worker" in text() or run.poll() is not None, 300, lambda: f"nothing happened: {text()}")
            run.send_signal(signal.SIGTERM)
            assert run.wait(60) == 0, text()
        finally:
            run.kill()
            run.wait()
    assert LeaseFile(tmp_path / "out" / "_tailrace").read().released
