"""What a connector is: every protocol that it implements, and `SPEC`, which says where the parts are.

A connector is a folder beside this file, with a line in `registry.py`. Its `spec.py` has `SPEC`: what the configuration has to
know at once (class names, properties, settings), and the places of what is heavy and loaded where it is used: the
`Connector`, and modules with the functions of the protocols below. `docs/guides/write-a-connector.md` goes through them.

The data that goes in and out is described in `base.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from tailrace.connectors.base import (
    ONLY_LANE,
    AskedStep,
    History,
    HistoryRecord,
    Lane,
    LogBatch,
    LogRange,
    Others,
    Progress,
    Signalled,
    SnapshotPart,
    SnapshotStep,
    StartPoint,
    alone,
    no_history,
)

if TYPE_CHECKING:  # a spec is loaded with every configuration, and what is named here is heavy
    from tailrace.config.entries import Entry
    from tailrace.config.filters import Naming, SystemNames
    from tailrace.config.problems import Problems
    from tailrace.config.property import PropertyTables
    from tailrace.config.settings import Settings
    from tailrace.config.values import Value
    from tailrace.connectors.demo import Shop
    from tailrace.connectors.findings import Applied, Finding, Statement
    from tailrace.encoding.rows import RowSchema
    from tailrace.events.event import Event, NewEvents

Check = Callable[["Mapping[str, Value]", "Mapping[str, Entry]", "Problems"], None]


def _nothing_more(_values: Mapping[str, Value], _entries: Mapping[str, Entry], _problems: Problems) -> None:
    """There is nothing to check that other connectors have not."""


@frozen(kw_only=True)
class Cloud:
    """A connector of Confluent Cloud's: its class, and whether it is one of the first version, Debezium 1.x."""

    name: str
    is_first: bool = False


@frozen(kw_only=True)
class Spec:
    """A connector, as everything outside of its folder knows it.

    Attributes:
        name: of its folder, and short for its class in a configuration.
        database: the database's name, for people.
        connector_class: Debezium's class.
        other_names: more that `connector.class` may say for it.
        cloud: the same connector at Confluent Cloud.
        tables: its properties; in `registry.SPECS` with what depends on the other connectors.
        settings: what they become.
        naming: what lists of tables call a table.
        system: what is never captured.
        either: pairs of its own properties of which only one can be set.
        check: adds what contradicts itself, besides what is checked for every connector.
        format: the name of its DataFrames: `spark.readStream.format(...)`.
        frames: the package in which Spark finds them.

    Places, `package.module` or `package.module:name`:
        connector: the class that reads; a `Connector`, made from settings.
        login: the function that logs in with settings, and out again.
        position: the function that reads a restart position which a person gave, its own or an offset of Debezium's.
        checks: a module as `Checks`.
        applying: a module as `Applying`; None: no check asks for anything that could be run.
        rows: a module as `TypedRows`.
        taking_over: a module as `TakingOver`.
        demo: a module as `Demo`.
        pages: a module as `Pages`.

    """

    name: str
    database: str
    connector_class: str
    other_names: tuple[str, ...] = ()
    cloud: tuple[Cloud, ...] = ()
    tables: PropertyTables
    settings: type[Settings]
    naming: Naming
    system: SystemNames
    either: Sequence[tuple[str, str]] = ()
    check: Check = _nothing_more
    format: str
    frames: str
    connector: str
    login: str
    position: str
    checks: str
    applying: str | None = None
    rows: str
    taking_over: str
    demo: str
    pages: str


