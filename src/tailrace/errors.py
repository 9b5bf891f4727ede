"""Every error that tailrace raises on purpose.

An error says what is wrong, with the name and the position, and what to do about it. Whether to try again
follows from its class: a `RetriableError` is worth another attempt after a pause, any other is not. No message
holds a secret.
"""


class TailraceError(Exception):
    """Base of all errors that tailrace raises on purpose."""


class RetriableError(TailraceError):
    """Trying again after a pause may help: a dropped connection, a server that is restarting."""


class SinkLostError(RetriableError):
    """The sink was lost with what was not committed: it is to be opened again, and says itself how far it came."""


class TransactionTooLongError(SinkLostError):
    """A transaction of the sink's was ended from outside before it could be committed, because it took too long."""

    remedy = ""


class ConfigError(TailraceError):
    """The configuration is wrong; the message names the property and the remedy."""


class NoSuchHostError(ConfigError):
    """A host's name is not known: a mistake, or a container that is about to start."""


class UnsupportedError(TailraceError):
    """What is asked for is known and is not supported (yet)."""


class SourceSetupError(TailraceError):
    """The database is not set up for change data capture; the message says which statement mends it."""


class PositionLostError(TailraceError):
    """The log no longer reaches back to the position from where reading must go on."""


class SnapshotLockError(TailraceError):
    """A lock that a snapshot needs is not to be had in the time that the configuration gives it."""


class LogFormatError(TailraceError):
    """The log holds something that can't be decoded without a guess; the message names the position."""


class StructureError(TailraceError):
    """The structure of a table at a position of the log is not known, or does not fit what the log says."""


class ProgressError(TailraceError):
    """A sink's progress record is missing, damaged or belongs to another source."""


class DeliveryError(TailraceError):
    """A record that the target will never take as it is; the message names topic, place and remedy."""


class StoppedError(TailraceError):
    """Something was asked to stop before its end; Spark must not take it for done."""


class FencedError(TailraceError):
    """Another task has taken over this lane: this one ends without delivering anything more."""
