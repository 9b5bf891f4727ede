"""Whether each file that a server sends follows the previous one.

A file's end names the next one, or says that the server was shut down. If it says neither, the server crashed, or its
log was reset under the reader (RESET BINARY LOGS AND GTIDS): then it sends the second file of the new log next, and
the first one is skipped. So we check whether the file that was left is still the same on the server.
"""

from __future__ import annotations

from tailrace.connectors.mysql.log import FormatDescription, Item, Rotate, Stop
from tailrace.connectors.mysql.log_file_identity import created_at, log_was_reset
from tailrace.connectors.mysql.positions import FIRST_OFFSET, RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace.errors import PositionLostError


class FileSequence:
    """Checks the items of one dump."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings
        self._file = ""
        self._created = 0
        self._is_ended = False

    def take(self, item: Item) -> None:
        """Check an item of the log.

        Raises:
            PositionLostError: the log was reset.

        """
        if isinstance(item, FormatDescription):
            self._file, self._created, self._is_ended = item.file, item.created, False
        elif isinstance(item, Stop):
            self._is_ended = True
        elif isinstance(item, Rotate):
            if item.made_up and self._file not in {"", item.file} and not self._is_ended:
                self._require_same()
            self._is_ended = not item.made_up

    def _require_same(self) -> None:
        try:
            created = created_at(self._settings, DumpPosition(self._file, FIRST_OFFSET))
        except PositionLostError:  # purged meanwhile: a log that began again goes on in no file that is not in it
            return
        if created != self._created:
            raise log_was_reset(RestartPosition(file=self._file, file_created=self._created), created)
