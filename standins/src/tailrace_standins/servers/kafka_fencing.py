"""What must happen between a kill of a one-node broker and its next start.

In a cluster the controller fences a killed broker before it comes back. A lone node that is broker and controller
finds itself the leader of everything in its metadata instead, takes up the transactions whose commit was decided but
not yet marked in the partitions, and is fenced in the middle of that, when its former session ends: Kafka 4.3 then
takes the partitions for deleted and drops the markers ("these partitions are likely deleted already and hence can be
skipped"). What was committed stays invisible to read-committed readers until the same producer commits there again.

So after a kill the node runs as a controller alone, with sessions that end at once, until it has fenced the broker.
That also spares the next start the wait for the former session's end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tailrace_standins.servers.java_process import JavaProcess

CLEAN = ".kafka_cleanshutdown"  # Kafka's own mark
FENCED = "handleBrokerFenced: changing"
ACTIVE = "Activated periodic tasks"
ALREADY_FENCED_SECONDS = 10  # from being active: then there was nothing to fence
WRITTEN_SECONDS = 0.3  # the controller tells of it before it writes, and gathers for 25 ms first
TIMEOUT = 60
OF_THE_CONTROLLER = (
    "node.id",
    "controller.quorum.voters",
    "controller.listener.names",
    "listener.security.protocol.map",
)


class Fencing:
    """The run of a node's controller alone; `configuration` and `command` are the node's own."""

    def __init__(self, directory: Path, configuration: Mapping[str, object], command: Sequence[str]) -> None:
        self._data = directory / "data"
        self._log = directory / "fencing.log"
        self._properties = directory / "fencing.properties"
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in _alone(configuration).items()))
        logging = "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.controller=info"
        self._process = JavaProcess(
            [command[0], logging, *command[1:], "kafka.Kafka", str(self._properties)], self._log
        )

    def is_needed(self) -> bool:
        """Whether the node has run and was killed."""
        return (self._data / "__cluster_metadata-0").exists() and not (self._data / CLEAN).exists()

    def run(self) -> None:
        """Until the broker is fenced."""
        self._log.unlink(missing_ok=True)
        self._process.launch()
        try:
            self._wait()
        finally:
            self._process.terminate()  # a kill would take what is not written yet

    def _wait(self) -> None:
        deadline, active = time.monotonic() + TIMEOUT, False
        while time.monotonic() < deadline:
            log = self._log.read_text(errors="replace")
            if FENCED in log:
                time.sleep(WRITTEN_SECONDS)
                return
            if ACTIVE in log and not active:
                active, deadline = True, time.monotonic() + ALREADY_FENCED_SECONDS
            if not self._process.running():
                break
            time.sleep(0.02)
        if not active or not self._process.running():
            raise TimeoutError(f"the Kafka controller does not fence its killed broker:\n{self._process.log_tail()}")


def _alone(configuration: Mapping[str, object]) -> dict[str, object]:
    listeners = str(configuration["listeners"]).split(",")
    return {
        **{name: configuration[name] for name in OF_THE_CONTROLLER},
        "process.roles": "controller",
        "listeners": next(listener for listener in listeners if listener.startswith("CONTROLLER://")),
        "log.dirs": configuration["log.dirs"],
        "broker.session.timeout.ms": 200,
        "broker.heartbeat.interval.ms": 100,
    }