class Connector(Protocol):
    """A database. Made from settings, cheap to make, safe to send to another process.

    Its log is read as a whole, from a progress on, and range by range, each of which can be read again. A snapshot is read
    lane by lane, or part by part, and signals may ask for tables on the way. A position is the connector's own, JSON.

    Whatever is read, `new_events` makes what the events of a batch are put into, one by one as soon as they are known: the
    pipeline's encodes them there and then, and a connector need not hold the columns of a whole batch.
    """

    @property
    def settings(self) -> Settings:
        """What it was made from."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""

    def routed(self, routing: Mapping[str, Any]) -> Connector:
        """The same under a routing that was stored, whatever the configuration says now; see `schema/routing.py`."""

    def can_be_dealt_out(self, progress: Progress) -> bool:
        """Whether tables can go on in other lanes from there; not where the progress counts what one lane has delivered."""

    def meeting_point(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest place up to which all of these lanes can read, to stand alike there; None: only the head is known.

        Raises:
            ConfigError: as it is configured there is none.

        """

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """Where a connector without progress begins; with a snapshot that is for about so many lanes, 0: with none.

        `after` is the progress of lanes whose place the snapshot takes: what it gives as delivered does not sort before
        theirs.
        """

    def warn_of_lists(self) -> None:
        """Log what the lists of the configuration name that is not there, for a connector that goes on."""

    def require_within_reach(self, progress: Progress, history: History = no_history, lane: Lane = ONLY_LANE) -> None:
        """Raise `PositionLostError` where the log no longer reaches back to where this progress of a lane goes on.

        `history` gives the schema history up to there to a connector that needs it: it tells what was read before.
        """

    def snapshot(
        self,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: Others = alone,
        new_events: NewEvents = list,
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot that its progress names, from where it says; the last batch says that it is done.

        The records of a batch and its progress belong in one commit. Where a snapshot's end is told, one lane does so, and
        leaves its own part undone as long as `others` does not say that theirs are done; it is to be asked again then.
        """

    def skipped(self, progress: Progress) -> Sequence[Event]:
        """What is told at a start that finds no snapshot to be taken, with the progress of the first lane."""

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out.

        Ends at `range_.until`; without it, yields an idle batch now and then while nothing comes.
        """

    def snapshot_point(self) -> StartPoint:
        """Where a stream begins with a snapshot; `snapshot` is what `next_parts` is to be given again."""

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, about `wanted` of them; `reached` is what the step before gave."""

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part; what `progress` says was delivered is left out.

        `progress.restart` is the snapshot's position, `progress.snapshot` None at first.
        """

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The newest position, or with a limit an earlier boundary that is about so many bytes behind `start`.

        It does not lie behind `at_most`, which this method gave before.
        """

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of one who has everything before a position that was given by a method of this connector."""

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history that lie before such a position."""

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """What a range adds to the schema history that holds at its start; None: that shows only when it is read.

        `now_us` is the processing time of the range.
        """

    def listener(self, signalled: Signalled | None) -> Listener:
        """What goes on behind the signals that were handled by then."""

    def asked_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> AskedStep | None:
        """The next parts that were asked for, at most `wanted`; None where none can be read now, or none are wanted.

        Args:
            start: up to where the log is planned.
            signalled: what was asked for.
            wanted: how many parts.
            max_bytes: about so many of tables; and nothing is read while more of the log than this is waiting.

        """


class Listener(Protocol):
    """Looks into the channels that signals come through, now and then; one at a time for a stream."""

    def begun(self) -> Signalled | None:
        """What a new stream begins with: what the database's own tables of signals have by now is not for it."""

    def heard(self, signalled: Signalled | None, position: Mapping[str, Any]) -> Signalled | None:
        """What is to be done with what has come in since; `position`: up to where the stream is planned."""

    def close(self) -> None:
        """Let go of the channels."""


class Checks(Protocol):
    """Whether the server is set up for change data capture: `tailrace check`."""

    def check(self, settings: Any) -> Sequence[Finding]:
        """What was found."""


class Applying(Protocol):
    """What runs the statements that findings ask for: `tailrace check --apply`."""

    def statements_of(self, findings: Iterable[Finding]) -> Sequence[Statement]:
        """The statements, in the order in which they are to be run."""

    def apply(self, settings: Any, statements: Iterable[Statement]) -> Iterable[Applied]:
        """Run them, and tell of each what came of it."""


class TypedRows(Protocol):
    """One table's rows in columns of their own: `output="rows"` of a DataFrame."""

    def row_schema(self, settings: Any, *, with_before: bool) -> RowSchema:
        """The columns that the one captured table has now."""

    def row_settings(self, settings: Any) -> Any:
        """The settings under which a connector yields what rows can show: columns of types that Spark has, nothing else."""


class TakingOver(Protocol):
    """From Debezium's offsets to a restart position and back: `tailrace offsets`. An offset is as Debezium stores it."""

    NEEDS_HISTORY: bool
    """Whether nothing can be read at an offset without the schema history."""

    WHY_TOO_EARLY: str
    """Why Debezium would apply records that `too_early` counts; "" where it never would."""

    def partitions_of(self, settings: Any) -> Sequence[Sequence[Mapping[str, Any]]]:
        """The keys of the offsets that the connector has; of each, what different versions of Debezium call it."""

    def restart_of(self, settings: Any, offsets: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The restart position at these offsets, one for each partition."""

    def offsets_of(self, settings: Any, progress: Progress) -> Sequence[Mapping[str, Any]]:
        """The offsets of a progress, one for each partition."""

    def history_of(
        self, records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]
    ) -> Sequence[HistoryRecord]:
        """Those records of Debezium's schema history that hold at the offsets."""

    def too_early(self, records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]) -> int:
        """How many records Debezium would apply at the offsets though they come later in the log."""

    def place_of(self, offset: Mapping[str, Any]) -> str:
        """Where an offset is, for people."""


class Demo(Protocol):
    """A shop on a server of its own: `tailrace demo`."""

    def opened(self, notice: Callable[[str], None]) -> AbstractContextManager[Shop]:
        """The shop, whose server is gone at the end; `ConfigError` where it can't be had."""


class Pages(Protocol):
    """What the reference pages say of a connector."""

    CONFIGURATION: str
    """What stands before the tables of its properties: how tables are named, a minimal configuration."""

    MORE: Mapping[str, Callable[[], str]]
    """More pages by the names of their files, such as that of its types."""
