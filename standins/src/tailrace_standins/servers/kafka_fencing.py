"""Fences a killed one-node broker before its next start.

In a cluster the controller fences a killed broker before it comes back. A single node, broker and controller, instead finds
itself the leader of all partitions in its metadata. It resumes the transactions whose commit was decided but not yet
marked in the partitions, and is fenced in the middle of that, when its old session expires. Kafka 4.3 then takes the
partitions for deleted and drops the markers ("these partitions are likely deleted already and hence can be skipped"). The
committed records stay invisible to read-committed consumers until the same producer commits there again.

So after a kill the node first runs as a controller only, with sessions that expire immediately, until it has fenced the
broker. The next start then need not wait for the old session's end either.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tailrace_standins.servers.java_process import JavaProcess

CLEAN = ".kafka_cleanshutdown"  # Kafka's own marker file of a clean shutdown
FENCED = "handleBrokerFenced: changing"
ACTIVE = "Activated periodic tasks"
ALREADY_FENCED_SECONDS = 10  # if the active controller fences nothing for so long, there was nothing to fence
WRITTEN_SECONDS = 0.3  # the controller logs the fencing before it writes it, and collects records for 25 ms first
TIMEOUT = 60
OF_THE_CONTROLLER = (
    "node.id",
    "controller.quorum.voters",
    "controller.listener.names",
    "listener.security.protocol.map",
)


class Fencing:
    """A run of the node as a controller only; `configuration` and `command` are the node's."""

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
        """Whether the node has run before and was killed."""
        return (self._data / "__cluster_metadata-0").exists() and not (self._data / CLEAN).exists()

    def run(self) -> None:
        """Run until the broker is fenced."""
        self._log.unlink(missing_ok=True)
        self._process.launch()
        try:
            self._wait()
        finally:
            self._process.terminate()  # not `kill`, which would lose what is not written yet

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
