"""What a connector is: every protocol that it implements.

A connector is a folder beside this file, with a line in `registry.py`. Its `SPEC` (`spec.py`) has the module paths of
its parts: the `Connector`, and modules with the functions of the other protocols. `docs/guides/write-a-connector.md`
explains them one by one.

`base.py` defines the data that these methods take and return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from tailrace.connectors.base import (
    ONLY_LANE,
    History,
    HistoryRecord,
    Lane,
    LogBatch,
    LogRange,
    OtherLanes,
    Progress,
    RequestedStep,
    Signalled,
    SnapshotPart,
    SnapshotStep,
    StartPoint,
    no_history,
    no_other_lanes,
)

if TYPE_CHECKING:  # what is named here is heavy
    from tailrace.config.settings import Settings
    from tailrace.connectors.demo import Shop
    from tailrace.connectors.findings import Applied, Finding, Statement
    from tailrace.encoding.rows import RowSchema
    from tailrace.events.event import Event, NewEvents
    from tailrace.events.samples import SampledTable
    from tailrace.schema.tables import Table, TableId
    from tailrace.transforms.named_columns import NamedColumn


class Connector(Protocol):
    """A database as a source of changes.

    It is made from settings, cheaply, and can be pickled: Spark sends it to tasks. The log is read either without end
    from a progress on, or range by range, where each range can be read again. A snapshot is read lane by lane (the
    direct way) or part by part (the DataFrame way), and signals may request tables meanwhile. A position is JSON in the
    connector's own format.

    The methods that read take `new_events`. For each batch the connector calls it, and appends the events to its result,
    each as soon as it is known. That of the pipeline encodes an event at once, so the columns of a whole batch are
    never held together.
    """

    @property
    def settings(self) -> Settings:
        """The settings that it was made from."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""

    def routed(self, routing: Mapping[str, Any]) -> Connector:
        """The same connector with a stored topic routing in place of the configured one; see `schema/routing.py`.

        A routing that changed with the configuration would assign topics to other lanes.
        """

    def can_change_lanes(self, progress: Progress) -> bool:
        """Whether the tables can continue in other lanes from this progress.

        Not if it counts what one lane has delivered, within a transaction say.
        """

    def common_boundary(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest position up to which all of these lanes can read, so that they have the same progress.

        None: the connector knows none but the head of the log.

        Raises:
            ConfigError: this configuration allows no such position.

        """

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """Where a connector without progress begins, with a snapshot for about so many lanes, or without one (0).

        `after` is the progress of lanes that the snapshot replaces: the new `delivered` does not sort before theirs, as
        a sink may compare positions.
        """

    def warn_of_lists(self) -> None:
        """Warn about entries in the configuration's lists that match nothing, when a connector resumes."""

    def require_retained(self, progress: Progress, history: History = no_history, lane: Lane = ONLY_LANE) -> None:
        """Raise `PositionLostError` if the log is no longer retained from where this lane's progress resumes.

        `history` returns the schema history up to that position. A connector that needs it takes from it which capture
        instances, say, were read before.
        """

    def snapshot(
        self,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: OtherLanes = no_other_lanes,
        new_events: NewEvents = list,
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot in its progress, from where that says. The last batch says that it is done.

        The records of a batch and its progress belong in one commit. If the end of the snapshot is notified, one lane
        does that. It leaves its own part undone as long as `others` does not say that theirs are done; the caller then
        calls this again.
        """

    def skipped_notification(self, progress: Progress) -> Sequence[Event]:
        """The SKIPPED notification for a start that takes no snapshot, with the progress of the first lane."""

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch, without those that `progress` says were delivered.

        Ends at `range_.until`; without it, it yields an idle batch whenever nothing comes within the poll interval.
        """

    def snapshot_point(self) -> StartPoint:
        """Where a DataFrame's stream begins with a snapshot; `snapshot` is the argument for `next_parts`."""

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, about `wanted`; `reached` is from the step before.

        `max_bytes` limits the total size of their tables, approximately; None: parts have their usual size.
        """

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part, without those that `progress` says were delivered.

        `progress.restart` is the snapshot's position, and `progress.snapshot` is None at first.
        """

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The newest position, or with a limit an earlier transaction boundary, about so many bytes after `start`.

        It does not lie after `at_most`, an earlier result of this method.
        """

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of a reader that has everything before a position, which a method of this connector returned."""

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history that lie before such a position."""

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """The records that a range adds to the schema history at its start; None: only reading the range shows them.

        `now_us` is the processing time of the range.
        """

    def signal_poller(self, signalled: Signalled | None) -> SignalPoller:
        """Polls for signals after those that `signalled` says were handled."""

    def requested_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> RequestedStep | None:
        """The next parts of the requested work; None if none can be read now, or the log should be read first.

        After None the same connector is asked again, as long as the process lives.

        Args:
            start: the position up to which the log is planned.
            signalled: the requested work.
            wanted: the greatest number of parts.
            max_bytes: about the total size of their tables. Nothing is planned while more of the log than this is
                waiting.

        """


class SignalPoller(Protocol):
    """Polls the signal channels of one stream."""

    def initial_state(self) -> Signalled | None:
        """The state of the channels at the start of a new stream.

        Rows that are in signal tables by then are not for it.
        """

    def poll(self, signalled: Signalled | None, position: Mapping[str, Any]) -> Signalled | None:
        """The requested work with the signals that have come since; `position`: up to where the stream is planned."""

    def close(self) -> None:
        """Close the channels."""


class Checks(Protocol):
    """Checks whether the server is set up for change data capture: `tailrace check`."""

    def check(self, settings: Any) -> Sequence[Finding]:
        """The findings, in the order in which they are printed."""


class Applying(Protocol):
    """Runs the statements of findings: `tailrace check --apply`."""

    def statements_of(self, findings: Iterable[Finding]) -> Sequence[Statement]:
        """The statements, in the order in which they must run."""

    def apply(self, settings: Any, statements: Iterable[Statement]) -> Iterable[Applied]:
        """Run them, and yield each with its result."""


class TypedRows(Protocol):
    """One table's rows in columns of their own: `output="rows"` of a DataFrame."""

    def row_schema(self, settings: Any, *, with_before: bool) -> RowSchema:
        """The columns that the one captured table has now."""

    def row_settings(self, settings: Any) -> Any:
        """The settings that make a connector yield only row changes, with column types that Spark has."""


class Samples(Protocol):
    """Sample events of tables, by which `tailrace check` shows what transforms do."""

    def structures(self, settings: Any) -> Mapping[TableId, Table]:
        """The structures of the captured tables, without signal tables, from the server."""

    def made(self, settings: Any, names: Sequence[str], columns: Sequence[NamedColumn]) -> Table:
        """A table that stands for one whose name has these parts, the last one its own; none: any name.

        `columns` are those that transforms name.
        """

    def sampled(self, settings: Any, table: Table) -> SampledTable:
        """What sample events of a table need; it connects to nothing."""


class TakingOver(Protocol):
    """Converts Debezium's offsets to a restart position and back: `tailrace offsets`.

    An offset is as Debezium stores it.
    """

    NEEDS_HISTORY: bool
    """Whether reading from an offset needs the schema history."""

    WHY_TOO_EARLY: str
    """Why Debezium would apply the records that `too_early` counts; "" if it never does."""

    def partitions_of(self, settings: Any) -> Sequence[Sequence[Mapping[str, Any]]]:
        """The keys of the connector's offsets, one list for each partition.

        A list has the keys that different versions of Debezium use for the partition.
        """

    def restart_of(self, settings: Any, offsets: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The restart position at these offsets, one for each partition."""

    def offsets_of(self, settings: Any, progress: Progress) -> Sequence[Mapping[str, Any]]:
        """The offsets of a progress, one for each partition."""

    def history_of(
        self, records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]
    ) -> Sequence[HistoryRecord]:
        """The records of Debezium's schema history up to the offsets."""

    def too_early(self, records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]) -> int:
        """The number of records that Debezium would apply at the offsets although they come later in the log."""

    def offset_text(self, offset: Mapping[str, Any]) -> str:
        """The position of an offset, for people."""


class Demo(Protocol):
    """A shop on its own server: `tailrace demo`."""

    def opened(self, notice: Callable[[str], None]) -> AbstractContextManager[Shop]:
        """The shop; its server is stopped at the end. Raises `ConfigError` if the server can't be started."""


class Pages(Protocol):
    """The text of a connector on the generated reference pages."""

    CONFIGURATION: str
    """The text before the tables of its properties: how tables are named, a minimal configuration."""

    MORE: Mapping[str, Callable[[], str]]
    """Further pages by file name, such as that of its data types."""
