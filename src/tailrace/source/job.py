"""A job of the direct way: what is read, where it goes and at what pace; it travels to the tasks as one text.

The configuration travels as people wrote it, so that `${env:…}` and `${file:…}` are replaced where the task runs and
a secret kept outside of it never enters Spark's plans.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from attrs import asdict, field, frozen

from tailrace.connectors import load_object, try_login
from tailrace.connectors.base import Connector
from tailrace.events.pipeline import RecordPipeline, pipeline_of
from tailrace.sinks import open_lease, open_sink
from tailrace.sinks.base import Sink
from tailrace.sinks.lease import LeaseRecord

CONNECTOR_FACTORY = "tailrace.connectors:connector_from"


@frozen(kw_only=True)
class Pace:
    """When a task commits and when it ends.

    Attributes:
        slice_seconds: how long a task works before it makes room for the next; bounded work is not cut.
        commit_seconds: at most this long after a commit comes the next, if there is anything to commit.
        commit_at_head: a commit comes at once when nothing more is waiting in the log.
        commit_bytes, commit_changes: a commit comes earlier when this much waits for it.
        max_retries: attempts after a retriable error: -1 without limit, 0 never.
        retry_seconds: pause before each of them.

    """

    slice_seconds: float = 600.0
    commit_seconds: float = 1.0
    commit_at_head: bool = False
    commit_bytes: int = 64 << 20
    commit_changes: int = 500_000
    max_retries: int = -1
    retry_seconds: float = 10.0


@frozen(kw_only=True)
class Job:
    """Everything that a planner and its tasks need.

    Attributes:
        document: the connector's configuration, `{"name", "config"}` or flat.
        source: whose changes these are, told in progress records so that they are not mixed up.
        target: where records go, as on the command line: `files:DIR`, `console`, `kafka:HOST:PORT`.
        link: the address of the driver's `Link`; "" without one.
        run: tells two runs of the same job apart.
        connector: `module:function` that makes a `Connector` of the document.
        lanes: how many tasks read and deliver side by side.
        snapshot_lanes: how many tasks read the snapshot that a new job begins with; 0: as many as Spark has cores; None:
            it begins with none.
        snapshot: a name for the query where it is to read a snapshot and end; "" where it follows the log.
        only_snapshot: the run ends when the snapshot is read.
        snapshot_again: when a job with progress takes another snapshot: `always`, at each start of a run; `when_needed`,
            where the log no longer reaches back to the progress; "": never.
        snapshot_delay_seconds: pause before a snapshot.
        routing: what tables are dealt out by among the lanes, and their topics named; None: what is configured.
        until: where a query that is to end ends, the connector's own; None: where the log ends when it starts.

    """

    document: Mapping[str, Any] = field(repr=False)  # it may hold secrets
    source: str
    target: str
    pace: Pace = field(factory=Pace)
    link: str = ""
    run: str = field(factory=lambda: uuid.uuid4().hex)
    connector: str = CONNECTOR_FACTORY
    lanes: int = 1
    snapshot_lanes: int | None = None
    snapshot: str = ""
    only_snapshot: bool = False
    snapshot_again: str = ""
    snapshot_delay_seconds: float = 0.0
    routing: Mapping[str, Any] | None = None
    until: Mapping[str, Any] | None = None

    def to_json(self) -> str:
        """As one text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """From `to_json`."""
        fields = json.loads(text)
        return cls(**{**fields, "pace": Pace(**fields["pace"])})

    def new_connector(self) -> Connector:
        """The connector, with placeholders replaced here and now."""
        make: Callable[[Mapping[str, Any]], Connector] = load_object(self.connector)
        connector = make(self.document)
        return connector if self.routing is None else connector.routed(self.routing)

    def new_pipeline(self) -> RecordPipeline:
        """What makes records of the connector's events."""
        return pipeline_of(self.new_connector().settings)

    def try_login(self) -> None:
        """Log in to the source and out again; raises what is in the way."""
        if self.connector == CONNECTOR_FACTORY:
            try_login(self.document)

    def new_lease(self) -> LeaseRecord:
        """Where the target's lease is kept."""
        return open_lease(self.target, self.document)

    def new_sink(self) -> Sink:
        """The sink."""
        return open_sink(self.target, source=self.source, run=self.run, link=self.link, document=self.document)
