"""Where a job delivers to, and the folders that belong to that."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from attrs import evolve, field, frozen

from tailrace.errors import ConfigError
from tailrace.sinks import check_target
from tailrace.sinks.files import OWN_FOLDER
from tailrace.source.checkpoint_folder import local_path

CHECKPOINT: Final = "checkpoint"
PROGRESS: Final = "progress"


@frozen(kw_only=True)
class Target:
    """A target with the folders that belong to it.

    Attributes:
        text: as `open_sink` takes it.
        checkpoint: the folder of Spark's checkpoint: on this machine, or as text on another file system that Hadoop knows.
        temporary: a folder to be removed at the end; None where progress is kept.

    """

    text: str
    checkpoint: Path | str
    temporary: Path | None = field(default=None)

    @classmethod
    def parse(cls, to: str, checkpoint: Path | str | None) -> Target:
        """From `--to` and `--checkpoint`."""
        check_target(to)
        kind, _, place = to.partition(":")
        if checkpoint is not None and local_path(str(checkpoint)) is None:
            return cls._elsewhere(to, str(checkpoint).rstrip("/"))
        given = None if checkpoint is None else local_path(str(checkpoint))
        if kind == "files":
            folder = Path(place).expanduser().absolute()
            return cls(text=f"files:{folder}", checkpoint=given or folder / OWN_FOLDER / CHECKPOINT)
        temporary = None if given else Path(tempfile.mkdtemp(prefix=f"tailrace-{kind}-"))
        folder = (given or temporary or Path()).absolute()
        # Kafka stores the progress, so that a checkpoint is only one more guard against its loss
        text = to if kind == "kafka" else f"console:{folder / PROGRESS}"
        return cls(text=text, checkpoint=folder / CHECKPOINT, temporary=temporary)

    @classmethod
    def _elsewhere(cls, to: str, checkpoint: str) -> Target:
        """With a checkpoint on another file system."""
        kind, _, place = to.partition(":")
        if kind == "console":
            raise ConfigError(
                f"--checkpoint {checkpoint}: --to console keeps its progress there too, which needs a folder of this machine"
            )
        text = to if kind == "kafka" else f"files:{Path(place).expanduser().absolute()}"
        return cls(text=text, checkpoint=f"{checkpoint}/{CHECKPOINT}" if kind == "kafka" else checkpoint)

    def at(self, checkpoint: str) -> Target:
        """The same with another checkpoint, as Spark takes it."""
        return evolve(self, checkpoint=local_path(checkpoint) or checkpoint)

    def discard(self) -> None:
        """Remove what is not to be kept."""
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


def check_folder(target: Target) -> None:
    """Raise `ConfigError` if the target's folder, or the checkpoint's, can't be created or written."""
    folder = target.checkpoint
    if isinstance(folder, str):  # the session looks there
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"can't make the folder {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"can't write to the folder {folder}: let tailrace's user write there, or name another")
