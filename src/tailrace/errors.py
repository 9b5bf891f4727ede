"""Every error that tailrace raises on purpose.

An error says what is wrong, with the name and the position, and what to do about it. Its class decides about
retries: a `RetriableError` is retried after a pause, any other is not. No message
contains a secret.
"""


from typing import Any


class TailraceError(Exception):
    """Base of all errors that tailrace raises on purpose.

    Attributes:
        failed: which of the records at hand fail, shape (n,), where that is known while they are encoded; else None.

    """

    failed: Any = None


class RetriableError(TailraceError):
    """A retry after a pause may help: a dropped connection, a restarting server."""


class SinkLostError(RetriableError):
    """The sink was lost with what was not committed: reopen it, and read its progress."""


class TransactionTooLongError(SinkLostError):
    """The broker ended a transaction of the sink before its commit, because it took too long."""

    remedy = ""


class ConfigError(TailraceError):
    """The configuration is wrong; the message names the property and the remedy."""


class NoSuchHostError(ConfigError):
    """A host name is unknown: a mistake, or a container that is about to start."""


class MissingLocallyError(ConfigError):
    """Something is missing on this machine that another may have, such as credentials or a library."""


class UnsupportedError(TailraceError):
    """A known feature is configured that is not supported (yet)."""


class SourceSetupError(TailraceError):
    """The database is not set up for change data capture; the message has the statement that fixes it."""


class MachineRefusedError(SourceSetupError):
    """The database refuses connections from this machine; it may take them from another one."""


class PositionLostError(TailraceError):
    """The log no longer reaches back to the position to resume from."""


class SnapshotLockError(TailraceError):
    """A snapshot did not get a lock within the configured time."""


class LogFormatError(TailraceError):
    """The log contains something that can't be decoded without a guess; the message names the position."""


class NotInLogError(LogFormatError):
    """What a statement or a transaction changed is not in the log; nothing of it was used, and what came before it is."""


class StructureError(TailraceError):
    """A table's structure at a position of the log is not known, or contradicts the log."""


class KeyChangedError(StructureError):
    """The key by which a snapshot reads a table is another one now, or was none for a while."""


class ProgressError(TailraceError):
    """A sink's progress record is missing, damaged or belongs to another source."""


class DeliveryError(TailraceError):
    """A record that the target will never accept as it is; the message names topic, position and remedy."""


class TransformError(TailraceError):
    """A transform can't be applied to a record; the message names the transform, the topic and the remedy."""


class ReselectionError(TailraceError):
    """A value that is to be read again from the database can't be; the message names the post processor and the table."""


class ConversionError(TailraceError):
    """A custom converter can't convert a column's values; the message names the converter and the column, and no value."""


class RegistryError(TailraceError):
    """A schema registry refuses a schema or a login, or lacks a schema; the message has the registry's own.

    Attributes:
        status: of HTTP; 0 if there was no answer.
        code: the registry's own number of the error; 0 if it gave none.

    """

    def __init__(self, message: str, status: int = 0, code: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def __reduce__(self) -> "tuple[type[RegistryError], tuple[str, int, int]]":
        return type(self), (str(self), self.status, self.code)


class SchemaRefusedError(RegistryError):
    """A schema registry refuses or lacks this schema; it may take others."""


class RegistryUnavailableError(RetriableError):
    """A schema registry does not answer, or says that it can't now."""


class StoppedError(TailraceError):
    """A stop was requested before the end; Spark must not treat the work as done."""


class DriverAwayError(TailraceError):
    """The driver could not be reached for long, so a task ended before its work was done."""


class FencedError(TailraceError):
    """Another task has taken over this lane: this one ends without delivering anything more."""
