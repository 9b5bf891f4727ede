"""A job of `tailrace run`: the source, the target and the pace; it is sent to the tasks as one text.

The configuration is sent as written, so that `${env:…}` and `${file:…}` are replaced where the task runs and
a secret kept outside it never enters Spark's plans.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from attrs import asdict, field, frozen

from tailrace.connectors import connector_from, samples_of, try_login
from tailrace.connectors.interface import Connector
from tailrace.events.pipeline import RecordPipeline, check_registries, pipeline_of
from tailrace.link import Reporter, is_listening
from tailrace.object_paths import load_object
from tailrace.remote_link import RemoteReporter
from tailrace.schema.routing import Routing
from tailrace.sinks import open_lease, open_sink
from tailrace.sinks.base import Sink
from tailrace.sinks.lease import LeaseRecord
from tailrace.source.kept_names import are_kept

KAFKA = "kafka:"  # targets that begin so take bytes; others write lines of JSON
CONNECTOR_FACTORY = "tailrace.connectors:connector_from"


@frozen(kw_only=True)
class Pace:
    """When a task commits and when it ends.

    Attributes:
        slice_seconds: how long a task works before the next one; bounded work is not cut.
        commit_seconds: the longest time between commits, if there is anything to commit.
        commit_at_head: commit immediately when nothing more is waiting in the log.
        commit_bytes, commit_changes: commit earlier when this much is uncommitted.
        max_retries: attempts after a retriable error: -1 without limit, 0 never.
        retry_seconds: pause before each of them.

    """

    slice_seconds: float = 600.0
    commit_seconds: float = 1.0
    commit_at_head: bool = False
    commit_bytes: int = 256 << 20
    commit_changes: int = 2_000_000
    max_retries: int = -1
    retry_seconds: float = 10.0


@frozen(kw_only=True)
class Job:
    """Everything that a planner and its tasks need.

    Attributes:
        document: the connector's configuration, `{"name", "config"}` or flat.
        source: the connector's name in progress records, so that they are not mixed up.
        target: where records go, as on the command line: `files:DIR`, `console`, `kafka:HOST:PORT`.
        link: the address of the driver's `Link`; "" without one.
        link_elsewhere: the address for tasks on other machines, which holds a secret; None without one.
        values: what placeholders of the document stand for on the driver's machine, for machines that do not know it.
        files: the contents of files that the document names, in base64, by their paths, likewise.
        run: distinguishes two runs of the same job.
        query: what the driver's link knows the tasks of a query by; "" where there are none of others.
        connector: `module:function` that makes a `Connector` from the document.
        lanes: how many tasks read and deliver in parallel.
        snapshot_lanes: how many tasks read the snapshot of a new job; 0: as many as Spark has cores; None:
            no snapshot.
        snapshot: the query's name if it reads a snapshot and ends; "" if it follows the log.
        only_snapshot: whether the run ends when the snapshot is read.
        snapshot_again: when a job with progress takes another snapshot: `always`, at each start of a run;
            `when_needed`, if the log no longer reaches back to the progress; "": never.
        snapshot_delay_seconds: pause before a snapshot.
        routing: names the topics and assigns tables to lanes; None: the configured one.
        keeps_names: whether topics have the names of `routing`, whatever the configured transforms make of them.
        until: where a bounded query ends, the connector's own; None: where the log ends at its start.

    """

    document: Mapping[str, Any] = field(repr=False)  # it may hold secrets
    source: str
    target: str
    pace: Pace = field(factory=Pace)
    link: str = ""
    link_elsewhere: Mapping[str, Any] | None = field(default=None, repr=False)
    values: Mapping[str, str] = field(factory=dict, repr=False)
    files: Mapping[str, str] = field(factory=dict, repr=False)
    run: str = field(factory=lambda: uuid.uuid4().hex)
    query: str = ""
    connector: str = CONNECTOR_FACTORY
    lanes: int = 1
    snapshot_lanes: int | None = None
    snapshot: str = ""
    only_snapshot: bool = False
    snapshot_again: str = ""
    snapshot_delay_seconds: float = 0.0
    routing: Mapping[str, Any] | None = None
    keeps_names: bool = False
    until: Mapping[str, Any] | None = None

    def to_json(self) -> str:
        """As one text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """From `to_json`."""
        fields = json.loads(text)
        return cls(**{**fields, "pace": Pace(**fields["pace"])})

    def new_reporter(self) -> Reporter | RemoteReporter:
        """The link to the driver: on its machine by a socket, from another one over the network."""
        if self.link_elsewhere is not None and not is_listening(self.link):
            return RemoteReporter(self.link_elsewhere)
        return Reporter(self.link)

    def new_connector(self) -> Connector:
        """The connector, with placeholders replaced now."""
        make: Callable[[Mapping[str, Any]], Connector] = load_object(self.connector)
        connector = make(self.document)
        return connector if self.routing is None else connector.routed(self.routing)

    def new_pipeline(self) -> RecordPipeline:
        """What makes records of the connector's events."""
        settings = self.new_connector().settings
        return pipeline_of(settings, all_json=not self.target.startswith(KAFKA), keeps_names=self.keeps_names)

    def would_keep_names(self, recorded: Mapping[str, Any], lanes: int) -> bool:
        """Whether that many lanes, which stand apart under a recorded routing, keep its names; asks the database for tables."""
        settings = connector_from(self.document).settings if self.connector == CONNECTOR_FACTORY else None
        if settings is None:
            return False
        return are_kept(settings, Routing.from_dict(recorded), lanes, lambda: samples_of(settings).structures(settings))

    def try_login(self) -> None:
        """Log in to the source and out again, and to the schema registries; raises the error of a failed login."""
        if self.connector == CONNECTOR_FACTORY:
            try_login(self.document)
            check_registries(self.new_connector().settings)

    def new_lease(self) -> LeaseRecord:
        """Where the target's lease is kept."""
        return open_lease(self.target, self.document)

    def new_sink(self) -> Sink:
        """The sink."""
        return open_sink(self.target, source=self.source, run=self.run, link=self.link, document=self.document)
