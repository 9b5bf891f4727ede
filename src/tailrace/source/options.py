"""The options of DataFrames: Debezium's properties, and a few of their own.

Spark passes option names in lower case; properties are matched regardless of case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tailrace.config.documents import flatten, read_document
from tailrace.config.problems import Problems
from tailrace.config.properties.snapshots import ONLY_SNAPSHOT, WITH_NEW_SNAPSHOT, WITH_ROWS
from tailrace.config.settings import Settings
from tailrace.config.spelling import ALIKE, nearest
from tailrace.connectors import spec_of
from tailrace.connectors.converter_settings import require_text
from tailrace.connectors.load import from_mapping
from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.notifications.channels import SINK
from tailrace.signals.model import Channel
from tailrace.source.job import CONNECTOR_FACTORY, Pace

OWN = {"config", "output", "rowimage", "maxbytespertrigger", "strict", "connector.factory"}
_SHOWN = ("config", "output", "rowImage", "maxBytesPerTrigger", "strict")
OUTPUTS = ("records", "rows")
ROW_IMAGES = ("after", "both")
ALIASED = ("transforms", "predicates")
"""Properties that list names, which are parts of other properties' names."""
PARTS = 8  # the planner does not know how many cores Spark has


@frozen(kw_only=True)
class ReadJob:
    """Everything that the planner and the tasks of a DataFrame need.

    Attributes:
        document: the connector's configuration, with its placeholders.
        connector: `module:function` that creates the `Connector` from it.
        format: the name under which Spark knows the source.
        output: `records`, or `rows` for one table's typed columns.
        with_before: whether rows also have the before image, as `_before`.
        with_snapshot: whether a new stream begins with the tables.
        only_snapshot: whether it ends with them.
        snapshot_delay_seconds: the pause before.
        parts: the maximum number of a snapshot's parts in one batch.
        history_file: the file of the schema history; None: there is none.
        max_bytes: the approximate size of a batch, in bytes of the log or of tables; None: the whole log, and as many
            tables as `parts` allow.
        takes_signals: whether signal channels are polled.
        idle_seconds: the pause while a continuous stream has nothing to do.
        pace: attempts after retriable errors.
        warnings: properties that are set and have no effect.

    """

    document: Mapping[str, Any]
    connector: str = CONNECTOR_FACTORY
    format: str = "DataFrame"
    output: str = "records"
    with_before: bool = False
    with_snapshot: bool = False
    only_snapshot: bool = False
    snapshot_delay_seconds: float = 0.0
    parts: int = PARTS
    history_file: str | None = None
    max_bytes: int | None = None
    takes_signals: bool = False
    idle_seconds: float = 0.0
    pace: Pace = field(factory=Pace)
    warnings: tuple[str, ...] = ()


def parse_options(options: Mapping[str, str], connector_class: str) -> ReadJob:
    """The job of Spark's options, for the connector of the format; raises `ConfigError`, also for another connector's class."""
    given = {name.lower(): value for name, value in options.items()}
    output = _one_of("output", given.get("output", "records"), OUTPUTS)
    both = _one_of("rowImage", given.get("rowimage", "after"), ROW_IMAGES) == "both"
    max_bytes = _max_bytes(given.get("maxbytespertrigger"))
    document = _document(given, connector_class)
    if "connector.factory" in given:
        history = document.pop("schema.history.internal.file.filename", None)
        mode = document.pop("snapshot.mode", "no_data")
        return ReadJob(
            document=document,
            connector=given["connector.factory"],
            format=SPECS[connector_class].format,
            with_snapshot=mode in WITH_ROWS,
            only_snapshot=mode == ONLY_SNAPSHOT,
            history_file=history,
            max_bytes=max_bytes,
        )
    strict = _one_of("strict", given.get("strict", "false").lower(), ("true", "false")) == "true"
    settings = from_mapping(document, source="the options of the DataFrame", strict=strict)
    name = spec_of(settings).format
    if settings.connector_class != connector_class:
        raise ConfigError(f'connector.class={settings.connector_class}: take format("{name}") for it')
    if settings.snapshot_mode in WITH_NEW_SNAPSHOT:
        raise UnsupportedError(
            f"snapshot.mode={settings.snapshot_mode}: a DataFrame goes on from its checkpoint, whatever it says; set "
            "snapshot.mode=initial, and begin with a new checkpoint where the tables are to be read again"
        )
    _refuse_records_of_notifications(settings)
    if settings.reselections:
        raise UnsupportedError(
            f"post.processors={','.join(settings.post_processors)}: a task of a DataFrame that is repeated must give the same "
            "rows, and what is read again from the table may have changed; leave it out and join the table, or use `run`"
        )
    require_text(settings, "a DataFrame", json_only=False)
    if output != OUTPUTS[0]:
        _refuse_what_changes_records(settings)
    pace = Pace(
        max_retries=settings.errors_max_retries,
        retry_seconds=settings.retriable_restart_connector_wait_ms / 1000,
    )
    history = settings.schema_history_internal_file_filename
    return ReadJob(
        document=document,
        format=name,
        output=output,
        with_before=both,
        with_snapshot=settings.snapshot_mode in WITH_ROWS,
        only_snapshot=settings.snapshot_mode == ONLY_SNAPSHOT,
        snapshot_delay_seconds=settings.snapshot_delay_ms / 1000,
        parts=settings.snapshot_max_threads or PARTS,
        history_file=history,
        max_bytes=max_bytes,
        takes_signals=_takes_signals(settings),
        idle_seconds=settings.poll_interval_ms / 1000,
        pace=pace,
        warnings=settings.warnings,
    )


