"""The exit codes, in one table; the reference page is generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from tailrace import errors


@dataclass(frozen=True, slots=True)
class ExitCode:
    """One exit code: what it means, and which errors end with it."""

    number: int
    meaning: str
    errors: tuple[type[errors.TailraceError], ...] = ()


OK = ExitCode(0, "done, or stopped by Ctrl-C or SIGTERM with everything that was read delivered")
FAILED = ExitCode(1, "an error that is not listed below; `--verbose` shows where it happened")
INTERRUPTED = ExitCode(
    130,
    "a second Ctrl-C, or one before the run listens for it: ended at once; the next run goes on from the last commit",
    (errors.StoppedError,),
)

EXIT_CODES = (
    OK,
    FAILED,
    ExitCode(
        2,
        "wrong usage, a wrong configuration, or something that is not supported",
        (errors.ConfigError, errors.UnsupportedError),
    ),
    ExitCode(
        3,
        "the database is not set up for change data capture; the message says which statement mends it",
        (errors.SourceSetupError,),
    ),
    ExitCode(4, "the log no longer reaches back to where reading must go on", (errors.PositionLostError,)),
    ExitCode(
        5,
        "the log holds something that can't be decoded without a guess, or a structure is not known",
        (errors.LogFormatError, errors.StructureError),
    ),
    ExitCode(
        6, "the progress record or Spark's checkpoint is missing, damaged or another source's", (errors.ProgressError,)
    ),
    ExitCode(7, "another run has the same target, or took it over", (errors.FencedError,)),
    ExitCode(
        8,
        "the database or the target could not be reached, or failed, and `errors.max.retries` attempts did not help; a lock "
        "was not to be had within `snapshot.lock.timeout.ms`; or a disk is full",
        (errors.RetriableError, errors.SnapshotLockError, errors.DriverAwayError),
    ),
    ExitCode(
        9,
        "the target, the schema registry, a transform, a post processor or a custom converter never takes a record as it is; "
        "the message says what to change",
        (
            errors.DeliveryError,
            errors.RegistryError,
            errors.TransformError,
            errors.ReselectionError,
            errors.ConversionError,
        ),
    ),
    INTERRUPTED,
)


def exit_code_for(error: BaseException) -> int:
    """The exit code for an error."""
    for code in EXIT_CODES:
        if isinstance(error, code.errors):
            return code.number
    return FAILED.number
