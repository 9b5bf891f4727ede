"""`deploy/yarn/submit.sh` on a real YARN, in cluster mode: the driver and the executors run in its containers."""

import json
import signal
import sys
import uuid
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest

from support import large_table
from support.every_scenario import only_with_all
from support.kafka_follower import count_committed
from support.live_run import send
from support.machines.available import require_machines
from support.machines.network import Network
from support.machines.yard import broker_at, mysql_at
from support.machines.yarn import ENVIRONMENT, Yarn, containers, hadoop_jars
from tailrace_standins.servers.java_jars import Unavailable
from tailrace_standins.servers.waiting import wait_until

ROOT = Path(__file__).parents[2]
SPARK_HOME = Path(pyspark.__file__).parent
CONNECTOR = "/tmp/shop.json"
SECONDS = 400
ROWS = 2000
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]


@pytest.fixture
def place(tmp_path):
    require_machines()
    try:
        jars = hadoop_jars()
    except Unavailable as reason:
        pytest.skip(f"no YARN: {reason}")
    with Network(tmp_path) as network, ExitStack() as ends:
        for name in ("test", "mysql", "kafka"):
            network.place(name)
        mysql, broker = ends.enter_context(mysql_at(network)), ends.enter_context(broker_at(network))
        machine = network.machine("yarn", folders=[jars[0].parent])
        Yarn(machine).start()
        with network.at("test"):
            yield machine, mysql, broker


def test_a_job_in_containers_delivers_everything_once_and_goes_on_after_an_executor_was_killed(place):
    machine, mysql, broker = place
    name = f"yarn_{uuid.uuid4().hex[:8]}"
    mysql.sql(f"CREATE DATABASE {name}")
    for table in ("a", "b"):
        large_table.fill(mysql, name, table, ROWS)
    topics = {f"{name}.{name}.{table}" for table in ("a", "b")}
    machine.write(CONNECTOR, json.dumps(large_table.document(mysql, name, name, **{"tasks.max": "4"})))
    submitted(machine, broker)
    arrives(machine, broker, topics, 2 * ROWS)
    send([each.pid for each in containers(machine) if "YarnCoarseGrained" in " ".join(each.cmdline())][:1], signal.SIGKILL)
    mysql.sql("UPDATE a SET v = 'changed' WHERE id <= 2200; DELETE FROM b WHERE id <= 2200", name)
    arrives(machine, broker, topics, 2 * ROWS + 100 + 2 * 100)  # 100 keys are even and below that; a delete has a tombstone


def submitted(machine, broker):
    """Submit the job as the script does, with the node's own Python, and Spark's jars where they are."""
    environment = {
        **ENVIRONMENT,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": machine.address,
        "TAILRACE_PYTHON": sys.executable,
    }
    more = ["--conf", f"spark.yarn.jars=local:{SPARK_HOME}/jars/*", "--conf", "spark.yarn.stagingDir=file:///tmp/staging"]
    submit = [ROOT / "deploy" / "yarn" / "submit.sh", CONNECTOR, f"kafka:{broker.address}", *more]
    machine.start(submit, log="submit", environment=environment)


def arrives(machine, broker, topics, count):
    """So many records are committed, and after a while still no more."""
    wait_until(
        lambda: count_committed(broker.address, topics) >= count, SECONDS, lambda: machine.log("submit")[-2000:] + logs(machine)
    )
    assert count_committed(broker.address, topics) == count


def logs(machine):
    """What the containers say."""
    files = machine.root("/tmp/nodes/logs").glob("*/*/std*")
    return "".join(f"\n== {file.name}\n{file.read_text(errors='replace')[-1500:]}" for file in files)