def _refuse_what_changes_records(settings: Settings) -> None:
    """Refuse transforms and custom converters of typed rows."""
    for name, aliases in (("transforms", settings.transforms), ("converters", settings.converters)):
        if aliases:
            raise UnsupportedError(
                f"{name}={','.join(aliases)}: they are for output={OUTPUTS[0]}; typed rows are the table's own, so "
                f"leave {name} out"
            )


def _takes_signals(settings: Settings) -> bool:
    """Whether a signal channel is enabled."""
    channels = settings.signal_enabled_channels
    others = Channel.FILE in channels or Channel.KAFKA in channels
    has_any = others or (Channel.SOURCE in channels and bool(settings.signal_data_collection))
    return has_any and settings.snapshot_mode != ONLY_SNAPSHOT


def _refuse_records_of_notifications(settings: Settings) -> None:
    """Refuse the notification channel `sink`: planning can't deliver records."""
    if SINK in settings.notification_enabled_channels:
        raise UnsupportedError(
            f"notification.enabled.channels={','.join(settings.notification_enabled_channels)}: a DataFrame tells "
            "notifications in the log only; take sink out, or deliver with `tailrace run`"
        )


def _document(given: Mapping[str, str], connector_class: str) -> dict[str, str]:
    """The file's properties, and over them the options'."""
    spelled = _spelled([SPECS[connector_class]])
    if given.keys() - OWN - spelled.keys():
        spelled = _spelled(SPECS.values())
    for name in given.keys() - OWN - spelled.keys():
        if near := nearest(name, _SHOWN, ALIKE):
            raise ConfigError(f"{name} is no option of a DataFrame; did you mean {near}?")
    document = _of_file(Path(given["config"])) if "config" in given else {}
    own = {spelled.get(name, name): value for name, value in given.items() if name not in OWN}
    aliases = {alias.lower(): alias for of in ALIASED for alias in _listed({**document, **own}.get(of, ""))}
    document |= {_with_alias(name, aliases): value for name, value in own.items()}
    if "connector.factory" not in given:
        document.setdefault("connector.class", connector_class)
    return document


def _listed(text: object) -> list[str]:
    return [each.strip() for each in str(text).split(",")]


def _with_alias(name: str, aliases: Mapping[str, str]) -> str:
    """`transforms.unwrap.type` with the alias as `transforms=Unwrap` spells it."""
    of, dot, rest = name.partition(".")
    alias, *more = rest.split(".", 1)
    return ".".join([of, aliases.get(alias, alias), *more]) if dot and of in ALIASED else name


def _spelled(kinds: Iterable[Spec]) -> dict[str, str]:
    """The names of properties by how Spark gives them: in small letters."""
    return {name.lower(): name for kind in kinds for name in (*kind.tables.aliases, *kind.tables.by_name)}


def _one_of(name: str, given: str, allowed: tuple[str, ...]) -> str:
    if given not in allowed:
        raise ConfigError(f"{name}={given}: it must be {' or '.join(allowed)}")
    return given


def _of_file(path: Path) -> dict[str, str]:
    problems = Problems()
    flat = flatten(read_document(path, problems), problems)
    problems.raise_if_any(str(path))
    return flat


def _max_bytes(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or int(text) == 0:
        raise ConfigError(f"maxBytesPerTrigger={text}: it must be a number of bytes, such as 268435456")
    return int(text)
